#include "controlplane/engine/engine_thread.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "controlplane/engine/handover.h"
#include "controlplane/engine/high_water_file.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"

enum { STATUS_MS = 50, SLEEP_MAX_MS = 1000, STOP_STEP_MS = 10, TURN_EVENTS_MAX = 1000 };

enum phase {
    RUNNING,
    FINISHING, /* no more comes in; the rest is committed, if it can be in time */
    RELEASING, /* the engine is not turned any more: it would take the lease again */
    ENDED,
};

struct engine_thread {
    struct engine_thread_config config;
    struct engine_thread_ports ports;
    struct fl_loop *loop;
    struct handover *handover;
    struct high_water_file *water; /* NULL: there is no state directory */
    pthread_t thread;
    bool is_joined;

    /* The thread's own. */
    struct engine *engine;
    struct store *store;
    struct fl_after step; /* a turn is due */
    struct fl_timer due;
    enum phase phase;
    fl_ms stop_by; /* valid while FINISHING */
    uint64_t turns;
    uint32_t longest_us;
    enum engine_state state; /* as last published */
    uint64_t losses_told;
    bool is_dispute_told;
    fl_ms status_at;
    bool is_stale; /* something may have happened since */

    pthread_mutex_t mutex; /* guards status alone */
    struct engine_thread_status status;
};

struct engine_thread_config engine_thread_config_default(void)
{
    return (struct engine_thread_config){
        .engine = engine_config_default(),
        .store = store_config_default(),
        .handover_max = 20000,
        .handover_bytes_max = (size_t)64 << 20,
        .stop_ms = 2000,
        .state_dir_fd = -1,
    };
}

/* ---- events in ------------------------------------------------------------------------------- */

bool engine_thread_put(struct engine_thread *thread, struct engine_event *event, struct fl_err *err)
{
    return handover_put(thread->handover, event, err);
}

void engine_thread_wake(struct engine_thread *thread)
{
    handover_wake(thread->handover);
}

bool engine_thread_adopt(struct engine_thread *thread, struct engine_event *event,
                         struct fl_err *err)
{
    if (!engine_thread_put(thread, event, err)) return false;
    engine_thread_wake(thread);
    return true;
}

static void adopt(struct engine_thread *thread, struct engine_event *event, fl_ms now)
{
    struct core_answer answer = {.request = event->event.request};
    struct fl_cluster cluster = engine_event_cluster(event);
    struct fl_err err = {0};

    if (engine_adopt(thread->engine, event, now, &err)) return;
    if (answer.request != 0) {
        answer.code = err.code;
        answer.text = err.text;
        thread->ports.engine.answer(thread->ports.engine.ctx, &answer);
    } else if (cluster.n != 0) {
        thread->ports.refused(thread->ports.ctx, cluster, err.code, err.text);
    }
}

static void adopt_some(struct engine_thread *thread, fl_ms now)
{
    struct engine_room room = engine_room(thread->engine);
    size_t len_max = room.events < TURN_EVENTS_MAX ? room.events : TURN_EVENTS_MAX;
    struct engine_event_list events = handover_take(thread->handover, len_max, room.bytes);
    struct engine_event *event;

    while ((event = engine_event_list_pop(&events))) {
        adopt(thread, event, now);
    }
}

static bool may_adopt(struct engine_thread *thread)
{
    return engine_room(thread->engine).events > 0 && handover_len(thread->handover) > 0;
}

/* ---- for people ------------------------------------------------------------------------------ */

/* A person must decide; told again by each term that begins so. */
static void tell_dispute(struct engine_thread *thread)
{
    const struct core *core = engine_core(thread->engine);
    bool is_disputed = core && core_stats(core).is_disputed;

    if (is_disputed == thread->is_dispute_told) return;
    thread->is_dispute_told = is_disputed;
    if (!is_disputed) return;
    thread->ports.trouble(
        thread->ports.ctx, "history",
        "an agent has worked for a later state of this database, which was restored: nothing is "
        "accepted or started until 'fairlead admin accept-restore'; see 'A restored database' in "
        "docs/operations.md");
}

/* A takeover found less in the database than this replica had committed. */
static void tell_loss(struct engine_thread *thread)
{
    struct engine_stats stats = engine_stats(thread->engine);
    struct engine_loss loss = stats.loss;
    char text[256];

    if (stats.losses == thread->losses_told) return;
    thread->losses_told = stats.losses;
    snprintf(text, sizeof text,
             "the database is older than what was committed: at least %" PRIu64
             " and at most %" PRIu64 " jobs and at least %" PRIu64
             " batches are lost; no number of theirs is given out again; see 'A restored "
             "database' in docs/operations.md",
             loss.jobs_min, loss.jobs_max, loss.batches_min);
    thread->ports.trouble(thread->ports.ctx, "history", text);
}

