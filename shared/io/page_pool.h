/* page_pool.h - the large blocks of one thread's arenas, each a mapping of its own.
 * The heap of the C library gives memory back when the last piece behind it goes: then several
 * times 64 MiB in one call of free, or nothing while a small piece stays.  Here a block that comes
 * back is kept for the next arena, up to FL_PAGE_POOL_KEPT_BYTES_MAX in all; the rest is excess,
 * which goes back to the system in slices: fl_page_pool_trim, once a turn while there is any.
 * Uses shared/base only.  Not thread-safe: one thread owns a pool and all arenas of it. */
#pragma once

#include "shared/base/arena.h"

#define FL_PAGE_POOL_KEPT_BYTES_MAX ((size_t)16 << 20)
#define FL_PAGE_POOL_SLICE_BYTES ((size_t)8 << 20) /* some 0.3 ms of the kernel */

struct fl_page_block;

struct fl_page_pool {
    struct fl_arena_source source; /* for the arenas */
    struct fl_page_block *usual;   /* idle, of FL_ARENA_LARGE_BYTES each */
    struct fl_page_block *larger;  /* idle, and never used again */
    size_t usual_bytes, larger_bytes;
    size_t taken_bytes; /* by arenas */
};

void fl_page_pool_init(struct fl_page_pool *pool);
/* Arenas that are not gone keep their blocks for good: their source must not be asked any more. */
void fl_page_pool_fini(struct fl_page_pool *pool);

/* Bytes that wait to be given back to the system. */
size_t fl_page_pool_excess(const struct fl_page_pool *pool);
/* Gives back up to FL_PAGE_POOL_SLICE_BYTES of the excess. */
void fl_page_pool_trim(struct fl_page_pool *pool);
