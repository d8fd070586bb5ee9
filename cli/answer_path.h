/* answer_path.h - a path into an answer, and a template of text and paths, as kubectl's JSONPath:
 *
 *     id   .id   .elements.failed   .live[0].state   .nodes[*]   .labels['a.b']   .labels.a\.b
 *     {.id} is {.state}{"\t"}{.cluster}
 *
 * A template without braces is one path.  There is no {range}: a template is applied to each item.
 * Nothing is found where a member is not there.  Pure but for memory, which is the arena's. */
#pragma once

#include <jansson.h>

#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"

enum { CLI_PATH_STEPS_MAX = 32, CLI_TEMPLATE_PARTS_MAX = 128, CLI_VALUE_BYTES_MAX = 128 << 20 };

struct cli_path;     /* opaque */
struct cli_template; /* opaque */

/* NULL: FL_INVALID, and the text shows where. */
const struct cli_path *cli_path_parse(struct fl_str text, struct fl_arena *arena,
                                      struct fl_err *err);
/* The first value; NULL: there is none. */
const json_t *cli_path_first(const struct cli_path *path, const json_t *answer);
/* All values, with 'between' between them: a string as it stands, an object or list as compact
 * JSON, null as nothing. */
void cli_path_put(const struct cli_path *path, const json_t *answer, const char *between,
                  struct fl_buf *out);

const struct cli_template *cli_template_parse(struct fl_str text, struct fl_arena *arena,
                                              struct fl_err *err);
void cli_template_put(const struct cli_template *template, const json_t *answer,
                      struct fl_buf *out);
