/* ever.h - whether any enrolled cluster could ever run a shape, and what is nearest to it if none.
 * Asked when a job is submitted.  Clusters count with all their nodes when empty, whether they are
 * connected, cordoned or drained now or not; one whose nodes this core does not all know could.
 * The verdict is kept for each shape: only clusters that have changed since are asked again.  One
 * call looks at a bounded number of clusters and nodes; the next one goes on there.
 * All is memory, not state.  Uses judge.  Not thread-safe. */
#pragma once

#include "controlplane/core/sched/judge.h"
#include "shared/base/map.h"

enum ever_verdict {
    EVER_COULD,
    EVER_NEVER,
    EVER_UNJUDGED, /* it would take too many looks at a time */
};

enum {
    EVER_SHAPES_MAX = 1024, /* at one more, all are forgotten */
    EVER_LOOKS_MAX = 20000, /* in one request, and the nodes of one cluster more */
    NODES_SETTLE_MS = 2000, /* the parts of an agent's first report of its nodes come this close */
};

struct ever_memo; /* the verdict on one shape */

struct ever {
    FL_VEC(struct ever_memo *) memos;
    struct fl_map by_bytes; /* bytes of a shape -> index */
    uint64_t looks_left;    /* until the request ends */
};

void ever_fini(struct ever *ever);

/* A request begins. */
void ever_begin(struct ever *ever, struct room *room, const struct cluster_table *clusters);

/* With EVER_NEVER, *ret_text says what it asks for too much, and what the most is; good until the
 * next call. */
enum ever_verdict ever_judge(struct ever *ever, struct room *room, const struct shape_entry *entry,
                             fl_ms now, const char **ret_text);

/* Whether the cluster has told all its nodes to this core. */
bool ever_is_told(const struct cluster *cluster, fl_ms now);
