/* demo_keeper.h - the process that holds a demo's fleet together, and takes it away again.
 * It is forked by 'fairlead demo' before anything else and talks to it by two pipes:
 *   orders  words from the demo, a line each: "cut NAME", "kill NAME".  When the demo is gone,
 *           however it went, the pipe ends, and so does the fleet; a detached keeper has none and
 *           ends on SIGTERM.
 *   news    a JSON object a line: {"step","seconds"}, {"ready":{...}}, {"restarted":NAME},
 *           {"error":TEXT}
 * Programs it starts die with it: they hold a lifeline of its, Postgres gets a signal.  One that
 * dies by itself is started again, as systemd would.  It is the reaper of all below it, so that it
 * can say when nothing is left; then it removes the folder. */
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
    int news_fd;   /* -1 after "ready" when detached */
};

/* Does not return; exits with 0 when nothing is left. */
void demo_keeper_run(const struct demo_plan *plan);

/* Removes a folder with all that is in it; never follows a link. */
bool demo_remove(const char *dir);
