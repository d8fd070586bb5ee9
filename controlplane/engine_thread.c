#include "controlplane/engine_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/job_name.h"
#include "shared/base/queue.h"

enum { STATUS_MS = 50, SLEEP_MAX_MS = 1000 };

struct engine_thread {
    struct engine_thread_config config;
    struct engine_thread_ports ports;
    struct fl_queue *inbox; /* of struct engine_event, the thread's once put */
    pthread_t thread;
    bool is_joined;
    int wake_fd;
    atomic_bool is_asleep; /* it waits in poll: an event must wake it */
    atomic_bool is_stopping;

    /* The thread's own. */
    struct engine *engine;
    struct store *store;
    fl_ms now;
    uint64_t epoch;
    enum engine_state state; /* as last seen */
    uint64_t turns;
    uint32_t longest_us, longest_cpu_us;
    fl_ms status_at;
    bool is_stale; /* something may have happened since */
    /* Taken from the inbox; from adopted_at on the engine has had no room for them yet. */
    void *adopted[ENGINE_THREAD_ADOPT_MAX];
    size_t adopted_at, adopted_len;

    pthread_mutex_t mutex; /* of status alone */
    struct engine_thread_status status;
};

static int64_t micros(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct engine_thread_config engine_thread_config_default(void)
{
    return (struct engine_thread_config){
        .engine = engine_config_default(),
        .store = store_config_default(),
        .inbox_max = 20000,
        .stop_ms = 2000,
    };
}

/* --- engine to store --- */

static void port_take(void *ctx, uint64_t batch_from)
{
    struct engine_thread *thread = ctx;

    store_take(thread->store, batch_from, thread->now);
}

static void port_load(void *ctx)
{
    struct engine_thread *thread = ctx;

    store_load(thread->store, thread->now);
}

static void port_commit(void *ctx, const struct core_batch *batch, uint64_t epoch)
{
    struct engine_thread *thread = ctx;

    store_commit(thread->store, batch, epoch, thread->now);
}

static void port_drop(void *ctx)
{
    struct engine_thread *thread = ctx;

    store_drop(thread->store);
}

static void port_lookup(void *ctx, uint64_t lookup, struct fl_tenant tenant, struct fl_str key)
{
    struct engine_thread *thread = ctx;

    store_lookup(thread->store, lookup, tenant, key, thread->now);
}

/* --- engine to the creator --- */

static void port_began(void *ctx, uint64_t epoch)
{
    struct engine_thread *thread = ctx;

    thread->epoch = epoch;
    thread->ports.began(thread->ports.ctx, epoch);
}

static void port_answer(void *ctx, const struct core_answer *answer)
{
    struct engine_thread *thread = ctx;

    thread->ports.answer(thread->ports.ctx, answer);
}

static void port_send(void *ctx, const struct core_send *send)
{
    struct engine_thread *thread = ctx;

    thread->ports.send(thread->ports.ctx, send);
}

/* Numbers of a lost history were jumped over: a person must hear how many jobs this database has forgotten. */
static void tell_lost(struct engine_thread *thread)
{
    const struct core *core = engine_core(thread->engine);
    struct core_stats stats = core ? core_stats(core) : (struct core_stats){0};
    char from[FL_JOB_NAME_MAX], to[FL_JOB_NAME_MAX], text[256];

    if (!stats.job_lost_to)
        return; /* the core that knew is gone, its successor's agents tell again */
    fl_job_name((struct fl_job){stats.job_lost_from}, from);
    fl_job_name((struct fl_job){stats.job_lost_to}, to);
    snprintf(
        text, sizeof text,
        "agents have seen jobs up to %s, which this database never knew: it was restored, or has "
        "lost its end; %" PRIu64 " numbers from %s on are skipped",
        to, stats.job_lost_to - stats.job_lost_from + 1, from);
    thread->ports.trouble(thread->ports.ctx, "history", text);
}

static void port_notice(void *ctx, const struct core_batch *batch)
{
    struct engine_thread *thread = ctx;

    for (size_t i = 0; i < batch->rows.len; i++) {
        const struct row *row = &batch->rows.at[i];

        if (row->kind != ROW_counter || row->counter.counter != CORE_COUNTER_job_lost_to) continue;
        tell_lost(thread);
        break;
    }
    thread->ports.notice(thread->ports.ctx, batch);
}

static void port_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    struct engine_thread *thread = ctx;

    thread->ports.quarantine(thread->ports.ctx, event, why);
}

