#include "shared/base/str.h"

#include <string.h>

#include "shared/base/alloc.h"

struct fl_str fl_str_c(const char *cstr)
{
    return (struct fl_str){cstr, cstr ? strlen(cstr) : 0};
}

bool fl_str_eq(struct fl_str a, struct fl_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

int fl_str_cmp(struct fl_str a, struct fl_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.at, b.at, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_between(unsigned char c, unsigned char lo, unsigned char hi)
{
    return c >= lo && c <= hi;
}

/* Bytes of the character at s, 0 when it is not well formed (table 3-7 of the Unicode standard). */
static size_t utf8_step(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80) return 1;
    if (left < 2) return 0;
    if (is_between(s[0], 0xc2, 0xdf)) return is_between(s[1], 0x80, 0xbf) ? 2 : 0;
    if (left < 3 || !is_between(s[2], 0x80, 0xbf)) return 0;
    if (s[0] == 0xe0) return is_between(s[1], 0xa0, 0xbf) ? 3 : 0;
    if (s[0] == 0xed) return is_between(s[1], 0x80, 0x9f) ? 3 : 0;
    if (is_between(s[0], 0xe1, 0xef)) return is_between(s[1], 0x80, 0xbf) ? 3 : 0;
    if (left < 4 || !is_between(s[3], 0x80, 0xbf)) return 0;
    if (s[0] == 0xf0) return is_between(s[1], 0x90, 0xbf) ? 4 : 0;
    if (s[0] == 0xf4) return is_between(s[1], 0x80, 0x8f) ? 4 : 0;
    return is_between(s[0], 0xf1, 0xf3) && is_between(s[1], 0x80, 0xbf) ? 4 : 0;
}

/* How many bytes from here on are ASCII, in whole blocks: most texts are nothing else. */
static size_t ascii_blocks(const unsigned char *s, size_t left)
{
    size_t n = 0;

    for (; left - n >= 32; n += 32) {
        uint64_t x[4];

        memcpy(x, s + n, 32);
        if ((x[0] | x[1] | x[2] | x[3]) & 0x8080808080808080u) break;
    }
    for (; left - n >= 8; n += 8) {
        uint64_t x;

        memcpy(&x, s + n, 8);
        if (x & 0x8080808080808080u) break;
    }
    return n;
}

bool fl_str_is_utf8(struct fl_str s)
{
    const unsigned char *at = (const unsigned char *)s.at;
    size_t i = 0;

    while (i < s.len) {
        size_t step = ascii_blocks(at + i, s.len - i);

        i += step;
        if (step) continue;
        step = utf8_step(at + i, s.len - i);
        if (!step) return false;
        i += step;
    }
    return true;
}

char *fl_str_dup(struct fl_str s)
{
    char *copy = fl_alloc(s.len + 1);

    if (s.len > 0) memcpy(copy, s.at, s.len);
    return copy;
}

struct fl_str fl_str_begin(struct fl_str s, size_t bytes_max)
{
    if (s.len <= bytes_max) return s;
    s.len = bytes_max;
    while (s.len > 0 && ((unsigned char)s.at[s.len] & 0xc0) == 0x80) {
        s.len--;
    }
    return s;
}

bool fl_str_is_text(struct fl_str s)
{
    return (s.len == 0 || !memchr(s.at, 0, s.len)) && fl_str_is_utf8(s);
}

bool fl_str_is_name(struct fl_str s)
{
    if (s.len < 1 || s.len > FL_NAME_BYTES_MAX) return false;
    if (s.at[0] == '-' || s.at[s.len - 1] == '-') return false;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];

        if (!is_between(c, 'a', 'z') && !is_between(c, '0', '9') && c != '-') return false;
    }
    return true;
}

bool fl_str_parse_u64(struct fl_str s, uint64_t *ret_n)
{
    uint64_t n = 0;

    if (s.len == 0) return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] < '0' || s.at[i] > '9') return false;
        if (__builtin_mul_overflow(n, (uint64_t)10, &n)) return false;
        if (__builtin_add_overflow(n, (uint64_t)(s.at[i] - '0'), &n)) return false;
    }
    *ret_n = n;
    return true;
}

struct fl_str fl_str_cut(struct fl_str *rest, char at)
{
    const char *found = rest->len > 0 ? memchr(rest->at, at, rest->len) : NULL;
    struct fl_str first = {rest->at, found ? (size_t)(found - rest->at) : rest->len};
    size_t taken = first.len + (found != NULL);

    *rest = (struct fl_str){rest->len > 0 ? rest->at + taken : rest->at, rest->len - taken};
    return first;
}

bool fl_str_next_word(struct fl_str *rest, char between, struct fl_str *ret_word)
{
    bool is_last;

    if (!rest->at) return false;
    is_last = rest->len == 0 || !memchr(rest->at, between, rest->len);
    *ret_word = fl_str_cut(rest, between);
    if (is_last) *rest = (struct fl_str){0};
    return true;
}
