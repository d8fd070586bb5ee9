/* choose.h - which cluster takes a shape: the least loaded of those where it fits.
 * Clusters are kept in the order of their load, and each shape remembers up to which stamp every
 * cluster has said no: only what has grown since is asked again.  Both are memory, not state: they
 * change no choice, only its cost.
 * Uses judge.  Not thread-safe. */
#pragma once

#include "controlplane/core/sched/judge.h"
#include "shared/base/heap.h"

/* All that was learnt about a shape; by its slot. */
struct shape_memo {
    uint32_t id;                /* the shape that had the slot then */
    uint8_t said;               /* enum reason of its last refusal ... */
    uint8_t busy;               /* ... and the last answer of a cluster that could run it */
    uint64_t tried_at;          /* no cluster that has not grown since this stamp fits it */
    struct fl_cluster ever;     /* fits it when empty, as of 'ever_at'; none: not known */
    uint64_t ever_at, never_at; /* stamps of totals; at the latter no cluster did */
    struct fl_cluster possible; /* claim_is_possible: this cluster, at that stamp of its totals */
    uint64_t possible_at, impossible_at; /* at the latter stamp there was none */
};

struct chooser {
    struct room room;
    FL_VEC(struct shape_memo) shapes;
    FL_VEC(struct fl_cluster) order; /* a heap by (load, id) */
    FL_VEC(uint32_t) place;          /* by id - 1: where it is in 'order' */
    FL_VEC(uint64_t) load;           /* by id - 1: in parts per million */
    /* The walks since the last change of the order have found so many of its first clusters; the
     * frontier has those of the heap that may come next. */
    FL_VEC(struct fl_cluster) walked;
    struct fl_heap frontier;
    bool is_order_changed;
    size_t walk;    /* the walk under way: so many it has had */
    uint64_t asked; /* choices for which some cluster had to be looked at, ever */
};

void chooser_fini(struct chooser *chooser);

/* A round begins: the clusters of 'loads_changed' find their new places. */
void chooser_begin(struct chooser *chooser, const struct cluster_table *clusters);

/* Fits: *ret is where, its nodes good until the next call.  Else what the last of the clusters that
 * could run it said, or ClusterUnhealthy when only silent and cordoned ones could.  'memo' is the
 * shape's, or that of somebody who sees more room than others. */
enum reason choose(struct chooser *chooser, const struct shape_entry *shape,
                   struct shape_memo *memo, uint32_t unconfirmed_max, struct placement *ret);

/* The memory about the shape. */
struct shape_memo *choose_memo(struct chooser *chooser, const struct shape_entry *entry,
                               struct shape_slot shape);

/* The round starts this: the cluster has less room and more load. */
void choose_start(struct chooser *chooser, const struct shape_entry *shape,
                  const struct placement *placement);

/* Whether any cluster could run it when empty; unknown and cordoned ones count as able to. */
bool choose_could_ever(struct chooser *chooser, const struct shape_table *shapes,
                       struct shape_slot shape);

/* The next cluster that takes work, by load; none: that was the last.  Begin with choose_walk. */
void choose_walk(struct chooser *chooser);
struct fl_cluster choose_next(struct chooser *chooser);
