/* placement.h - where a shape can go now, and if nowhere, why: a pure function of what is known.
 * A gang goes all or nothing to one cluster, node by node on the agents' live reports; among the
 * clusters that fit, the least loaded one takes it.  Deciding and explaining are the same
 * judgement: a start is a verdict 'Fits' that was acted upon.
 * Nothing is changed here.  Uses cluster_table and shape_table only. */
#pragma once

#include "controlplane/core/cluster_table.h"
#include "controlplane/core/job.h"
#include "controlplane/core/shape_table.h"
#include "shared/base/arena.h"

struct placement {
    uint32_t cluster; /* slot */
    uint32_t *nodes;  /* index in its nodes, one for each replica; lives in the arena */
    uint32_t nodes_len;
    uint32_t cursor; /* where the cluster's next search starts */
};

struct placement_verdict {
    uint32_t cluster;   /* slot */
    enum reason reason; /* Fits, or why not */
    const char *text;   /* one sentence with numbers, in the arena */
};

/* At least so many unconfirmed starts, and a cluster gets no more. */
struct placement_limits {
    uint32_t unconfirmed_max;
};

/* True: *ret is where.  False: *ret_why is what the last of the clusters that could run it said, or
 * ClusterUnhealthy when only silent and cordoned ones could.  Clusters that have not grown since
 * shape->tried_at are not looked at again: they said no then, and shape->why is what they said. */
bool placement_choose(const struct cluster_table *clusters, const struct shape_entry *shape,
                      struct placement_limits limits, struct fl_arena *arena, struct placement *ret,
                      enum reason *ret_why);

/* Whether any cluster could run it when empty; unknown and cordoned ones count as able to. */
bool placement_could_ever(const struct cluster_table *clusters, const struct shape_entry *shape,
                          struct fl_arena *arena);

/* Whether one cluster could take it now, in words. */
struct placement_verdict placement_explain(const struct cluster_table *clusters, uint32_t cluster,
                                           const struct shape_entry *shape,
                                           struct placement_limits limits, struct fl_arena *arena);

/* Whether the cluster's nodes labels, as reported, carry this one. */
bool placement_node_matches(const struct node *node, const struct shape *shape);
