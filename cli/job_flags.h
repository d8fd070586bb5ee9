/* job_flags.h - a job document made of the flags of 'run', or of a script with '#FAIRLEAD'
 * lines. */
#pragma once

#include "cli/cli.h"

/* The document in its short form; the caller frees it.  NULL: the error was printed, and *ret_code
 * is the exit code. */
json_t *cli_job_of_flags(struct cli *cli, int *ret_code);

/* The jobs of all --after, as a document's list 'after'; the same. */
json_t *cli_after_of_flags(struct cli *cli, int *ret_code);
