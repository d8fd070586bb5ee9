/* room.h - free room as a round sees it: the tables as they stand, less all that the round itself
 * has given away and claimed.  The tables are only read; the difference is kept here, node by node,
 * and is forgotten when the next round begins.
 * Uses cluster_table and queue_table.  Not thread-safe. */
#pragma once

#include "controlplane/core/cluster_table.h"
#include "controlplane/core/queue_table.h"

/* A node that the round has changed. */
struct room_node {
    uint64_t round; /* in which this was written; an older one counts for nothing */
    struct fl_resources free;
    struct fl_resources_sum held, guests, claimed;
    struct named_resources named; /* the same of all resources that have names */
};

struct room_cluster {
    uint64_t round; /* as above */
    struct fl_resources_sum free_sum, claimed_sum;
    struct named_resources named; /* likewise summed up */
    uint32_t claims_len, unconfirmed, cursor;
    FL_VEC(struct room_node) nodes;
    uint64_t closed_round; /* in which somebody's claim was too much for its share */
    uint64_t most_round;   /* in which 'most' was taken: no node has more of anything free */
    struct fl_resources most, untainted_most; /* ... and no node without taints */
    uint64_t
        bare_at; /* its 'room_changes' + 1 when 'bare_most' was taken: no node could have more of
                         anything free once others have ended, claims apart */
    struct fl_resources bare_most;
    uint64_t totals_at; /* the stamp of 'total_most': no node is larger */
    struct fl_resources total_most;
};

struct room {
    const struct cluster_table *clusters;
    uint64_t round;
    uint64_t looked; /* nodes and clusters that were looked at in this round: its cost */
    FL_VEC(struct room_cluster) at;   /* by id - 1 */
    FL_VEC(uint32_t) found;           /* scratch of judge.c and claim.c, one call long */
    FL_VEC(struct fl_resources) left; /* likewise */
    FL_VEC(uint64_t) left_named;      /* likewise: for each node, of each kind the shape asks for */
};

void room_fini(struct room *room);

/* Nothing has been given away yet. */
void room_begin(struct room *room, const struct cluster_table *clusters);

/* The cluster as the round has changed it; NULL: it is as the table has it. */
static inline const struct room_cluster *room_changed(const struct room *room, struct fl_cluster id)
{
    const struct room_cluster *cluster = &room->at.at[id.n - 1];

    return cluster->round == room->round ? cluster : NULL;
}

/* The node as the round has changed it; 'changed' is its cluster, or NULL. */
static inline const struct room_node *room_node(const struct room *room,
                                                const struct room_cluster *changed, uint32_t i)
{
    return changed && changed->nodes.at[i].round == room->round ? &changed->nodes.at[i] : NULL;
}

/* The node's resources with a name. */
static inline const struct named_resources *room_named(const struct room_node *changed,
                                                       const struct node *node)
{
    return changed ? &changed->named : &node->named;
}

/* Free room of the node, claimed or not. */
static inline struct fl_resources room_free(const struct room_node *changed,
                                            const struct node *node)
{
    return changed ? changed->free : node->free;
}

/* Free room of it for a job without a claim there. */
static inline struct fl_resources room_spare(const struct room_node *changed,
                                             const struct node *node)
{
    if (fl_resources_sum_is_zero(changed ? changed->claimed : node->claimed)) {
        return room_free(changed, node);
    }
    return changed
               ? cluster_spare(node->total, changed->free, changed->held, changed->guests,
                               changed->claimed)
               : cluster_spare(node->total, node->free, node->held, node->guests, node->claimed);
}

/* The room that a job without a claim would have if all ended that was there before the claims;
 * 'is_bare': and if there were no claims. */
struct fl_resources room_empty(const struct room_node *changed, const struct node *node,
                               bool is_bare);

/* The round gives this to a replica; and then, what the replica asks for by name. */
void room_take(struct room *room, struct fl_cluster id, uint32_t node, struct fl_resources each);
void room_take_named(struct room *room, struct fl_cluster id, uint32_t node,
                     struct named_requests wants);
/* ... and the cluster has one start more to confirm; its next search begins at 'cursor'. */
void room_start(struct room *room, struct fl_cluster id, uint32_t cursor);

/* No other claim may be made on the cluster in this round. */
static inline void room_close(struct room *room, struct fl_cluster id)
{
    room->at.at[id.n - 1].closed_round = room->round;
}

static inline bool room_is_closed(const struct room *room, struct fl_cluster id)
{
    return room->at.at[id.n - 1].closed_round == room->round;
}

/* The round makes a claim, or ends one.  One that is not new was only lifted, to see what its job
 * may have, and is put back: those who came beside it stay guests. */
void room_claim(struct room *room, struct fl_cluster id, const struct claim_part *parts,
                size_t parts_len, bool is_new);
void room_unclaim(struct room *room, struct fl_cluster id, const struct claim_part *parts,
                  size_t parts_len);
