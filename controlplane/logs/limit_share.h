/* limit_share.h - how the limit of an attempt is divided among its replicas.
 * An output shorter than a share is kept whole and leaves the rest to the others.  Those are cut to
 * equal shares: each keeps the first and the last half of a share.  Shares follow from the lengths
 * alone, so they are the same after a restart.  Outputs only grow, so a share only shrinks, and
 * bytes that were dropped are never wanted again.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LIMIT_SHARE_ALL UINT64_MAX /* nothing has to go */

/* The most that each of the 'len' outputs may keep, so that all together keep at most bytes_max.
 * Lengths of 0 take nothing; bytes_max >= len. */
uint64_t log_limit_share(const uint64_t *lengths, size_t len, uint64_t bytes_max);

/* Records that lie wholly in [begin, end) are dropped; with begin >= end none is. */
struct log_middle {
    uint64_t begin, end;
};

/* The middle of an output of this length. */
struct log_middle log_limit_share_middle(uint64_t share, uint64_t length);

bool log_middle_has(const struct log_middle *middle, uint64_t begin, uint64_t end);

/* Whether the middle has bytes in [begin, end). */
bool log_middle_meets(const struct log_middle *middle, uint64_t begin, uint64_t end);
