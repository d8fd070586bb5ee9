/* world.h - one seed, from the first event to the last check.
 * The seed draws the world (hubs, clusters, clocks, limits) and its own mix of faults.  First everything
 * that can go wrong does, and nothing unsafe may follow; then it heals, and everything must settle.
 * Single-threaded; equal seeds, equal worlds. */
#pragma once

#include "tests/sim/sim.h"

struct world_result {
    uint64_t seed;
    uint64_t hash; /* of the whole trace */
    uint64_t events, jobs, batches;
    fl_ms virtual_ms;
    uint64_t marks[MARKS_LEN];
    uint64_t faults[FAULTS_LEN];
};

/* Ends the process when an invariant is broken. */
struct world_result world_run(uint64_t seed, bool is_live);