/* --- store to engine --- */

static void on_taken(void *ctx, const struct engine_taken *taken, fl_ms now)
{
    struct engine_thread *thread = ctx;

    engine_taken(thread->engine, taken, now);
}

static void on_take_failed(void *ctx, enum fl_code why, fl_ms now)
{
    struct engine_thread *thread = ctx;

    engine_take_failed(thread->engine, why, now);
}

static void on_load_row(void *ctx, const struct row *row)
{
    struct engine_thread *thread = ctx;

    engine_load_row(thread->engine, row);
}

static void on_loaded(void *ctx, bool is_good, fl_ms now)
{
    struct engine_thread *thread = ctx;

    engine_loaded(thread->engine, is_good, now);
}

static void on_committed(void *ctx, uint64_t batch, enum engine_commit result, const char *text,
                         fl_ms now)
{
    struct engine_thread *thread = ctx;

    engine_committed(thread->engine, batch, result, text, now);
}

static void on_found(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                     struct fl_str answer, bool is_good, fl_ms now)
{
    struct engine_thread *thread = ctx;

    engine_found(thread->engine, lookup, body_sha, answer, is_good, now);
}

static void on_room(void *ctx, uint64_t job_below, uint64_t batch_below)
{
    struct engine_thread *thread = ctx;

    engine_room(thread->engine, job_below, batch_below);
}

static void on_lease_lost(void *ctx, fl_ms now)
{
    struct engine_thread *thread = ctx;

    engine_lease_lost(thread->engine, now);
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    struct engine_thread *thread = ctx;

    thread->ports.trouble(thread->ports.ctx, what, text);
}

/* --- events in --- */

static void refuse(struct engine_thread *thread, uint64_t request, struct fl_cluster cluster,
                   const struct fl_err *err)
{
    struct core_answer answer = {.request = request, .code = err->code, .text = err->text};

    if (request != 0) {
        thread->ports.answer(thread->ports.ctx, &answer);
    } else if (cluster.n != 0) {
        thread->ports.refused(thread->ports.ctx, cluster, err->code, err->text);
    }
}

/* There is no room for it now.  A request that has too many bytes is not kept here, where only events are
 * counted: it is adopted, and so answered that it may come again. */
static bool must_wait(const struct engine_thread *thread, const struct engine_event *event)
{
    struct engine_stats stats;

    if (engine_has_room(thread->engine, event)) return false;
    stats = engine_stats(thread->engine);
    return event->event.request == 0 ||
           stats.inbox_len - stats.again_len >= thread->config.engine.inbox_max;
}

/* Events wait for a turn; false also when the engine has no room for the next of them, so that it is no use to
 * hurry. */
static bool may_adopt(const struct engine_thread *thread)
{
    if (thread->adopted_at == thread->adopted_len) return fl_queue_len(thread->inbox) > 0;
    return !must_wait(thread, thread->adopted[thread->adopted_at]);
}

/* What does not fit the engine's inbox stays in ours, so that those who adopt are told to wait. */
static void adopt_some(struct engine_thread *thread)
{
    if (thread->adopted_at == thread->adopted_len) {
        thread->adopted_at = 0;
        thread->adopted_len =
            fl_queue_take_many(thread->inbox, thread->adopted, ENGINE_THREAD_ADOPT_MAX);
    }
    while (thread->adopted_at < thread->adopted_len) {
        struct engine_event *event = thread->adopted[thread->adopted_at];
        uint64_t request = event->event.request;
        struct fl_cluster cluster = engine_event_cluster(event);
        struct fl_err err = {0};

        if (must_wait(thread, event)) return;
        thread->adopted_at++;
        if (!engine_adopt(thread->engine, event, &err)) refuse(thread, request, cluster, &err);
    }
}

