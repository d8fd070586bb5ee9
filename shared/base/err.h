/* err.h - how a call says why it did not do what it was asked.
 * The caller keeps a 'struct fl_err' on its stack ({0} is fine), there is nothing to free.  A call
 * that cannot go on writes 'return fl_fail(err, FL_FULL, "all %zu slots are in use", max);'; a
 * caller that passes a failure on adds where it was: 'return fl_err_wrap(err, "cluster %s",
 * name);'.  The struct is written on failure only.  A text longer than the field is cut, never in
 * the middle of a UTF-8 character.
 * Uses libc only.  Pure. */
#pragma once

#include <stdbool.h>

#define FL_CHECK __attribute__((warn_unused_result))
/* Drops a result on purpose; a comment beside the call says why it needs no check. */
#define FL_IGNORE(call) ((void)!(call))
#define FL_PRINTF(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))

enum fl_code {
#define FL_CODE(constant, name, meaning) constant,
#include "shared/base/codes.def"
#undef FL_CODE
};

struct fl_err {
    enum fl_code code;
    char text[256]; /* always ends with a zero byte */
};

const char *fl_code_name(enum fl_code code);    /* "too_large"; "unknown" when not in the list */
const char *fl_code_meaning(enum fl_code code); /* half a sentence, for the reference */

/* Fills 'err' (NULL is fine) and returns false.  The arguments may point into err->text. */
bool fl_fail(struct fl_err *err, enum fl_code code, const char *fmt, ...) FL_PRINTF(3, 4);

/* Puts the formatted text and ": " in front of what is there, keeps the code, and returns false. */
bool fl_err_wrap(struct fl_err *err, const char *fmt, ...) FL_PRINTF(2, 3);
