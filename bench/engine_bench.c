/* engine_bench.c - engine, core and store on a real Postgres; only the network is fake.
 *
 *   engine_bench submit --pg=CONNINFO [--seconds=4] [--warm=1]
 *                   jobs accepted durably, 500 a request
 *   engine_bench life --pg=CONNINFO [--seconds=4] [--warm=1]
 *                   whole lives on 10 clusters: submitted, placed, started, run and ended, all
 *                   durable
 *   engine_bench turns --pg=CONNINFO [--rate=100000] [...]
 *                   the longest turn at 'rate' events a second: requests of one job, with three
 *                   reports each
 *   engine_bench seed --pg=CONNINFO
 *                   makes a cluster, a queue and one queued job, which fill.sql multiplies
 *   engine_bench restart --pg=CONNINFO [--since=NS] [--last=JOB]
 *                   from the start of the process (monotonic clock) to the first durable START
 *
 * The engine runs in its own thread, as in the product.  The fakes run in the main thread, in the
 * place of the fronts, and parse and copy as those do.  Their CPU is counted apart. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench_help.h"
#include "bench/bench_help_fake.h"
#include "controlplane/engine/engine_thread.h"
#include "controlplane/store/migrate.h"
#include "shared/base/arena.h"
#include "shared/io/program.h"

enum {
    REQUESTS_OPEN_MAX = 14,  /* 7,000 jobs: two batches in flight, one open, and more */
    OUTSTANDING_MAX = 16000, /* jobs submitted and not ended */
    HEARD_MAX = 1000000,     /* port calls between the threads; outstanding jobs keep them fewer */
    SAID_MAX = 2000,         /* events in a row, then the engine's effects are read */
    WAIT_US = 1000,
    SEED_PARTITIONS = 24,
    EVENTS_A_LIFE = 4, /* one request, three reports */
};

struct heard { /* the arguments of a port that the fakes use */
    bool is_answer;
    struct core_send send;
    struct core_answer answer;
};

struct heard_list {
    struct heard *at;
    size_t len, cap;
};

struct rig {
    struct engine_thread *thread;
    struct fake fake;
    bool is_boot; /* the database was empty */
    uint64_t submitted;
    struct heard_list working; /* this thread's */

    pthread_mutex_t mutex; /* guards the three fields below */
    pthread_cond_t cond;
    struct heard_list heard;
    bool is_waiting;

    atomic_bool has_begun, is_stopping;
    atomic_ulong accepted, ended; /* durable */
    atomic_long began_ns, first_start_ns;
};

/* ---- the engine thread's ports --------------------------------------------------------------- */

static void hear(struct rig *rig, const struct heard *heard)
{
    pthread_mutex_lock(&rig->mutex);
    if (rig->heard.len == HEARD_MAX) bench_die("the fakes are too slow");
    fl_vec_push(&rig->heard, *heard);
    if (rig->is_waiting) pthread_cond_signal(&rig->cond);
    pthread_mutex_unlock(&rig->mutex);
}

static void port_began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms)
{
    struct rig *rig = ctx;

    (void)core_ahead_ms;
    (void)epoch;
    rig->began_ns = bench_now_ns();
    if (atomic_exchange(&rig->has_begun, true)) {
        bench_die("the engine had to reload: no figure comes of that");
    }
}

static void port_answer(void *ctx, const struct core_answer *answer)
{
    struct heard heard = {
        .is_answer = true,
        .answer = {.request = answer->request, .code = answer->code, .id = answer->id}};

    if (answer->code != FL_OK) bench_die("a request was refused: %s", answer->text);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        if (answer->outcomes[i].code != FL_OK) {
            bench_die("a job was refused: %s", answer->outcomes[i].text);
        }
    }
    hear(ctx, &heard);
}

static void port_send(void *ctx, const struct core_send *send)
{
    struct heard heard = {.send = *send};
    struct rig *rig = ctx;

    if (send->kind == CORE_SEND_start && rig->first_start_ns == 0) {
        rig->first_start_ns = bench_now_ns();
    }
    if (send->text) bench_die("%s: %s", core_send_name(send->kind), send->text);
    heard.send.nodes = NULL;
    heard.send.nodes_len = 0;
    hear(rig, &heard);
}

static void port_notice(void *ctx, const struct core_batch *batch)
{
    struct rig *rig = ctx;
    unsigned long ended = 0;

    for (size_t i = 0; i < batch->rows.len; i++) {
        if (batch->rows.at[i].kind == ROW_job_end) ended++;
    }
    rig->accepted += batch->jobs;
    rig->ended += ended;
}

