#include "shared/base/arena.h"

#include <stdarg.h>
#include <stdio.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

#define BLOCK_BYTES_MIN ((size_t)4 << 10)
#define BLOCK_BYTES_MAX FL_ARENA_LARGE_BYTES /* a larger request gets a block of its own size */
#define FEW_BYTES 256
#define GAP_BYTES (FL_POISON ? (size_t)16 : 0)

struct fl_arena_block {
    struct fl_arena_block *next;
    size_t bytes; /* how long 'at' is */
    _Alignas(16) uint8_t at[];
};

static size_t block_total(const struct fl_arena_block *block)
{
    return sizeof(*block) + block->bytes;
}

static bool is_sourced(const struct fl_arena *arena, size_t total)
{
    return arena->source && total >= FL_ARENA_LARGE_BYTES;
}

/* A spare block that is large enough, else a new one.  A new block is as large as all blocks before
 * it together, within BLOCK_BYTES_MIN and BLOCK_BYTES_MAX. */
static struct fl_arena_block *take_block(struct fl_arena *arena, size_t bytes_min)
{
    struct fl_arena_block **link = &arena->spare;
    struct fl_arena_block *block;
    size_t total = arena->bytes;

    for (; *link; link = &(*link)->next) {
        block = *link;
        if (block->bytes < bytes_min) continue;
        *link = block->next;
        return block;
    }
    if (total < BLOCK_BYTES_MIN) total = BLOCK_BYTES_MIN;
    if (total > BLOCK_BYTES_MAX) total = BLOCK_BYTES_MAX;
    if (total < bytes_min + sizeof(*block)) total = bytes_min + sizeof(*block);
    /* Each piece is zeroed when it is handed out. */
    block = is_sourced(arena, total) ? arena->source->take(arena->source, total)
                                     : fl_alloc_resize(NULL, 1, total);
    block->bytes = total - sizeof(*block);
    arena->bytes += total;
    fl_poison(block->at, block->bytes);
    return block;
}

static void free_block(struct fl_arena *arena, struct fl_arena_block *block)
{
    size_t total = block_total(block);

    fl_unpoison(block->at, block->bytes);
    if (is_sourced(arena, total)) {
        arena->source->give(arena->source, block, total);
    } else {
        fl_free(block);
    }
}

static void free_blocks(struct fl_arena *arena, struct fl_arena_block *block)
{
    while (block) {
        struct fl_arena_block *next = block->next;

        free_block(arena, block);
        block = next;
    }
}

void *fl_arena_alloc_slow(struct fl_arena *arena, size_t bytes)
{
    struct fl_arena_block *block;
    uint8_t *ptr = arena->at;
    size_t left = (size_t)(arena->end - arena->at);
    size_t need;

    fl_assert(bytes <= PTRDIFF_MAX / 2);
    need = ((bytes ? bytes : 1) + 15 + GAP_BYTES) & ~(size_t)15;
    if (need <= left) {
        arena->at = ptr + need;
    } else {
        block = take_block(arena, need);
        ptr = block->at;
        if (arena->used && block->bytes - need < left) {
            /* The old block has more left than the new one will have: go on with the old one. */
            block->next = arena->used->next;
            arena->used->next = block;
        } else {
            block->next = arena->used;
            arena->used = block;
            arena->at = ptr + need;
            arena->end = ptr + block->bytes;
        }
    }
    fl_unpoison(ptr, bytes);
    return memset(ptr, 0, bytes);
}

void fl_arena_reset(struct fl_arena *arena)
{
    struct fl_arena_block *lists[2] = {arena->used, arena->spare};
    struct fl_arena_block **kept_end = &arena->spare;
    size_t kept_bytes = 0;

    arena->used = arena->spare = NULL;
    arena->at = arena->end = NULL;
    for (int i = 0; i < 2; i++) {
        struct fl_arena_block *block = lists[i];

        while (block) {
            struct fl_arena_block *next = block->next;

            block->next = NULL;
            if (block_total(block) <= FL_ARENA_KEPT_BYTES_MAX - kept_bytes) {
                kept_bytes += block_total(block);
                fl_poison(block->at, block->bytes);
                *kept_end = block;
                kept_end = &block->next;
            } else {
                free_block(arena, block);
            }
            block = next;
        }
    }
    arena->bytes = kept_bytes;
}

