#include "controlplane/engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/engine/engine_state.h"
#include "controlplane/engine/engine_term.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define NEVER INT64_MAX

/* So often may batches with a request be refused.  One that waits for a lock is, after 30 s. */
enum { REFUSALS_MAX = 20 };

/* ---- small things ---------------------------------------------------------------------------- */

struct engine_config engine_config_default(void)
{
    return (struct engine_config){
        .core = core_config_default(),
        .inbox_max = 20000,
        .inbox_bytes_max = (size_t)64 << 20,
        .keys_max = 10000,
        .batch_jobs_max = 2000,
        .batch_bytes_max = (size_t)4 << 20,
        .batch_memory_max = (size_t)8 << 20,
        .held_bytes_max = (size_t)128 << 20,
        .inflight_max = 2,
        .beside_bytes_min = (size_t)64 << 10,
        .turn_work_max = 1000,
        .alone_ms = 60 * FL_SECOND_MS,
        .away_ms = 2 * FL_SECOND_MS,
        .unknown_ms = 10 * FL_SECOND_MS,
        .standby_ms = FL_SECOND_MS,
        .retry_first_ms = 200,
        .retry_max_ms = 5 * FL_SECOND_MS,
        .batches_kept = 1000,
        .ids_ahead_min = 2048,
    };
}

struct engine *engine_create(const struct engine_config *config, const struct engine_store *store,
                             const struct engine_ports *ports, fl_ms now)
{
    struct engine *engine = fl_new(struct engine);

    fl_assert(config->inflight_max > 0 && config->inflight_max <= ENGINE_INFLIGHT_MAX);
    fl_assert(config->inbox_max > 0 && config->batch_jobs_max > 0 && config->turn_work_max > 0);
    engine->config = *config;
    engine->store = *store;
    engine->ports = *ports;
    engine->now = now;
    engine->retry_at = now;
    engine->retry = (struct engine_retry){config->retry_first_ms, config->retry_max_ms, 0};
    engine->breaker = ENGINE_NOT_LEADING;
    snprintf(engine->why, sizeof engine->why, "it has not tried to lead yet");
    engine_high_water_init(&engine->water, &config->found, config->ids_ahead_min,
                           ports->keep != NULL);
    engine_inbox_init(&engine->inbox, &engine->config, &engine->store, &engine->ports);
    return engine;
}

void engine_destroy(struct engine *engine)
{
    if (!engine) return;
    engine_flights_fini(&engine->flights);
    engine_batch_destroy(engine->open);
    core_destroy(engine->core);
    engine_inbox_fini(&engine->inbox);
    fl_free(engine);
}

static void set_now(struct engine *engine, fl_ms now)
{
    if (now > engine->now) engine->now = now;
}

static const char *const lost_text =
    "the database was lost before this was done: it was not done; try again";

static const char *const unknown_text =
    "the database was lost before it said whether this was done; look, or ask again with the same "
    "Idempotency-Key";

/* The only writer of 'state'. */
static void enter(struct engine *engine, enum engine_state state)
{
    static const bool is_legal[][ENGINE_LEADING + 1] = {
        [ENGINE_STANDBY] = {[ENGINE_TAKING] = true},
        [ENGINE_TAKING] = {[ENGINE_STANDBY] = true, [ENGINE_LOADING] = true},
        [ENGINE_LOADING] = {[ENGINE_STANDBY] = true, [ENGINE_LEADING] = true},
        [ENGINE_LEADING] = {[ENGINE_STANDBY] = true},
    };

    fl_assert(is_legal[engine->state][state]);
    engine->state = state;
}

/* ---- down ------------------------------------------------------------------------------------ */

static void refuse_flying(struct engine *engine, enum fl_code code, const char *text)
{
    struct engine_event_list events = engine_flights_take_events(&engine->flights);

    engine_inbox_refuse_list(&engine->inbox, &events, code, text);
}

static const char *fate_text(const struct engine *engine)
{
    return engine->flights.is_refused ? lost_text : unknown_text;
}

static void refuse_waiting(struct engine *engine)
{
    engine_inbox_refuse_all(&engine->inbox, engine_breaker_code(engine->breaker),
                            engine_breaker_text(engine->breaker));
}

/* The core has run ahead of the durable state, or may have: it goes.  With the breaker open for
 * work, requests wait for the next term; else they are refused, but for those of the batches in
 * flight, which stay. */