static void port_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    (void)ctx;
    bench_die("%s was refused: %s", core_event_name(event->kind), why);
}

static void port_refused(void *ctx, struct fl_cluster cluster, enum fl_code code, const char *text)
{
    (void)ctx;
    bench_die("an event of cluster %" PRIu32 " was refused: %s: %s", cluster.n, fl_code_name(code),
              text);
}

static void port_trouble(void *ctx, const char *what, const char *text)
{
    struct rig *rig = ctx;

    if (!rig->is_stopping) bench_die("%s: %s", what, text);
}

/* ---- the rig --------------------------------------------------------------------------------- */

static void init(struct rig *rig, const char *conninfo, struct partition_config partitions,
                 uint32_t agents, uint32_t slots)
{
    struct engine_thread_config config = engine_thread_config_default();
    const struct engine_thread_ports ports = {
        .engine = {.ctx = rig,
                   .began = port_began,
                   .answer = port_answer,
                   .send = port_send,
                   .notice = port_notice,
                   .quarantine = port_quarantine},
        .ctx = rig,
        .refused = port_refused,
        .trouble = port_trouble,
    };

    *rig = (struct rig){.is_boot = true};
    pthread_mutex_init(&rig->mutex, NULL);
    pthread_cond_init(&rig->cond, NULL);
    fake_init(&rig->fake, agents, slots);
    config.engine.seed = 1;
    config.store.conninfo = conninfo;
    config.store.instance = "bench";
    config.store.partition = partitions;
    rig->thread = engine_thread_create(&config, &ports);
}

static void fini(struct rig *rig)
{
    rig->is_stopping = true;
    engine_thread_destroy(rig->thread);
    fake_fini(&rig->fake);
    fl_vec_fini(&rig->heard);
    fl_vec_fini(&rig->working);
    pthread_cond_destroy(&rig->cond);
    pthread_mutex_destroy(&rig->mutex);
}

static void nap(void)
{
    struct timespec time = {.tv_nsec = WAIT_US * 1000};

    (void)nanosleep(&time, NULL);
}

static struct engine_event *copy_of(const struct core_event *what)
{
    struct engine_event *event = engine_event_create();

    event->event = *what;
    if (what->kind == CORE_EV_nodes) {
        event->event.nodes.at =
            fl_arena_copy(&event->arena, what->nodes.at, what->nodes.len * sizeof *what->nodes.at);
    } else if (what->kind == CORE_EV_submit) {
        size_t len = what->submit.len;
        struct core_submit_item *items =
            fl_arena_copy(&event->arena, what->submit.at, len * sizeof *items);

        for (size_t i = 0; i < len; i++) { /* every job's own bytes, as a front would */
            items[i].params.at =
                fl_arena_copy(&event->arena, items[i].params.at, items[i].params.len);
        }
        event->event.submit.at = items;
    }
    return event;
}

static void say(struct rig *rig, const struct core_event *what)
{
    struct fl_err err = {0};

    while (!engine_thread_adopt(rig->thread, copy_of(what), &err)) {
        if (err.code != FL_FULL) bench_die("an event was refused: %s", err.text);
        nap(); /* the engine works off what it has */
    }
}

static void submit(struct rig *rig, size_t jobs)
{
    struct core_event event = fake_submit(&rig->fake, jobs);

    rig->submitted += jobs;
    say(rig, &event);
}

/* Takes what was heard; waits a moment when there is nothing and 'may_wait'. */
static void listen(struct rig *rig, bool may_wait)
{
    struct heard_list list;
    struct timespec until;

    pthread_mutex_lock(&rig->mutex);
    if (rig->heard.len == 0 && may_wait) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WAIT_US * 1000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        rig->is_waiting = true;
        (void)pthread_cond_timedwait(&rig->cond, &rig->mutex, &until);
        rig->is_waiting = false;
    }
    list = rig->heard;
    rig->heard = rig->working;
    rig->working = list;
    pthread_mutex_unlock(&rig->mutex);
    for (size_t i = 0; i < list.len; i++) {
        if (list.at[i].is_answer) {
            fake_answered(&rig->fake, &list.at[i].answer);
        } else {
            fake_heard(&rig->fake, &list.at[i].send);
        }
    }
    rig->working.len = 0;
}

