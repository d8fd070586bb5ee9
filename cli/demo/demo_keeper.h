/* demo_keeper.h - the process that starts a demo's fleet, watches it, and removes it again.
 * 'fairlead demo' forks it first and talks to it by two pipes:
 *   orders  from the demo, a line each: "cut", "kill NAME".  When the demo is gone, the pipe ends,
 *           and the keeper ends the fleet; a detached keeper has no orders and ends on SIGTERM.
 *   news    a JSON object a line: {"step","seconds"}, {"ready":{...}}, {"restarted":NAME},
 *           {"error":TEXT}
 * The programs that it starts die with it: they hold its lifeline, and Postgres gets a signal.  It
 * starts a program that dies by itself again, as systemd would.  It is the reaper of all its
 * descendants, so that it knows when all have ended; then it removes the folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { DEMO_CLUSTERS_MAX = 8, DEMO_PATH_MAX = 4096 };

struct demo_plan {
    const char *dir;     /* made by the caller, empty */
    const char *bin_dir; /* where fairleadd, fairlead-agent and fairlead-supervise are */
    int port;            /* 0: a free one */
    int clusters;
    int orders_fd; /* -1: detached */
    int news_fd;   /* when detached, -1 after "ready" */
};

/* Does not return; exits with 0 when nothing is left. */
void demo_keeper_run(const struct demo_plan *plan);

/* Removes a folder with all that is in it; never follows a link. */
bool demo_remove(const char *dir);
