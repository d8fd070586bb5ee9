#include "shared/base/page_map.h"

#include <stdbool.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

#define LEVELS_MAX 8 /* 64 bits of key, 8 bits a level */

static uint32_t byte_of(uint64_t key, uint32_t height)
{
    return (uint32_t)(key >> (height * 8)) & 255;
}

static uint32_t height_for(uint64_t key)
{
    uint32_t height = 0;

    while (height < LEVELS_MAX - 1 && key >> ((height + 1) * 8)) {
        height++;
    }
    return height;
}

static void *new_at(struct fl_page_map *map, uint32_t height)
{
    if (height == 0) {
        map->bytes += sizeof(struct fl_page_map_leaf);
        return fl_new(struct fl_page_map_leaf);
    }
    map->bytes += sizeof(struct fl_page_map_node);
    return fl_new(struct fl_page_map_node);
}

static void free_at(struct fl_page_map *map, void *at, uint32_t height)
{
    map->bytes -= height == 0 ? sizeof(struct fl_page_map_leaf) : sizeof(struct fl_page_map_node);
    fl_free(at);
}

static void set_child(struct fl_page_map_node *node, uint32_t i, void *child)
{
    uint64_t bit = (uint64_t)1 << (i & 63);

    node->children[i] = child;
    node->has[i >> 6] = child ? node->has[i >> 6] | bit : node->has[i >> 6] & ~bit;
}

/* The first child at i or after it; 256: all are empty. */
static uint32_t first_child(const struct fl_page_map_node *node, uint32_t i)
{
    uint64_t word;

    if (i > 255) return 256;
    word = node->has[i >> 6] >> (i & 63);
    if (word) return i + (uint32_t)__builtin_ctzll(word);
    for (uint32_t w = (i >> 6) + 1; w < 4; w++) {
        if (node->has[w]) return w * 64 + (uint32_t)__builtin_ctzll(node->has[w]);
    }
    return 256;
}

/* The last child at i or before it; 256: all are empty. */
static uint32_t last_child(const struct fl_page_map_node *node, uint32_t i)
{
    uint64_t word = node->has[i >> 6] << (63 - (i & 63));

    if (word) return i - (uint32_t)__builtin_clzll(word);
    for (uint32_t w = i >> 6; w-- > 0;) {
        if (node->has[w]) return w * 64 + 63 - (uint32_t)__builtin_clzll(node->has[w]);
    }
    return 256;
}

static void free_below(void *at, uint32_t height)
{
    struct fl_page_map_node *node = at;

    if (height > 0) {
        for (uint32_t i = first_child(node, 0); i < 256; i = first_child(node, i + 1)) {
            free_below(node->children[i], height - 1);
        }
    }
    fl_free(at);
}

void fl_page_map_fini(struct fl_page_map *map)
{
    if (!map) return;
    if (map->root) free_below(map->root, map->height);
    *map = (struct fl_page_map){0};
}

void fl_page_map_put(struct fl_page_map *map, uint64_t key, uint32_t value)
{
    struct fl_page_map_leaf *leaf;
    void *at;

    fl_assert(value != 0);
    if (!map->root) {
        map->height = height_for(key);
        map->root = new_at(map, map->height);
    }
    for (uint32_t height = height_for(key); map->height < height;) {
        struct fl_page_map_node *above = new_at(map, map->height + 1);

        set_child(above, 0, map->root);
        map->root = above;
        map->height++;
    }
    at = map->root;
    for (uint32_t height = map->height; height > 0; height--) {
        struct fl_page_map_node *node = at;
        uint32_t i = byte_of(key, height);

        if (!node->children[i]) set_child(node, i, new_at(map, height - 1));
        at = node->children[i];
    }
    leaf = at;
    if (!leaf->values[key & 255]) {
        leaf->len++;
        map->len++;
    }
    leaf->values[key & 255] = value;
}

