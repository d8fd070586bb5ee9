/* slab.h - a pool of records of one size, addressed by a 32-bit slot.
 * Slot 0 means "no record"; slots count from 1.  Records never move and growing copies none of them
 * (only a short table of chunks), so no pause grows with the number of records.  The slot given
 * last is taken first: equal calls give equal slots.  Memory is kept for reuse until fini.
 * To give a slot that was never taken, or to give one twice, is a bug (fl_assert).
 * AddressSanitizer reports the use of a slot that was given.
 * Uses libc only.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/assert.h"

struct fl_slab {
    uint8_t **chunks; /* each: records, then one bit per record: is it taken */
    size_t chunks_len, chunks_cap;
    size_t record_bytes;  /* rounded up to a multiple of 8 */
    uint32_t chunk_shift; /* a chunk holds 1 << chunk_shift records */
    uint32_t records_max;
    uint32_t used; /* slots 1..used were taken at least once */
    uint32_t free; /* head of the list of given slots */
    uint32_t len;  /* records taken now */
};

/* Allocates nothing yet.  record_bytes > 0, 8-aligned records. */
void fl_slab_init(struct fl_slab *slab, size_t record_bytes, uint32_t records_max);
void fl_slab_fini(struct fl_slab *slab); /* NULL or zeroed is fine */

uint32_t fl_slab_take(struct fl_slab *slab); /* a zeroed record; 0 when records_max are taken */
void fl_slab_give(struct fl_slab *slab, uint32_t slot);

bool fl_slab_is_taken(const struct fl_slab *slab, uint32_t slot); /* any number is fine */
size_t fl_slab_bytes(const struct fl_slab *slab);                 /* held from the system */

static inline void *fl_slab_at(const struct fl_slab *slab, uint32_t slot)
{
    uint32_t i = slot - 1; /* 0 becomes the largest number, which no slab has */
    uint32_t mask = ((uint32_t)1 << slab->chunk_shift) - 1;

    fl_assert(i < slab->used);
    return slab->chunks[i >> slab->chunk_shift] + (size_t)(i & mask) * slab->record_bytes;
}
