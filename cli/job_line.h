/* job_line.h - how a job stands, in a few words: "job-7 running on west, 3 of 9 ended".
 * It fits on the status line. */
#pragma once

#include "cli/json_read.h"
#include "cli/status_line.h"

void cli_job_line(const json_t *job, char ret_text[CLI_STATUS_LINE_TEXT_MAX]);
