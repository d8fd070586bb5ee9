#include "shared/io/page_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "shared/base/assert.h"

#define GRAIN_BYTES ((size_t)64 << 10) /* a multiple of each page size there is */

/* At the beginning of an idle block. */
struct fl_page_block {
    struct fl_page_block *next;
    size_t bytes;
};

static struct fl_page_pool *pool_of(struct fl_arena_source *source)
{
    return (struct fl_page_pool *)(void *)((char *)source - offsetof(struct fl_page_pool, source));
}

static size_t whole_grains(size_t bytes)
{
    return (bytes + GRAIN_BYTES - 1) & ~(GRAIN_BYTES - 1);
}

/* A usual block is filled to its end, but for an arena's last one: one call instead of a fault for
 * each page. */
static void *map(size_t bytes)
{
    int populate = bytes == FL_ARENA_LARGE_BYTES ? MAP_POPULATE : 0;
    void *at =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);

    if (at == MAP_FAILED) { /* as alloc.h does */
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        abort();
    }
    return at;
}

static void unmap(void *at, size_t bytes)
{
    fl_unpoison(at, bytes);
    fl_assert(munmap(at, bytes) == 0);
}

static void *take(struct fl_arena_source *source, size_t bytes)
{
    struct fl_page_pool *pool = pool_of(source);
    struct fl_page_block *block = pool->usual;

    bytes = whole_grains(bytes);
    pool->taken_bytes += bytes;
    if (bytes != FL_ARENA_LARGE_BYTES || !block) return map(bytes);
    pool->usual = block->next;
    pool->usual_bytes -= bytes;
    fl_unpoison(block, bytes);
    return block;
}

static void give(struct fl_arena_source *source, void *at, size_t bytes)
{
    struct fl_page_pool *pool = pool_of(source);
    struct fl_page_block *block = at, **list;

    bytes = whole_grains(bytes);
    list = bytes == FL_ARENA_LARGE_BYTES ? &pool->usual : &pool->larger;
    *(list == &pool->usual ? &pool->usual_bytes : &pool->larger_bytes) += bytes;
    pool->taken_bytes -= bytes;
    *block = (struct fl_page_block){*list, bytes};
    *list = block;
    fl_poison(block + 1, bytes - sizeof *block);
}

void fl_page_pool_init(struct fl_page_pool *pool)
{
    *pool = (struct fl_page_pool){.source = {take, give}};
}

size_t fl_page_pool_excess(const struct fl_page_pool *pool)
{
    size_t usual = pool->usual_bytes > FL_PAGE_POOL_KEPT_BYTES_MAX
                       ? pool->usual_bytes - FL_PAGE_POOL_KEPT_BYTES_MAX
                       : 0;

    return pool->larger_bytes + usual;
}

/* Up to so many bytes of the first block, from its end. */
static size_t cut(struct fl_page_block **list, size_t bytes_max)
{
    struct fl_page_block *block = *list;
    size_t bytes = block->bytes < bytes_max ? block->bytes : bytes_max;

    block->bytes -= bytes;
    if (block->bytes == 0) *list = block->next;
    unmap((char *)block + block->bytes, bytes);
    return bytes;
}

void fl_page_pool_trim(struct fl_page_pool *pool)
{
    size_t left = FL_PAGE_POOL_SLICE_BYTES, bytes;

    while (left > 0 && pool->larger) {
        bytes = cut(&pool->larger, left);
        pool->larger_bytes -= bytes;
        left -= bytes;
    }
    while (left >= FL_ARENA_LARGE_BYTES && pool->usual_bytes > FL_PAGE_POOL_KEPT_BYTES_MAX) {
        bytes = cut(&pool->usual, FL_ARENA_LARGE_BYTES);
        pool->usual_bytes -= bytes;
        left -= bytes;
    }
}

static void unmap_all(struct fl_page_block *block)
{
    while (block) {
        struct fl_page_block *next = block->next;

        unmap(block, block->bytes);
        block = next;
    }
}

void fl_page_pool_fini(struct fl_page_pool *pool)
{
    unmap_all(pool->usual);
    unmap_all(pool->larger);
    *pool = (struct fl_page_pool){0};
}
