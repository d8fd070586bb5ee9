/* hint.h - what a person can do about a job that waits or has ended: the command to type.
 * For verbs that tell why a job has not run. */
#pragma once

#include "cli/cli.h"

/* A command line, in the arena.  Its effect depends on the reason: a held job is released, a paused
 * queue resumed, an ended job retried; for other reasons it is 'explain'. */
const char *cli_hint(struct cli *cli, const json_t *job);

/* Prints one line to stderr if the job waits in a paused queue: that, and the hint. */
void cli_say_paused(struct cli *cli, const json_t *job);
