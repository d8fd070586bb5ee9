#include "tests/sim/world.h"

#include <string.h>

#include "tests/sim/world_state.h"

enum {
    FAULTS_FROM_MS = 3000,
    RUN_MS = 300000,
    SETTLE_MS = 90000, /* long after the healing, something ends at least so often */
    LEFTOVERS_MS = 120000,
    TICK_MS = 500,
};

/* ---- side events ----------------------------------------------------------------------------- */

/* A hub leads that Postgres knows as the leader, and neither stands still. */
static bool is_steady(const struct world *world)
{
    if (!db_is_well(world->db)) return false;
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        const struct hub *hub = world->hubs[i];

        if (hub_leads(hub) && !hub_is_paused(hub) &&
            hub_epoch(hub) == fake_pg_epoch(db_pg(world->db))) {
            return true;
        }
    }
    return false;
}

/* A partition goes when all its jobs have ended for long enough. */
static void remove_old(struct world *world)
{
    struct fake_pg *pg = db_pg(world->db);
    uint64_t below = world->gone_below + world->partition_span;

    if (!fake_pg_may_remove(pg, below)) {
        world->old_since = 0;
        return;
    }
    if (!world->old_since) world->old_since = world->sim.now;
    if (world->sim.now < world->old_since + world->retention_ms) return;
    sim_tell(&world->sim, "the partition of jobs below %llu is removed", below);
    sim_mark(&world->sim, MARK_partition_removed);
    fake_pg_remove(pg, below);
    world->gone_below = below;
    world->old_since = 0;
}

static void tick(void *ctx, uint64_t n, uint64_t b)
{
    struct world *world = ctx;
    struct sim *sim = &world->sim;

    (void)b;
    checks_passed(world->checks, TICK_MS, world->was_steady && is_steady(world));
    world->was_steady = is_steady(world);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        bool is_due = n % 10 == 0 || world->checked_epoch[i] != hub_epoch(world->hubs[i]);

        if (is_due && hub_check(world->hubs[i], true)) {
            world->checked_epoch[i] = hub_epoch(world->hubs[i]);
        }
    }
    for (uint32_t i = 0; n % 10 == 0 && i < world->clusters_len; i++) {
        agent_host_check(world->agents[i]);
    }
    /* Maintenance makes partitions ahead, unless it is asleep. */
    if (n % 4 == 0 && (world->is_healed || !sim_chance(sim, 300000))) {
        uint64_t below = fake_pg_job_next(db_pg(world->db)) - 1 + world->room_margin;

        fake_pg_set_room(db_pg(world->db), below, (uint64_t)1 << 40);
        for (uint32_t i = 0; i < world->hubs_len; i++) {
            hub_room(world->hubs[i], below);
        }
    }
    if (world->retention_ms) remove_old(world);
    sim_at(sim, sim->now + TICK_MS, tick, world, n + 1, 0);
}

/* ---- the run --------------------------------------------------------------------------------- */

void world_run_until(struct world *world, fl_ms until)
{
    while (sim_step(&world->sim, until)) {
    }
}

static bool has_leftovers(const struct world *world)
{
    for (uint32_t c = 0; c < world->clusters_len; c++) {
        for (size_t i = 0; i < fake_runtime_len(world->runtimes[c]); i++) {
            if (fake_runtime_at(world->runtimes[c], i)->is_present) return true;
        }
    }
    return false;
}

enum { WIDE_WORKED = 150 };

static bool has_worked(const struct fake_runtime *runtime)
{
    for (size_t i = 0; i < fake_runtime_len(runtime); i++) {
        if (fake_runtime_at(runtime, i)->run_from) return true;
    }
    return false;
}

static void mark_wide(struct world *world)
{
    uint32_t worked = 0;

    for (uint32_t c = 0; c < world->clusters_len; c++) {
        worked += has_worked(world->runtimes[c]);
    }
    sim_tell(&world->sim, "work has run on %llu clusters", worked);
    if (worked > WIDE_WORKED) sim_mark(&world->sim, MARK_wide_world_worked);
}

static bool is_settled(const struct world *world)
{
    return checks_all_settled(world->checks) && fake_client_is_content(world->client);
}

/* A busy world may take long, an idle one may not: it counts that something ends. */
static void I20_everything_settles(struct world *world)
{
    struct sim *sim = &world->sim;
    fl_ms moved_at = world->heal_at > RUN_MS ? world->heal_at : RUN_MS;
    size_t ended = 0;

    while (!is_settled(world) && sim->now < moved_at + SETTLE_MS) {
        world_run_until(world, sim->now + FL_SECOND_MS);
        if (checks_elements_ended(world->checks) == ended) continue;
        ended = checks_elements_ended(world->checks);
        moved_at = sim->now;
    }
    if (is_settled(world)) return;
    checks_tell_unsettled(world->checks);
    fake_client_tell(world->client);
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        fake_runtime_tell(world->runtimes[i]);
    }
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub_tell(world->hubs[i]);
    }
    sim_broken(sim, "I20", "nothing has ended for %d s, long after the healing", SETTLE_MS / 1000);
}

static void I20_every_request_is_answered(struct world *world)
{
    world_run_until(world, world->sim.now + 15 * FL_SECOND_MS);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        if (hub_requests_open(world->hubs[i]) == 0) continue;
        sim_broken(&world->sim, "I20", "hub %u owes %zu answers", i,
                   hub_requests_open(world->hubs[i]));
    }
}

static void start(struct world *world)
{
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub_start(world->hubs[i]);
    }
    fake_client_begin(world->client);
    sim_at(&world->sim, TICK_MS, tick, world, 0, 0);
    sim_at(&world->sim, FAULTS_FROM_MS, world_fault, world, 0, 0);
}

/* From the first event to the last check. */
static void run_whole(struct world *world)
{
    struct sim *sim = &world->sim;

    world_run_until(world, world->heal_at);
    if (world->is_wide) mark_wide(world);
    world_heal(world);
    world_run_until(world, RUN_MS);
    I20_everything_settles(world);
    for (fl_ms until = sim->now + LEFTOVERS_MS; has_leftovers(world) && sim->now < until;) {
        world_run_until(world, sim->now + FL_SECOND_MS);
    }
    I20_every_request_is_answered(world);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub_check(world->hubs[i], true);
    }
    checks_end(world->checks);
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        checks_log_end(&world->logs, world->clusters[i], world->runtimes[i]);
    }
    checks_output_end(world->checks, &world->logs);
}

struct world_result world_run(uint64_t seed, bool is_live)
{
    struct world world = {0};
    struct sim *sim = &world.sim;
    struct world_result result = {.seed = seed};

    world_create(&world, seed, is_live);
    start(&world);
    run_whole(&world);
    result.jobs = checks_jobs(world.checks);
    result.batches = fake_pg_newest(db_pg(world.db));
    if (!world.is_large) world_lose_history(&world);
    result.hash = sim->story.hash;
    result.events = sim->events;
    result.virtual_ms = sim->now;
    memcpy(result.marks, sim->marks, sizeof(result.marks));
    memcpy(result.faults, sim->faults, sizeof(result.faults));
    world_destroy(&world);
    return result;
}

void world_peek(uint64_t seed, fl_ms until, world_look_fn *look, void *ctx)
{
    struct world world = {0};

    world_create(&world, seed, false);
    world.retention_ms = 0; /* the journal tells no removal, so a replay cannot repeat one */
    start(&world);
    if (until < world.heal_at) {
        world_run_until(&world, until);
    } else {
        run_whole(&world);
    }
    look(ctx, db_pg(world.db));
    world_destroy(&world);
}
