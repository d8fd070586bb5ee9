#include "tests/sim/world.h"

#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/assert.h"
#include "shared/wire/log_message.h"
#include "tests/sim/agent_host.h"
#include "tests/sim/checks.h"
#include "tests/sim/checks_log.h"
#include "tests/sim/db.h"
#include "tests/sim/fake_client.h"
#include "tests/sim/fake_runtime.h"
#include "tests/sim/hub.h"
#include "tests/sim/net.h"

enum {
    HUBS_MAX = 2,
    CLUSTERS_MAX = 6,
    FAULTS_FROM_MS = 3000,
    RUN_MS = 300000,
    SETTLE_MS = 90000, /* long after the healing, something ends at least so often */
    LEFTOVERS_MS = 120000,
    IMPATIENT_MS = 45000,
    TICK_MS = 500,
};

struct world {
    struct sim sim;
    struct db *db;
    struct net *net;
    struct checks *checks;
    struct checks_log logs;
    struct fake_client *client;
    struct hub *hubs[HUBS_MAX];
    uint32_t hubs_len;
    uint64_t checked_epoch[HUBS_MAX];
    struct fake_runtime *runtimes[CLUSTERS_MAX];
    struct agent_host *agents[CLUSTERS_MAX];
    struct fl_cluster clusters[CLUSTERS_MAX];
    bool is_dead[CLUSTERS_MAX];
    uint32_t clusters_len, mortal; /* mortal: number from 1; 0: none */
    fl_ms heal_at, fault_ms;       /* faults come so often, on average */
    uint32_t weights[FAULTS_LEN];
    uint64_t room_margin;
    bool is_healed, was_steady;
};

/* ---- meetings -------------------------------------------------------------------------------- */

static uint32_t some_hub(struct world *world)
{
    if (sim_chance(&world->sim, 850000)) {
        for (uint32_t i = 0; i < world->hubs_len; i++) {
            if (hub_leads(world->hubs[i])) return i;
        }
    }
    return (uint32_t)sim_between(&world->sim, 0, world->hubs_len - 1);
}

static uint32_t choose_hub(void *ctx)
{
    return some_hub(ctx);
}

static void request_arrives(void *ctx, uint64_t at, uint64_t request)
{
    struct world *world = ctx;
    struct hub *hub = world->hubs[at];

    if (!hub_is_up(hub)) return;
    if (hub_is_paused(hub)) {
        sim_at(&world->sim, world->sim.now + 200, request_arrives, world, at, request);
        return;
    }
    hub_request(hub, request);
}

static void carry(void *ctx, uint64_t request)
{
    struct world *world = ctx;

    sim_at(&world->sim, world->sim.now + sim_between(&world->sim, 1, 20), request_arrives, world,
           some_hub(world), request);
}

static bool is_named(const struct fl_str *names, uint32_t len, uint32_t number)
{
    char name[16];

    snprintf(name, sizeof(name), "c%u", number);
    for (uint32_t i = 0; i < len; i++) {
        if (fl_str_eq(names[i], fl_str_c(name))) return true;
    }
    return false;
}

static bool could_run(void *ctx, struct fl_str bytes)
{
    struct world *world = ctx;
    struct fl_err err = {0};
    struct shape shape;

    fl_assert(shape_decode(bytes, &shape, &err));
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        if (shape.clusters_len && !is_named(shape.clusters, shape.clusters_len, i + 1)) continue;
        if (is_named(shape.not_clusters, shape.not_clusters_len, i + 1)) continue;
        if (fake_runtime_could_run(world->runtimes[i], &shape)) return true;
    }
    return false;
}

static bool is_endless(void *ctx, struct fl_job job)
{
    struct world *world = ctx;

    for (uint32_t i = 0; i < world->clusters_len; i++) {
        if (fake_runtime_runs(world->runtimes[i], job, IMPATIENT_MS)) return true;
    }
    return false;
}

static void start_agent(void *ctx, uint64_t i, uint64_t b)
{
    struct world *world = ctx;

    (void)b;
    if (!world->is_dead[i]) agent_host_start(world->agents[i]);
}

static void enrolled(void *ctx, uint32_t number, struct fl_cluster cluster)
{
    struct world *world = ctx;

    world->clusters[number - 1] = cluster;
    for (uint32_t h = 0; h < world->hubs_len; h++) {
        hub_set_cluster(world->hubs[h], number - 1, cluster);
    }
    start_agent(world, number - 1, 0);
}

