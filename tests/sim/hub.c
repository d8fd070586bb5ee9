#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/vec.h"
#include "tests/sim/hub_state.h"

enum { HUBS_MAX = 16 };

fl_ms hub_clock(const struct hub *hub)
{
    fl_ms now = hub->sim->now;

    return hub->clock_offset + now + now * hub->drift_ppm / 1000000;
}

static fl_ms true_time(const struct hub *hub, fl_ms clock)
{
    fl_ms in = clock - hub_clock(hub);

    if (in <= 0) return hub->sim->now;
    return hub->sim->now + in - in * hub->drift_ppm / 1000000 + 1;
}

bool hub_stands_still(const struct hub *hub)
{
    return hub->sim->now < hub->paused_until;
}

bool hub_adopt(struct hub *hub, struct engine_event *event, struct fl_err *err)
{
    bool is_request = event->event.request != 0;
    bool is_taken;

    checks_heard(hub->checks, &event->event);
    if (event->event.kind == CORE_EV_replica &&
        fake_pg_is_gone(db_pg(hub->db), event->event.replica.told.attempt.job.n)) {
        sim_mark(hub->sim, MARK_gone_told);
    }
    if (hub->lost.len > 0 && event->event.kind != CORE_EV_session_lost) {
        engine_event_destroy(event);
        return fl_fail(err, FL_FULL, "ends of sessions wait before it");
    }
    is_taken = engine_adopt(hub->engine, event, hub_clock(hub), err);
    /* The engine has heard the time, unless this is inside of a turn that stands still. */
    if (!hub_stands_still(hub)) hub->turn_at = hub->sim->now;
    if (is_taken && is_request) hub->requests_open++;
    return is_taken;
}

/* ---- turns that take time -------------------------------------------------------------------- */

enum { TURN_LONG_MS = 20 };

void hub_pause_in_turn(struct hub *hub, uint32_t steps, fl_ms for_ms, fl_ms before)
{
    hub->stop_after = steps;
    hub->stop_ms = for_ms;
    hub->stop_before = before;
}

/* The world goes on, and this process does not: no part of it sees more than it has seen. */
static void stand_still(struct hub *hub)
{
    struct sim *sim = hub->sim;
    fl_ms until = sim->now + hub->stop_ms;

    sim_fault(sim, FAULT_hub_turn_pause);
    hub_pause(hub, until);
    sim->is_in_turn = true;
    while (sim_step(sim, until)) {
    }
    sim->is_in_turn = false;
    checks_turn_stopped(hub->checks);
    sim_tell(sim, "hub %llu goes on with its turn", hub->config.host);
}

/* Between two steps of a turn. */
static void may_stand_still(struct hub *hub, enum sim_mark mark)
{
    if (!hub->may_stop || hub->stop_after == 0 || hub->sim->is_in_turn || !hub_leads(hub)) return;
    if (--hub->stop_after > 0) return;
    if (hub->sim->now + hub->stop_ms >= hub->stop_before) return;
    stand_still(hub);
    sim_mark(hub->sim, mark);
    if (hub_epoch(hub) != fake_pg_epoch(db_pg(hub->db))) sim_mark(hub->sim, MARK_deposed_in_turn);
}

void hub_before_send(struct hub *hub)
{
    may_stand_still(hub, MARK_stopped_before_send);
}

static fl_ms before_commit(void *ctx)
{
    struct hub *hub = ctx;

    may_stand_still(hub, MARK_stopped_before_commit);
    return hub->turn_at;
}

/* The process is busy for as long as the work of this turn takes. */
static void take_time(struct hub *hub)
{
    const struct core *core = engine_core(hub->engine);
    uint64_t looked = core ? core_looked(core) : 0;
    fl_ms ms;

    if (looked > hub->looked) hub->cost_us += (looked - hub->looked) * hub->config.look_us;
    hub->looked = looked;
    ms = (fl_ms)(hub->cost_us / 1000);
    hub->cost_us %= 1000;
    if (ms == 0) return;
    if (ms >= TURN_LONG_MS) sim_mark(hub->sim, MARK_turn_long);
    hub->paused_until = hub->sim->now + ms;
    net_pause_host(hub->net, NET_HUB, hub->config.host, hub->paused_until);
    db_client_pause(hub->db_client, hub->paused_until);
}

