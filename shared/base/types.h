/* types.h - the words every part shares: ids and times.
 * An id is a struct of one member, so that the compiler tells a job from a cluster.  Zero is "none"
 * for every id: nothing real is ever numbered 0.
 * Uses libc only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t fl_ms; /* milliseconds; a point in time is counted from the Unix epoch */

#define FL_SECOND_MS ((fl_ms)1000)
#define FL_MINUTE_MS (60 * FL_SECOND_MS)
#define FL_HOUR_MS (60 * FL_MINUTE_MS)
#define FL_DAY_MS (24 * FL_HOUR_MS)

struct fl_tenant {
    uint32_t n;
};

/* The only tenant today.  Each use of this is a place to change when there are several. */
#define FL_TENANT_ONLY ((struct fl_tenant){1})

struct fl_queue_id {
    uint32_t n;
};

struct fl_cluster {
    uint32_t n;
};

struct fl_job {
    uint64_t n;
};

/* One placement of one element on one cluster.  Numbers start at 1 and never skip; the incarnation
 * grows when the database's history may have been cut, so that no identity is ever issued twice. */
struct fl_attempt {
    struct fl_job job;
    uint32_t element;
    uint16_t n;
    uint32_t incarnation;
};

struct fl_digest {
    uint8_t at[32]; /* SHA-256 */
};

static inline bool fl_attempt_is_same(struct fl_attempt a, struct fl_attempt b)
{
    return a.job.n == b.job.n && a.element == b.element && a.n == b.n &&
           a.incarnation == b.incarnation;
}