static void net_opened(void *ctx, enum net_end end, uint32_t host, uint64_t connection)
{
    struct world *world = ctx;

    if (end == NET_HUB) {
        hub_opened(world->hubs[host], connection);
    } else {
        agent_host_opened(world->agents[host], connection);
    }
}

static void net_bytes(void *ctx, enum net_end end, uint32_t host, uint64_t connection,
                      struct fl_str bytes)
{
    struct world *world = ctx;

    if (end == NET_HUB) {
        hub_bytes(world->hubs[host], connection, bytes);
    } else {
        agent_host_bytes(world->agents[host], connection, bytes);
    }
}

static void net_closed(void *ctx, enum net_end end, uint32_t host, uint64_t connection)
{
    struct world *world = ctx;

    if (end == NET_HUB) {
        hub_closed(world->hubs[host], connection);
    } else {
        agent_host_closed(world->agents[host], connection);
    }
}

static struct fake_runtime *runtime_of(struct world *world, struct fl_cluster cluster)
{
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        if (world->clusters[i].n == cluster.n) return world->runtimes[i];
    }
    fl_unreachable("a runtime has a cluster once something runs there");
}

/* A runtime knows its place, the checks want the id. */
static void on_created(void *ctx, struct fl_cluster place, const struct fake_replica *replica)
{
    struct world *world = ctx;
    struct fl_cluster cluster = world->clusters[place.n - 1];

    checks_created(world->checks, cluster, replica, runtime_of(world, cluster));
}

static void on_runs(void *ctx, struct fl_cluster place, const struct fake_replica *replica)
{
    struct world *world = ctx;

    checks_runs(world->checks, world->clusters[place.n - 1], replica);
}

static void on_ended(void *ctx, struct fl_cluster place, const struct fake_replica *replica)
{
    (void)place;
    checks_ended(((struct world *)ctx)->checks, replica);
}

static void on_taken(void *ctx, struct fl_cluster place, const struct fake_replica *replica)
{
    struct world *world = ctx;

    checks_log_taken(&world->logs, world->clusters[place.n - 1], replica);
}

static const struct fake_output *truth(void *ctx, struct fl_cluster cluster,
                                       struct fl_attempt attempt, uint32_t replica)
{
    const struct fake_replica *found =
        fake_runtime_find(runtime_of(ctx, cluster), attempt, replica);

    return found ? &found->output : NULL;
}

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

/* Postgres's is a wall clock, and may be set; an agent's runs on while its host sleeps.  A hub
 * reads only the monotonic one, which is never set: it only drifts. */
static void step_a_clock(struct world *world, uint32_t agent)
{
    struct sim *sim = &world->sim;
    fl_ms far = sim_chance(sim, 500000) ? 24 * FL_HOUR_MS : 10 * FL_SECOND_MS;

    if (sim_chance(sim, 600000)) {
        db_step_clock(world->db, sim_between(sim, sim_chance(sim, 500000) ? 0 : -far, far));
    } else {
        agent_host_step_clock(world->agents[agent], sim_between(sim, -5000, 40000));
    }
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
    case FAULT_replica_lost:
        if (fake_runtime_lose_one(world->runtimes[a])) sim_fault(sim, fault);
        return;
    default:
        break;
    }
    sim_fault(sim, fault);
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
        sim_at(sim, soon, start_agent, world, a, 0);
        break;
    case FAULT_agent_pause:
        agent_host_pause(world->agents[a], sim->now + sim_between(sim, 1000, 45000));
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
    case FAULT_client_storm:
        fake_client_storm(world->client, (uint32_t)sim_between(sim, 5, 25));
        break;
    default:
        fl_unreachable("only these have weights");
    }
}

static void next_fault(void *ctx, uint64_t a, uint64_t b)
{
    struct world *world = ctx;
    struct sim *sim = &world->sim;
    uint32_t sum = 0, dice;

    (void)a;
    (void)b;
    if (sim->now >= world->heal_at) return;
    sim_at(sim, sim->now + sim_between(sim, 1, 2 * world->fault_ms), next_fault, world, 0, 0);
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

static void heal(struct world *world)
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
        if (world->clusters[i].n) start_agent(world, i, 0);
    }
    fake_client_tidy(world->client);
}

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
        uint64_t below = fake_pg_newest_job(db_pg(world->db)) + world->room_margin;

        fake_pg_set_room(db_pg(world->db), below, (uint64_t)1 << 40);
        for (uint32_t i = 0; i < world->hubs_len; i++) {
            hub_room(world->hubs[i], below);
        }
    }
    sim_at(sim, sim->now + TICK_MS, tick, world, n + 1, 0);
}