static void fall(struct engine *engine, enum engine_breaker breaker, fl_ms delay, const char *why)
{
    engine->store.drop(engine->store.ctx);
    if (engine->state == ENGINE_LEADING) engine->flights.since = engine->now;
    core_destroy(engine->core);
    engine->core = NULL;
    enter(engine, ENGINE_STANDBY);
    engine->breaker = breaker;
    engine->retry_at = engine->now + delay;
    snprintf(engine->why, sizeof engine->why, "%s", why);
    engine->is_away = engine->is_unsettled = engine->is_more = false;
    engine_inbox_restart(&engine->inbox);
    if (engine->open) {
        struct engine_event_list events = engine_batch_take_events(engine->open);

        engine_batch_destroy(engine->open);
        engine->open = NULL;
        engine_inbox_again(&engine->inbox, &events);
    }
    if (breaker != ENGINE_OPEN_FOR_WORK) refuse_waiting(engine);
}

/* A good while of leading starts the delays anew. */
static fl_ms next_delay(struct engine *engine, bool may_be_none)
{
    if (engine->state == ENGINE_LEADING) {
        engine_retry_led(&engine->retry, engine->now - engine->led_at);
    }
    return engine_retry_next(&engine->retry, may_be_none);
}

/* The server refused the oldest batch for what is in it. */
static void fall_poisoned(struct engine *engine, const char *text)
{
    struct engine_batch *batch = engine->flights.at[0];
    struct engine_event *culprit = NULL;
    char why[256];

    engine->stats.refused++;
    if (batch->is_alone && batch->steps == 1) culprit = engine_event_list_pop(&batch->kept);
    if (culprit) {
        struct fl_cluster cluster = engine_event_cluster(culprit);

        snprintf(why, sizeof why, "the database refuses what follows from this %s: %s",
                 core_event_name(culprit->event.kind), text);
        engine->stats.quarantined++;
        engine->ports.quarantine(engine->ports.ctx, &culprit->event, text);
        if (cluster.n != 0) {
            engine_mutes_add(&engine->mutes, cluster, engine->now + engine->config.alone_ms,
                             engine->now);
        }
        engine_inbox_refuse(&engine->inbox, culprit, FL_BUG,
                            "the control plane failed at this request, which is not done; its log"
                            " has the reason, show it to an admin");
    } else {
        snprintf(why, sizeof why, "the database refuses a batch%s: %s",
                 batch->is_alone ? " that the core decided by itself" : "", text);
    }
    engine->is_poisoned = true;
    engine->flights.is_refused = true;
    if (batch->is_alone && !culprit) {
        /* No event to blame: the next core may well decide the same. */
        fall(engine, ENGINE_NOT_LEADING, next_delay(engine, false), why);
    } else {
        fall(engine, ENGINE_OPEN_FOR_WORK, 0, why);
    }
}

static void on_lease_lost(void *ctx, fl_ms now)
{
    struct engine *engine = ctx;
    set_now(engine, now);
    if (engine->state == ENGINE_STANDBY) return;
    fall(engine, ENGINE_NOT_LEADING, engine->config.retry_first_ms, "its lease ran out");
}

/* ---- up -------------------------------------------------------------------------------------- */

/* The takeover ended the old connection: nothing more of it can reach the journal. */
static void settle_fates(struct engine *engine, const struct engine_taken *taken)
{
    struct engine_event_list again = {0};
    struct engine_event_list lost = {0};
    struct engine_event *event;
    bool is_refused = engine->flights.is_refused;
    struct engine_batch *batch;

    while ((batch = engine_flights_pop(&engine->flights, engine->now))) {
        if (engine_batch_is_in(batch, taken->keys, taken->keys_len)) {
            engine_term_release(engine, batch, false);
        } else {
            struct engine_event_list events = engine_batch_take_events(batch);

            while ((event = engine_event_list_pop(&events))) {
                bool may_pass = is_refused && event->refusals++ < REFUSALS_MAX;

                engine_event_list_push(may_pass ? &again : &lost, event);
            }
            engine_batch_destroy(batch);
        }
    }
    engine_inbox_refuse_list(&engine->inbox, &lost, FL_UNAVAILABLE, lost_text);
    engine_inbox_again(&engine->inbox, &again);
}

