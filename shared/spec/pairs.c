#include "shared/spec/pairs.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"

struct fl_pairs fl_pairs_new(size_t cap, struct fl_arena *arena)
{
    return (struct fl_pairs){.at = fl_arena_array(arena, struct fl_pair, cap), .cap = cap};
}

const struct fl_pair *fl_pairs_sort(struct fl_pairs *pairs)
{
    const struct fl_pair *repeated = NULL;

    for (size_t i = 1; i < pairs->len; i++) { /* mostly sorted already, and bounded */
        struct fl_pair pair = pairs->at[i];
        size_t to = i;

        while (to > 0 && fl_str_cmp(pairs->at[to - 1].key, pair.key) > 0) {
            to--;
        }
        memmove(&pairs->at[to + 1], &pairs->at[to], (i - to) * sizeof pair);
        pairs->at[to] = pair;
    }
    for (size_t i = 1; i < pairs->len && !repeated; i++) {
        if (fl_str_eq(pairs->at[i - 1].key, pairs->at[i].key)) repeated = &pairs->at[i];
    }
    return repeated;
}

struct fl_pairs fl_pairs_over(const struct fl_pairs *under, const struct fl_pairs *over,
                              struct fl_arena *arena)
{
    struct fl_pairs merged = fl_pairs_new(under->len + over->len, arena);
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

void fl_pairs_lines(struct fl_buf *out, const struct fl_pairs *pairs)
{
    for (size_t i = 0; i < pairs->len; i++) {
        fl_buf_put(out, pairs->at[i].key.at, pairs->at[i].key.len);
        fl_buf_put_u8(out, '=');
        fl_buf_put(out, pairs->at[i].value.at, pairs->at[i].value.len);
        fl_buf_put_u8(out, '\n');
    }
}

void fl_pairs_without(struct fl_pairs *pairs, const struct fl_str *keys, size_t len)
{
    size_t kept = 0;

    for (size_t i = 0; i < pairs->len; i++) {
        bool goes = false;

        for (size_t k = 0; k < len && !goes; k++) {
            goes = fl_str_eq(pairs->at[i].key, keys[k]);
        }
        if (!goes) pairs->at[kept++] = pairs->at[i];
    }
    pairs->len = kept;
}

struct fl_pairs fl_pairs_of_lines(struct fl_str lines, struct fl_arena *arena)
{
    struct fl_pairs pairs;
    size_t len = 0;

    for (size_t i = 0; i < lines.len; i++) {
        len += lines.at[i] == '\n';
    }
    pairs = fl_pairs_new(len, arena);
    for (size_t from = 0; pairs.len < len; from++) {
        const char *line = lines.at + from, *end = memchr(line, '\n', lines.len - from);
        const char *equal = end ? memchr(line, '=', (size_t)(end - line)) : NULL;

        if (!end) break;
        if (equal) {
            pairs.at[pairs.len++] = (struct fl_pair){{line, (size_t)(equal - line)},
                                                     {equal + 1, (size_t)(end - equal - 1)}};
        }
        from = (size_t)(end - lines.at);
    }
    return pairs;
}
