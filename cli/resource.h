/* resource.h - helpers of the verbs for clusters, queues and tokens: one name, all pages of a list,
 * an action. */
#pragma once

#include "cli/cli.h"

/* The verb's only argument, escaped.  NULL: the error was printed; return CLI_USAGE. */
const char *cli_one_name(struct cli *cli);

/* All pages of a list as one array, which the caller frees.  NULL: *ret_code is the exit code. */
json_t *cli_get_all(struct cli *cli, const char *path, const char *key, int *ret_code);

/* Prints the list for jsonl (a line each), json (one document) or name (the names).  False: the
 * format is a table, and nothing was printed. */
bool cli_print_list(struct cli *cli, const json_t *list, const char *name);

/* Sends POST /v1/GROUP/NAME:ACTION with the body, which it frees, and prints 'done' to stderr. */
int cli_act(struct cli *cli, const char *group, const char *action, json_t *body, const char *done);
