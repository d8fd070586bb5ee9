/* Engine, core and store on a real Postgres: many threads in, one leader, and a leader that is
 * stopped. */
#include "controlplane/engine/engine_thread.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/poison.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

/* Sanitizers cost many times over; they look for other things than time. */
#if FL_POISON || defined(__SANITIZE_THREAD__)
enum { IS_SLOW = 1 };
#else
enum { IS_SLOW = 0 };
#endif

/* The lease of a leader that is stopped.  Two thirds of it is what a loaded machine may keep its
 * heir from renewing. */
enum { TTL_MS = 10000 };

struct ears { /* counts of the ports' calls */
    atomic_uint_fast64_t answers, good, sends, notices, began, refused, quarantined;
    atomic_uint_fast64_t bad, bad_request; /* not FL_OK: how many, the newest */
    atomic_int last_code, bad_code;
    char history[256]; /* the text about a lost history; valid once 'histories' is not 0 */
    atomic_uint_fast64_t histories;
};

static void on_began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms)
{
    struct ears *ears = ctx;

    (void)core_ahead_ms;
    atomic_store(&ears->began, epoch);
}

static void on_answer(void *ctx, const struct core_answer *answer)
{
    struct ears *ears = ctx;

    if (answer->code == FL_OK) {
        atomic_fetch_add(&ears->good, 1);
    } else {
        atomic_fetch_add(&ears->bad, 1);
        atomic_store(&ears->bad_request, answer->request);
        atomic_store(&ears->bad_code, (int)answer->code);
    }
    atomic_store(&ears->last_code, (int)answer->code);
    atomic_fetch_add(&ears->answers, 1);
}

static void on_send(void *ctx, const struct core_send *send)
{
    struct ears *ears = ctx;

    (void)send;
    atomic_fetch_add(&ears->sends, 1);
}

static void on_notice(void *ctx, const struct core_batch *batch)
{
    struct ears *ears = ctx;

    (void)batch;
    atomic_fetch_add(&ears->notices, 1);
}

static void on_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    struct ears *ears = ctx;

    (void)event;
    (void)why;
    atomic_fetch_add(&ears->quarantined, 1);
}

static void on_refused(void *ctx, struct fl_cluster cluster, enum fl_code code, const char *text)
{
    struct ears *ears = ctx;

    (void)cluster;
    (void)code;
    (void)text;
    atomic_fetch_add(&ears->refused, 1);
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    struct ears *ears = ctx;

    if (strcmp(what, "history") == 0) {
        snprintf(ears->history, sizeof ears->history, "%s", text);
        atomic_fetch_add(&ears->histories, 1);
    }
    if (getenv("FL_TEST_LOUD")) fprintf(stderr, "%d %s: %s\n", (int)getpid(), what, text);
}

static struct engine_thread *start_with(struct engine_thread_config config, const char *conninfo,
                                        const char *instance, uint32_t ttl_ms, struct ears *ears)
{
    struct engine_thread_ports ports = {
        .engine = {.ctx = ears,
                   .began = on_began,
                   .answer = on_answer,
                   .send = on_send,
                   .notice = on_notice,
                   .quarantine = on_quarantine},
        .ctx = ears,
        .refused = on_refused,
        .trouble = on_trouble,
    };

    config.store.conninfo = conninfo;
    config.store.instance = instance;
    config.store.lease_ttl_ms = ttl_ms;
    config.engine.standby_ms = 200;
    config.engine.seed = 1;
    return engine_thread_create(&config, &ports);
}

static struct engine_thread *start(const char *conninfo, const char *instance, uint32_t ttl_ms,
                                   struct ears *ears)
{
    return start_with(engine_thread_config_default(), conninfo, instance, ttl_ms, ears);
}

