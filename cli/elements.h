/* elements.h - the attempts of an array's elements, read page by page, and runs of elements as
 * text. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"

enum { CLI_RUNS_MAX = 20 };

struct cli_attempts_query {
    const char *state;    /* only those with which an element ended so: "failed"; NULL: all */
    uint32_t first, last; /* only these elements */
    size_t len_max;
};

/* Adds them to 'all'.  Returns 0 or an exit code.  *ret_is_more: len_max cut the list. */
int cli_attempts_read(struct cli *cli, const char *id, const struct cli_attempts_query *query,
                      json_t *all, bool *ret_is_more);

/* "0-6, 8, 10-41" of a list in the order of elements, in the arena; "..." behind CLI_RUNS_MAX. */
const char *cli_runs(struct cli *cli, const json_t *attempts);
