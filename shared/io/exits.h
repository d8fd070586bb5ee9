/* exits.h - how a program ends: the exit codes of all programs, from exits.def.  The man pages and
 * docs/reference/cli.md print the same rows.  Uses shared/base only. */
#pragma once

#include <stddef.h>

#include "shared/base/err.h"

enum fl_exit {
#define EXIT(name, number, daemon, cli) FL_EXIT_##name = (number),
#define EXIT_NOTE(codes, cli)
#include "shared/io/exits.def"
#undef EXIT
#undef EXIT_NOTE
};

struct fl_exit_row {
    const char *code;         /* "64" */
    const char *daemon, *cli; /* the meaning; "": programs of this kind do not end so */
};

extern const struct fl_exit_row fl_exits[];
extern const size_t fl_exits_len;

/* The exit code of a program that ends because of 'err'. */
enum fl_exit fl_exit_of(const struct fl_err *err);
