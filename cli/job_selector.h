/* job_selector.h - finds the jobs of a command: ids, @last, @last-failed, or those that --queue,
 * --state, --label, --user and --name select. */
#pragma once

#include "cli/cli.h"

/* The id that a word stands for.  NULL: the error was printed, and *ret_code is the exit code. */
const char *cli_job_id(struct cli *cli, const char *word, int *ret_code);

bool cli_has_filter(const struct cli *cli);

/* True: JOBs are named together with a filter or --dry-run, which are not for them, and the error
 * was printed. */
bool cli_mixes_filter(struct cli *cli);

/* False: a value of the option is no UTF-8, so JSON cannot have it, and the error was printed. */
bool cli_is_text(struct cli *cli, enum cli_option_id option);

/* "team=red": into the labels of a filter, which have a key once.  False: the error was printed,
 * with 'flag' and the whole 'value' of it. */
bool cli_filter_label(struct cli *cli, json_t *labels, const char *pair, const char *flag,
                      const char *value);

/* The filter as a list's query: "queue=ml&state=queued&label=a%3Db"; "" without a filter. */
const char *cli_filter_query(struct cli *cli);

/* The filter as a bulk action's body: {"queue":..., "state":[...], "labels":{...}}.  The caller
 * frees it.  NULL: as cli_job_id. */
json_t *cli_filter_body(struct cli *cli, int *ret_code);

/* All jobs that the words, or the filter, select, at most 'max'; the caller frees the list.  NULL:
 * as cli_job_id. */
json_t *cli_jobs_meant(struct cli *cli, size_t max, int *ret_code);