static void publish(struct engine_thread *thread, fl_ms now)
{
    enum engine_state state = engine_state(thread->engine), before = thread->state;
    struct engine_thread_status status;

    thread->is_stale = before == state && now < thread->status_at + STATUS_MS;
    if (thread->is_stale) return;
    thread->state = state;
    thread->status_at = now;
    status = (struct engine_thread_status){
        .state = state,
        .breaker = engine_breaker(thread->engine),
        .epoch = engine_epoch(thread->engine),
        .turns = thread->turns,
        .turn_longest_us = thread->longest_us,
        .turn_longest_cpu_us = (uint32_t)fl_loop_longest_cpu_us(thread->loop),
        .handover_len = handover_len(thread->handover),
        .engine = engine_stats(thread->engine),
        .store = store_stats(thread->store),
    };
    if (engine_core(thread->engine)) {
        status.is_disputed = core_stats(engine_core(thread->engine)).is_disputed;
    }
    if (!engine_seen(thread->engine, &status.seen)) status.seen = (struct core_seen){0};
    snprintf(status.why, sizeof status.why, "%s", engine_why(thread->engine));
    pthread_mutex_lock(&thread->mutex);
    thread->status = status;
    pthread_mutex_unlock(&thread->mutex);
    tell_loss(thread);
    tell_dispute(thread);
    if (before == ENGINE_LEADING && state != ENGINE_LEADING) {
        thread->ports.trouble(thread->ports.ctx, "leading", status.why);
    }
}

/* ---- the marks ------------------------------------------------------------------------------- */

static void on_keep(void *ctx, const struct high_water *water)
{
    high_water_file_put(((struct engine_thread *)ctx)->water, water);
}

/* On the writer's thread. */
static void on_written(void *ctx)
{
    handover_wake(((struct engine_thread *)ctx)->handover);
}

static bool has_written(struct engine_thread *thread)
{
    return thread->water && high_water_file_has_result(thread->water);
}

static void take_written(struct engine_thread *thread, fl_ms now)
{
    struct fl_err err = {0};
    bool is_good;

    if (!thread->water || !high_water_file_take_result(thread->water, &is_good, &err)) return;
    if (!is_good) thread->ports.trouble(thread->ports.ctx, "high_water", err.text);
    engine_kept(thread->engine, is_good, now);
}

/* Both threads have ended.  A file that cannot be written now is found open at the next start, and
 * more numbers are skipped then. */
static void write_last(struct engine_thread *thread)
{
    struct high_water last = engine_last_water(thread->engine);
    struct fl_err err = {0};

    if (!thread->water) return;
    high_water_file_destroy(thread->water);
    thread->water = NULL;
    if (!high_water_file_write(thread->config.state_dir_fd, &last, &err)) {
        thread->ports.trouble(thread->ports.ctx, "high_water", err.text);
    }
}

/* ---- the turn -------------------------------------------------------------------------------- */

static void turn(struct engine_thread *thread, fl_ms now)
{
    int64_t began = fl_loop_now_us(thread->loop), took;

    /* First, since it knows whether the lease still holds. */
    store_turn(thread->store, now);
    take_written(thread, now);
    adopt_some(thread, now);
    engine_turn(thread->engine, now);
    if (thread->ports.turned) thread->ports.turned(thread->ports.ctx);
    thread->turns++;
    took = fl_clock_mono_us() - began;
    engine_turned(thread->engine, (began + took) / 1000);
    if (took > thread->longest_us) thread->longest_us = (uint32_t)took;
    publish(thread, now);
}

static fl_ms earlier(fl_ms a, fl_ms b)
{
    return a < b ? a : b;
}

static bool is_finished(struct engine_thread *thread, fl_ms now)
{
    struct engine_stats stats = engine_stats(thread->engine);

    return now >= thread->stop_by || engine_state(thread->engine) != ENGINE_LEADING ||
           stats.inflight_len + stats.inbox_len + handover_len(thread->handover) == 0;
}

