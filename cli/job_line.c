#include "cli/job_line.h"

#include <inttypes.h>
#include <stdio.h>

void cli_job_line(const json_t *job, char ret_text[CLI_STATUS_LINE_TEXT_MAX])
{
    const json_t *elements = json_object_get(job, "elements");
    int64_t total = cli_int(elements, "total");
    int64_t ended = cli_int(elements, "succeeded") + cli_int(elements, "failed") +
                    cli_int(elements, "cancelled");
    const char *cluster = cli_text(job, "cluster");
    char array[64] = "";

    if (total > 1) {
        snprintf(array, sizeof array, ", %" PRId64 " of %" PRId64 " ended", ended, total);
    }
    snprintf(ret_text, CLI_STATUS_LINE_TEXT_MAX, "%s %s%s%s%s", cli_text(job, "id"),
             cli_text(job, "state"), *cluster ? " on " : "", cluster, array);
}
