#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/wire/log_message.h"
#include "shared/wire/message.h"
#include "tests/sim/world_state.h"

enum { IMPATIENT_MS = 45000, LARGE_STARTS = 500 };

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

/* By the job's lists of clusters. */
static bool is_meant(const struct shape *shape, uint32_t number)
{
    if (shape->clusters_len && !is_named(shape->clusters, shape->clusters_len, number)) {
        return false;
    }
    return !is_named(shape->not_clusters, shape->not_clusters_len, number);
}

static bool could_ever(void *ctx, uint32_t number, struct fl_str bytes)
{
    const struct world *world = ctx;
    struct fl_err err = {0};
    struct shape shape;

    fl_assert(shape_decode(bytes, &shape, &err));
    return is_meant(&shape, number) && fake_runtime_could_ever(world->runtimes[number - 1], &shape);
}

static const char *gpu_node(void *ctx, uint32_t number, uint32_t n)
{
    const struct world *world = ctx;

    return fake_runtime_gpu_node(world->runtimes[number - 1], n);
}

static bool could_run(void *ctx, struct fl_str bytes)
{
    const struct world *world = ctx;
    struct fl_err err = {0};
    struct shape shape;

    fl_assert(shape_decode(bytes, &shape, &err));
    for (uint32_t number = 1; number <= world->clusters_len; number++) {
        if (is_meant(&shape, number) &&
            fake_runtime_could_run(world->runtimes[number - 1], &shape)) {
            return true;
        }
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

void world_start_agent(void *ctx, uint64_t i, uint64_t b)
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
    world_start_agent(world, number - 1, 0);
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

/* ---- the seed draws its world ---------------------------------------------------------------- */

static uint32_t ppm(struct sim *sim, uint32_t chance_of_any, uint32_t max)
{
    return sim_chance(sim, chance_of_any) ? (uint32_t)sim_between(sim, 1, max) : 0;
}

/* In these worlds an owner comes to its share of jobs and shapes. */
enum { CRAMPED_EVERY = 20, CRAMPED_SEED = 13, CRAMPED_JOBS = 48, CRAMPED_SHAPES = 40 };

bool world_is_cramped(const struct sim *sim)
{
    return sim->seed % CRAMPED_EVERY == CRAMPED_SEED;
}

static struct engine_config draw_engine(struct sim *sim)
{
    struct engine_config config = engine_config_default();

    config.core.unconfirmed_max = (uint32_t)sim_between(sim, 3, 100);
    config.core.backoff_first_ms = (uint32_t)sim_between(sim, 200, 3000);
    config.core.backoff_max_ms = 10000;
    config.core.silence_ms = (uint32_t)sim_between(sim, 3000, 20000);
    config.core.stray_ms = 20000;
    config.core.start_ms = (uint32_t)sim_between(sim, 8000, 30000);
    config.core.stop_ms = (uint32_t)sim_between(sim, 8000, 30000);
    config.core.inventory_ms = (uint32_t)sim_between(sim, 5000, 20000);
    config.core.resend_ms = (uint32_t)sim_between(sim, 3000, 10000);
    config.core.round_starts_max = (uint32_t)sim_between(sim, 1, 50);
    if (sim_chance(sim, 200000)) {
        config.core.round_looks_max = (uint64_t)sim_between(sim, 100, 1000);
    }
    /* A job here has few elements. */
    if (sim_chance(sim, 500000)) config.core.slice_max = (uint32_t)sim_between(sim, 4, 12);
    config.core.jobs_max = 100000;
    if (world_is_cramped(sim)) {
        config.core.jobs_max = CRAMPED_JOBS;
        config.core.shapes_max = CRAMPED_SHAPES;
        config.core.queue_percent = 50;
    }
    config.core.elements_max = 100000;
    if (sim_chance(sim, 200000)) config.inbox_max = (size_t)sim_between(sim, 4, 200);
    if (sim_chance(sim, 100000)) config.keys_max = 4;
    if (sim_chance(sim, 300000)) config.batch_jobs_max = (size_t)sim_between(sim, 1, 10);
    if (sim_chance(sim, 300000)) config.batch_bytes_max = (size_t)sim_between(sim, 200, 4000);
    if (sim_chance(sim, 300000)) config.turn_work_max = (size_t)sim_between(sim, 1, 30);
    config.beside_bytes_min = sim_chance(sim, 300000) ? (size_t)sim_between(sim, 200, 4000) : 0;
    config.ids_ahead_min = (uint32_t)sim_between(sim, 4, 60);
    config.alone_ms = (uint32_t)sim_between(sim, 1000, 10000);
    return config;
}

/* By the seed's number and not by chance: each run of 200 seeds has one. */
enum { LARGE_EVERY = 200, LARGE_SEED = 50, LARGEST_EVERY = 1000, LARGEST_SEED = 850 };
enum {
    WIDE_EVERY = 1000,
    WIDE_SEED = 90,
    WIDE_CLUSTERS = 200,
    WIDE_NODES = 5,
    WIDE_ENROLLING = 16,
    WIDE_ELEMENTS = 3000
};

/* The usual budgets: small ones would cut so much work into too many turns. */
static void make_large(struct engine_config *config)
{
    struct engine_config usual = engine_config_default();

    config->core.unconfirmed_max = LARGE_STARTS;
    config->core.round_starts_max = usual.core.round_starts_max;
    config->core.round_looks_max = usual.core.round_looks_max;
    config->core.slice_max = usual.core.slice_max;
    config->turn_work_max = usual.turn_work_max;
    config->batch_bytes_max = usual.batch_bytes_max;
    config->inbox_max = usual.inbox_max;
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
        .lock_ms = sim_between(sim, 500, 8000),
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

/* Some agents are of before the end of the list of nodes.  By dice of their own, as
 * has_shrinking_nodes. */
static uint16_t draw_protocol(const struct sim *sim, uint32_t number)
{
    struct fl_prng prng;

    fl_prng_seed(&prng, sim->seed ^ (uint64_t)number << 32);
    return fl_prng_below(&prng, 4) == 0 ? FL_PROTOCOL_NODES_END - 1 : FL_PROTOCOL_MAX;
}

static uint32_t draw_nodes(struct world *world)
{
    if (world->is_wide) return WIDE_NODES;
    if (world->is_large) return FAKE_RUNTIME_NODES_MAX;
    return (uint32_t)sim_between(&world->sim, 1, 5);
}

static void draw_clusters(struct world *world, const struct fl_flow_limits *flow)
{
    struct sim *sim = &world->sim;
    struct fake_runtime_hooks hooks = {world, on_created, on_runs, on_ended, on_taken};
    struct agent_core_config core = agent_core_config_default();

    core.gate_ms = (uint32_t)sim_between(sim, 3000, 30000);
    core.page_bytes = (uint32_t)sim_between(sim, 1, sim_chance(sim, 300000) ? 500 : 65536);
    if (sim_chance(sim, 150000)) core.attempts_max = (uint32_t)sim_between(sim, 5, 30);
    world->runtimes = fl_new_array(struct fake_runtime *, world->clusters_len);
    world->agents = fl_new_array(struct agent_host *, world->clusters_len);
    world->clusters = fl_new_array(struct fl_cluster, world->clusters_len);
    world->is_dead = fl_new_array(bool, world->clusters_len);
    if (world->is_wide) core.attempts_max = agent_core_config_default().attempts_max;
    for (uint32_t i = 0; i < world->clusters_len; i++) {
        struct fake_runtime_config runtime = {
            .cluster = {i + 1},
            .nodes = draw_nodes(world),
            .create_ms_max = sim_between(sim, 5, 2000),
            .pull_ms_max = sim_between(sim, 1, 1000),
            .run_ms_max = sim_between(sim, 500, 8000),
            .notify_ms_max = sim_between(sim, 1, 200),
            .refused_ppm = ppm(sim, 500000, 50000),
            .fails_ppm = ppm(sim, 800000, 200000),
            .lost_ppm = ppm(sim, 400000, 20000),
            .long_ppm = ppm(sim, 500000, 50000),
            .endless_ppm = ppm(sim, 500000, 20000),
            .undelivered_ppm = ppm(sim, 300000, 200000),
            .unreadable_ppm = ppm(sim, 300000, 100000),
            .writes_max = world->is_large ? 0 : (uint32_t)sim_between(sim, 0, 8),
            .has_old_agent = draw_protocol(sim, i + 1) < FL_PROTOCOL_TAINTS,
        };
        struct agent_host_config agent = {
            .host = i,
            .number = i + 1,
            .protocol_max = draw_protocol(sim, i + 1),
            .core = core,
            .flow = *flow,
            .busy_bytes = (uint32_t)sim_between(sim, 0, sim_chance(sim, 300000) ? 300 : 65536),
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

void world_create(struct world *world, uint64_t seed, bool is_live)
{
    struct sim *sim = &world->sim;
    struct net_ports net_ports = {world, net_opened, net_bytes, net_closed};
    struct fake_client_ports client_ports = {world,    carry,      could_run, could_ever,
                                             gpu_node, is_endless, enrolled};
    struct fake_client_config client = {0};
    struct hub_config hub = {0};
    struct db_config db;

    sim_init(sim, seed, is_live);
    world->logs.sim = sim;
    sim_running = sim;
    world->is_wide = seed % WIDE_EVERY == WIDE_SEED;
    world->is_large = world->is_wide || seed % LARGE_EVERY == LARGE_SEED;
    world->heal_at = sim_between(sim, 120000, 180000);
    world->fault_ms = sim_between(sim, 1500, 8000);
    world->hubs_len = sim_chance(sim, 600000) ? 2 : 1;
    world->clusters_len = (uint32_t)sim_between(sim, 3, 5);
    if (world->is_wide) world->clusters_len = WIDE_CLUSTERS;
    world->mortal = sim_chance(sim, 400000) ? world->clusters_len : 0;
    world->room_margin = (uint64_t)sim_between(sim, 30, 400);
    if (sim_chance(sim, 500000)) {
        world->partition_span = (uint64_t)sim_between(sim, 2, 30);
        world->retention_ms = sim_between(sim, 500, 15000);
    }
    world_draw_faults(world);
    draw_db(world, &db);
    hub.engine = draw_engine(sim);
    if (world->is_large) make_large(&hub.engine);
    hub.stop_grace_ms = (uint32_t)sim_between(sim, 100, 5000);
    hub.expired_ppm = ppm(sim, 500000, 60000);
    if (sim_chance(sim, 150000)) hub.look_us = (uint32_t)sim_between(sim, 5, 100);
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
    client.tenants = sim_chance(sim, 500000) ? 2 : 1;
    client.clusters = world->clusters_len;
    client.enrolling = world->is_wide ? WIDE_ENROLLING : 1;
    client.mortal = world->mortal;
    client.requests_ms = (uint32_t)sim_between(sim, 350, 800);
    client.answer_lost_ppm = ppm(sim, 700000, 100000);
    client.poison_ppm = ppm(sim, 300000, 10000);
    client.busy_until = world->heal_at - 1000;
    client.jobs_min = 80;

    world->db = db_create(sim, &db, world->room_margin);
    world->checks = checks_create(sim, db_pg(world->db), &hub.engine.core);
    db_set_checks(world->db, world->checks);
    world->net = net_create(sim, &net_ports, world->clusters_len, sim_between(sim, 2, 60));
    world->client =
        fake_client_create(sim, &client, &client_ports, db_pg(world->db), world->checks);
    for (uint32_t i = 0; i < world->hubs_len; i++) {
        hub.host = i;
        world->hubs[i] = hub_create(sim, world->net, world->db, world->client, world->checks, &hub);
        world->logs.stores[world->logs.stores_len++] = hub_logs(world->hubs[i]);
    }
    draw_clusters(world, &hub.flow);
    if (world->is_wide) {
        fake_client_add_wide(world->client, WIDE_ELEMENTS, sim_between(sim, 15000, 40000));
    } else if (world->is_large) {
        fake_client_add_large(world->client, seed % LARGEST_EVERY == LARGEST_SEED ? 10000 : 2000,
                              sim_between(sim, 5000, 60000));
    } else if (sim_chance(sim, 150000)) {
        draw_stream(world);
    }
    checks_set_runtimes(world->checks, world->runtimes, world->clusters_len);
}

void world_destroy(struct world *world)
{
    for (uint32_t i = 0; i < HUBS_MAX; i++) {
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
    fl_free(world->agents);
    fl_free(world->runtimes);
    fl_free(world->clusters);
    fl_free(world->is_dead);
    sim_fini(&world->sim);
    sim_running = NULL;
}
