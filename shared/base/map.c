#include "shared/base/map.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define SEED 0x666c5f6d61700000u
#define CAP_MIN 16

/* Open addressing: a collision takes the next free slot.  A removal moves later entries up, so no
 * tombstones are needed. */
struct fl_map_entry {
    char *key; /* NULL: empty */
    uint64_t value;
    uint32_t key_len;
    uint32_t hash;
};

static uint32_t hash_of(const void *ptr, size_t len)
{
    return (uint32_t)fl_hash64(SEED, ptr, len);
}

/* Where the key is, or the empty entry where it would go; the map has entries. */
static size_t place_of(const struct fl_map *map, const void *ptr, size_t len, uint32_t hash)
{
    size_t mask = map->cap - 1;
    size_t i = hash & mask;

    for (; map->entries[i].key; i = (i + 1) & mask) {
        const struct fl_map_entry *entry = &map->entries[i];

        if (entry->hash != hash || entry->key_len != len) continue;
        if (len == 0 || memcmp(entry->key, ptr, len) == 0) break;
    }
    return i;
}

static void grow(struct fl_map *map)
{
    size_t cap = map->cap ? map->cap * 2 : CAP_MIN;
    struct fl_map_entry *entries = fl_new_array(struct fl_map_entry, cap);

    for (size_t from = 0; from < map->cap; from++) {
        size_t i = map->entries[from].hash & (cap - 1);

        if (!map->entries[from].key) continue;
        while (entries[i].key) {
            i = (i + 1) & (cap - 1);
        }
        entries[i] = map->entries[from];
    }
    fl_free(map->entries);
    map->entries = entries;
    map->cap = cap;
}

void fl_map_fini(struct fl_map *map)
{
    if (!map) return;
    for (size_t i = 0; i < map->cap; i++) {
        fl_free(map->entries[i].key);
    }
    fl_free(map->entries);
    *map = (struct fl_map){0};
}

bool fl_map_find(const struct fl_map *map, const void *ptr, size_t len, uint64_t *ret_value)
{
    const struct fl_map_entry *entry;

    if (map->len == 0) return false;
    entry = &map->entries[place_of(map, ptr, len, hash_of(ptr, len))];
    if (!entry->key) return false;
    if (ret_value) *ret_value = entry->value;
    return true;
}

void fl_map_put(struct fl_map *map, const void *ptr, size_t len, uint64_t value)
{
    uint32_t hash = hash_of(ptr, len);
    struct fl_map_entry *entry;

    fl_assert(len <= UINT32_MAX);
    if (map->len >= map->cap / 4 * 3) grow(map);
    entry = &map->entries[place_of(map, ptr, len, hash)];
    entry->value = value;
    if (entry->key) return;
    entry->key = fl_realloc_array(NULL, char, len);
    if (len) memcpy(entry->key, ptr, len);
    entry->key_len = (uint32_t)len;
    entry->hash = hash;
    map->len++;
}

bool fl_map_remove(struct fl_map *map, const void *ptr, size_t len)
{
    size_t mask = map->cap - 1;
    size_t hole;

    if (map->len == 0) return false;
    hole = place_of(map, ptr, len, hash_of(ptr, len));
    if (!map->entries[hole].key) return false;
    fl_free(map->entries[hole].key);
    map->len--;
    /* An entry behind the hole moves into it, unless its home is between the hole and itself. */
    for (size_t i = (hole + 1) & mask; map->entries[i].key; i = (i + 1) & mask) {
        size_t home = map->entries[i].hash & mask;

        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        map->entries[hole] = map->entries[i];
        hole = i;
    }
    map->entries[hole] = (struct fl_map_entry){0};
    return true;
}