static void on_taken(void *ctx, const struct engine_taken *taken, fl_ms now)
{
    struct engine *engine = ctx;
    set_now(engine, now);
    if (engine->state != ENGINE_TAKING) return;
    settle_fates(engine, taken);
    if (!engine_high_water_taken(&engine->water, taken)) {
        engine->store.drop(engine->store.ctx);
        enter(engine, ENGINE_STANDBY);
        engine->retry_at = engine->now;
        return;
    }
    engine->epoch = taken->epoch;
    engine->base_at = engine->now;
    engine->base_core = taken->at;
    engine->batch_first = taken->batch_newest + 1;
    engine->stats.batch_newest = engine->stats.batch_counted = taken->batch_newest;
    engine->stats.batch_newest_at = taken->at_newest;
    engine->job_below = taken->job_below;
    engine->batch_below = taken->batch_below;
    engine->incarnation = taken->incarnation;
    engine->core = core_create(&engine->config.core);
    engine->looked = 0;
    engine->is_load_bad = false;
    enter(engine, ENGINE_LOADING);
    engine->store.load(engine->store.ctx, engine->now);
}

static void on_take_failed(void *ctx, enum fl_code why, fl_ms now)
{
    struct engine *engine = ctx;
    set_now(engine, now);
    if (engine->state != ENGINE_TAKING) return;
    enter(engine, ENGINE_STANDBY);
    switch (why) {
    case FL_DEPOSED:
        engine->breaker = ENGINE_NOT_LEADING;
        engine->retry_at = engine->now + engine->config.standby_ms;
        snprintf(engine->why, sizeof engine->why, "another replica holds the lease");
        refuse_flying(engine, FL_UNAVAILABLE, fate_text(engine));
        break;
    case FL_NO_SPACE:
        engine->breaker = ENGINE_DB_FULL;
        engine->retry_at = engine->now + next_delay(engine, false);
        snprintf(engine->why, sizeof engine->why, "the database's disk is full");
        break;
    default:
        engine->breaker = ENGINE_DB_LOST;
        engine->retry_at = engine->now + next_delay(engine, false);
        snprintf(engine->why, sizeof engine->why, "the database cannot be reached");
        break;
    }
    refuse_waiting(engine);
}

static void on_load_row(void *ctx, const struct row *row)
{
    struct engine *engine = ctx;
    if (engine->state != ENGINE_LOADING || engine->is_load_bad) return;
    if (!core_load(engine->core, row, &engine->load_err)) engine->is_load_bad = true;
}

static void note_loss(struct engine *engine, const struct core_event *history)
{
    uint64_t known = core_jobs_accepted(engine->core), jobs = history->history.jobs;
    uint64_t min = jobs > known ? jobs - known : 0;

    if (!history->history.is_lost) return;
    engine->stats.losses++;
    engine->stats.loss = (struct engine_loss){
        .jobs_min = min,
        .jobs_max = min + history->history.jobs_unsure,
        .batches_min = history->history.batches,
    };
}

static void on_loaded(void *ctx, bool is_good, fl_ms now)
{
    struct engine *engine = ctx;
    struct core_event begin = {.kind = CORE_EV_begin}, history = {.kind = CORE_EV_history};

    set_now(engine, now);
    if (engine->state != ENGINE_LOADING) return;
    if (!is_good) {
        fall(engine, ENGINE_DB_LOST, next_delay(engine, false),
             "the database was lost while its rows were loaded");
        return;
    }
    if (engine->is_load_bad) {
        fall(engine, ENGINE_NOT_LEADING, next_delay(engine, false), engine->load_err.text);
        return;
    }
    engine->stats.reloads++;
    enter(engine, ENGINE_LEADING);
    engine_inbox_open(&engine->inbox);
    engine->breaker = ENGINE_OPEN_FOR_WORK;
    engine->led_at = engine->now;
    engine->why[0] = '\0';
    if (engine->is_poisoned) engine->alone_until = engine->now + engine->config.alone_ms;
    engine->is_poisoned = false;
    engine->open = engine_batch_create(engine->batch_first);
    begin.now = engine_term_now(engine);
    begin.begin.seed = fl_hash_u64(engine->config.seed, engine->epoch);
    begin.begin.incarnation = engine->incarnation;
    begin.begin.epoch = engine->epoch;
    begin.begin.batch = engine->batch_first;
    engine_term_step(engine, &begin);
    history.now = begin.now;
    engine_high_water_compare(&engine->water, engine->core);
    engine_high_water_tell(&engine->water, &history);
    note_loss(engine, &history);
    engine_term_step(engine, &history);
    engine_high_water_loaded(&engine->water, engine->core);
    engine_high_water_turn(&engine->water, engine->core, &engine->ports, engine->now);
    engine_term_room(engine);
    engine->ports.began(engine->ports.ctx, engine->epoch, engine->base_core - engine->base_at);
}

