/* page_map.h - 64-bit key to 32-bit value, in key order, without pauses.
 * A radix tree: leaves of 256 values, as many levels above them as the largest key needs, empty
 * nodes freed at once.  Keys counted up densely (job ids) cost 4.1 bytes each; a lone key costs its
 * path, up to 16 KiB, so this is not for scattered keys.  No operation touches more than 16 nodes.
 * Value 0 means absent and may not be put.  {0} is empty.
 * Uses libc only.  Not thread-safe. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct fl_page_map_leaf {
    uint32_t values[256];
    uint32_t len;
};

struct fl_page_map_node {
    void *children[256];
    uint64_t has[4]; /* one bit per child */
};

struct fl_page_map {
    void *root; /* a leaf at height 0, else a node */
    uint32_t height;
    uint64_t len; /* keys present */
    size_t bytes;
};

void fl_page_map_fini(struct fl_page_map *map); /* NULL is fine; leaves an empty map */

/* value != 0; replaces what is there. */
void fl_page_map_put(struct fl_page_map *map, uint64_t key, uint32_t value);

/* The value that was there, 0 when none. */
uint32_t fl_page_map_remove(struct fl_page_map *map, uint64_t key);

/* The value of the smallest key >= from, 0 if all keys are smaller; ret_key is written only on
 * success.  Walk: for (uint64_t key = 0; (value = fl_page_map_next(map, key, &key)); key++) - and
 * stop by hand after UINT64_MAX, if a map can hold that. */
uint32_t fl_page_map_next(const struct fl_page_map *map, uint64_t from, uint64_t *ret_key);

/* The value of the greatest key < before, 0 if all are greater; ret_key as above.
 * Walk down: for (uint64_t key = UINT64_MAX; (value = fl_page_map_prev(map, key, &key));) */
uint32_t fl_page_map_prev(const struct fl_page_map *map, uint64_t before, uint64_t *ret_key);

static inline size_t fl_page_map_bytes(const struct fl_page_map *map)
{
    return map->bytes;
}

/* 0 when absent. */
static inline uint32_t fl_page_map_find(const struct fl_page_map *map, uint64_t key)
{
    const void *at = map->root;
    uint32_t shift = map->height * 8;

    if (!at || (key >> shift) >> 8) return 0;
    for (; shift > 0; shift -= 8) {
        at = ((const struct fl_page_map_node *)at)->children[(key >> shift) & 255];
        if (!at) return 0;
    }
    return ((const struct fl_page_map_leaf *)at)->values[key & 255];
}
