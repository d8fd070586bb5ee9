/* wait_reason.h - tells a person who watches a job why it waits: after a moment, and again when the
 * reason has changed. */
#pragma once

#include "cli/cli.h"

enum { CLI_WAIT_REASON_FIRST_MS = 1500, CLI_WAIT_REASON_MS = 2000, CLI_WAIT_REASON_BYTES_MAX = 64 };

struct cli_wait_reason {
    const char *job;
    int64_t look_at; /* fl_clock_mono; set by cli_wait_reason_begin */
    char reason[CLI_WAIT_REASON_BYTES_MAX];
};

/* Whether a job in this state waits: it is queued or held. */
bool cli_waits(const char *state);

/* From now on it waits, or may wait. */
void cli_wait_reason_begin(struct cli_wait_reason *waiting, const char *job);

/* When it is time, asks, and prints to stderr "job-7 waits: ..." and the command that says more. */
void cli_wait_reason_look(struct cli *cli, struct cli_wait_reason *waiting);