/* ---- the engine's ports ---------------------------------------------------------------------- */

static void on_answer(void *ctx, const struct core_answer *answer)
{
    struct hub *hub = ctx;

    may_stand_still(hub, MARK_stopped_before_answer);
    if (hub->requests_open == 0) {
        sim_broken(hub->sim, "I15", "request %" PRIu64 " is answered twice", answer->request);
    }
    hub->requests_open--;
    db_client_answered(hub->db_client, answer->request, answer->code);
    /* Outside the store's turn, with no batch in flight: it waited for no batch, and none has
     * followed. */
    checks_answer(hub->checks, answer,
                  !hub->is_storing && engine_stats(hub->engine).inflight_len == 0 &&
                      hub_epoch(hub) == fake_pg_epoch(db_pg(hub->db)));
    fake_client_answer(hub->client, answer, hub_epoch(hub));
}

static void on_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    struct hub *hub = ctx;

    sim_tell(hub->sim, "hub %llu: quarantine of event kind %llu, request %llu", hub->config.host,
             event->kind, event->request >> 8);
    checks_quarantine(hub->checks, event, why);
    sim_mark(hub->sim, MARK_poison_alone);
}

static void on_notice(void *ctx, const struct core_batch *batch)
{
    (void)ctx;
    (void)batch;
}

/* ---- its state directory --------------------------------------------------------------------- */

enum { KEEP_MS_MAX = 60, KEEP_FAILS_PPM = 20000 };

static void kept(void *ctx, uint64_t boot, uint64_t b)
{
    struct hub *hub = ctx;

    (void)b;
    if (boot != hub->boot || !hub->is_up) return;
    if (hub_stands_still(hub)) {
        sim_at(hub->sim, hub->paused_until + 1, kept, hub, boot, 0);
        return;
    }
    hub->is_keeping = false;
    if (sim_chance(hub->sim, KEEP_FAILS_PPM)) {
        engine_kept(hub->engine, false, hub_clock(hub));
    } else {
        hub->water = hub->water_next;
        fl_vec_push(&hub->waters, ((struct hub_water){fake_pg_newest(db_pg(hub->db)), hub->water}));
        engine_kept(hub->engine, true, hub_clock(hub));
    }
    hub_work(hub);
}

static void on_keep(void *ctx, const struct high_water *water)
{
    struct hub *hub = ctx;

    fl_assert(!hub->is_keeping);
    hub->is_keeping = true;
    hub->water_next = *water;
    sim_at(hub->sim, hub->sim->now + sim_between(hub->sim, 1, KEEP_MS_MAX), kept, hub, hub->boot,
           0);
}

void hub_restore(struct hub *hub, uint64_t batch)
{
    fl_assert(!hub->is_up);
    hub->water = (struct high_water){0};
    for (size_t i = 0; i < hub->waters.len && hub->waters.at[i].batch <= batch; i++) {
        hub->water = hub->waters.at[i].water;
    }
}

/* ---- its loop -------------------------------------------------------------------------------- */

/* A turn that no other part of the world waits for. */
static void work_alone(struct hub *hub)
{
    bool stands_still = hub_stands_still(hub);

    if (!stands_still) hub->may_stop = true;
    hub_work(hub);
    if (!stands_still) hub->may_stop = false;
}

static void wake(void *ctx, uint64_t boot, uint64_t at)
{
    struct hub *hub = ctx;

    if (boot != hub->boot || !hub->is_up || hub->wake_at != (fl_ms)at) return;
    hub->wake_at = 0;
    work_alone(hub);
}