/* ---- events in ------------------------------------------------------------------------------- */

static bool may_adopt(const struct engine *engine, const struct engine_event *event,
                      struct fl_err *err)
{
    bool is_request = event->event.request != 0;
    bool is_leading = engine->state == ENGINE_LEADING;

    if (engine->breaker != ENGINE_OPEN_FOR_WORK || (!is_leading && !is_request)) {
        return fl_fail(err, engine_breaker_code(engine->breaker), "%s",
                       engine_breaker_text(engine->breaker));
    }
    if (!is_request && engine_mutes_has(&engine->mutes, engine_event_cluster(event), engine->now)) {
        return fl_fail(err, FL_DENIED,
                       "cluster %" PRIu32 " is not listened to for up to %" PRIu32 " s: the "
                       "database refused what follows from its last event",
                       engine_event_cluster(event).n, engine->config.alone_ms / 1000);
    }
    if (is_leading && is_request && !engine_event_is_read(event) && engine_term_refusal(engine)) {
        return fl_fail(err, FL_UNAVAILABLE, "%s", engine_term_refusal(engine));
    }
    return true;
}

struct engine_room engine_room(const struct engine *engine)
{
    return engine_inbox_room(&engine->inbox);
}

bool engine_adopt(struct engine *engine, struct engine_event *event, fl_ms now, struct fl_err *err)
{
    set_now(engine, now);
    fl_assert(event->event.kind >= CORE_EV_submit); /* the first ones are the engine's own */
    if (may_adopt(engine, event, err) &&
        engine_inbox_put(&engine->inbox, event, engine->now, err)) {
        return true;
    }
    engine_event_destroy(event);
    return false;
}

static void on_room(void *ctx, uint64_t job_below, uint64_t batch_below)
{
    struct engine *engine = ctx;
    if (job_below > engine->job_below) engine->job_below = job_below;
    if (batch_below > engine->batch_below) engine->batch_below = batch_below;
}

static void on_found(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                     struct fl_str answer, bool is_good, fl_ms now)
{
    struct engine *engine = ctx;
    set_now(engine, now);
    engine_inbox_found(&engine->inbox, lookup, body_sha, answer, is_good);
}

/* ---- batches out ----------------------------------------------------------------------------- */

static void on_committed(void *ctx, uint64_t batch_number, enum engine_commit result,
                         const char *text, fl_ms now)
{
    struct engine *engine = ctx;
    struct engine_batch *batch;
    char why[256];

    set_now(engine, now);
    if (engine->state != ENGINE_LEADING) return; /* it was dropped */
    fl_assert(engine->flights.len > 0 && engine->flights.at[0]->core->number == batch_number);
    switch (result) {
    case ENGINE_COMMITTED:
        batch = engine_flights_pop(&engine->flights, engine->now);
        engine->stats.batches++;
        engine->stats.batch_newest = batch_number;
        engine->stats.batch_newest_at = batch->core->at;
        if (engine_batch_is_counted(batch->core)) engine->stats.batch_counted = batch_number;
        engine->stats.rows += batch->core->rows.len;
        engine_high_water_committed(&engine->water, batch_number, batch->job_next, batch->jobs,
                                    batch->incarnation);
        engine_term_release(engine, batch, true);
        break;
    case ENGINE_POISONED:
        fall_poisoned(engine, text ? text : "it does not say why");
        break;
    case ENGINE_DEPOSED:
        fall(engine, ENGINE_NOT_LEADING, engine->config.standby_ms, "another replica leads now");
        refuse_flying(engine, FL_UNAVAILABLE, engine_breaker_text(engine->breaker));
        break;
    case ENGINE_NO_SPACE:
        fall(engine, ENGINE_DB_FULL, next_delay(engine, false), "the database's disk is full");
        refuse_flying(engine, FL_NO_SPACE, engine_breaker_text(engine->breaker));
        break;
    case ENGINE_RELOAD:
        fall(engine, ENGINE_DB_LOST, next_delay(engine, true),
             "the journal is not where this replica left it");
        break;
    case ENGINE_UNKNOWN:
        fall(engine, ENGINE_DB_LOST, next_delay(engine, true),
             "the database was lost during a commit");
        break;
    case ENGINE_AWAY:
        snprintf(why, sizeof why, "the database cannot do this now: %s", text ? text : "");
        engine->flights.is_refused = true;
        fall(engine, ENGINE_DB_LOST, next_delay(engine, true), why);
        break;
    }
}

