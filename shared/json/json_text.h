/* json_text.h - which bytes of a text stand in a JSON string as they are; for reader and writer.
 * Uses libc only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char fl_json_block __attribute__((vector_size(16)));

/* Whether sixteen bytes have neither quote, backslash nor control byte: the compiler makes a few
 * vector instructions of it. */
static inline bool fl_json_is_plain(const char *at)
{
    fl_json_block x, found;
    uint64_t halves[2];

    memcpy(&x, at, sizeof x);
    found = (fl_json_block)(x < 0x20) | (fl_json_block)(x == '"') | (fl_json_block)(x == '\\');
    memcpy(halves, &found, sizeof found);
    return (halves[0] | halves[1]) == 0;
}

/* The first quote, backslash or control byte; 'end' if none is left. */
static inline const char *fl_json_find_special(const char *at, const char *end)
{
    while (end - at >= 16 && fl_json_is_plain(at)) {
        at += 16;
    }
    for (; at < end; at++) {
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20) break;
    }
    return at;
}