static void plan_wake(struct hub *hub, fl_ms at)
{
    if (at < hub->paused_until) at = hub->paused_until;
    if (at < hub->sim->now) at = hub->sim->now;
    if (hub->wake_at && hub->wake_at >= hub->sim->now && hub->wake_at <= at) return;
    hub->wake_at = at;
    sim_at(hub->sim, at, wake, hub, hub->boot, (uint64_t)at);
}

/* Another leads, as a takeover has just found: agents do better elsewhere. */
static void mind_agents(struct hub *hub)
{
    struct engine_stats stats = engine_stats(hub->engine);

    if (stats.takes == hub->takes || engine_state(hub->engine) != ENGINE_STANDBY) return;
    hub->takes = stats.takes;
    if (engine_breaker(hub->engine) == ENGINE_NOT_LEADING) hub_front_turn_away(hub);
}

static void mark_slices(struct hub *hub)
{
    const struct core *core = engine_core(hub->engine);
    uint64_t reloads = engine_stats(hub->engine).reloads;

    if (core && core_stats(core).walks > 0) {
        sim_mark(hub->sim, MARK_slice_cut);
        if (reloads != hub->reloads) sim_mark(hub->sim, MARK_slice_after_reload);
    }
    if (core && core_stats(core).is_timers_cut) sim_mark(hub->sim, MARK_timers_cut);
    hub->reloads = reloads;
}

/* The end of every turn. */
void hub_work(struct hub *hub)
{
    fl_ms due = INT64_MAX;

    if (!hub->is_up) return;
    if (hub_stands_still(hub)) {
        plan_wake(hub, hub->paused_until + 1);
        return;
    }
    hub->is_storing = true;
    db_client_turn(hub->db_client, hub_clock(hub));
    hub->is_storing = false;
    mind_agents(hub);
    for (int i = 0; i < 8 && engine_deadline(hub->engine) <= hub_clock(hub); i++) {
        hub->turn_at = hub->sim->now;
        engine_turn(hub->engine, hub_clock(hub));
        mark_slices(hub);
    }
    if (hub->config.look_us) take_time(hub);
    hub_front_mind(hub, &due);
    if (db_client_deadline(hub->db_client) < due) due = db_client_deadline(hub->db_client);
    if (engine_deadline(hub->engine) < due) due = engine_deadline(hub->engine);
    if (due != INT64_MAX) {
        plan_wake(hub, due <= hub_clock(hub) ? hub->sim->now + 1 : true_time(hub, due));
    }
    if (++hub->turns % 64 == 0) hub_check(hub, false);
}

/* ---- requests -------------------------------------------------------------------------------- */

void hub_request(struct hub *hub, uint64_t request)
{
    struct engine_event *event;
    struct core_answer refused = {.request = request};
    struct fl_err err = {0};

    fl_assert(hub->is_up && !hub_stands_still(hub));
    event = fake_client_build(hub->client, request);
    if (!hub_adopt(hub, event, &err)) {
        refused.code = err.code;
        refused.text = err.text;
        fake_client_answer(hub->client, &refused, engine_epoch(hub->engine));
    }
    hub_work(hub);
}

