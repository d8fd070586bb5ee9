/* checks_log.h - I8, as far as it needs runtimes and log stores together: no output goes before
 * some hub holds all of it, and at the end each is there, whole.  A single store checks its own
 * contents.  A broken one ends the process through sim_broken. */
#pragma once

#include "tests/sim/fake_log_store.h"
#include "tests/sim/fake_runtime.h"
#include "tests/sim/sim.h"

enum { CHECKS_LOG_STORES_MAX = 4 };

struct checks_log {
    struct sim *sim;
    struct fake_log_store *stores[CHECKS_LOG_STORES_MAX]; /* one for each hub */
    size_t stores_len;
};

/* A runtime learned that the output of this replica is safe. */
void checks_log_taken(const struct checks_log *checks, struct fl_cluster cluster,
                      const struct fake_replica *replica);

/* At the end: some hub holds the whole output of each replica that ran on this cluster, but for
 * those whose output a fault removed. */
void checks_log_end(const struct checks_log *checks, struct fl_cluster cluster,
                    const struct fake_runtime *runtime);