void fl_arena_wipe(struct fl_arena *arena)
{
    for (struct fl_arena_block *block = arena->used; block; block = block->next) {
        bool is_newest = arena->end == block->at + block->bytes;

        fl_unpoison(block->at, block->bytes);
        memset(block->at, 0, is_newest ? (size_t)(arena->at - block->at) : block->bytes);
    }
    fl_arena_reset(arena);
}

void fl_arena_fini(struct fl_arena *arena)
{
    if (!arena) return;
    free_blocks(arena, arena->used);
    free_blocks(arena, arena->spare);
    *arena = (struct fl_arena){0};
}

size_t fl_arena_bytes(const struct fl_arena *arena)
{
    return arena->bytes;
}

void *fl_arena_alloc_array(struct fl_arena *arena, size_t n, size_t item_bytes)
{
    size_t bytes;

    fl_assert(!__builtin_mul_overflow(n, item_bytes, &bytes));
    return fl_arena_alloc(arena, bytes);
}

void *fl_arena_copy(struct fl_arena *arena, const void *ptr, size_t bytes)
{
    uint8_t *copy;

    fl_assert(bytes < SIZE_MAX);
    copy = fl_arena_alloc(arena, bytes + 1);
    if (bytes) memcpy(copy, ptr, bytes);
    return copy;
}

struct fl_str fl_arena_str(struct fl_arena *arena, struct fl_str s)
{
    return (struct fl_str){fl_arena_copy(arena, s.at, s.len), s.len};
}

char *fl_arena_join(struct fl_arena *arena, const struct fl_str *parts, size_t len)
{
    size_t bytes = 0;
    char *joined, *end;

    for (size_t i = 0; i < len; i++) {
        bytes += parts[i].len;
    }
    fl_assert(bytes < SIZE_MAX);
    joined = end = fl_arena_alloc(arena, bytes + 1);
    for (size_t i = 0; i < len; i++) {
        if (parts[i].len > 0) memcpy(end, parts[i].at, parts[i].len);
        end += parts[i].len;
    }
    return joined;
}

void *fl_arena_resize(struct fl_arena *arena, void *at, size_t bytes, size_t bytes_new)
{
    size_t before = (bytes + 15) & ~(size_t)15, after = (bytes_new + 15) & ~(size_t)15;
    uint8_t *piece = at;
    void *moved;

    fl_assert(bytes_new <= PTRDIFF_MAX / 2);
    /* Under AddressSanitizer poisoned bytes are behind it. */
    if (!FL_POISON && piece && piece + before == arena->at &&
        after <= (size_t)(arena->end - piece)) {
        arena->at = piece + after;
        return at;
    }
    if (piece && bytes_new <= bytes) return at;
    moved = fl_arena_alloc(arena, bytes_new);
    if (piece) memcpy(moved, piece, bytes);
    return moved;
}

char *fl_arena_printf(struct fl_arena *arena, const char *fmt, ...)
{
    char few[FEW_BYTES]; /* most are short, and are formatted once */
    va_list args;
    int len;
    char *text;

    va_start(args, fmt);
    len = vsnprintf(few, sizeof few, fmt, args);
    va_end(args);
    fl_assert(len >= 0);
    if (len < FEW_BYTES) return fl_arena_copy(arena, few, (size_t)len);
    text = fl_arena_alloc(arena, (size_t)len + 1);
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    return text;
}

void *fl_arena_grow(struct fl_arena *arena, void *at, size_t *cap, size_t item_bytes)
{
    size_t cap_new = *cap ? *cap * 2 : 8;
    size_t bytes_old = *cap * item_bytes;
    void *grown;

    fl_assert(cap_new > *cap);
    grown = fl_arena_alloc_array(arena, cap_new, item_bytes);
    if (bytes_old) memcpy(grown, at, bytes_old);
    *cap = cap_new;
    return grown;
}
