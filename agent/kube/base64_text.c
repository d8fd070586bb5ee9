#include "agent/kube/base64_text.h"

#include "shared/base/arena.h"

/* 0 to 63; -1: no digit. */
static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

bool base64_text_read(struct fl_str s, struct fl_arena *arena, struct fl_str *ret_bytes)
{
    char *out = fl_arena_alloc(arena, s.len / 4 * 3 + 3);
    size_t len = 0, digits = 0, padding = 0;
    uint32_t bits = 0;

    for (size_t i = 0; i < s.len; i++) {
        int value = value_of(s.at[i]);

        if (s.at[i] == '\n' || s.at[i] == '\r') continue;
        if (s.at[i] == '=') {
            padding++;
            continue;
        }
        if (value < 0 || padding > 0) return false;
        bits = bits << 6 | (uint32_t)value;
        digits++;
        if (digits % 4 == 0) {
            out[len++] = (char)(bits >> 16);
            out[len++] = (char)(bits >> 8);
            out[len++] = (char)bits;
        }
    }
    if (digits % 4 == 1 || padding != (4 - digits % 4) % 4) return false;
    /* The bits behind the last byte are zero: each byte string has one spelling. */
    if (digits % 4 == 2) {
        if (bits & 0xf) return false;
        out[len++] = (char)(bits >> 4);
    }
    if (digits % 4 == 3) {
        if (bits & 0x3) return false;
        out[len++] = (char)(bits >> 10);
        out[len++] = (char)(bits >> 2);
    }
    out[len] = 0;
    *ret_bytes = (struct fl_str){out, len};
    return true;
}
