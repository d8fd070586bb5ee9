#include "shared/spec/text_map.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"

struct fl_text_map fl_text_map_new(size_t cap, struct fl_arena *arena)
{
    return (struct fl_text_map){.at = fl_arena_array(arena, struct fl_text_map_entry, cap),
                                .cap = cap};
}

const struct fl_text_map_entry *fl_text_map_sort(struct fl_text_map *map)
{
    const struct fl_text_map_entry *repeated = NULL;

    for (size_t i = 1; i < map->len; i++) { /* mostly sorted already, and bounded */
        struct fl_text_map_entry entry = map->at[i];
        size_t to = i;

        while (to > 0 && fl_str_cmp(map->at[to - 1].key, entry.key) > 0) {
            to--;
        }
        memmove(&map->at[to + 1], &map->at[to], (i - to) * sizeof entry);
        map->at[to] = entry;
    }
    for (size_t i = 1; i < map->len && !repeated; i++) {
        if (fl_str_eq(map->at[i - 1].key, map->at[i].key)) repeated = &map->at[i];
    }
    return repeated;
}

struct fl_text_map fl_text_map_over(const struct fl_text_map *under, const struct fl_text_map *over,
                                    struct fl_arena *arena)
{
    struct fl_text_map merged = fl_text_map_new(under->len + over->len, arena);
    size_t a = 0, b = 0;

    while (a < under->len || b < over->len) {
        int order = a == under->len  ? 1
                    : b == over->len ? -1
                                     : fl_str_cmp(under->at[a].key, over->at[b].key);

        merged.at[merged.len++] = order < 0 ? under->at[a] : over->at[b];
        a += order <= 0;
        b += order >= 0;
    }
    return merged;
}

void fl_text_map_lines(struct fl_buf *out, const struct fl_text_map *map)
{
    for (size_t i = 0; i < map->len; i++) {
        fl_buf_put(out, map->at[i].key.at, map->at[i].key.len);
        fl_buf_put_u8(out, '=');
        fl_buf_put(out, map->at[i].value.at, map->at[i].value.len);
        fl_buf_put_u8(out, '\n');
    }
}

void fl_text_map_without(struct fl_text_map *map, const struct fl_str *keys, size_t len)
{
    size_t kept = 0;

    for (size_t i = 0; i < map->len; i++) {
        bool goes = false;

        for (size_t k = 0; k < len && !goes; k++) {
            goes = fl_str_eq(map->at[i].key, keys[k]);
        }
        if (!goes) map->at[kept++] = map->at[i];
    }
    map->len = kept;
}

struct fl_text_map fl_text_map_of_lines(struct fl_str lines, struct fl_arena *arena)
{
    struct fl_text_map map;
    size_t len = 0;

    for (size_t i = 0; i < lines.len; i++) {
        len += lines.at[i] == '\n';
    }
    map = fl_text_map_new(len, arena);
    for (size_t from = 0; map.len < len; from++) {
        const char *line = lines.at + from, *end = memchr(line, '\n', lines.len - from);
        const char *equal = end ? memchr(line, '=', (size_t)(end - line)) : NULL;

        if (!end) break;
        if (equal) {
            map.at[map.len++] = (struct fl_text_map_entry){{line, (size_t)(equal - line)},
                                                           {equal + 1, (size_t)(end - equal - 1)}};
        }
        from = (size_t)(end - lines.at);
    }
    return map;
}