/* ---- the seed draws its world ---------------------------------------------------------------- */

static uint32_t ppm(struct sim *sim, uint32_t chance_of_any, uint32_t max)
{
    return sim_chance(sim, chance_of_any) ? (uint32_t)sim_between(sim, 1, max) : 0;
}

static void draw_weights(struct world *world)
{
    static const struct {
        enum sim_fault fault;
        uint32_t weight;
    } usual[] = {
        {FAULT_net_reset, 6},     {FAULT_net_half_open, 3}, {FAULT_net_partition, 4},
        {FAULT_net_one_way, 3},   {FAULT_net_slow, 4},      {FAULT_hub_crash, 5},
        {FAULT_hub_pause, 4},     {FAULT_agent_crash, 5},   {FAULT_agent_pause, 3},
        {FAULT_db_down, 3},       {FAULT_db_slow, 4},       {FAULT_db_full, 2},
        {FAULT_db_cut_before, 4}, {FAULT_clock_step, 4},    {FAULT_node_down, 3},
        {FAULT_agent_evil, 4},    {FAULT_client_storm, 3},  {FAULT_replica_lost, 3},
        {FAULT_cluster_death, 1}, {FAULT_net_linger, 3},    {FAULT_log_full, 3},
        {FAULT_log_stall, 3},
    };

    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
        if (sim_chance(&world->sim, 700000)) world->weights[usual[i].fault] = usual[i].weight;
    }
    world->weights[FAULT_net_reset] += 1; /* so that there is always one to draw */
}

static struct engine_config draw_engine(struct sim *sim)
{
    struct engine_config config = engine_config_default();

    config.core.unconfirmed_max = (uint32_t)sim_between(sim, 3, 100);
    config.core.backoff_first_ms = (uint32_t)sim_between(sim, 200, 3000);
    config.core.backoff_max_ms = 10000;
    config.core.silence_ms = (uint32_t)sim_between(sim, 3000, 20000);
    config.core.stray_ms = 20000;
    config.core.resend_ms = (uint32_t)sim_between(sim, 3000, 10000);
    config.core.round_starts_max = (uint32_t)sim_between(sim, 1, 50);
    if (sim_chance(sim, 200000)) {
        config.core.round_looks_max = (uint64_t)sim_between(sim, 100, 1000);
    }
    /* A job here has few elements. */
    if (sim_chance(sim, 500000)) config.core.slice_max = (uint32_t)sim_between(sim, 4, 12);
    config.core.jobs_max = 100000;
    config.core.elements_max = 100000;
    if (sim_chance(sim, 100000)) config.inbox_max = (size_t)sim_between(sim, 4, 200);
    if (sim_chance(sim, 100000)) config.keys_max = 4;
    if (sim_chance(sim, 300000)) config.batch_jobs_max = (size_t)sim_between(sim, 1, 10);
    if (sim_chance(sim, 300000)) config.batch_bytes_max = (size_t)sim_between(sim, 200, 4000);
    if (sim_chance(sim, 300000)) config.turn_work_max = (size_t)sim_between(sim, 1, 30);
    config.beside_bytes_min = sim_chance(sim, 300000) ? (size_t)sim_between(sim, 200, 4000) : 0;
    config.alone_ms = (uint32_t)sim_between(sim, 1000, 10000);
    return config;
}

static void draw_db(struct world *world, struct db_config *config)
{
    struct sim *sim = &world->sim;

    *config = (struct db_config){
        .delay_ms_max = sim_between(sim, 1, 10),
        .work_ms_max = sim_between(sim, 2, 20),
        .cut_before_ppm = ppm(sim, 600000, 3000),
        .cut_after_ppm = ppm(sim, 600000, 3000),
        .cut_late_ppm = ppm(sim, 600000, 3000),
        .lease_cut_ppm = ppm(sim, 500000, 100000),
        .load_cut_ppm = ppm(sim, 500000, 200000),
        .lookup_lost_ppm = ppm(sim, 500000, 30000),
        .deaf_ppm = ppm(sim, 500000, 300000),
    };
}

