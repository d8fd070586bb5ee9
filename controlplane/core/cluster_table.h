/* cluster_table.h - the clusters: the agent's session of each, its nodes, and their free resources.
 * A node's free resources are the agent's own number, minus the starts that its report does not
 * include yet, plus the replicas that have ended since.  A node is known by its name; the number
 * that the agent gives it is good for one session.  The table forgets a node that its cluster
 * reports no more, once no live attempt is on it (decision 55).  Its place among the nodes is then
 * a hole, which the next new name fills; until then no index moves.
 * Uses cluster.h and shared/base.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "controlplane/core/cluster.h"
#include "shared/base/err.h"

struct cluster_table {
    FL_VEC(struct cluster *) clusters; /* id i + 1 is at[i]: never removed, nor moved */
    struct fl_map by_name;             /* name of an enrolled cluster -> id */
    uint32_t clusters_max, nodes_max;
    uint32_t enrolled_len;
    uint64_t stamp;     /* grows with each change that may let waiting work start */
    uint64_t totals_at; /* stamp of the last change of what clusters could hold when empty */
    fl_ms now;          /* the core sets it to the time that an event brings */
    struct fl_cluster grown_first;           /* the cluster that grew last */
    FL_VEC(struct fl_cluster) loads_changed; /* clusters whose load changed since the last round */
};

void cluster_table_init(struct cluster_table *table, uint32_t clusters_max, uint32_t nodes_max);
void cluster_table_fini(struct cluster_table *table);

static inline struct cluster *cluster_table_at(const struct cluster_table *table,
                                               struct fl_cluster id)
{
    fl_assert(id.n - 1 < table->clusters.len);
    return table->clusters.at[id.n - 1];
}

/* Any id is fine, and any name; NULL: not there. */
struct cluster *cluster_table_find(const struct cluster_table *table, struct fl_cluster id);
struct cluster *cluster_table_find_name(const struct cluster_table *table, struct fl_str name);
struct cluster *cluster_table_find_uid(const struct cluster_table *table,
                                       struct fl_str uid); /* among the enrolled ones */

/* A removed cluster keeps its id, and a few hundred bytes, for ever: so many can come and go for
 * each that may be enrolled at a time. */
enum { CLUSTER_TURNS_MAX = 16 };

/* As queue_table_add; FL_FULL where clusters_max are enrolled.  A removed cluster's name is free
 * again. */
FL_CHECK bool cluster_table_add(struct cluster_table *table, struct fl_cluster id,
                                struct fl_str name, struct fl_str uid, struct cluster **ret_cluster,
                                struct fl_err *err);
/* A cluster without a session.  Its nodes are forgotten with the last replicas on them. */
void cluster_table_remove(struct cluster_table *table, struct cluster *cluster);

/* Something became free there: shapes that did not fit may.  The core calls core_retry_shapes. */
void cluster_table_grow(struct cluster_table *table, struct cluster *cluster);
/* A round has seen all that has changed so far. */
void cluster_table_settle(struct cluster_table *table);
/* The cluster's room when empty has changed, or has become known or unknown. */
void cluster_table_resize(struct cluster_table *table, struct cluster *cluster);

/* The index of the node of this name, made if it is not there.  How many there may be is the
 * caller's to say: nodes_max of a session, and those that live attempts are on. */
uint32_t cluster_need_node(struct cluster_table *table, struct cluster *cluster,
                           struct fl_str name);

/* A replica of a live attempt is on the node from now on, or was.  An index stays good in
 * between. */
void cluster_join_node(struct cluster *cluster, uint32_t node);
void cluster_leave_node(struct cluster_table *table, struct cluster *cluster, uint32_t node);

/* Forgets every node that no live attempt is on and moves the others together; for a cluster
 * without a session.  ret_moved, of nodes.len, has the new index of each that is left.  False: all
 * of them stay as they are. */
FL_CHECK bool cluster_pack_nodes(struct cluster *cluster, uint32_t *ret_moved);

/* One node of a report.  One that is not ready and has nothing is gone; so is another one that had
 * this number.  False: the number or the text is out of bounds, or nodes_max are there; nothing has
 * changed. */
struct cluster_node_report {
    uint64_t stamp;
    uint32_t number;
    bool is_ready;
    struct fl_str name, labels, taints;
    struct fl_resources total, free;
    const struct named_offer *offers; /* resources with a name, each once */
    size_t offers_len;
};
FL_CHECK bool cluster_report(struct cluster_table *table, struct cluster *cluster,
                             const struct cluster_node_report *report);

/* Takes from, or gives back to, a node of this session.  Where more is taken than is free, what is
 * given back later pays for that first. */
void cluster_take(struct cluster_table *table, struct cluster *cluster, uint32_t node,
                  struct fl_resources each);
void cluster_give(struct cluster_table *table, struct cluster *cluster, uint32_t node,
                  struct fl_resources each);

/* A START given up, sent under that number in this session, may reach the agent yet: its part stays
 * taken until the node is reported with it, that is, with a mark which is not lower.
 * cluster_take_late takes off again what the newest report of the node of that number does not
 * include.  Where more were given up, their parts are kept as one, until the last of them. */
void cluster_leave_late(struct cluster *cluster, uint32_t node, struct fl_resources each,
                        uint64_t start_seq);
void cluster_take_late(struct cluster_table *table, struct cluster *cluster, uint32_t number,
                       uint64_t mark);

/* A replica holds its part of the node from now on, or no longer, apart from the agent's own number
 * of free room.  cluster_hold gives a number that says whether the replica came as a guest, beside
 * a claim; cluster_unhold takes it back. */
uint16_t cluster_hold(struct cluster *cluster, uint32_t node, struct fl_resources each);
void cluster_unhold(struct cluster *cluster, uint32_t node, struct fl_resources each,
                    uint16_t guest_no);

/* A part of a claim on a node; and the end of one, once all its parts have been given back. */
void cluster_claim(struct cluster *cluster, uint32_t node, struct fl_resources part);
void cluster_unclaim(struct cluster *cluster, uint32_t node, struct fl_resources part);
/* The last claim of a cluster whose claims are broken is gone: nothing is claimed there. */
void cluster_clear_claims(struct cluster *cluster);

/* The room of a node for jobs without a claim on it: no more than is free, and no more than leaves
 * the claims whole once all that was there before them has ended. */
static inline struct fl_resources cluster_spare(struct fl_resources total, struct fl_resources free,
                                                struct fl_resources_sum held,
                                                struct fl_resources_sum guests,
                                                struct fl_resources_sum claimed)
{
    struct fl_resources left;

    fl_resources_sum_add(&held, free);
    left = fl_resources_sum_least(held, total);
    fl_resources_take_most(&left, fl_resources_sum_least(guests, total));
    fl_resources_take_most(&left, fl_resources_sum_least(claimed, total));
    return fl_resources_least(free, left);
}

/* The session has reported each of its nodes once: those that it has not are gone.  Unless the list
 * is whole, and was not cut, what the cluster could hold is not known.  A list that is cut
 * stays so for its session, so that ends in turns, whole and not, are one change. */
void cluster_end_list(struct cluster_table *table, struct cluster *cluster, bool is_whole);

/* There are more nodes: a report of this session was not taken. */
void cluster_cut_list(struct cluster_table *table, struct cluster *cluster);

/* A new session begins: nothing is known of it but its epoch. */
void cluster_begin_session(struct cluster_table *table, struct cluster *cluster,
                           uint64_t connection);
void cluster_end_session(struct cluster_table *table, struct cluster *cluster);