static size_t inbox_len(const struct engine_thread *thread)
{
    return fl_queue_len(thread->inbox) + thread->adopted_len - thread->adopted_at;
}

bool engine_thread_put(struct engine_thread *thread, struct engine_event *event, struct fl_err *err)
{
    if (atomic_load(&thread->is_stopping)) {
        engine_event_destroy(event);
        return fl_fail(err, FL_UNAVAILABLE, "this replica is stopping; try another");
    }
    if (!fl_queue_put(thread->inbox, event)) {
        engine_event_destroy(event);
        return fl_fail(err, FL_FULL, "%zu events are waiting already; try again in a moment",
                       thread->config.inbox_max);
    }
    return true;
}

void engine_thread_wake(struct engine_thread *thread)
{
    uint64_t one = 1;

    if (!atomic_exchange(&thread->is_asleep, false)) return;
    /* Full means that it is awake already. */
    if (write(thread->wake_fd, &one, sizeof one) < 0) fl_assert(errno == EAGAIN);
}

bool engine_thread_adopt(struct engine_thread *thread, struct engine_event *event,
                         struct fl_err *err)
{
    if (!engine_thread_put(thread, event, err)) return false;
    engine_thread_wake(thread);
    return true;
}

/* --- the loop --- */

static void publish(struct engine_thread *thread)
{
    enum engine_state state = engine_state(thread->engine);
    bool has_fallen = thread->state == ENGINE_LEADING && state != ENGINE_LEADING;
    struct engine_thread_status status;

    thread->is_stale = thread->state == state && thread->now < thread->status_at + STATUS_MS;
    if (thread->is_stale) return;
    thread->state = state;
    thread->status_at = thread->now;
    status = (struct engine_thread_status){
        .state = state,
        .breaker = engine_breaker(thread->engine),
        .epoch = thread->epoch,
        .turns = thread->turns,
        .turn_longest_us = thread->longest_us,
        .turn_longest_cpu_us = thread->longest_cpu_us,
        .inbox_len = inbox_len(thread),
        .engine = engine_stats(thread->engine),
        .store = store_stats(thread->store),
    };
    snprintf(status.why, sizeof status.why, "%s", engine_why(thread->engine));
    pthread_mutex_lock(&thread->mutex);
    thread->status = status;
    pthread_mutex_unlock(&thread->mutex);
    if (has_fallen) thread->ports.trouble(thread->ports.ctx, "leading", status.why);
}

static fl_ms earlier(fl_ms a, fl_ms b)
{
    return a < b ? a : b;
}

static void sleep_until_due(struct engine_thread *thread, fl_ms due)
{
    struct pollfd fds[STORE_FDS_MAX + 1];
    size_t len = store_fds(thread->store, fds);
    fl_ms now = micros(CLOCK_MONOTONIC) / 1000;
    int wait_ms = due <= now ? 0 : (int)earlier(due - now, SLEEP_MAX_MS);
    uint64_t wakes;

    fds[len] = (struct pollfd){.fd = thread->wake_fd, .events = POLLIN};
    atomic_store(&thread->is_asleep, true);
    /* An event that came before that store woke nobody. */
    if (may_adopt(thread) || atomic_load(&thread->is_stopping)) wait_ms = 0;
    if (poll(fds, len + 1, wait_ms) < 0) fl_assert(errno == EINTR);
    atomic_store(&thread->is_asleep, false);
    if (read(thread->wake_fd, &wakes, sizeof wakes) < 0) fl_assert(errno == EAGAIN);
}

