/* world.h - one seed, from the first event to the last check.
 * The seed draws the world (hubs, clusters, clocks, limits) and its own mix of faults.  First
 * everything that can go wrong does, and nothing unsafe may follow; then it heals, and everything
 * must settle.  Single-threaded; equal seeds, equal worlds. */
#pragma once

#include "tests/sim/policy_model.h"
#include "tests/sim/sim.h"

struct world_result {
    uint64_t seed;
    uint64_t hash; /* over the whole trace */
    uint64_t events, jobs, batches;
    fl_ms virtual_ms;
    uint64_t marks[MARKS_LEN];
    uint64_t faults[FAULTS_LEN];
};

/* Ends the process when an invariant is broken. */
struct world_result world_run(uint64_t seed, bool is_live);

/* The first part of a seed, or all of it when 'until' is beyond its faults; then 'look' sees the
 * database as it stands, its journal the recording of all that became durable.  Old partitions
 * stay in it, also in seeds that remove them.  For who replays that elsewhere. */
struct fake_pg;
typedef void world_look_fn(void *ctx, const struct fake_pg *pg);
void world_peek(uint64_t seed, fl_ms until, world_look_fn *look, void *ctx);