#define wait_for(condition)                                                                        \
    do {                                                                                           \
        fl_ms wait_end_ = help_now() + HELP_WAIT_MS;                                               \
        while (!(condition)) {                                                                     \
            if (help_now() > wait_end_) fail_msg("waited in vain for %s", #condition);             \
            usleep(2000);                                                                          \
        }                                                                                          \
    } while (0)

static enum engine_state state_of(struct engine_thread *thread)
{
    return engine_thread_status(thread).state;
}

/* ---- events ---------------------------------------------------------------------------------- */

static struct engine_event *queue_put(uint64_t request)
{
    struct engine_event *event = engine_event_create();

    event->event.kind = CORE_EV_queue_put;
    event->event.request = request;
    event->event.tenant = (struct fl_tenant){1};
    event->event.actor = FL_STR("test");
    event->event.queue_put.name = FL_STR("q");
    return event;
}

static struct fl_str shape(struct fl_arena *arena)
{
    struct shape shape = {.roles_len = 1};
    struct fl_buf bytes;
    struct fl_str copy;

    shape.roles[0].replicas = shape.roles[0].replicas_min = 1;
    shape.roles[0].each.cpu_milli = 1000;
    fl_buf_init(&bytes, FL_JOB_SHAPE_BYTES_MAX);
    assert_true(shape_encode(&bytes, &shape));
    copy = (struct fl_str){fl_arena_copy(arena, bytes.at, bytes.len), bytes.len};
    fl_buf_fini(&bytes);
    return copy;
}

/* 'spec_bytes' of a spec of its own for each job. */
static struct engine_event *submit(uint64_t request, size_t jobs, size_t spec_bytes)
{
    struct engine_event *event = engine_event_create();
    struct core_submit_item *items = fl_arena_array(&event->arena, struct core_submit_item, jobs);

    event->event.kind = CORE_EV_submit;
    event->event.request = request;
    event->event.tenant = (struct fl_tenant){1};
    event->event.actor = FL_STR("test");
    for (size_t i = 0; i < jobs; i++) {
        items[i] = (struct core_submit_item){
            .queue = FL_STR("q"),
            .shape = shape(&event->arena),
            .spec = FL_STR("{}"),
            .elements = 1,
            .params = FL_STR("{\"seed\":1}"),
        };
        if (spec_bytes > 0) {
            char *body = fl_arena_alloc(&event->arena, spec_bytes);

            /* Random bytes: nothing on the way makes less of them. */
            for (size_t b = 0; b + 4 <= spec_bytes; b += 4) {
                int32_t random = (int32_t)mrand48();

                memcpy(body + b, &random, 4);
            }
            items[i].spec = (struct fl_str){body, spec_bytes};
            memcpy(items[i].spec_digest.at, body, sizeof items[i].spec_digest.at);
        }
    }
    event->event.submit.at = items;
    event->event.submit.len = jobs;
    return event;
}

static struct engine_event *read_job(uint64_t request, uint64_t job)
{
    struct engine_event *event = engine_event_create();

    event->event.kind = CORE_EV_read_job;
    event->event.request = request;
    event->event.tenant = (struct fl_tenant){1};
    event->event.job.job = (struct fl_job){job};
    return event;
}

/* Waits while the inbox is full. */
static void adopt(struct engine_thread *thread, struct engine_event *(*make)(uint64_t, uint64_t),
                  uint64_t request, uint64_t arg)
{
    struct fl_err err = {0};

    while (!engine_thread_adopt(thread, make(request, arg), &err)) {
        assert_int_equal(err.code, FL_FULL);
        usleep(500);
    }
}

static struct engine_event *submit_few(uint64_t request, uint64_t jobs)
{
    return submit(request, (size_t)jobs, 0);
}

static struct engine_event *put_queue(uint64_t request, uint64_t unused)
{
    (void)unused;
    return queue_put(request);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void a_leader_answers_what_is_durable_and_its_successor_finds_it(void **state)
{
    char *conninfo = help_database();
    struct ears a_ears = {0}, b_ears = {0};
    struct engine_thread *a = start(conninfo, "a", HELP_LEASE_MS, &a_ears), *b;
    fl_ms stopped_at;

    (void)state;
    wait_for(state_of(a) == ENGINE_LEADING);
    assert_int_equal(a_ears.began, 1);
    b = start(conninfo, "b", HELP_LEASE_MS, &b_ears);
    adopt(a, put_queue, 1, 0);
    for (uint64_t i = 2; i <= 51; i++) {
        adopt(a, submit_few, i, 20);
    }
    wait_for(a_ears.answers == 51);
    assert_int_equal(a_ears.good, 51);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 1000);
    wait_for(engine_thread_status(b).engine.takes > 1);
    assert_int_not_equal(state_of(b), ENGINE_LEADING);
    adopt(b, submit_few, 1, 1);
    wait_for(b_ears.answers == 1);
    assert_int_equal(b_ears.last_code, FL_UNAVAILABLE);

    stopped_at = help_now();
    engine_thread_stop(a);
    wait_for(state_of(b) == ENGINE_LEADING); /* far sooner than the lease would have ended */
    printf("released and taken over in %" PRId64 " ms\n", help_now() - stopped_at);
    adopt(b, read_job, 2, 1000);
    adopt(b, submit_few, 3, 1);
    wait_for(b_ears.answers == 3);
    assert_int_equal(b_ears.good, 2);
    assert_int_equal(help_number(conninfo, "select max(id) from job"), 1001);
    engine_thread_destroy(a);
    engine_thread_destroy(b);
    fl_free(conninfo);
}

static struct engine_event *put_cluster(uint64_t request, uint64_t unused)
{
    struct engine_event *event = queue_put(request);

    (void)unused;
    event->event.kind = CORE_EV_cluster_put;
    event->event.cluster_put.name = FL_STR("east");
    event->event.cluster_put.uid = FL_STR("uid");
    return event;
}

/* The hub's seal that it gives back is of this batch; 0: it has none. */
static struct engine_event *hello(uint64_t connection, uint64_t batch)
{
    struct engine_event *event = engine_event_create();

    event->event.kind = CORE_EV_session_open;
    event->event.session_open.cluster.n = 1;
    event->event.session_open.connection = connection;
    if (batch > 0) event->event.session_open.seen = (struct core_seen){1, batch, 501};
    return event;
}

static struct engine_event *accept_restore(uint64_t request, uint64_t unused)
{
    struct engine_event *event = queue_put(request);

    (void)unused;
    event->event.kind = CORE_EV_accept_restore;
    return event;
}

static void a_database_that_agents_know_to_be_old_waits_for_a_person(void **state)
{
    char *conninfo = help_database();
    struct ears ears = {0};
    struct engine_thread *thread = start(conninfo, "a", HELP_LEASE_MS, &ears);

    (void)state;
    wait_for(state_of(thread) == ENGINE_LEADING);
    adopt(thread, put_queue, 1, 0);
    adopt(thread, put_cluster, 2, 0);
    adopt(thread, submit_few, 3, 20);
    wait_for(ears.good == 3);
    adopt(thread, hello, 1, 1); /* all three may have gone in one batch */
    wait_for(ears.sends == 1);  /* WELCOME: it has seen what there is */
    assert_int_equal(ears.histories, 0);
    adopt(thread, hello, 2, 5000);
    wait_for(ears.histories == 1);
    assert_non_null(strstr(ears.history, "fairlead admin accept-restore"));
    adopt(thread, submit_few, 4, 1);
    adopt(thread, accept_restore, 5, 0);
    adopt(thread, submit_few, 6, 1);
    wait_for(ears.good == 6); /* the refusals are outcomes of an answer that is good */
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 21);
    assert_int_equal(help_number(conninfo, "select max(id) from job"), 501);
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

static void what_was_adopted_before_a_stop_is_committed_or_left_alone(void **state)
{
    char *conninfo = help_database();
    struct ears ears = {0};
    struct engine_thread *thread = start(conninfo, "a", HELP_LEASE_MS, &ears);
    struct fl_err err = {0};

    (void)state;
    wait_for(state_of(thread) == ENGINE_LEADING);
    adopt(thread, put_queue, 1, 0);
    for (uint64_t i = 0; i < 100; i++) {
        adopt(thread, submit_few, 2 + i, 10);
    }
    engine_thread_stop(thread);
    assert_false(engine_thread_adopt(thread, queue_put(999), &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    assert_int_equal(help_number(conninfo, "select count(*) from job"),
                     ((long long)ears.good - 1) * 10);
    assert_int_equal(help_number(conninfo, "select count(*) from lease where holder = ''"), 1);
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

static struct engine_event *submit_named(uint64_t request, uint64_t is_poison)
{
    struct engine_event *event = submit(request, 1, 0);
    struct core_submit_item *item = (struct core_submit_item *)event->event.submit.at;

    item->name = is_poison ? FL_STR("poison") : FL_STR("stranger");
    return event;
}

static void of_a_thousand_requests_only_the_poisoned_one_is_refused(void **state)
{
    char *conninfo = help_database();
    struct ears ears = {0};
    struct engine_thread *thread = start(conninfo, "a", HELP_LEASE_MS, &ears);
    struct engine_thread_status status;
    fl_ms began;

    (void)state;
    wait_for(state_of(thread) == ENGINE_LEADING);
    wait_for(
        engine_thread_status(thread).store.partition.is_idle); /* it makes partitions of 'job' */
    help_run(conninfo, "alter table job add check (name <> 'poison')");
    adopt(thread, put_queue, 1, 0);
    wait_for(ears.answers == 1);
    began = help_now();
    for (uint64_t i = 1; i <= 1000; i++) {
        adopt(thread, submit_named, 1 + i, i == 500);
    }
    wait_for(ears.answers == 1001);
    printf("1000 requests, one of them poisoned, in %" PRId64 " ms\n", help_now() - began);
    assert_int_equal(ears.good, 1 + 999);
    assert_int_equal(ears.bad, 1);
    assert_int_equal(ears.bad_request, 1 + 500);
    assert_int_equal(ears.bad_code, FL_BUG);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), 999);
    usleep(100000);
    status = engine_thread_status(thread);
    assert_int_equal(status.engine.quarantined, 1);
    assert_int_equal(ears.quarantined, 1);
    assert_int_equal(status.state, ENGINE_LEADING);
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

static struct engine_event *cancel(uint64_t request, uint64_t job)
{
    struct engine_event *event = read_job(request, job);

    event->event.kind = CORE_EV_cancel;
    event->event.actor = FL_STR("test");
    return event;
}

/* A person's psql holds the row that the cancel takes away; it is there since a newer job came.
 * The server gives up after 200 ms here instead of 30 s. */
static void a_cancel_that_waits_for_a_lock_is_done_when_the_lock_is_gone(void **state)
{
    char *conninfo = help_database();
    struct ears ears = {0};
    struct engine_thread_config config = engine_thread_config_default();
    struct engine_thread *thread;
    PGconn *psql = help_connect(conninfo);

    (void)state;
    config.store.partition.late_jobs = 1;
    thread = start_with(config, conninfo, "a", HELP_LEASE_MS, &ears);
    wait_for(state_of(thread) == ENGINE_LEADING);
    help_run(conninfo, "create function hurry() returns trigger language plpgsql as $$ begin"
                       " perform set_config('lock_timeout', '200ms', true); return null; end $$;"
                       "create trigger hurry before insert on journal execute function hurry()");
    adopt(thread, put_queue, 1, 0);
    adopt(thread, submit_few, 2, 2);
    wait_for(ears.good == 2);
    PQclear(PQexec(psql, "begin; select * from open_job where job = 1 for update"));
    adopt(thread, cancel, 3, 1);
    wait_for(engine_thread_status(thread).engine.takes >= 4); /* it was tried at least thrice */
    assert_int_equal(ears.answers, 2);
    PQfinish(psql);
    wait_for(ears.answers == 3);
    assert_int_equal(ears.last_code, FL_OK);
    assert_int_equal(ears.quarantined, 0);
    assert_int_equal(help_number(conninfo, "select count(*) from open_job"), 1);
    assert_int_equal(help_number(conninfo, "select count(*) from element_end"), 1);
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

/* From a session that is over, so that the core ignores it. */
static struct engine_event *old_nodes(uint64_t unused, uint64_t bytes)
{
    struct engine_event *event = engine_event_create();

    (void)unused;
    event->event.kind = CORE_EV_nodes;
    event->event.nodes.cluster = (struct fl_cluster){1};
    fl_arena_alloc(&event->arena, bytes);
    return event;
}

/* By number, and by bytes. */
static void an_inbox_without_room_lets_agents_wait_and_refuses_none(void **state)
{
    enum { EVENTS = 5000, BYTES = 5000 };
    struct engine_thread_config config = engine_thread_config_default();
    char *conninfo = help_database();
    struct ears ears = {0};
    struct engine_thread *thread;
    uint64_t before;

    (void)state;
    config.handover_max = 50;
    config.engine.inbox_max = 16;
    config.engine.inbox_bytes_max = (size_t)8 * BYTES;
    thread = start_with(config, conninfo, "a", HELP_LEASE_MS, &ears);
    wait_for(state_of(thread) == ENGINE_LEADING);
    before = engine_thread_status(thread).engine.events;
    for (uint64_t i = 0; i < EVENTS; i++) {
        adopt(thread, old_nodes, 0, i % 2 ? BYTES : 1);
    }
    wait_for(engine_thread_status(thread).engine.events >= before + EVENTS);
    assert_int_equal(atomic_load(&ears.refused), 0);
    assert_int_equal(engine_thread_status(thread).handover_len, 0);
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

static void a_postgres_that_restarts_is_taken_again_without_losing_an_answer(void **state)
{
    char *server = help_server_start("");
    char *conninfo = help_database_of(server, true), command[256];
    struct ears ears = {0};
    struct engine_thread *thread = start(conninfo, "a", HELP_LEASE_MS, &ears);
    char dir[128];
    uint64_t asked = 1;

    (void)state;
    assert_int_equal(sscanf(server, "host=%127s", dir), 1);
    wait_for(state_of(thread) == ENGINE_LEADING);
    adopt(thread, put_queue, 1, 0);
    for (int i = 0; i < 100; i++) {
        adopt(thread, submit_few, ++asked, 10);
    }
    wait_for(ears.answers == asked);
    for (int i = 0; i < 100; i++) {
        adopt(thread, submit_few, ++asked, 10);
    }
    snprintf(command, sizeof command, "tests/store/pg.sh crash %s", dir);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 50; i++) {
        adopt(thread, submit_few, ++asked, 10);
    }
    wait_for(ears.answers == asked);
    wait_for(state_of(thread) == ENGINE_LEADING);
    adopt(thread, submit_few, ++asked, 10);
    wait_for(ears.answers == asked);
    assert_int_equal(ears.last_code, FL_OK);
    assert_true(ears.good > 100);
    printf("%" PRIu64 " of %" PRIu64 " answered with success over the restart\n", ears.good, asked);
    /* Confirmed work is there; unconfirmed work may be. */
    assert_true(help_number(conninfo, "select count(*) from job") >=
                ((long long)ears.good - 1) * 10);
    assert_int_equal(help_number(conninfo, "select max(batch) - count(*) + 1 from journal"), 0);
    engine_thread_destroy(thread);
    help_server_stop(server);
    fl_free(conninfo);
    fl_free(server);
}

struct producer {
    struct engine_thread *thread;
    uint64_t first, events;
    fl_ms by;
};

/* A hundred reads to a submit of ten. */
static void *produce(void *ctx)
{
    struct producer *producer = ctx;

    for (uint64_t i = 0; i < producer->events; i++) {
        uint64_t request = producer->first + i;

        if (i % 100 == 0) {
            adopt(producer->thread, submit_few, request, 10);
        } else {
            adopt(producer->thread, read_job, request, 1 + i % 1000);
        }
        /* Evenly, as from a wire. */
        if (i % 50 == 49) {
            fl_ms due =
                producer->by - 1000 * (fl_ms)(producer->events - i) / (fl_ms)(producer->events / 3);

            while (help_now() < due) {
                usleep(200);
            }
        }
    }
    return NULL;
}

static void no_turn_is_longer_than_10_ms_at_100000_events_a_second(void **state)
{
    enum { PRODUCERS = 2, SECONDS = 3 };
    uint64_t rate = IS_SLOW ? 5000 : 100000;
    char *conninfo = help_database();
    struct ears ears = {0};
    struct engine_thread *thread = start(conninfo, "a", HELP_LEASE_MS, &ears);
    struct engine_thread_status status;
    struct producer producers[PRODUCERS];
    pthread_t threads[PRODUCERS];
    fl_ms began;

    (void)state;
    wait_for(state_of(thread) == ENGINE_LEADING);
    adopt(thread, put_queue, 1, 0);
    adopt(thread, submit_few, 2, 1000);
    wait_for(ears.answers == 2);
    began = help_now();
    for (size_t i = 0; i < PRODUCERS; i++) {
        producers[i] = (struct producer){thread, 1000 + i * 10000000, rate * SECONDS / PRODUCERS,
                                         began + SECONDS * 1000};
        assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
    }
    for (size_t i = 0; i < PRODUCERS; i++) {
        pthread_join(threads[i], NULL);
    }
    wait_for(ears.answers == 2 + rate * SECONDS);
    usleep(200000);
    status = engine_thread_status(thread);
    printf("%" PRIu64 " events in %" PRId64 " ms, %" PRIu64 " turns, %" PRIu64
           " batches; longest turn %u us, %u us of CPU\n",
           rate * SECONDS, help_now() - 200 - began, status.turns, status.engine.batches,
           status.turn_longest_us, status.turn_longest_cpu_us);
    assert_int_equal(ears.good, 2 + rate * SECONDS);
    /* Time that other work on the machine takes from a turn is not the turn's. */
    assert_true(status.turn_longest_cpu_us < (IS_SLOW ? 100000 : 10000));
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

/* ---- a leader that is stopped ---------------------------------------------------------------- */

/* In a process of its own: leads and submits for ever. */
static void lead_for_ever(const char *conninfo, bool is_large)
{
    struct ears ears = {0};
    struct engine_thread *thread;
    struct fl_err err;
    uint64_t request = 1;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing outlives the test */
    thread = start(conninfo, "child", TTL_MS, &ears);
    while (atomic_load(&ears.began) == 0) {
        usleep(1000);
    }
    for (;; request++) {
        struct engine_event *event =
            request == 1 ? queue_put(1) : submit(request, is_large ? 64 : 5, is_large ? 65536 : 0);

        if (!engine_thread_adopt(thread, event, &err)) usleep(1000);
        while (request > atomic_load(&ears.answers) + (is_large ? 3 : 100)) {
            usleep(200);
        }
    }
}

static pid_t fork_leader(const char *conninfo, bool is_large)
{
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        lead_for_ever(conninfo, is_large);
        _exit(1);
    }
    return child;
}

/* Stops the child; when it must be in the middle of sending, tries until its backend waits for the
 * rest. */
static void stop_child(const char *conninfo, pid_t child, bool is_sending)
{
    static const char waits[] =
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and application_name = 'fairlead writer' and backend_xid is not null"
        " and wait_event = 'ClientRead'";

    for (int tries = 0;; tries++) {
        kill(child, SIGSTOP);
        if (!is_sending) return;
        usleep(50000); /* its sent batches are worked off */
        if (help_number(conninfo, waits) == 1) {
            printf("caught it sending at try %d\n", tries + 1);
            return;
        }
        assert_true(tries < 500);
        kill(child, SIGCONT);
        usleep(100000 + (useconds_t)(mrand48() & 65535)); /* it renews its lease meanwhile */
    }
}

static void a_leader_is_stopped(bool is_sending)
{
    char *conninfo = help_database();
    pid_t child = fork_leader(conninfo, is_sending);
    struct ears ears = {0};
    struct engine_thread *thread;
    long long jobs, newest, stale;
    char sql[256];
    int status;
    fl_ms stopped_at;

    while (help_number(conninfo, "select max(batch) from journal") < 5) {
        usleep(10000);
    }
    stop_child(conninfo, child, is_sending);
    stopped_at = help_now();
    stale = help_number(conninfo, "select epoch from leader");
    thread = start(conninfo, "heir", TTL_MS, &ears);
    wait_for(state_of(thread) == ENGINE_LEADING);
    printf("the heir leads %" PRId64 " ms after the stop, time to live %d ms\n",
           help_now() - stopped_at, TTL_MS);
    jobs = help_number(conninfo, "select count(*) from job");
    snprintf(sql, sizeof sql, "select max(batch) from journal where epoch <= %lld", stale);
    newest = help_number(conninfo, sql);
    adopt(thread, submit_few, 1, 10);
    wait_for(ears.answers == 1);
    assert_int_equal(ears.good, 1);

    kill(child, SIGCONT);
    usleep((TTL_MS + 1000) * 1000); /* it finishes what it was at, and may well try to lead again */
    snprintf(sql, sizeof sql, "select count(*) from journal where epoch <= %lld and batch > %lld",
             stale, newest);
    assert_int_equal(help_number(conninfo, sql), 0);
    assert_int_equal(help_number(conninfo, "select count(*) from job"), jobs + 10);
    assert_int_equal(help_number(conninfo, "select max(epoch) from journal"), ears.began);
    assert_int_equal(help_number(conninfo, "select epoch from leader"), ears.began);
    assert_true(ears.began > (uint64_t)stale);
    assert_int_equal(help_number(conninfo, "select count(*) from journal a join journal b"
                                           " on b.batch = a.batch + 1 and b.epoch < a.epoch"),
                     0);
    assert_int_equal(help_number(conninfo, "select max(batch) - count(*) + 1 from journal"), 0);
    assert_int_equal(state_of(thread), ENGINE_LEADING);
    adopt(thread, submit_few, 2, 1);
    wait_for(ears.answers == 2);
    assert_int_equal(ears.good, 2);

    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    engine_thread_destroy(thread);
    fl_free(conninfo);
}

static void a_leader_that_was_stopped_past_its_time_writes_nothing_more(void **state)
{
    (void)state;
    a_leader_is_stopped(false);
}

static void a_leader_stopped_while_sending_4_mib_blocks_nobody_and_writes_nothing_more(void **state)
{
    (void)state;
    a_leader_is_stopped(true);
}

FL_TESTS(
    cmocka_unit_test(a_leader_that_was_stopped_past_its_time_writes_nothing_more),
    cmocka_unit_test(a_leader_stopped_while_sending_4_mib_blocks_nobody_and_writes_nothing_more),
    cmocka_unit_test(a_leader_answers_what_is_durable_and_its_successor_finds_it),
    cmocka_unit_test(a_database_that_agents_know_to_be_old_waits_for_a_person),
    cmocka_unit_test(what_was_adopted_before_a_stop_is_committed_or_left_alone),
    cmocka_unit_test(of_a_thousand_requests_only_the_poisoned_one_is_refused),
    cmocka_unit_test(a_cancel_that_waits_for_a_lock_is_done_when_the_lock_is_gone),
    cmocka_unit_test(an_inbox_without_room_lets_agents_wait_and_refuses_none),
    cmocka_unit_test(a_postgres_that_restarts_is_taken_again_without_losing_an_answer),
    cmocka_unit_test(no_turn_is_longer_than_10_ms_at_100000_events_a_second))
