/* follow.h - follows one job to its end: prints its states to stderr, its output to stdout, and
 * the reason while it waits.  Both come as streams, and a cut stream is resumed where it ended.
 * The job's end is printed after its last line; in a format of --output also the job,
 * to stdout. */
#pragma once

#include "cli/cli.h"

struct cli_follow {
    const char *job; /* its id */
    bool has_timestamps;
    bool is_silent;                                 /* the output is not printed */
    void (*on_state)(void *ctx, const char *state); /* NULL is fine */
    void *ctx;
};

/* Sets elements, replicas, has_elements and has_replicas of 'style' by the job.
 * Returns 0, or an exit code. */
struct cli_log_style;
int cli_log_style_of(struct cli *cli, const char *id, struct cli_log_style *style);

/* Returns the exit code of the job: 0, that of its first replica that failed, 124 past its
 * deadline, 130 when it was cancelled.  After Ctrl-C it prints that the job goes on, and returns
 * 130; after a problem it returns the problem's code, and 1 once the job has moved to a queue that
 * the token does not see. */
int cli_follow(struct cli *cli, const struct cli_follow *follow);

/* The same code for an ended job; 'job' is the answer of GET /v1/jobs/{job}. */
int cli_exit_of_job(const json_t *job);

/* Prints "job-7m2k failed after 41m7s: replica 3 exit 137" to stderr. */
void cli_say_end(struct cli *cli, const json_t *job);