/* Small windows as well: they shall hold bytes back. */
static struct fl_flow_limits draw_flow(struct sim *sim)
{
    struct fl_flow_limits limits = fl_flow_limits();

    if (sim_chance(sim, 300000)) return limits;
    limits.stream_bytes = (uint32_t)sim_between(sim, 48 << 10, 256 << 10);
    limits.stream_bytes_max = limits.stream_bytes * (uint32_t)sim_between(sim, 1, 8);
    limits.tunnel_bytes = (uint32_t)sim_between(sim, 64 << 10, 1 << 20);
    limits.tunnel_bytes_max = limits.tunnel_bytes * (uint32_t)sim_between(sim, 1, 8);
    limits.growth_bytes_max = (uint32_t)sim_between(sim, 0, 1 << 20);
    return limits;
}

static void draw_clusters(struct world *world, const struct fl_flow_limits *flow)
{
    struct sim *sim = &world->sim;
    struct fake_runtime_hooks hooks = {world, on_created, on_runs, on_ended, on_taken};
    struct agent_core_config core = agent_core_config_default();

    core.gate_ms = (uint32_t)sim_between(sim, 3000, 30000);
    if (sim_chance(sim, 150000)) core.attempts_max = (uint32_t)sim_between(sim, 5, 30);
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        struct fake_runtime_config runtime = {
            .cluster = {i + 1},
            .nodes = (uint32_t)sim_between(sim, 1, 5),
            .create_ms_max = sim_between(sim, 5, 2000),
            .pull_ms_max = sim_between(sim, 1, 1000),
            .run_ms_max = sim_between(sim, 500, 8000),
            .notify_ms_max = sim_between(sim, 1, 200),
            .refused_ppm = ppm(sim, 500000, 50000),
            .fails_ppm = ppm(sim, 800000, 200000),
            .lost_ppm = ppm(sim, 400000, 20000),
            .long_ppm = ppm(sim, 500000, 50000),
            .endless_ppm = ppm(sim, 500000, 20000),
            .writes_max = (uint32_t)sim_between(sim, 0, 8),
        };
        struct agent_host_config agent = {
            .host = i,
            .number = i + 1,
            .core = core,
            .flow = *flow,
            .log_sources_max =
                sim_chance(sim, 300000) ? (uint32_t)sim_between(sim, 20, 100) : FL_LOG_SOURCES_MAX,
            .no_spec_ppm = ppm(sim, 300000, 10000),
            .choose_hub = choose_hub,
            .choose_hub_ctx = world,
        };

        world->runtimes[i] = fake_runtime_create(sim, &runtime, &hooks);
        world->agents[i] =
            agent_host_create(sim, world->net, world->runtimes[i], world->client, &agent);
    }
}

/* All of one small cluster: its smallest node holds one replica of the gang, and no node is left
 * out. */
static void draw_stream(struct world *world)
{
    struct sim *sim = &world->sim;
    uint32_t number = (uint32_t)sim_between(sim, 1, world->clusters_len - 1); /* not the mortal */
    struct fake_runtime *runtime = world->runtimes[number - 1];
    struct fake_client_stream stream = {.cluster = number,
                                        .each = fake_runtime_smallest(runtime),
                                        .from = sim_between(sim, 15000, 40000)};

    stream.until = stream.from + sim_between(sim, 40000, 70000);
    stream.replicas = fake_runtime_slots(runtime, stream.each);
    fake_client_add_stream(world->client, &stream);
}

