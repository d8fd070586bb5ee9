/* arena.h - memory of one event or request, freed as a whole.
 * All memory is zeroed and 16-aligned and stays where it is until reset or fini.  {0} is an empty
 * arena.  Every size must have been bounded by the caller: out of memory aborts, as in alloc.h.
 * Uses libc only.  Not thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "shared/base/err.h"
#include "shared/base/poison.h"
#include "shared/base/str.h"

#define FL_ARENA_KEPT_BYTES_MAX ((size_t)1 << 20) /* memory that a reset keeps for the next use */

struct fl_arena_block;

/* Where the large blocks come from, if not from alloc.h. */
struct fl_arena_source {
    void *(*take)(struct fl_arena_source *source, size_t bytes); /* 16-aligned, never NULL */
    void (*give)(struct fl_arena_source *source, void *at, size_t bytes); /* as it was taken */
};

#define FL_ARENA_LARGE_BYTES                                                                       \
    ((size_t)256 << 10) /* the usual size of a large block, and the least */

struct fl_arena {
    uint8_t *at; /* the free part of the newest block */
    uint8_t *end;
    struct fl_arena_block *used; /* newest first */
    struct fl_arena_block *spare;
    size_t bytes;
    struct fl_arena_source *source; /* set before first use, and outlives the arena; may be NULL */
};

void fl_arena_reset(struct fl_arena *arena); /* all that came from it is gone */
void fl_arena_wipe(struct fl_arena *arena); /* the same, and its bytes are zeroed: it had secrets */
void fl_arena_fini(struct fl_arena *arena); /* NULL is fine; leaves an empty arena */

/* Bytes that the arena holds from the system, in use or spare. */
size_t fl_arena_bytes(const struct fl_arena *arena);

static inline void *fl_arena_alloc(struct fl_arena *arena, size_t bytes);

#define fl_arena_new(arena, type) ((type *)fl_arena_alloc((arena), sizeof(type)))
#define fl_arena_array(arena, type, n) ((type *)fl_arena_alloc_array((arena), (n), sizeof(type)))

/* A copy, followed by a zero byte: the copy of a string is a C string. */
void *fl_arena_copy(struct fl_arena *arena, const void *ptr, size_t bytes);
struct fl_str fl_arena_str(struct fl_arena *arena, struct fl_str s);

/* Makes the piece 'at' longer or shorter (NULL: there is none yet).  It stays where it is if it is
 * the newest and there is room behind it; else it moves to grow.  Added bytes are not zeroed. */
void *fl_arena_resize(struct fl_arena *arena, void *at, size_t bytes, size_t bytes_new);

/* The strings one behind the other. */
char *fl_arena_join(struct fl_arena *arena, const struct fl_str *parts, size_t len);

char *fl_arena_printf(struct fl_arena *arena, const char *fmt, ...) FL_PRINTF(2, 3);

/* Appends to any 'struct { T *at; size_t len, cap; }' that was zeroed at first; the items move
 * while it grows.  All arguments are evaluated once, the item before the list changes. */
#define fl_arena_push(arena, list, ...)                                                            \
    do {                                                                                           \
        __typeof__(list) fl_push_list_ = (list);                                                   \
        __typeof__(*fl_push_list_->at) fl_push_item_ = __VA_ARGS__;                                \
        struct fl_arena *fl_push_arena_ = (arena);                                                 \
        if (fl_push_list_->len == fl_push_list_->cap) {                                            \
            fl_push_list_->at = fl_arena_grow(fl_push_arena_, fl_push_list_->at,                   \
                                              &fl_push_list_->cap, sizeof(*fl_push_list_->at));    \
        }                                                                                          \
        fl_push_list_->at[fl_push_list_->len++] = fl_push_item_;                                   \
    } while (0)

/* Behind the macros and the inline part. */
void *fl_arena_alloc_slow(struct fl_arena *arena, size_t bytes);
void *fl_arena_alloc_array(struct fl_arena *arena, size_t n, size_t item_bytes);
void *fl_arena_grow(struct fl_arena *arena, void *at, size_t *cap, size_t item_bytes);

/* 0 bytes give a pointer that is not NULL. */
static inline void *fl_arena_alloc(struct fl_arena *arena, size_t bytes)
{
    size_t left = (size_t)(arena->end - arena->at);
    size_t rounded = (bytes + 15) & ~(size_t)15;
    uint8_t *ptr = arena->at;

    /* Under AddressSanitizer every piece goes the slow way, which leaves poisoned bytes behind
     * it. */
    if (FL_POISON || bytes == 0 || bytes > left || rounded > left) {
        return fl_arena_alloc_slow(arena, bytes);
    }
    arena->at = ptr + rounded;
    return memset(ptr, 0, bytes);
}
