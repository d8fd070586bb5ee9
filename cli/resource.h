/* resource.h - what the verbs about clusters, queues and tokens have in common: one name, all pages
 * of a list, an action. */
#pragma once

#include "cli/cli.h"

/* The one argument of the verb, escaped; NULL: said, and the exit code is 64. */
const char *cli_one_name(struct cli *cli);

/* All pages of a list as one array, the caller's; NULL: *ret_code. */
json_t *cli_get_all(struct cli *cli, const char *path, const char *key, int *ret_code);

/* jsonl: a line each; json: one document; name: the names alone.  False: a table is wanted. */
bool cli_print_list(struct cli *cli, const json_t *list, const char *name);

/* POST /v1/GROUP/NAME:ACTION with the body, which it takes, and a word on stderr. */
int cli_act(struct cli *cli, const char *group, const char *action, json_t *body, const char *done);
