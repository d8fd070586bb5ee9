/* elements.h - the attempts of an array's elements, read page by page; runs of elements as text;
 * and the indexes that people gave to them.
 * Element numbers count from 0 in all that is printed and asked for.  Where the job has indexes,
 * the index stands beside the number, and --index takes the place of --element. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"
#include "shared/base/str.h"

enum { CLI_RUNS_MAX = 20 };

struct cli_attempts_query {
    const char *state;    /* only those with which an element ended so: "failed"; NULL: all */
    uint32_t first, last; /* only these elements */
    size_t len_max;
};

/* Adds them to 'all'.  Returns 0 or an exit code.  *ret_is_more: len_max cut the list. */
int cli_attempts_read(struct cli *cli, const char *id, const struct cli_attempts_query *query,
                      json_t *all, bool *ret_is_more);

/* The indexes of the job's elements, canonical; empty: each has its own number. */
struct fl_str cli_indexes(const json_t *job);

/* Writes 'index' into each attempt, or live element, if the job has indexes. */
void cli_indexes_add(const json_t *job, json_t *elements);

/* The job's id as by cli_job_id.  Where --index was given, --element holds the elements that have
 * these indexes from now on. */
const char *cli_job_of_elements(struct cli *cli, const char *word, int *ret_code);
/* The same of a verb that takes one element: --index with several is refused. */
const char *cli_job_of_element(struct cli *cli, const char *word, int *ret_code);

/* "0-6, 8, 10-41" of a list in the order of elements, in the arena; "..." behind CLI_RUNS_MAX. */
const char *cli_runs(struct cli *cli, const json_t *attempts);