static void create(struct world *world, uint64_t seed, bool is_live)
{
    struct sim *sim = &world->sim;
    struct net_ports net_ports = {world, net_opened, net_bytes, net_closed};
    struct fake_client_ports client_ports = {world, carry, could_run, is_endless, enrolled};
    struct fake_client_config client = {0};
    struct hub_config hub = {0};
    struct db_config db;

    sim_init(sim, seed, is_live);
    world->logs.sim = sim;
    sim_running = sim;
    world->heal_at = sim_between(sim, 120000, 180000);
    world->fault_ms = sim_between(sim, 1500, 8000);
    world->hubs_len = sim_chance(sim, 600000) ? 2 : 1;
    world->clusters_len = (uint32_t)sim_between(sim, 3, 5);
    world->mortal = sim_chance(sim, 400000) ? world->clusters_len : 0;
    world->room_margin = (uint64_t)sim_between(sim, 30, 400);
    draw_weights(world);
    draw_db(world, &db);
    hub.engine = draw_engine(sim);
    hub.stop_grace_ms = (uint32_t)sim_between(sim, 100, 5000);
    hub.clusters_len = world->clusters_len;
    hub.flow = draw_flow(sim);
    hub.logs = (struct fake_log_config){
        .inbox_bytes_max =
            (uint32_t)sim_between(sim, 1000, sim_chance(sim, 500000) ? 100000 : 4 << 20),
        .turn_ms_max = sim_between(sim, 0, 50),
        .sync_ms_max = sim_between(sim, 1, 100),
        .sync_fails_ppm = ppm(sim, 400000, 20000),
    };
    hub.truth = truth;
    hub.truth_ctx = world;
    hub.spec_ms_max = sim_between(sim, 1, sim_chance(sim, 200000) ? 3000 : 50);
    client.clusters = world->clusters_len;
    client.mortal = world->mortal;
    client.requests_ms = (uint32_t)sim_between(sim, 350, 800);
    client.answer_lost_ppm = ppm(sim, 700000, 100000);
    client.poison_ppm = ppm(sim, 300000, 10000);
    client.busy_until = world->heal_at - 1000;
    client.jobs_min = 80;

    world->db = db_create(sim, &db, world->room_margin);
    world->checks = checks_create(sim, db_pg(world->db), &hub.engine.core);
    db_set_checks(world->db, world->checks);
    world->net = net_create(sim, &net_ports, sim_between(sim, 2, 60));
    world->client =
        fake_client_create(sim, &client, &client_ports, db_pg(world->db), world->checks);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub.host = i;
        world->hubs[i] = hub_create(sim, world->net, world->db, world->client, world->checks, &hub);
        world->logs.stores[world->logs.stores_len++] = hub_logs(world->hubs[i]);
    }
    draw_clusters(world, &hub.flow);
    if (sim_chance(sim, 150000)) draw_stream(world);
    checks_set_runtimes(world->checks, world->runtimes, world->clusters_len);
}

static void destroy(struct world *world)
{
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub_destroy(world->hubs[i]);
    }
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        agent_host_destroy(world->agents[i]);
        fake_runtime_destroy(world->runtimes[i]);
    }
    fake_client_destroy(world->client);
    net_destroy(world->net);
    checks_destroy(world->checks);
    db_destroy(world->db);
    sim_fini(&world->sim);
    sim_running = NULL;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run_until(struct world *world, fl_ms until)
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
        run_until(world, sim->now + FL_SECOND_MS);
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
    run_until(world, world->sim.now + 15 * FL_SECOND_MS);
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
    sim_at(&world->sim, FAULTS_FROM_MS, next_fault, world, 0, 0);
}

/* From the first event to the last check. */
static void run_whole(struct world *world)
{
    struct sim *sim = &world->sim;

    run_until(world, world->heal_at);
    heal(world);
    run_until(world, RUN_MS);
    I20_everything_settles(world);
    for (fl_ms until = sim->now + LEFTOVERS_MS; has_leftovers(world) && sim->now < until;) {
        run_until(world, sim->now + FL_SECOND_MS);
    }
    I20_every_request_is_answered(world);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub_check(world->hubs[i], true);
    }
    checks_end(world->checks);
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        checks_log_end(&world->logs, world->clusters[i], world->runtimes[i]);
    }
}

struct world_result world_run(uint64_t seed, bool is_live)
{
    struct world world = {0};
    struct sim *sim = &world.sim;
    struct world_result result = {.seed = seed};

    create(&world, seed, is_live);
    start(&world);
    run_whole(&world);

    result.hash = sim->story.hash;
    result.events = sim->events;
    result.virtual_ms = sim->now;
    result.jobs = checks_jobs(world.checks);
    result.batches = fake_pg_newest(db_pg(world.db));
    memcpy(result.marks, sim->marks, sizeof(result.marks));
    memcpy(result.faults, sim->faults, sizeof(result.faults));
    destroy(&world);
    return result;
}

void world_peek(uint64_t seed, fl_ms until, world_look_fn *look, void *ctx)
{
    struct world world = {0};

    create(&world, seed, false);
    start(&world);
    if (until < world.heal_at) {
        run_until(&world, until);
    } else {
        run_whole(&world);
    }
    look(ctx, db_pg(world.db));
    destroy(&world);
}
