#include "shared/base/assert.h"
#include "tests/sim/world_state.h"

/* ---- faults ---------------------------------------------------------------------------------- */

static void start_hub(void *ctx, uint64_t i, uint64_t b)
{
    (void)b;
    hub_start(((struct world *)ctx)->hubs[i]);
}

static void forget_cluster(void *ctx, uint64_t i, uint64_t b)
{
    struct world *world = ctx;

    (void)b;
    fake_client_forget(world->client, world->clusters[i]);
}

/* Its replicas have ended with it: a person who says so is right. */
static void kill_cluster(struct world *world)
{
    uint32_t i = world->mortal - 1;

    if (!world->mortal || world->is_dead[i] || !world->clusters[i].n) return;
    sim_fault(&world->sim, FAULT_cluster_death);
    sim_tell(&world->sim, "cluster %llu burns down", world->clusters[i].n);
    world->is_dead[i] = true;
    agent_host_kill(world->agents[i], true);
    fake_runtime_die(world->runtimes[i]);
    sim_at(&world->sim, world->sim.now + sim_between(&world->sim, 5000, 20000), forget_cluster,
           world, i, 0);
}

static void block_paths(struct world *world, uint32_t agent, bool is_one_way)
{
    struct sim *sim = &world->sim;
    fl_ms until = sim->now + sim_between(sim, 500, sim_chance(sim, 300000) ? 45000 : 10000);
    uint32_t only =
        sim_chance(sim, 500000) ? (uint32_t)sim_between(sim, 0, world->hubs_len - 1) : HUBS_MAX;
    bool is_to_hub = !is_one_way || sim_chance(sim, 500000);

    sim_tell(sim, "agent %llu is cut off: to hub %llu, from hub %llu, until %llu", agent + 1,
             is_to_hub, !is_one_way || !is_to_hub, until);
    for (uint32_t h = 0; h < world->hubs_len; h++) {
        if (only != HUBS_MAX && only != h) continue;
        net_block(world->net, agent, h, is_to_hub, !is_one_way || !is_to_hub, until);
    }
}

