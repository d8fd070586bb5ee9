#include "shared/wire/http_target.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hex.h"

/* The length of what comes before the first 'mark', or of all. */
static size_t until(struct fl_str s, char mark)
{
    const char *found = s.len ? memchr(s.at, mark, s.len) : NULL;

    return found ? (size_t)(found - s.at) : s.len;
}

static void skip(struct fl_str *s, size_t len)
{
    s->at += len;
    s->len -= len;
}

bool fl_http_take_segment(struct fl_str *path, struct fl_str *ret_segment)
{
    if (path->len == 0) return false;
    fl_assert(path->at[0] == '/');
    skip(path, 1);
    *ret_segment = (struct fl_str){path->at, until(*path, '/')};
    skip(path, ret_segment->len);
    return true;
}

bool fl_http_take_pair(struct fl_str *query, struct fl_str *ret_name, struct fl_str *ret_value)
{
    while (query->len) {
        struct fl_str pair = {query->at, until(*query, '&')};
        size_t name_len = until(pair, '=');

        skip(query, pair.len < query->len ? pair.len + 1 : pair.len);
        if (pair.len == 0) continue;
        *ret_name = (struct fl_str){pair.at, name_len};
        *ret_value = (struct fl_str){0};
        if (name_len < pair.len) {
            *ret_value = (struct fl_str){pair.at + name_len + 1, pair.len - name_len - 1};
        }
        return true;
    }
    return false;
}

bool fl_http_decode(struct fl_str raw, enum fl_http_part part, char *out, struct fl_str *ret_text)
{
    struct fl_str text = {out, 0};

    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.at[i];

        if (c == '%') {
            int high = raw.len - i < 3 ? -1 : fl_hex_digit(raw.at[i + 1]);
            int low = high < 0 ? -1 : fl_hex_digit(raw.at[i + 2]);

            if (low < 0) return false;
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && part == FL_HTTP_IN_QUERY) {
            c = ' ';
        }
        out[text.len++] = c;
    }
    if (!fl_str_is_text(text)) return false;
    *ret_text = text;
    return true;
}
