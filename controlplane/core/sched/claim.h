/* claim.h - the room that a job which fits nowhere now may keep free for itself.
 * A claim names nodes of one cluster, and how much of each.  Later jobs may still use free room
 * there as long as the claim's job starts no later for it: once all has ended that was there
 * before the claim, the claimed part is free (cluster_spare).  So small work goes on around it,
 * and the job starts after one turn of those nodes, however much small work there is.
 * All claims on a cluster take at most a share of it together; one that is alone may take more,
 * or a job as large as the cluster would never start.  A share of 0 means no claims.  A claim
 * takes the nodes that are closest to being free, on the cluster where least is missing.  It
 * looks at the tables alone, so a fresh core, once its agents have reported their nodes, claims
 * much the same.
 * Uses choose. */
#pragma once

#include "controlplane/core/sched/choose.h"

/* A claim in the making; its lists live in the arena. */
struct claim_draft {
    struct fl_cluster cluster;
    struct claim_part *parts;
    size_t parts_len;
    uint32_t *nodes; /* one for each replica */
};

/* A claim for one start of the shape.  False: no cluster has room for it, even once others have
 * ended, or their claims are at the limit.  When no claims are in its way, the shape's memo forgets
 * that a claim was possible. */
bool claim_make(struct chooser *chooser, const struct shape_entry *shape, struct shape_memo *memo,
                uint32_t percent_max, struct fl_arena *arena, struct claim_draft *ret);

/* Whether some cluster that takes work now would have room for it once others have ended, if there
 * were no other claims.  It asks the first few by load.  The memo, the shape's, keeps a yes until
 * claim_make finds otherwise: no total tells how much others than we use. */
bool claim_is_possible(struct chooser *chooser, const struct shape_entry *shape,
                       struct shape_memo *memo);

/* Asserts that what is kept about clusters between rounds is as they are. */
void claim_check(const struct room *room);

/* Whether each of its nodes still takes work and has room for the claim, once others have ended. */
bool claim_is_whole(const struct room *room, const struct claim *claim);

/* Whether each of its nodes has room for it now, all replicas just there; *ret as of judge. */
bool claim_is_free(const struct room *room, const struct claim *claim, uint32_t unconfirmed_max,
                   struct placement *ret);