static void turn(struct engine_thread *thread)
{
    int64_t wall = micros(CLOCK_MONOTONIC), cpu = micros(CLOCK_THREAD_CPUTIME_ID);
    int64_t took, took_cpu;

    thread->now = wall / 1000;
    /* The store first: it knows whether the lease still holds. */
    store_turn(thread->store, thread->now);
    adopt_some(thread);
    engine_turn(thread->engine, thread->now);
    if (thread->ports.turned) thread->ports.turned(thread->ports.ctx);
    thread->turns++;
    took = micros(CLOCK_MONOTONIC) - wall;
    took_cpu = micros(CLOCK_THREAD_CPUTIME_ID) - cpu;
    engine_turned(thread->engine, (wall + took) / 1000);
    if (took > thread->longest_us) thread->longest_us = (uint32_t)took;
    if (took_cpu > thread->longest_cpu_us) thread->longest_cpu_us = (uint32_t)took_cpu;
    publish(thread);
}

static void turn_and_sleep(struct engine_thread *thread)
{
    fl_ms due;

    turn(thread);
    due = earlier(engine_deadline(thread->engine), store_deadline(thread->store));
    if (thread->is_stale) due = earlier(due, thread->status_at + STATUS_MS);
    sleep_until_due(thread, due);
}

static void *run(void *ctx)
{
    struct engine_thread *thread = ctx;
    fl_ms end;

    while (!atomic_load(&thread->is_stopping)) {
        turn_and_sleep(thread);
    }
    end = thread->now + thread->config.stop_ms;
    while (thread->now < end && engine_state(thread->engine) == ENGINE_LEADING &&
           (engine_stats(thread->engine).inflight_len > 0 ||
            engine_stats(thread->engine).inbox_len > 0 || inbox_len(thread) > 0)) {
        turn(thread);
        sleep_until_due(thread, thread->now + 1);
    }
    /* From here on the engine is not turned any more: it would take the lease again. */
    store_release(thread->store, thread->now);
    while (!store_is_released(thread->store)) {
        thread->now = micros(CLOCK_MONOTONIC) / 1000;
        store_turn(thread->store, thread->now);
        if (!store_is_released(thread->store)) {
            sleep_until_due(thread, earlier(thread->now + 10, store_deadline(thread->store)));
        }
    }
    return NULL;
}

struct engine_thread *engine_thread_create(const struct engine_thread_config *config,
                                           const struct engine_thread_ports *ports)
{
    struct engine_thread *thread = fl_new(struct engine_thread);
    struct engine_ports to_store = {
        .ctx = thread,
        .take = port_take,
        .load = port_load,
        .commit = port_commit,
        .drop = port_drop,
        .lookup = port_lookup,
        .began = port_began,
        .answer = port_answer,
        .send = port_send,
        .notice = port_notice,
        .quarantine = port_quarantine,
    };
    struct store_results to_engine = {
        .ctx = thread,
        .taken = on_taken,
        .take_failed = on_take_failed,
        .load_row = on_load_row,
        .loaded = on_loaded,
        .committed = on_committed,
        .found = on_found,
        .room = on_room,
        .lease_lost = on_lease_lost,
        .trouble = on_trouble,
    };
    sigset_t all, before;
    int failed;

    thread->config = *config;
    thread->ports = *ports;
    thread->inbox = fl_queue_create(config->inbox_max);
    thread->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    fl_assert(thread->wake_fd >= 0);
    pthread_mutex_init(&thread->mutex, NULL);
    thread->now = micros(CLOCK_MONOTONIC) / 1000;
    thread->store = store_create(&config->store, &to_engine);
    thread->engine = engine_create(&config->engine, &to_store, thread->now);
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
    uint64_t one = 1;

    if (thread->is_joined) return;
    atomic_store(&thread->is_stopping, true);
    if (write(thread->wake_fd, &one, sizeof one) < 0) fl_assert(errno == EAGAIN);
    pthread_join(thread->thread, NULL);
    thread->is_joined = true;
}

void engine_thread_destroy(struct engine_thread *thread)
{
    struct engine_event *event;

    if (!thread) return;
    engine_thread_stop(thread);
    engine_destroy(thread->engine);
    store_destroy(thread->store);
    while (thread->adopted_at < thread->adopted_len)
        engine_event_destroy(thread->adopted[thread->adopted_at++]);
    while ((event = fl_queue_take(thread->inbox, 0))) {
        engine_event_destroy(event);
    }
    fl_queue_destroy(thread->inbox);
    close(thread->wake_fd);
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