void hub_accept_restore(struct hub *hub)
{
    struct engine_event *event;
    struct fl_err err = {0};

    if (!hub->is_up || hub_stands_still(hub)) return;
    event = engine_event_create();
    event->event.kind = CORE_EV_accept_restore;
    event->event.actor = FL_STR("ann");
    event->event.tenant.n = 1;
    FL_IGNORE(hub_adopt(hub, event, &err));
    hub_work(hub);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct hub *hub_create(struct sim *sim, struct net *net, struct db *db, struct fake_client *client,
                       struct checks *checks, const struct hub_config *config)
{
    struct hub *hub = fl_new(struct hub);

    hub->sim = sim;
    hub->net = net;
    hub->db = db;
    hub->client = client;
    hub->checks = checks;
    hub->config = *config;
    hub->epoch_newest = fl_new_array(uint64_t, config->clusters_len);
    hub->clusters = fl_new_array(struct fl_cluster, config->clusters_len);
    snprintf(hub->instance, sizeof(hub->instance), "hub%u", config->host);
    hub_front_init(hub);
    return hub;
}

static void drop_process(struct hub *hub)
{
    hub->is_up = false;
    /* The last write has come to the disk, or has not. */
    if (hub->is_keeping && sim_chance(hub->sim, 500000)) hub->water = hub->water_next;
    hub->is_keeping = false;
    fake_log_store_crash(hub->logs);
    db_client_destroy(hub->db_client);
    engine_destroy(hub->engine);
    hub->engine = NULL;
    hub_front_drop(hub);
    hub->requests_open = 0;
}

void hub_destroy(struct hub *hub)
{
    if (!hub) return;
    if (hub->is_up) drop_process(hub);
    fl_vec_fini(&hub->sessions);
    fl_vec_fini(&hub->lost);
    fl_vec_fini(&hub->twins);
    fl_vec_fini(&hub->waters);
    fake_log_store_destroy(hub->logs);
    fl_free(hub->epoch_newest);
    fl_free(hub->clusters);
    fl_free(hub);
}

static void on_arrival(void *ctx)
{
    work_alone(ctx);
}

static struct time_reading read_clocks(void *ctx)
{
    const struct hub *hub = ctx;

    return (struct time_reading){.hub = db_true_wall(hub->db) + hub->wall_offset,
                                 .uptime = hub_clock(hub),
                                 .boot = hub->host_boot};
}

void hub_set_clock(struct hub *hub, fl_ms offset)
{
    hub->wall_offset = offset;
}

fl_ms hub_wall_offset(const struct hub *hub)
{
    return hub->wall_offset;
}

fl_ms hub_booted_at(const struct hub *hub)
{
    return hub->host_booted_at;
}

void hub_share_host(struct hub *hub)
{
    hub->shares_host = true;
}

void hub_start(struct hub *hub)
{
    struct engine_ports ports = {
        .ctx = hub,
        .began = hub_front_began,
        .answer = on_answer,
        .send = hub_front_send,
        .notice = on_notice,
        .quarantine = on_quarantine,
        .keep = on_keep,
        .keep_ctx = hub,
    };
    struct engine_store store;
    struct engine_results results;

    if (hub->is_up) return;
    sim_tell(hub->sim, "hub %llu starts", hub->config.host);
    hub->boot++;
    hub->is_up = true;
    hub->wake_at = 0;
    hub->takes = 0;
    hub->stop_after = 0;
    hub->looked = hub->cost_us = 0;
    memset(hub->epoch_newest, 0, hub->config.clusters_len * sizeof(hub->epoch_newest[0]));
    fake_log_store_start(hub->logs);
    hub->paused_until = 0;
    if (hub->host_boot == 0 || (!hub->shares_host && sim_chance(hub->sim, 500000))) {
        hub->host_boot = hub->boot * HUBS_MAX + hub->config.host + 1;
        hub->host_booted_at = hub->sim->now;
        hub->clock_offset = sim_between(hub->sim, 0, 1000000000);
        hub->drift_ppm = sim_between(hub->sim, -10000, 10000);
    }
    hub->db_client = db_client_create(hub->db, hub->instance, hub->config.engine.away_ms,
                                      on_arrival, read_clocks, hub);
    hub->config.engine.seed = fl_hash_u64(hub->sim->seed, hub->boot);
    hub->config.engine.found = hub->water;
    store = db_client_port(hub->db_client);
    hub->engine = engine_create(&hub->config.engine, &store, &ports, hub_clock(hub));
    results = engine_results(hub->engine);
    db_client_attach(hub->db_client, &results);
    db_client_before_commit(hub->db_client, before_commit);
    hub_work(hub);
}

/* A process that stands still inside its turn is killed another time. */
static bool is_in_turn(const struct hub *hub)
{
    return hub->sim->is_in_turn && hub->may_stop;
}

void hub_kill(struct hub *hub, bool is_silent)
{
    if (!hub->is_up || is_in_turn(hub)) return;
    sim_tell(hub->sim, "hub %llu is killed, silently %llu", hub->config.host, is_silent);
    net_host_gone(hub->net, NET_HUB, hub->config.host, is_silent);
    drop_process(hub);
}

void hub_stop(struct hub *hub)
{
    if (!hub->is_up || is_in_turn(hub)) return;
    sim_tell(hub->sim, "hub %llu stops in good order", hub->config.host);
    if (hub_leads(hub)) db_client_release(hub->db_client);
    hub->is_keeping = false;
    hub->water = engine_last_water(hub->engine);
    net_host_gone(hub->net, NET_HUB, hub->config.host, false);
    drop_process(hub);
}

void hub_pause(struct hub *hub, fl_ms until)
{
    if (!hub->is_up || is_in_turn(hub)) return;
    sim_tell(hub->sim, "hub %llu stands still until %llu", hub->config.host, until);
    hub->paused_until = until;
    net_pause_host(hub->net, NET_HUB, hub->config.host, until);
    db_client_pause(hub->db_client, until);
    fake_log_store_pause(hub->logs, until);
    plan_wake(hub, until + 1); /* sockets are read before a clock is believed */
}

bool hub_is_paused(const struct hub *hub)
{
    return hub->is_up && hub_stands_still(hub);
}

bool hub_is_up(const struct hub *hub)
{
    return hub->is_up;
}

bool hub_leads(const struct hub *hub)
{
    return hub->is_up && engine_state(hub->engine) == ENGINE_LEADING;
}

void hub_set_cluster(struct hub *hub, uint32_t agent, struct fl_cluster cluster)
{
    hub->clusters[agent] = cluster;
}

void hub_room(struct hub *hub, uint64_t job_below)
{
    struct engine_results results;

    if (!hub->is_up || hub_stands_still(hub)) return;
    results = engine_results(hub->engine);
    results.room(results.ctx, job_below, (uint64_t)1 << 40);
    hub_work(hub);
}

bool hub_check(struct hub *hub, bool with_reload)
{
    struct engine_stats stats;

    if (!hub->is_up || is_in_turn(hub)) return false;
    checks_engine(hub->checks, hub->engine, &hub->config.engine);
    stats = engine_stats(hub->engine);
    /* With nothing in flight its state is what is durable, unless another has written since. */
    if (!with_reload || !hub_leads(hub) || stats.inflight_len > 0 ||
        hub_epoch(hub) != fake_pg_epoch(db_pg(hub->db))) {
        return false;
    }
    checks_reload(hub->checks, engine_core(hub->engine));
    return true;
}

uint64_t hub_epoch(const struct hub *hub)
{
    return hub->engine ? engine_epoch(hub->engine) : 0;
}

void hub_tell(const struct hub *hub)
{
    struct engine_stats stats = hub_stats(hub);

    sim_tell(hub->sim, "hub %llu: up %llu, engine's state %llu, breaker %llu, epoch %llu",
             hub->config.host, hub->is_up, hub->is_up ? engine_state(hub->engine) : 0,
             hub->is_up ? engine_breaker(hub->engine) : 0, hub_epoch(hub));
    sim_tell(hub->sim, "   waiting %llu, in flight %llu, sessions %llu, wakes at %llu, due in %lld",
             stats.inbox_len, stats.inflight_len, hub->sessions.len, hub->wake_at,
             hub->is_up ? engine_deadline(hub->engine) - hub_clock(hub) : 0);
}

size_t hub_requests_open(const struct hub *hub)
{
    return hub->requests_open;
}

struct fake_log_store *hub_logs(const struct hub *hub)
{
    return hub->logs;
}

struct engine_stats hub_stats(const struct hub *hub)
{
    return hub->is_up ? engine_stats(hub->engine) : (struct engine_stats){0};
}
