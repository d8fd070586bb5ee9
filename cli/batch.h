/* batch.h - submits a batch of any size: a JSON list, or lines of JSON that may define a spec once
 * and use it.  The server takes 1,000 jobs at a time, so a larger batch goes in parts.  Each has
 * the definitions that it uses, and an Idempotency-Key made of the batch's: a batch that was cut is
 * sent again with the same --key, and makes nothing twice.  On a terminal stderr shows how far it
 * is. */
#pragma once

#include "cli/cli.h"
#include "shared/base/str.h"

enum { CLI_BATCH_BYTES_MAX = 256 << 20 };

bool cli_is_batch(struct fl_str text); /* by its begin; 'text' ends with a zero byte */

/* Prints the id of each job, or in a format of --output each result; 'file' names it in errors.
 * Returns 0, CLI_BAD_SPEC if some lines were refused, or the code of what stopped it. */
int cli_batch_submit(struct cli *cli, const char *file, struct fl_str text);
