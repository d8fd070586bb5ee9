/* demo_example.h - the jobs of a demo, one after the other: prepare (8 parts), train (a gang of 4),
 * evaluate. */
#pragma once

#include "cli/cli.h"

/* Submits and follows the jobs with the fleet that 'ready' describes; returns the exit code of the
 * first that failed.  With chaos, while the gang runs, it has the keeper cut the tunnels and kill
 * an agent. */
int demo_example_run(struct cli *cli, const json_t *ready, int orders_fd, bool has_chaos);

/* Prints a link to the dashboard, which signs in once; the settings name the fleet.  Returns an
 * exit code. */
int demo_say_link(struct cli *cli);
