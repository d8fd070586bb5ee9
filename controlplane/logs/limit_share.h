/* limit_share.h - how the limit of an attempt is divided among its replicas.
 * An output shorter than a share is kept whole, and leaves the rest to the others; those are cut to
 * equal shares, each to its first and its last half.  A share follows from the lengths alone, in
 * any order: it is the same after a restart.  Outputs only grow, so a share only shrinks, and what
 * once was not kept is never asked for again.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LIMIT_SHARE_ALL UINT64_MAX /* nothing has to go */

/* The most that each of the 'len' outputs may keep, so that all together keep at most bytes_max.
 * Lengths of 0 take nothing; bytes_max >= len. */
uint64_t log_limit_share(const uint64_t *lengths, size_t len, uint64_t bytes_max);

/* Records that lie whole in it are not kept.  None do when begin >= end. */
struct log_middle {
    uint64_t begin, end;
};

/* The middle of an output of this length. */
struct log_middle log_limit_share_middle(uint64_t share, uint64_t length);

bool log_middle_has(const struct log_middle *middle, uint64_t begin, uint64_t end);

/* Is there something of it in [begin, end)? */
bool log_middle_meets(const struct log_middle *middle, uint64_t begin, uint64_t end);
