/* answer.h - prints what a control plane answered in the format that --output names.  A format
 * decides what stdout has, and nothing else: not what is done, the exit code, or stderr.
 *
 *     table, wide          for people: the verb prints them itself
 *     json, yaml           one document; a list is one, too
 *     jsonl                a line each
 *     name                 the field that names each; where there is none, as for people
 *     jsonpath=TEMPLATE    the template (answer_path.h) applied to each, a line each
 *     custom-columns=HEAD:PATH,...   a table of these */
#pragma once

#include "cli/cli.h"

/* Reads --output and --sort.  False: FL_INVALID, and the text says what is wrong. */
FL_CHECK bool cli_answer_begin(struct cli *cli, struct fl_err *err);

bool cli_is_data(const struct cli *cli); /* the format is for a program, 'name' among them */

/* Prints one answer, or one more of several.  'name' is the field of --output name; NULL: it has
 * none.  False: the format is for people, and nothing was printed. */
bool cli_answer(struct cli *cli, const json_t *answer, const char *name);

/* The same for a list, which it sorts by --sort first. */
bool cli_answer_list(struct cli *cli, json_t *list, const char *name);

/* Whether the items of a list may be printed one by one, as they come. */
bool cli_answer_streams(const struct cli *cli);

/* As JSON in any format: for what has no other form. */
void cli_print_json(const struct cli *cli, const json_t *value);