/* One step; when the next one is due by time. */
static fl_ms advance(struct engine_thread *thread, fl_ms now)
{
    fl_ms due;

    switch (thread->phase) {
    case RUNNING:
        turn(thread, now);
        due = earlier(engine_deadline(thread->engine), store_deadline(thread->store));
        if (thread->is_stale) due = earlier(due, thread->status_at + STATUS_MS);
        if (!handover_is_closed(thread->handover)) return earlier(due, now + SLEEP_MAX_MS);
        thread->phase = FINISHING;
        thread->stop_by = now + thread->config.stop_ms;
        return now;
    case FINISHING:
        turn(thread, now);
        if (!is_finished(thread, now)) return now + 1;
        store_release(thread->store, now);
        thread->phase = RELEASING;
        return now;
    case RELEASING:
        store_turn(thread->store, now);
        if (!store_is_released(thread->store)) {
            return earlier(now + STOP_STEP_MS, store_deadline(thread->store));
        }
        thread->phase = ENDED;
        fl_loop_stop(thread->loop);
        return INT64_MAX;
    case ENDED:
        return INT64_MAX;
    }
    fl_unreachable("the phase is one of its values");
}

static void mark(void *ctx)
{
    struct engine_thread *thread = ctx;

    fl_after_put(&thread->step);
}

static void step(void *ctx)
{
    struct engine_thread *thread = ctx;
    fl_ms due = advance(thread, fl_loop_now(thread->loop));

    handover_sleep(thread->handover);
    /* An event that came before that has not woken the loop. */
    if (thread->phase == RUNNING && (may_adopt(thread) || has_written(thread))) mark(thread);
    if (due == INT64_MAX) {
        fl_timer_off(&thread->due);
    } else {
        fl_timer_at(&thread->due, due);
    }
}

/* ---- its life -------------------------------------------------------------------------------- */

static void *run(void *ctx)
{
    struct engine_thread *thread = ctx;

    fl_after_put(&thread->step);
    fl_loop_run(thread->loop);
    return NULL;
}

static void join_engine_and_store(struct engine_thread *thread)
{
    struct pg_waker waker = {thread->loop, mark, thread};
    struct engine_store port;
    struct engine_results results;

    if (thread->config.state_dir_fd >= 0) {
        thread->water = high_water_file_create(thread->config.state_dir_fd, on_written, thread);
        thread->ports.engine.keep = on_keep;
        thread->ports.engine.keep_ctx = thread;
    }
    thread->store =
        store_create(&thread->config.store, &waker, thread->ports.trouble, thread->ports.ctx);
    port = store_port(thread->store);
    thread->engine = engine_create(&thread->config.engine, &port, &thread->ports.engine,
                                   fl_loop_now(thread->loop));
    results = engine_results(thread->engine);
    store_attach(thread->store, &results);
}

struct engine_thread *engine_thread_create(const struct engine_thread_config *config,
                                           const struct engine_thread_ports *ports)
{
    struct engine_thread *thread = fl_new(struct engine_thread);
    sigset_t all, before;
    int failed;

    thread->config = *config;
    thread->ports = *ports;
    thread->loop = fl_loop_create();
    thread->handover = handover_create(thread->loop, config->handover_max,
                                       config->handover_bytes_max, mark, thread);
    fl_after_init(&thread->step, thread->loop, step, thread);
    fl_timer_init(&thread->due, thread->loop, mark, thread);
    pthread_mutex_init(&thread->mutex, NULL);
    join_engine_and_store(thread);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread->thread, NULL, run, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    fl_assert(failed == 0);
    pthread_setname_np(thread->thread, "fl-engine");
    return thread;
}

void engine_thread_stop(struct engine_thread *thread)
{
    if (thread->is_joined) return;
    handover_close(thread->handover);
    pthread_join(thread->thread, NULL);
    thread->is_joined = true;
    write_last(thread);
}

void engine_thread_destroy(struct engine_thread *thread)
{
    if (!thread) return;
    engine_thread_stop(thread);
    fl_after_off(&thread->step);
    fl_timer_off(&thread->due);
    engine_destroy(thread->engine);
    store_destroy(thread->store);
    handover_destroy(thread->handover);
    fl_loop_destroy(thread->loop);
    pthread_mutex_destroy(&thread->mutex);
    fl_free(thread);
}

struct engine_thread_status engine_thread_status(struct engine_thread *thread)
{
    struct engine_thread_status status;

    pthread_mutex_lock(&thread->mutex);
    status = thread->status;
    pthread_mutex_unlock(&thread->mutex);
    return status;
}
