/* job_selector.h - which jobs a command means: ids, @last, @last-failed, or those that --queue,
 * --state and --label name. */
#pragma once

#include "cli/cli.h"

/* The id behind a word; NULL: said, *ret_code is the exit code. */
const char *cli_job_id(struct cli *cli, const char *word, int *ret_code);

bool cli_has_filter(const struct cli *cli);

/* "queue=ml&state=queued&label=a%3Db", "" without any; for a list. */
const char *cli_filter_query(struct cli *cli);

/* {"queue":..., "state":[...], "labels":{...}}, for a bulk action; the caller's. */
json_t *cli_filter_body(struct cli *cli);

/* All jobs that the words, or the filter, name, at most 'max'; the caller's.  NULL: said,
 * *ret_code. */
json_t *cli_jobs_meant(struct cli *cli, size_t max, int *ret_code);
