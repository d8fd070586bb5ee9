/* map.h - byte-string key to 64-bit value.
 * Keys are copied, up to 4 GiB - 1 bytes each; the empty key is allowed.  There is no walk:
 * its order would come from a hash, and the core must not depend on that.  The hash is fixed, so a
 * stranger who chooses keys can make them collide: bound how many keys a stranger may have in.
 * Growing rehashes all.  {0} is empty.
 * Uses libc only.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fl_map_entry;

struct fl_map {
    struct fl_map_entry *entries;
    size_t cap; /* 0 or a power of two */
    size_t len; /* keys present */
};

void fl_map_fini(struct fl_map *map); /* NULL is fine; leaves an empty map */

/* ret_value may be NULL, and is written only when the key is there. */
bool fl_map_find(const struct fl_map *map, const void *ptr, size_t len, uint64_t *ret_value);
void fl_map_put(struct fl_map *map, const void *ptr, size_t len, uint64_t value); /* replaces */
bool fl_map_remove(struct fl_map *map, const void *ptr, size_t len); /* true if it was there */