/* One turn of the fakes; 'feed' brings what clients ask. */
static void turn(struct rig *rig, void (*feed)(struct rig *rig))
{
    struct core_event event;
    size_t said = 0;

    while (said < SAID_MAX && fake_next(&rig->fake, bench_now_ns() / 1000000, &event)) {
        say(rig, &event);
        said++;
    }
    if (feed) feed(rig);
    listen(rig, said < SAID_MAX);
}

static void lead(struct rig *rig)
{
    int64_t give_up_ns = bench_now_ns() + 60 * INT64_C(1000000000);

    while (!rig->has_begun) {
        nap();
        if (bench_now_ns() > give_up_ns) {
            struct engine_thread_status status = engine_thread_status(rig->thread);

            bench_die("not leading after 60 s: %s", status.why);
        }
    }
    if (rig->is_boot) {
        fake_boot(&rig->fake);
    } else {
        fake_hello(&rig->fake);
    }
    while (!fake_is_ready(&rig->fake)) {
        turn(rig, NULL);
        if (bench_now_ns() > give_up_ns) bench_die("the agents are not heard");
    }
}

static void run_for(struct rig *rig, double seconds, void (*feed)(struct rig *rig))
{
    int64_t end_ns = bench_now_ns() + (int64_t)(seconds * 1e9);

    while (bench_now_ns() < end_ns) {
        turn(rig, feed);
    }
}

/* ---- at the highest rate --------------------------------------------------------------------- */

static void feed_requests(struct rig *rig)
{
    bool is_life = rig->fake.agents_len > 0;

    while (rig->fake.requests_open < REQUESTS_OPEN_MAX &&
           (!is_life || rig->submitted - rig->ended < OUTSTANDING_MAX)) {
        submit(rig, BENCH_REQUEST_JOBS);
    }
}

static void print_turns(const struct engine_thread_status *status)
{
    bench_field("turn_max_ms", status->turn_longest_us * 1e-3);
    bench_field("turn_max_cpu_ms", status->turn_longest_cpu_us * 1e-3);
    bench_field("commit_max_ms", (double)status->store.commit_longest_ms);
}

static void run_full(const char *name, const char *conninfo, bool is_life, double warm,
                     double seconds)
{
    struct engine_thread_status before, after;
    struct bench_meter meter;
    struct rig rig;
    uint64_t from;
    double jobs, fake_cpu_s;

    init(&rig, conninfo, bench_migrate(conninfo, 0), is_life ? BENCH_CLUSTERS : 0, 1000000);
    lead(&rig);
    bench_meter_init(&meter, conninfo);
    do {
        run_for(&rig, warm, feed_requests);
    } while (is_life && rig.ended < 2 * OUTSTANDING_MAX); /* as many end as are accepted */
    bench_meter_start(&meter);
    before = engine_thread_status(rig.thread);
    from = is_life ? rig.ended : rig.accepted;
    fake_cpu_s = bench_thread_cpu_s();
    run_for(&rig, seconds, feed_requests);
    bench_meter_stop(&meter);
    fake_cpu_s = bench_thread_cpu_s() - fake_cpu_s;
    jobs = (double)((is_life ? rig.ended : rig.accepted) - from);
    after = engine_thread_status(rig.thread);
    bench_print(name, &meter, jobs, NULL);
    bench_field("engine_cpu_us", (meter.own_cpu_s - fake_cpu_s) * 1e6 / jobs);
    bench_field("batch_jobs", jobs / (double)(after.engine.batches - before.engine.batches));
    print_turns(&after);
    bench_end();
    bench_meter_fini(&meter);
    fini(&rig);
}

/* ---- at a given rate ------------------------------------------------------------------------- */

struct pace {
    int64_t began_ns;
    double jobs_s;
    uint64_t done;
};

static struct pace pace; /* feed_pace's state */

static void feed_pace(struct rig *rig)
{
    double elapsed_s = (double)(bench_now_ns() - pace.began_ns) * 1e-9;
    uint64_t due = (uint64_t)(elapsed_s * pace.jobs_s);

    for (size_t i = 0; i < SAID_MAX && pace.done < due; i++) {
        submit(rig, 1);
        pace.done++;
    }
}

