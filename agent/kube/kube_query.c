#include "agent/kube/kube_query.h"

#include "shared/base/arena.h"

const char *kube_query_escape(struct fl_str text, struct fl_arena *arena)
{
    static const char hex[] = "0123456789ABCDEF";
    char *out = fl_arena_alloc(arena, 3 * text.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';

        if (!is_plain) {
            out[len++] = '%';
            out[len++] = hex[(unsigned char)c >> 4];
            out[len++] = hex[(unsigned char)c & 15];
        } else {
            out[len++] = c;
        }
    }
    out[len] = 0;
    return out;
}