/* Removes empty nodes from the leaf upwards, then a root whose keys all fit one level lower. */
static void prune(struct fl_page_map *map, void **path, uint64_t key)
{
    for (uint32_t height = 0; height <= map->height; height++) {
        if (height == 0) {
            if (((struct fl_page_map_leaf *)path[0])->len > 0) break;
        } else {
            struct fl_page_map_node *node = path[height];

            set_child(node, byte_of(key, height), NULL);
            if (first_child(node, 0) < 256) break;
        }
        free_at(map, path[height], height);
        if (height == map->height) {
            map->root = NULL;
            map->height = 0;
            break;
        }
    }
    while (map->height > 0) {
        struct fl_page_map_node *node = map->root;

        if (!node->children[0] || first_child(node, 1) < 256) break;
        map->root = node->children[0];
        free_at(map, node, map->height);
        map->height--;
    }
}

uint32_t fl_page_map_remove(struct fl_page_map *map, uint64_t key)
{
    void *path[LEVELS_MAX];
    struct fl_page_map_leaf *leaf;
    uint32_t value;
    void *at = map->root;

    if (!at || height_for(key) > map->height) return 0;
    for (uint32_t height = map->height; height > 0; height--) {
        path[height] = at;
        at = ((struct fl_page_map_node *)at)->children[byte_of(key, height)];
        if (!at) return 0;
    }
    path[0] = leaf = at;
    value = leaf->values[key & 255];
    if (!value) return 0;
    leaf->values[key & 255] = 0;
    leaf->len--;
    map->len--;
    if (leaf->len == 0) prune(map, path, key);
    return value;
}

/* 'from' counts within what is below 'at'; 'above' are the key's bits over that. */
static uint32_t next_below(const void *at, uint32_t height, uint64_t from, uint64_t above,
                           uint64_t *ret_key)
{
    const struct fl_page_map_node *node = at;
    uint32_t shift = height * 8;
    uint32_t start = (uint32_t)(from >> shift);
    uint32_t i;

    if (height == 0) {
        const struct fl_page_map_leaf *leaf = at;

        for (i = start; i < 256; i++) {
            if (!leaf->values[i]) continue;
            *ret_key = above | i;
            return leaf->values[i];
        }
        return 0;
    }
    for (i = first_child(node, start); i < 256; i = first_child(node, i + 1)) {
        uint64_t rest = i == start ? from & (((uint64_t)1 << shift) - 1) : 0;
        uint32_t value =
            next_below(node->children[i], height - 1, rest, above | (uint64_t)i << shift, ret_key);

        if (value) return value;
    }
    return 0;
}

uint32_t fl_page_map_next(const struct fl_page_map *map, uint64_t from, uint64_t *ret_key)
{
    if (!map->root || height_for(from) > map->height) return 0;
    return next_below(map->root, map->height, from, 0, ret_key);
}

/* As next_below, downwards; 'upto' may be the answer. */
static uint32_t prev_below(const void *at, uint32_t height, uint64_t upto, uint64_t above,
                           uint64_t *ret_key)
{
    const struct fl_page_map_node *node = at;
    uint32_t shift = height * 8;
    uint32_t start = (uint32_t)(upto >> shift);
    uint64_t mask = ((uint64_t)1 << shift) - 1;

    if (height == 0) {
        const struct fl_page_map_leaf *leaf = at;

        for (uint32_t i = start + 1; i-- > 0;) {
            if (!leaf->values[i]) continue;
            *ret_key = above | i;
            return leaf->values[i];
        }
        return 0;
    }
    for (uint32_t i = last_child(node, start); i<256; i = i> 0 ? last_child(node, i - 1) : 256) {
        uint32_t value = prev_below(node->children[i], height - 1, i == start ? upto & mask : mask,
                                    above | (uint64_t)i << shift, ret_key);

        if (value) return value;
    }
    return 0;
}

uint32_t fl_page_map_prev(const struct fl_page_map *map, uint64_t before, uint64_t *ret_key)
{
    uint64_t upto = before - 1;

    if (!map->root || before == 0) return 0;
    if (height_for(upto) > map->height) upto = ((uint64_t)1 << ((map->height + 1) * 8)) - 1;
    return prev_below(map->root, map->height, upto, 0, ret_key);
}
