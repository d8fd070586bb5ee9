/* pair_table.h - arrays of which each element waits for the same element of another array.
 * A pair keeps, by place in the job, which elements wait and which of them may start: two bits an
 * element, and only for these arrays.  An element that has begun, or ended without, is neither.
 * The pairs of one target are linked; the job that waits, and its target, hold them by pointer in
 * their job_run.  Uses shared/base only.  Not thread-safe: the core owns it and is its only
 * caller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/core/slot.h"
#include "shared/base/vec.h"

enum {
    PAIRS_MAX = 1024,
    PAIR_ELEMENTS_MAX = 64 << 20, /* in all pairs */
    PAIR_FAMILY_MAX =
        64, /* arrays that wait for one, and for those: all hear of a failure at once */
};

struct pair {
    struct job_slot job, target; /* no target: it has ended */
    struct pair *next_of_target;
    size_t place_in_table;
    uint32_t elements, waiting_len, ready_len;
    uint32_t ready_from; /* no element before it is ready ... */
    uint32_t left_from;  /* ... and none before this one is left, which stays so */
    uint64_t *waiting, *ready;
};

struct pair_table {
    FL_VEC(struct pair *) pairs;
    size_t elements; /* in all */
};

void pair_table_fini(struct pair_table *table);
bool pair_table_has_room(const struct pair_table *table, uint32_t elements);
/* All elements wait; without a target, all are ready.  The caller links it to its target. */
struct pair *pair_table_add(struct pair_table *table, struct job_slot job, struct job_slot target,
                            uint32_t elements);
void pair_table_remove(struct pair_table *table, struct pair *pair);

bool pair_waits(const struct pair *pair, uint32_t place);
bool pair_is_ready(const struct pair *pair, uint32_t place);
/* An element that waits may start; false: it does not wait. */
bool pair_make_ready(struct pair *pair, uint32_t place);
/* The elements before 'to' may start, of a new pair; or those that have begun in its target's
 * pair.  By whole words. */
void pair_make_ready_before(struct pair *pair, uint32_t to);
void pair_make_ready_begun(struct pair *pair, const struct pair *target);
/* This one waits after all. */
void pair_wait_again(struct pair *pair, uint32_t place);
/* It has begun, or ended without; false: it had before. */
bool pair_take(struct pair *pair, uint32_t place);
/* The first that may start; one is ready. */
uint32_t pair_first_ready(struct pair *pair);
/* The first that has not begun; one is left.  All of these in turn cost one walk over the pair. */
uint32_t pair_first_left(struct pair *pair);
/* The same from a place on; UINT32_MAX: all have. */
uint32_t pair_next_left(const struct pair *pair, uint32_t from);