static void lie(struct world *world, uint32_t agent)
{
    struct sim *sim = &world->sim;
    struct fl_cluster cluster = world->clusters[agent];
    struct fl_attempt foreign = {{999999}, 0, 1, 1};

    if (!cluster.n || world->is_dead[agent]) return;
    if (sim_chance(sim, 400000)) { /* a report of the right cluster, but in an old session */
        struct fl_attempt own;

        for (uint32_t c = 0; c < world->clusters_len; c++) {
            if (c == agent) continue;
            if (!checks_has_live(world->checks, world->clusters[c], &own)) continue;
            for (uint32_t h = 0; h < world->hubs_len; h++) {
                hub_stale_report(world->hubs[h], own, checks_cluster_of(world->checks, own));
            }
            return;
        }
        return;
    }
    checks_has_live(world->checks, cluster, &foreign);
    agent_host_lie(world->agents[agent], (enum agent_lie)sim_between(sim, 0, AGENT_LIE_KINDS - 1),
                   foreign, CHECKS_LIE_FOREIGN);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* Past 2038. */
static const fl_ms YEARS_MS = (fl_ms)15 * 365 * 24 * FL_HOUR_MS;

static void clock_was_set(struct world *world)
{
    bool do_hubs_differ = false;

    for (uint32_t h = 1; h < world->hubs_len; h++) {
        if (hub_wall_offset(world->hubs[h]) != hub_wall_offset(world->hubs[0])) {
            do_hubs_differ = true;
        }
    }
    checks_clock_set(world->checks, do_hubs_differ);
    world->do_hubs_differ = do_hubs_differ;
}

/* One clock at a time: all of them together are believed (decision 70).  The other one was read for
 * the lease's row since it was set. */
static void set_postgres(struct world *world, fl_ms by)
{
    if (by > 0 && (world->do_hubs_differ || world->hub_set_at >= db_renewed_at(world->db))) return;
    world->postgres_set_at = world->sim.now;
    db_step_clock(world->db, by);
    clock_was_set(world);
}

enum { CLOCK_RIGHT_MS = 30000, CLOCK_LATER_MS = 1000 };

/* A hub's wall clock, for a while. */
static void set_hub(void *ctx, uint64_t h, uint64_t by)
{
    struct world *world = ctx;
    struct hub *hub = world->hubs[h];

    if (world->postgres_set_at >= db_renewed_at(world->db)) {
        sim_at(&world->sim, world->sim.now + CLOCK_LATER_MS, set_hub, world, h, by);
        return;
    }
    world->hub_set_at = world->sim.now;
    hub_set_clock(hub, (fl_ms)by);
    clock_was_set(world);
    if (by == 0) return;
    sim_at(&world->sim, world->sim.now + sim_between(&world->sim, 0, CLOCK_RIGHT_MS), set_hub,
           world, h, 0);
}

/* Postgres and the only hub share one host.  Only its uptime is right then, so it was read for the
 * lease's row since the boot. */
static void set_both(struct world *world, fl_ms by)
{
    struct hub *hub = world->hubs[0];

    if (by > 0 && hub_booted_at(hub) >= db_renewed_at(world->db)) return;
    hub_share_host(hub);
    db_step_clock(world->db, by);
    hub_set_clock(hub, hub_wall_offset(hub) + by);
    clock_was_set(world);
}

/* Postgres's is a wall clock, and may be set, and so may a hub's; both are one where they share a
 * host, and that host's uptime is not.  An agent's monotonic one runs on while its host sleeps. */
static void step_a_clock(struct world *world, uint32_t agent)
{
    struct sim *sim = &world->sim;
    fl_ms far = sim_chance(sim, 500000) ? 24 * FL_HOUR_MS : 10 * FL_SECOND_MS;
    fl_ms by;

    if (!sim_chance(sim, 600000)) {
        agent_host_step_clock(world->agents[agent], sim_between(sim, -5000, 40000));
        return;
    }
    if (sim_chance(sim, 50000)) far = YEARS_MS;
    by = sim_between(sim, sim_chance(sim, 500000) ? 0 : -far, far);
    if (world->hubs_len == 1 && sim_chance(sim, 200000)) {
        set_both(world, by);
    } else if (sim_chance(sim, 600000)) {
        set_postgres(world, by);
    } else {
        set_hub(world, (uint64_t)sim_between(sim, 0, world->hubs_len - 1), (uint64_t)by);
    }
}

/* ---- a commit whose fate another hub decides ------------------------------------------------- */

enum { FATE_TRIES = 400, FATE_AWAY_MS = 12000, FATE_BACK_MS = 10000 };

static void stop_other(void *ctx, uint64_t first, uint64_t b)
{
    struct world *world = ctx;
    struct hub *other = world->hubs[1 - first];

    (void)b;
    if (!hub_leads(other) || hub_is_paused(other)) return;
    sim_fault(&world->sim, FAULT_db_fate);
    hub_stop(other);
    sim_at(&world->sim, world->sim.now + 4000, start_hub, world, 1 - first, 0);
}

/* With a batch in flight the leader's writer is cut.  The hub stands still for as long as the other
 * one leads: that goes in good order before the first wakes up. */
static void decide_fate(void *ctx, uint64_t first, uint64_t tries)
{
    struct world *world = ctx;
    struct sim *sim = &world->sim;
    struct hub *hub = world->hubs[first];

    if (!hub_leads(hub) || hub_is_paused(hub) || tries == 0) return;
    if (hub_stats(hub).inflight_len == 0) {
        sim_at(sim, sim->now + 1, decide_fate, world, first, tries - 1);
        return;
    }
    db_cut_writers(world->db);
    hub_pause(hub, sim->now + FATE_AWAY_MS);
    sim_at(sim, sim->now + FATE_BACK_MS, stop_other, world, first, 0);
}

/* ---- twins ----------------------------------------------------------------------------------- */

enum { TWIN_BOOT = 1 << 20, TWIN_BACK_MS = 12000 };

static void twin_again(void *ctx, uint64_t h, uint64_t a)
{
    struct world *world = ctx;

    if (world->is_healed) return;
    hub_twin(world->hubs[h], world->clusters[a], TWIN_BOOT + a, world->sim.now + 2000);
}

/* It comes, goes, and comes again once the agent that it had driven out is back. */
static void send_twin(struct world *world, uint32_t h, uint32_t a)
{
    if (!world->clusters[a].n || world->is_dead[a]) return;
    hub_twin(world->hubs[h], world->clusters[a], TWIN_BOOT + a, world->sim.now + 2000);
    sim_at(&world->sim, world->sim.now + TWIN_BACK_MS, twin_again, world, h, a);
}

static void do_fault(struct world *world, enum sim_fault fault)
{
    struct sim *sim = &world->sim;
    uint32_t h = (uint32_t)sim_between(sim, 0, world->hubs_len - 1);
    uint32_t a = (uint32_t)sim_between(sim, 0, world->clusters_len - 1);
    fl_ms soon = sim->now + sim_between(sim, 200, 10000);

    sim_tell(sim, "fault %llu", fault);
    switch (fault) {
    case FAULT_net_reset:
        if (net_reset_one(world->net, false)) sim_fault(sim, fault);
        return;
    case FAULT_net_half_open:
        if (net_reset_one(world->net, true)) sim_fault(sim, fault);
        return;
    case FAULT_net_linger:
        if (net_linger_one(world->net, soon)) sim_fault(sim, fault);
        return;
    case FAULT_agent_evil:
        lie(world, a);
        return;
    case FAULT_cluster_death:
        kill_cluster(world);
        return;
    case FAULT_report_again:
        if (hub_report_again(world->hubs[h], world->clusters[a])) sim_fault(sim, fault);
        return;
    case FAULT_agent_twin:
        send_twin(world, h, a);
        return;
    case FAULT_lost_late:
        if (hub_lost_late(world->hubs[h], world->clusters[a])) sim_fault(sim, fault);
        return;
    case FAULT_db_fate:
        if (world->hubs_len == 2) decide_fate(world, h, FATE_TRIES);
        return;
    case FAULT_records_lost:
        if (world->is_dead[a] || !agent_host_is_up(world->agents[a])) return;
        agent_host_kill(world->agents[a], false);
        if (fake_runtime_lose_records(world->runtimes[a])) sim_fault(sim, fault);
        sim_at(sim, soon, world_start_agent, world, a, 0);
        return;
    case FAULT_replica_lost:
        if (fake_runtime_lose_one(world->runtimes[a])) sim_fault(sim, fault);
        return;
    default:
        break;
    }
    if (fault != FAULT_hub_turn_pause) sim_fault(sim, fault); /* it counts when it comes */
    switch (fault) {
    case FAULT_net_partition:
    case FAULT_net_one_way:
        block_paths(world, a, fault == FAULT_net_one_way);
        break;
    case FAULT_net_slow:
        net_slow(world->net, a, h, sim_between(sim, 100, 3000), soon);
        break;
    case FAULT_hub_crash:
        if (sim_chance(sim, 250000)) {
            hub_stop(world->hubs[h]);
        } else {
            hub_kill(world->hubs[h], sim_chance(sim, 300000));
        }
        sim_at(sim, soon, start_hub, world, h, 0);
        break;
    case FAULT_hub_pause:
        hub_pause(world->hubs[h], sim->now + sim_between(sim, 500, 15000));
        break;
    case FAULT_agent_crash:
        agent_host_kill(world->agents[a], sim_chance(sim, 300000));
        sim_at(sim, soon, world_start_agent, world, a, 0);
        break;
    case FAULT_agent_pause:
        agent_host_pause(world->agents[a], sim->now + sim_between(sim, 1000, 45000));
        break;
    case FAULT_runtime_deaf:
        fake_runtime_wedge(world->runtimes[a], sim->now + sim_between(sim, 5000, 90000));
        break;
    case FAULT_db_down:
        db_stop(world->db, soon);
        break;
    case FAULT_db_slow:
        db_slow(world->db, sim_between(sim, 1000, 5000), soon + 5000);
        break;
    case FAULT_db_full:
        db_full(world->db, soon);
        break;
    case FAULT_hub_turn_pause:
        hub_pause_in_turn(world->hubs[h], (uint32_t)sim_between(sim, 1, 12),
                          sim_between(sim, 500, sim_chance(sim, 300000) ? 60000 : 12000),
                          world->heal_at);
        break;
    case FAULT_db_locked:
        db_lock(world->db, soon + sim_between(sim, 0, 20000));
        break;
    case FAULT_db_read_only:
        db_read_only(world->db, soon);
        break;
    case FAULT_log_full:
        fake_log_store_full(hub_logs(world->hubs[h]), soon);
        break;
    case FAULT_log_stall:
        fake_log_store_stall(hub_logs(world->hubs[h]), soon);
        break;
    case FAULT_db_cut_before:
        db_cut_writers(world->db);
        break;
    case FAULT_clock_step:
        step_a_clock(world, a);
        break;
    case FAULT_node_down:
        fake_runtime_node_down(world->runtimes[a], (uint32_t)sim_between(sim, 0, 15), soon);
        break;
    case FAULT_node_shrunk:
        fake_runtime_node_shrunk(world->runtimes[a], (uint32_t)sim_between(sim, 0, 15), soon);
        break;
    case FAULT_client_storm:
        fake_client_storm(world->client, (uint32_t)sim_between(sim, 5, 25));
        break;
    default:
        fl_unreachable("only these have weights");
    }
}

void world_fault(void *ctx, uint64_t a, uint64_t b)
{
    struct world *world = ctx;
    struct sim *sim = &world->sim;
    uint32_t sum = 0, dice;

    (void)a;
    (void)b;
    if (sim->now >= world->heal_at) return;
    sim_at(sim, sim->now + sim_between(sim, 1, 2 * world->fault_ms), world_fault, world, 0, 0);
    for (int i = 0; i < FAULTS_LEN; i++) {
        sum += world->weights[i];
    }
    dice = (uint32_t)sim_between(sim, 0, sum - 1);
    for (int i = 0; i < FAULTS_LEN; i++) {
        if (dice < world->weights[i]) {
            do_fault(world, (enum sim_fault)i);
            return;
        }
        dice -= world->weights[i];
    }
}

void world_heal(struct world *world)
{
    sim_tell(&world->sim, "everything heals");
    world->is_healed = true;
    net_heal(world->net);
    db_heal(world->db);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub_start(world->hubs[i]);
        fake_log_store_heal(hub_logs(world->hubs[i]));
    }
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        fake_runtime_calm(world->runtimes[i]);
        agent_host_heal(world->agents[i]);
        if (world->clusters[i].n) world_start_agent(world, i, 0);
    }
    fake_client_tidy(world->client);
}