void engine_turn(struct engine *engine, fl_ms now)
{
    set_now(engine, now);
    engine->turn_at = now;
    engine_high_water_turn(&engine->water, engine->state == ENGINE_LEADING ? engine->core : NULL,
                           &engine->ports, engine->now);
    if (engine->state == ENGINE_LEADING) {
        engine_term_turn(engine);
        return;
    }
    if (engine->state == ENGINE_LOADING) return;
    if (engine->flights.len > 0 &&
        engine->now - engine->flights.since >= (fl_ms)engine->config.unknown_ms) {
        refuse_flying(engine, FL_UNAVAILABLE, fate_text(engine));
    }
    if (engine->state == ENGINE_STANDBY && engine->now >= engine->retry_at &&
        engine_high_water_is_open(&engine->water)) {
        enter(engine, ENGINE_TAKING);
        engine->stats.takes++;
        engine->store.take(engine->store.ctx,
                           engine->flights.len > 0 ? engine->flights.at[0]->core->number : 0,
                           engine->water.epoch_above, engine->now);
    }
}

void engine_kept(struct engine *engine, bool is_good, fl_ms now)
{
    set_now(engine, now);
    engine_high_water_kept(&engine->water, is_good);
    if (!is_good && engine->state == ENGINE_STANDBY) {
        snprintf(engine->why, sizeof engine->why,
                 "the state directory's high-water marks cannot be written");
    }
}

struct high_water engine_last_water(const struct engine *engine)
{
    return engine->flights.len > 0 ? engine->water.now : engine_high_water_close(&engine->water);
}

void engine_turned(struct engine *engine, fl_ms now)
{
    fl_ms took = now - engine->turn_at;

    if (took > engine->stats.turn_longest_ms) engine->stats.turn_longest_ms = took;
}

fl_ms engine_deadline(const struct engine *engine)
{
    fl_ms due = engine_high_water_deadline(&engine->water);

    if (engine->state == ENGINE_LEADING) {
        fl_ms lead = engine_term_deadline(engine);

        return lead < due ? lead : due;
    }
    if (engine->state == ENGINE_LOADING) return due;
    if (engine->state == ENGINE_STANDBY && engine_high_water_is_open(&engine->water) &&
        engine->retry_at < due) {
        due = engine->retry_at;
    }
    if (engine->flights.len > 0) {
        fl_ms unknown = engine->flights.since + engine->config.unknown_ms;

        if (unknown < due) due = unknown;
    }
    return due;
}

struct engine_results engine_results(struct engine *engine)
{
    return (struct engine_results){
        .ctx = engine,
        .taken = on_taken,
        .take_failed = on_take_failed,
        .load_row = on_load_row,
        .loaded = on_loaded,
        .committed = on_committed,
        .found = on_found,
        .room = on_room,
        .lease_lost = on_lease_lost,
    };
}

/* ---- to look at ------------------------------------------------------------------------------ */

enum engine_state engine_state(const struct engine *engine)
{
    return engine->state;
}

enum engine_breaker engine_breaker(const struct engine *engine)
{
    return engine->breaker;
}

const char *engine_why(const struct engine *engine)
{
    return engine->why;
}

uint64_t engine_epoch(const struct engine *engine)
{
    return engine->epoch;
}

const struct core *engine_core(const struct engine *engine)
{
    return engine->state == ENGINE_LEADING ? engine->core : NULL;
}

bool engine_seen(const struct engine *engine, struct core_seen *ret_seen)
{
    const struct high_water *kept = &engine->water.kept;

    if (engine->state != ENGINE_LEADING || kept->incarnation == 0) return false;
    *ret_seen = (struct core_seen){(uint32_t)kept->incarnation, kept->batch, kept->job_below};
    return true;
}

struct engine_stats engine_stats(const struct engine *engine)
{
    struct engine_stats stats = engine->stats;

    stats.inbox_len = engine_inbox_len(&engine->inbox);
    stats.suspects_len = engine->inbox.suspects;
    stats.inflight_len = engine->flights.len;
    stats.keys_len = engine->inbox.keys.held.len;
    return stats;
}
