/* judge.h - whether one cluster takes a shape now, where on it, and if not, why: the one judgement
 * behind starts, claims and explanations.  A gang goes all or nothing, node by node on the agent's
 * live reports; room that others have claimed is not free.  Nothing is changed here.
 * Uses room and shape_table. */
#pragma once

#include "controlplane/core/job.h"
#include "controlplane/core/sched/room.h"
#include "controlplane/core/shape_table.h"
#include "shared/base/arena.h"
#include "shared/base/taint.h"

struct placement {
    struct fl_cluster cluster;
    uint32_t *nodes; /* index in its nodes, one for each replica */
    uint32_t nodes_len;
    uint32_t cursor; /* where the cluster's next search starts */
};

/* With Fits, *ret says where; its nodes are good until the next call. */
enum reason judge(struct room *room, struct fl_cluster cluster, const struct shape_entry *shape,
                  uint32_t unconfirmed_max, struct placement *ret);

/* The same judgement as one sentence with numbers, in the arena. */
enum reason judge_explain(struct room *room, struct fl_cluster cluster,
                          const struct shape_entry *shape, uint32_t unconfirmed_max,
                          struct fl_arena *arena, const char **ret_text);

/* Whether it takes work at all: connected, its inventory complete, not cordoned. */
bool judge_takes_work(const struct cluster *cluster);

/* Whether the shape may go to the cluster, by its lists and its image. */
bool judge_allows(const struct cluster *cluster, const struct shape *shape);

/* Whether the job's lists of clusters leave this one out. */
bool judge_is_excluded(const struct cluster *cluster, const struct shape *shape);

/* Whether the cluster could run it when empty; true while it has not reported its nodes. */
bool judge_could_ever(struct room *room, struct fl_cluster cluster,
                      const struct shape_entry *shape);

enum { JUDGE_TAINTS_TOLD_MAX = 3 };

/* Taints that keep a shape off nodes which would hold a replica; the first of these nodes. */
struct judge_kept_off {
    struct fl_str node;
    struct fl_taint taints[JUDGE_TAINTS_TOLD_MAX];
    uint32_t taints_len;
    bool has_more;
};

/* Whether the empty cluster would hold the shape if it tolerated these taints.  The texts are those
 * of the cluster's nodes. */
bool judge_keeps_off(struct room *room, struct fl_cluster cluster, const struct shape *shape,
                     struct judge_kept_off *ret);

/* The price, in looks, to compare the shape's lists with a cluster's name. */
uint64_t judge_cluster_looks(const struct shape *shape);

/* The roles, largest first: the one that needs most is placed while most is left. */
void judge_order_roles(const struct shape *shape, uint32_t ret_order[FL_JOB_ROLES_MAX]);
/* Where the role's replicas begin among all of the shape's. */
uint32_t judge_first_replica(const struct shape *shape, uint32_t role);
