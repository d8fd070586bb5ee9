/* feasibility.h - whether any enrolled cluster could ever run a shape, and what is nearest to it if
 * none could.
 * Asked when a job is submitted.  Clusters count with all their nodes when empty, whether they are
 * connected, cordoned or drained now or not; one whose nodes this core does not all know could,
 * and for a while one that has lost some of what it had.
 * The verdict is kept for each shape: only clusters that have changed since are asked again.  One
 * call looks at a bounded number of clusters and nodes; the next one goes on there.
 * All is memory, not state.  Uses judge.  Not thread-safe. */
#pragma once

#include "controlplane/core/sched/judge.h"
#include "shared/base/map.h"

enum feasibility_verdict {
    FEASIBILITY_COULD,
    FEASIBILITY_NEVER,
    FEASIBILITY_UNJUDGED, /* it would take too many looks at a time */
};

enum {
    FEASIBILITY_SHAPES_MAX =
        1024, /* at more, those that no job has asked for longest are forgotten */
    FEASIBILITY_LOOKS_MAX = 20000, /* in one request, and the nodes of one cluster more */
    NODES_SETTLE_MS = 10000, /* the parts of an old agent's first list of nodes come this close */
    CLUSTER_SHRUNK_MS = 15 * 60 * 1000, /* a node that restarts or is replaced is back by then */
};

struct feasibility_memo; /* the verdict on one shape */

struct feasibility_memos {
    FL_VEC(struct feasibility_memo *) at; /* NULL: it has moved to the younger ones */
    struct fl_map by_bytes;               /* bytes of a shape -> index */
};

struct feasibility {
    const struct resource_table *resources;
    struct feasibility_memos young,
        old; /* half of the shapes each; a shape that is asked for is young */
    uint64_t request;
    uint64_t looks_left; /* until the request ends */
};

void feasibility_fini(struct feasibility *feasibility);

/* A request begins.  'resources' has the names of what nodes offer, until the next one. */
void feasibility_begin(struct feasibility *feasibility, struct room *room,
                       const struct cluster_table *clusters,
                       const struct resource_table *resources);

/* With FEASIBILITY_NEVER, *ret_text says what it asks for too much, and what the most is; good
 * until the next call. */
enum feasibility_verdict feasibility_judge(struct feasibility *feasibility, struct room *room,
                                           const struct shape_entry *entry, fl_ms now,
                                           const char **ret_text);

/* Whether what it could hold is known: it has reported all its nodes to this core, in some session;
 * there are some; and none has gone or become smaller for a while.  An agent that does not say
 * when its list ends has reported all once its session has been quiet.  A node that restarts, or is
 * replaced, must not make jobs impossible. */
bool feasibility_is_known(const struct cluster *cluster, fl_ms now);
