/* str.h - a view of bytes that someone else owns, and what text may look like.
 * A view is passed by value and need not end with a zero byte; {0} is the empty string.
 * Uses libc only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"

/* A limit's constant as a text; the constant must be a plain number. */
#define FL_QUOTE(number) FL_QUOTE_(number)
#define FL_QUOTE_(number) #number

#define FL_NAME_BYTES_MAX 63 /* a DNS label */
/* Says in words which texts fl_str_is_name accepts. */
#define FL_NAME_ALLOWED                                                                            \
    "1 to " FL_QUOTE(FL_NAME_BYTES_MAX) " characters: a-z, 0-9 and '-', no '-' at an end"

struct fl_str {
    const char *at;
    size_t len;
};

/* printf("queue " FL_STR_FMT, FL_STR_ARG(name)); the argument is evaluated twice and is shorter
 * than 2 GiB */
#define FL_STR_FMT "%.*s"
#define FL_STR_ARG(s) (int)(s).len, ((s).at ? (s).at : "")

#define FL_STR(literal) ((struct fl_str){"" literal, sizeof(literal) - 1})

struct fl_str fl_str_c(const char *cstr); /* NULL is the empty string */

bool fl_str_eq(struct fl_str a, struct fl_str b);
int fl_str_cmp(struct fl_str a, struct fl_str b); /* by bytes; a prefix comes first */

/* Well-formed UTF-8: no overlong forms, no surrogates, nothing over U+10FFFF.  A zero byte is
 * fine. */
bool fl_str_is_utf8(struct fl_str s);

/* A copy with a zero byte behind it, for fl_free. */
char *fl_str_dup(struct fl_str s);

/* Its beginning, of at most so many bytes; no character of UTF-8 is cut. */
struct fl_str fl_str_begin(struct fl_str s, size_t bytes_max);

/* Cuts off all before the first byte 'at', and that byte; without one, all. */
struct fl_str fl_str_cut(struct fl_str *rest, char at);

/* The next word of a list with 'between' between its words; false: there is none left.  Behind a
 * 'between' at the end stands a word that is empty, as in a list without a byte. */
bool fl_str_next_word(struct fl_str *rest, char between, struct fl_str *ret_word);

/* Well-formed UTF-8 without a zero byte, which Postgres accepts as text. */
bool fl_str_is_text(struct fl_str s);

/* A DNS label: FL_NAME_ALLOWED. */
bool fl_str_is_name(struct fl_str s);

/* Decimal digits and nothing else; false when empty or over UINT64_MAX. */
FL_CHECK bool fl_str_parse_u64(struct fl_str s, uint64_t *ret_n);