/* ---- the seed draws them --------------------------------------------------------------------- */

/* By dice of its own, so that the other seeds keep their histories. */
static bool has_shrinking_nodes(const struct sim *sim)
{
    struct fl_prng prng;

    fl_prng_seed(&prng, sim->seed);
    return fl_prng_below(&prng, 3) == 0;
}

void world_draw_faults(struct world *world)
{
    static const struct {
        enum sim_fault fault;
        uint32_t weight;
    } usual[] = {
        {FAULT_net_reset, 6},      {FAULT_net_half_open, 3}, {FAULT_net_partition, 4},
        {FAULT_net_one_way, 3},    {FAULT_net_slow, 4},      {FAULT_hub_crash, 5},
        {FAULT_hub_pause, 4},      {FAULT_agent_crash, 5},   {FAULT_agent_pause, 3},
        {FAULT_db_down, 3},        {FAULT_db_slow, 4},       {FAULT_db_full, 2},
        {FAULT_db_cut_before, 4},  {FAULT_clock_step, 4},    {FAULT_node_down, 3},
        {FAULT_agent_evil, 4},     {FAULT_client_storm, 3},  {FAULT_replica_lost, 3},
        {FAULT_cluster_death, 1},  {FAULT_net_linger, 3},    {FAULT_log_full, 3},
        {FAULT_log_stall, 3},      {FAULT_records_lost, 2},  {FAULT_report_again, 4},
        {FAULT_agent_twin, 2},     {FAULT_lost_late, 3},     {FAULT_db_fate, 3},
        {FAULT_runtime_deaf, 3},   {FAULT_db_locked, 3},     {FAULT_db_read_only, 2},
        {FAULT_hub_turn_pause, 4},
    };

    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
        if (sim_chance(&world->sim, 700000)) world->weights[usual[i].fault] = usual[i].weight;
    }
    if (has_shrinking_nodes(&world->sim)) world->weights[FAULT_node_shrunk] = 6;
    world->weights[FAULT_net_reset] += 1; /* so that there is always one to draw */
}
