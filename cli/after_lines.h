/* after_lines.h - documents that name other jobs by their lines: {"after":[{"line":2}]}.
 * The lines of a file are not those of a request, where a file goes in several: each becomes the
 * id of its job, or the line that it has in the request. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/json/json.h"

struct fl_arena;

struct cli_after_target {
    const char *id; /* NULL: by its line */
    long line;
};

/* The job of a line.  False: there is none, as 'err' says. */
typedef bool cli_after_find_fn(void *ctx, long line, struct cli_after_target *ret,
                               struct fl_err *err);

bool cli_after_has_line(const struct fl_json *document);
/* Puts what 'find' gives in place of each line, in the tree itself. */
FL_CHECK bool cli_after_resolve(const struct fl_json *document, cli_after_find_fn *find, void *ctx,
                                struct fl_arena *arena, struct fl_err *err);
