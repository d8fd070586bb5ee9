/* json_text.h - which bytes of a text stand in a JSON string as they are; for reader and writer.
 * Uses libc only.  Pure. */
#pragma once

#include <stdint.h>
#include <string.h>

#define FL_EACH_BYTE(v) (~(uint64_t)0 / 255 * (uint64_t)(v))

/* The first quote, backslash or control byte; 'end' if none is left. */
static inline const char *fl_json_find_special(const char *at, const char *end)
{
    for (; end - at >= 8; at += 8) {
        uint64_t x, quote, backslash;

        memcpy(&x, at, 8);
        quote = x ^ FL_EACH_BYTE('"');
        backslash = x ^ FL_EACH_BYTE('\\');
        if ((((x - FL_EACH_BYTE(0x20)) & ~x) | ((quote - FL_EACH_BYTE(1)) & ~quote) |
             ((backslash - FL_EACH_BYTE(1)) & ~backslash)) &
            FL_EACH_BYTE(0x80)) {
            break;
        }
    }
    for (; at < end; at++) {
        if (*at == '"' || *at == '\\' || (unsigned char)*at < 0x20) break;
    }
    return at;
}
