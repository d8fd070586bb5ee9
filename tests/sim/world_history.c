#include "tests/sim/checks_history.h"
#include "tests/sim/world_state.h"

/* The last act of a seed: the database goes back to an older state, once or a few times.  All that
 * the other invariants know is over by then, and they are retired.  One hub is left, since what a
 * state directory knows is of its own hub's terms. */

enum { BEFORE_MS = 12000, AFTER_MS = 15000, ROUNDS_MAX = 3, BLIND_MS = 40000 };

static void work_for(struct world *world, fl_ms ms)
{
    struct sim *sim = &world->sim;
    fl_ms until = sim->now + ms;

    while (sim->now < until) {
        fake_client_storm(world->client, (uint32_t)sim_between(sim, 1, 6));
        world_run_until(world, sim->now + sim_between(sim, 1, 1500));
    }
}

/* Mostly a recent one: most of what an old backup lacks has ended long ago. */
static uint64_t draw_batch(struct world *world)
{
    struct sim *sim = &world->sim;
    int64_t newest = (int64_t)fake_pg_newest(db_pg(world->db));
    int64_t from = sim_chance(sim, 700000) && newest > 200 ? newest - 200 : newest / 2;

    return (uint64_t)sim_between(sim, from, newest);
}

static void restore_once(struct world *world, bool is_blind)
{
    struct sim *sim = &world->sim;
    struct hub *hub = world->hubs[0];
    uint64_t batch;
    bool is_clean = sim_chance(sim, 400000) && hub_stats(hub).inflight_len == 0;

    if (is_clean) {
        hub_stop(hub);
    } else {
        hub_kill(hub, false);
    }
    checks_history_down(checks_history(world->checks), is_clean);
    world_run_until(world, sim->now + sim_between(sim, 1, 3000));
    batch = draw_batch(world);
    if (is_blind) {
        hub_restore(hub, batch);
        for (uint32_t i = 0; i < world->clusters_len; i++) {
            fake_runtime_blind(world->runtimes[i]);
        }
        checks_history_blind(checks_history(world->checks),
                             batch < fake_pg_newest(db_pg(world->db)));
    }
    db_restore(world->db, batch);
    hub_start(hub);
}

/* The retired hub's lease has run out by then.  A state directory knows what its own hub did, and
 * what it found when it took over: that is in its file after HISTORY_LATE_MS. */
static void leave_one_hub(struct world *world)
{
    bool is_alone = world->hubs_len == 1;

    for (uint32_t i = 1; i < world->hubs_len; i++) {
        hub_stop(world->hubs[i]);
    }
    for (int i = 0; i < 30 && !hub_leads(world->hubs[0]); i++) {
        world_run_until(world, world->sim.now + FL_SECOND_MS);
    }
    if (!is_alone) world_run_until(world, world->sim.now + HISTORY_LATE_MS);
    world->hubs_len = 1;
}

/* The state directory goes back with the database: only agents know.  Once one has said so, nothing
 * goes on before a person accepts it.  An agent that comes after that may know more than those
 * before it did: then a person has to accept once more, so for each agent once at most. */
static void lose_both(struct world *world)
{
    struct sim *sim = &world->sim;
    struct checks_history *history = checks_history(world->checks);

    work_for(world, BEFORE_MS);
    restore_once(world, true);
    work_for(world, BLIND_MS);
    if (!checks_history_is_stopped(history)) return; /* no agent had a seal that is newer */
    for (uint32_t i = 0; i < world->clusters_len && checks_history_is_stopped(history); i++) {
        checks_history_accepted(history);
        hub_accept_restore(world->hubs[0]);
        work_for(world, BLIND_MS);
    }
    /* Where the jobs that came back fill all places, nothing is accepted, and rightly. */
    if (!checks_history_goes_on(history) && !world_is_cramped(sim)) {
        sim_broken(sim, "I20", "nothing was accepted for %d s after a person accepted the restore",
                   BLIND_MS / 1000);
    }
}

void world_lose_history(struct world *world)
{
    struct sim *sim = &world->sim;
    int64_t rounds = sim_between(sim, 1, ROUNDS_MAX);

    sim_tell(sim, "history is going to be lost, %llu times", rounds);
    checks_retire(world->checks);
    fake_client_retire(world->client);
    leave_one_hub(world);
    for (int64_t i = 0; i < rounds; i++) {
        work_for(world, sim_between(sim, 1, BEFORE_MS));
        restore_once(world, false);
        work_for(world, AFTER_MS);
        if (!hub_leads(world->hubs[0])) {
            sim_broken(sim, "I20", "the hub does not lead, %d s after a restore", AFTER_MS / 1000);
        }
    }
    if (sim_chance(sim, 500000)) lose_both(world);
}
