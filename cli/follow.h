/* follow.h - one job from now to its end: its states on stderr, its output on stdout.
 * Both come as streams that are resumed where they were cut; the end is printed only after the last
 * line. */
#pragma once

#include "cli/cli.h"

struct cli_follow {
    const char *job; /* its id */
    bool has_timestamps;
    void (*on_state)(void *ctx, const char *state); /* NULL is fine */
    void *ctx;
};

/* Finds out whether lines of its log need a prefix: has_elements, has_replicas.  0, or an exit
 * code. */
struct cli_log_style;
int cli_log_style_of(struct cli *cli, const char *id, struct cli_log_style *style);

/* The exit code that the job stands for: 0, that of its first replica that failed, 124 past its
 * deadline, 130 when it was cancelled; or after Ctrl-C 130 with a word that the job goes on, or
 * that of a problem. */
int cli_follow(struct cli *cli, const struct cli_follow *follow);

/* The exit code that an ended job stands for; 'job' is as GET /v1/jobs/{job} has it. */
int cli_exit_of_job(const json_t *job);

/* "job-7m2k failed after 41m7s: replica 3 exit 137", a line on stderr. */
void cli_say_end(struct cli *cli, const json_t *job);