static void run_turns(const char *conninfo, double rate, double warm, double seconds)
{
    struct engine_thread_status before, after;
    struct bench_meter meter;
    uint64_t from;
    struct rig rig;

    init(&rig, conninfo, bench_migrate(conninfo, 0), BENCH_CLUSTERS, 1000000);
    lead(&rig);
    bench_meter_init(&meter, conninfo);
    pace = (struct pace){.began_ns = bench_now_ns(), .jobs_s = rate / EVENTS_A_LIFE};
    run_for(&rig, warm, feed_pace);
    bench_meter_start(&meter);
    before = engine_thread_status(rig.thread);
    from = rig.ended;
    run_for(&rig, seconds, feed_pace);
    bench_meter_stop(&meter);
    after = engine_thread_status(rig.thread);
    bench_print("engine-turns", &meter, (double)(rig.ended - from), NULL);
    bench_field("events_per_s", (double)(after.engine.events - before.engine.events) /
                                    ((double)meter.at_ns * 1e-9));
    print_turns(&after);
    bench_end();
    bench_meter_fini(&meter);
    fini(&rig);
}

/* ---- a start among many rows ----------------------------------------------------------------- */

static void run_seed(const char *conninfo)
{
    struct rig rig;

    /* Nothing fits, so that the job stays queued. */
    init(&rig, conninfo, bench_migrate(conninfo, SEED_PARTITIONS), 1, 0);
    lead(&rig);
    submit(&rig, 1);
    while (rig.accepted == 0) {
        turn(&rig, NULL);
    }
    puts("{\"case\": \"seed\"}");
    fini(&rig);
}

/* The last job must have been loaded as well: else its answer ends the program. */
static void look(struct rig *rig, uint64_t last)
{
    struct core_event event = {
        .kind = CORE_EV_read_job, .request = 1 << 30, .tenant = {1}, .job = {.job = {last}}};

    rig->fake.requests_open++;
    say(rig, &event);
    while (rig->fake.requests_open > 0) {
        turn(rig, NULL);
    }
}

static void run_restart(const char *conninfo, int64_t since_ns, uint64_t last)
{
    struct partition_config partitions = partition_config_default();
    int64_t migrated_ns, give_up_ns = since_ns + 100 * INT64_C(1000000000);
    struct fl_err err = {0};
    struct rig rig;

    if (!migrate(conninfo, &partitions, &err)) bench_die("%s", err.text); /* as at each start */
    migrated_ns = bench_now_ns();
    init(&rig, conninfo, partitions, 1, 1);
    rig.is_boot = false;
    while (!rig.has_begun) {
        nap();
        if (bench_now_ns() > give_up_ns) bench_die("it does not lead");
    }
    fake_hello(&rig.fake);
    while (rig.first_start_ns == 0) {
        turn(&rig, NULL);
        if (bench_now_ns() > give_up_ns) bench_die("nothing starts");
    }
    look(&rig, last);
    printf("{\"case\": \"restart\"");
    bench_field("value", (double)(rig.first_start_ns - since_ns) * 1e-9);
    bench_field("migrated_s", (double)(migrated_ns - since_ns) * 1e-9);
    bench_field("loaded_s", (double)(rig.began_ns - since_ns) * 1e-9);
    bench_field("own_cpu_s", bench_own_cpu_s());
    bench_end();
    fini(&rig);
}
int main(int argc, char **argv)
{
    int64_t main_ns = bench_now_ns();
    const char *verb = argc > 1 ? argv[1] : "";
    const char *conninfo = bench_arg(argc, argv, "pg", NULL);
    const char *since = bench_arg(argc, argv, "since", NULL);
    double seconds = bench_arg_number(argc, argv, "seconds", 4);
    double warm = bench_arg_number(argc, argv, "warm", 1);

    bench_limit(120 + (unsigned)(seconds + warm));
    fl_program_keep_freed_memory(); /* as fairleadd does */
    if (conninfo && strcmp(verb, "submit") == 0) {
        run_full("engine-submit", conninfo, false, warm, seconds);
    } else if (conninfo && strcmp(verb, "life") == 0) {
        run_full("engine-life", conninfo, true, warm, seconds);
    } else if (conninfo && strcmp(verb, "turns") == 0) {
        run_turns(conninfo, bench_arg_number(argc, argv, "rate", 100000), warm, seconds);
    } else if (conninfo && strcmp(verb, "seed") == 0) {
        run_seed(conninfo);
    } else if (conninfo && strcmp(verb, "restart") == 0) {
        run_restart(conninfo, since ? strtoll(since, NULL, 10) : main_ns,
                    (uint64_t)bench_arg_number(argc, argv, "last", 1));
    } else {
        fputs("usage: engine_bench submit|life|turns|seed|restart --pg=CONNINFO [--seconds=4]"
              " [--warm=1] [--rate=100000] [--since=NS] [--last=JOB]\n",
              stderr);
        return 2;
    }
    return 0;
}
