/* demo_example.h - what a demo runs: prepare (8 parts), train (a gang of 4), evaluate, one after
 * the other. */
#pragma once

#include "cli/cli.h"

/* Submits and follows them with the fleet that 'ready' describes; the exit code of the first that
 * failed.  With chaos, while the gang runs, orders a tunnel to be cut and an agent to be killed. */
int demo_example_run(struct cli *cli, const json_t *ready, int orders_fd, bool has_chaos);
