/* element.h - attempts of one element: their order by age, and a map key for the element.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/hash.h"
#include "shared/base/types.h"

/* The key of a map: no padding, so that equal keys are equal bytes. */
struct element_key {
    uint64_t job;
    uint64_t element;
};

static inline struct element_key element_key(struct fl_attempt attempt)
{
    return (struct element_key){.job = attempt.job.n, .element = attempt.element};
}

/* Both are of one element.  The incarnation goes first: after a lost history numbers start
 * again. */
static inline bool attempt_is_older(struct fl_attempt a, struct fl_attempt b)
{
    return a.incarnation != b.incarnation ? a.incarnation < b.incarnation : a.n < b.n;
}

static inline uint64_t attempt_hash(uint64_t so_far, struct fl_attempt attempt)
{
    so_far = fl_hash_u64(so_far, attempt.job.n);
    so_far = fl_hash_u64(so_far, (uint64_t)attempt.element << 16 | attempt.n);
    return fl_hash_u64(so_far, attempt.incarnation);
}
