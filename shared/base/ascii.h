/* ascii.h - classes of ASCII characters, the same in every locale, unlike those of ctype.h.
 * Bytes beyond ASCII are in none.  Uses libc only.  Pure. */
#pragma once

#include <stdbool.h>

static inline bool fl_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool fl_is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline char fl_small(char c)
{
    return fl_is_capital(c) ? (char)(c - 'A' + 'a') : c;
}

static inline bool fl_is_letter(char c)
{
    return fl_small(c) >= 'a' && fl_small(c) <= 'z';
}

static inline bool fl_is_alnum(char c)
{
    return fl_is_letter(c) || fl_is_digit(c);
}

/* As isspace. */
static inline bool fl_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
