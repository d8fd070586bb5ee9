/* engine_bench.c - engine, core and store on a real Postgres; only the network is fake.
 *
 *   engine_bench submit --pg=CONNINFO [--seconds=4] [--warm=1]     jobs accepted durably, 500 a request
 *   engine_bench life   --pg=CONNINFO [--seconds=4] [--warm=1]     whole lives, 10 clusters: submitted, placed,
 *                                                                  started, run and ended, all durable
 *   engine_bench turns  --pg=CONNINFO [--rate=100000] [...]        the longest turn at so many events a second:
 *                                                                  requests of one job, three reports each
 *   engine_bench seed   --pg=CONNINFO                              a cluster, a queue and one queued job, for
 *                                                                  fill.sql to make many like it
 *   engine_bench restart --pg=CONNINFO [--since=NS] [--queued=N]   from the start of the process (monotonic
 *                                                                  clock) to the first START that is durable
 *
 * The loop is that of the engine's thread: wait, the store's turn, what came in, the engine's turn.  The fakes
 * run in the same thread, and their CPU is told apart. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_help.h"
#include "bench/bench_help_fake.h"
#include "controlplane/engine.h"
#include "controlplane/store/migrate.h"
#include "controlplane/store/store.h"
#include "shared/base/arena.h"

enum {
    REQUESTS_OPEN_MAX = 16,  /* 8,000 jobs: two batches in flight, one open, one waiting */
    OUTSTANDING_MAX = 24000, /* jobs submitted and not ended */
    INBOX_LEN_MAX = 10000,   /* half of the engine's limit: the rest waits in the fake */
    POLL_MS_MAX = 1000,
    SEED_PARTITIONS = 24,
    EVENTS_A_LIFE = 4, /* one request, three reports */
};

struct rig {
    struct store *store;
    struct engine *engine;
    struct fake fake;
    bool is_boot; /* of an empty database */
    bool has_begun;
    uint64_t submitted;
    uint64_t accepted, ended; /* durable */
    double fake_cpu_s;
    struct bench_samples turns_ms;
    int64_t began_ns, first_start_ns;
};

static fl_ms now_ms(void)
{
    return bench_now_ns() / 1000000;
}

/* ---- the engine's ports ---- */

static void port_take(void *ctx, uint64_t batch_from)
{
    struct rig *rig = ctx;

    store_take(rig->store, batch_from, now_ms());
}

static void port_load(void *ctx)
{
    struct rig *rig = ctx;

    store_load(rig->store, now_ms());
}

static void port_commit(void *ctx, const struct core_batch *batch, uint64_t epoch)
{
    struct rig *rig = ctx;

    store_commit(rig->store, batch, epoch, now_ms());
}

static void port_drop(void *ctx)
{
    struct rig *rig = ctx;

    store_drop(rig->store);
}

static void port_lookup(void *ctx, uint64_t lookup, struct fl_tenant tenant, struct fl_str key)
{
    struct rig *rig = ctx;

    store_lookup(rig->store, lookup, tenant, key, now_ms());
}

static void port_began(void *ctx, uint64_t epoch)
{
    struct rig *rig = ctx;

    (void)epoch;
    if (rig->has_begun) bench_die("the engine had to reload: no figure comes of that");
    rig->has_begun = true;
    rig->began_ns = bench_now_ns();
    if (rig->is_boot) {
        fake_boot(&rig->fake);
    } else {
        fake_hello(&rig->fake);
    }
}

static void port_answer(void *ctx, const struct core_answer *answer)
{
    struct rig *rig = ctx;

    fake_answered(&rig->fake, answer);
}

static void port_send(void *ctx, const struct core_send *send)
{
    struct rig *rig = ctx;

    if (send->kind == CORE_SEND_start && rig->first_start_ns == 0) {
        rig->first_start_ns = bench_now_ns();
    }
    fake_heard(&rig->fake, send);
}

static void port_notice(void *ctx, const struct core_batch *batch)
{
    struct rig *rig = ctx;

    rig->accepted += batch->jobs;
    for (size_t i = 0; i < batch->rows.len; i++) {
        if (batch->rows.at[i].kind == ROW_job_end) rig->ended++;
    }
}

static void port_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    (void)ctx;
    bench_die("%s was refused: %s", core_event_name(event->kind), why);
}

/* ---- the store's results ---- */

static void on_taken(void *ctx, const struct engine_taken *taken, fl_ms now)
{
    engine_taken(((struct rig *)ctx)->engine, taken, now);
}

static void on_take_failed(void *ctx, enum fl_code why, fl_ms now)
{
    engine_take_failed(((struct rig *)ctx)->engine, why, now);
}

static void on_load_row(void *ctx, const struct row *row)
{
    engine_load_row(((struct rig *)ctx)->engine, row);
}

static void on_loaded(void *ctx, bool is_good, fl_ms now)
{
    engine_loaded(((struct rig *)ctx)->engine, is_good, now);
}

static void on_committed(void *ctx, uint64_t batch, enum engine_commit result, const char *text,
                         fl_ms now)
{
    engine_committed(((struct rig *)ctx)->engine, batch, result, text, now);
}

static void on_found(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                     struct fl_str answer, bool is_good, fl_ms now)
{
    engine_found(((struct rig *)ctx)->engine, lookup, body_sha, answer, is_good, now);
}

static void on_room(void *ctx, uint64_t job_below, uint64_t batch_below)
{
    engine_room(((struct rig *)ctx)->engine, job_below, batch_below);
}

static void on_lease_lost(void *ctx, fl_ms now)
{
    (void)now;
    (void)ctx;
    bench_die("the lease was lost: the machine is too busy for a figure");
}

static void on_trouble(void *ctx, const char *what, const char *text)
{
    (void)ctx;
    bench_die("%s: %s", what, text);
}

/* ---- the rig ---- */

static void init(struct rig *rig, const char *conninfo, struct partition_config partitions,
                 uint32_t agents, uint32_t slots)
{
    struct engine_config config = engine_config_default();
    struct store_config store_config = store_config_default();
    const struct engine_ports ports = {
        .ctx = rig,
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
    const struct store_results results = {
        .ctx = rig,
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

    *rig = (struct rig){.is_boot = true};
    config.seed = 1;
    store_config.conninfo = conninfo;
    store_config.instance = "bench";
    store_config.partition = partitions;
    fake_init(&rig->fake, agents, slots);
    rig->store = store_create(&store_config, &results);
    rig->engine = engine_create(&config, &ports, now_ms());
}

static void fini(struct rig *rig)
{
    engine_destroy(rig->engine);
    store_destroy(rig->store);
    fake_fini(&rig->fake);
    bench_samples_fini(&rig->turns_ms);
}

static void adopt(struct rig *rig, struct engine_event *event)
{
    struct fl_err err = {0};

    if (!engine_adopt(rig->engine, event, &err)) bench_die("an event was refused: %s", err.text);
}

static void say(struct rig *rig, const struct core_event *what)
{
    struct engine_event *event = engine_event_create();

    event->event = *what;
    if (what->kind == CORE_EV_nodes) {
        event->event.nodes.at =
            fl_arena_copy(&event->arena, what->nodes.at, what->nodes.len * sizeof *what->nodes.at);
    }
    adopt(rig, event);
}

/* As a front would: every job's own bytes in the event's arena. */
static void submit(struct rig *rig, size_t jobs)
{
    struct engine_event *event = engine_event_create();
    struct core_submit_item *items;

    event->event = fake_submit(&rig->fake, jobs);
    items = fl_arena_copy(&event->arena, event->event.submit.at, jobs * sizeof *items);
    for (size_t i = 0; i < jobs; i++) {
        items[i].params.at = fl_arena_copy(&event->arena, items[i].params.at, items[i].params.len);
    }
    event->event.submit.at = items;
    rig->submitted += jobs;
    adopt(rig, event);
}

static void let_agents_speak(struct rig *rig)
{
    size_t room = INBOX_LEN_MAX - engine_stats(rig->engine).inbox_len;
    struct core_event event;

    if (room > INBOX_LEN_MAX) return; /* it is over that already */
    while (room-- > 0 && fake_next(&rig->fake, now_ms(), &event)) {
        say(rig, &event);
    }
}

static void wait(struct rig *rig, int64_t until_ms)
{
    struct pollfd fds[STORE_FDS_MAX];
    size_t len = store_fds(rig->store, fds);
    fl_ms due = engine_deadline(rig->engine), store_due = store_deadline(rig->store);
    fl_ms now = now_ms();

    if (store_due < due) due = store_due;
    if (until_ms < due) due = until_ms;
    if (due > now + POLL_MS_MAX) due = now + POLL_MS_MAX;
    (void)poll(fds, (nfds_t)len, due > now ? (int)(due - now) : 0);
}

/* One turn of the loop; 'feed' brings what clients ask. */
static void turn(struct rig *rig, void (*feed)(struct rig *rig))
{
    double fed_s;
    int64_t began_ns, took_ns;

    wait(rig, INT64_MAX);
    began_ns = bench_now_ns();
    store_turn(rig->store, now_ms());
    took_ns = bench_now_ns() - began_ns;
    if (rig->has_begun) {
        fed_s = bench_thread_cpu_s();
        let_agents_speak(rig);
        if (feed) feed(rig);
        rig->fake_cpu_s += bench_thread_cpu_s() - fed_s;
    }
    began_ns = bench_now_ns();
    engine_turn(rig->engine, now_ms());
    engine_turned(rig->engine, now_ms());
    took_ns += bench_now_ns() - began_ns;
    bench_samples_add(&rig->turns_ms, (double)took_ns * 1e-6);
}

static void lead(struct rig *rig)
{
    int64_t give_up_ns = bench_now_ns() + 60 * INT64_C(1000000000);

    while (!rig->has_begun || !fake_is_ready(&rig->fake)) {
        turn(rig, NULL);
        if (bench_now_ns() > give_up_ns) {
            bench_die("not leading after 60 s: %s", engine_why(rig->engine));
        }
    }
}

static void run_for(struct rig *rig, double seconds, void (*feed)(struct rig *rig))
{
    int64_t end_ns = bench_now_ns() + (int64_t)(seconds * 1e9);

    while (bench_now_ns() < end_ns) {
        turn(rig, feed);
    }
}

/* ---- as much as it takes ---- */

static void feed_requests(struct rig *rig)
{
    bool is_life = rig->fake.agents_len > 0;

    while (rig->fake.requests_open < REQUESTS_OPEN_MAX &&
           (!is_life || rig->submitted - rig->ended < OUTSTANDING_MAX)) {
        submit(rig, BENCH_REQUEST_JOBS);
    }
}

static void run_full(const char *name, const char *conninfo, bool is_life, double warm,
                     double seconds)
{
    struct bench_meter meter;
    struct rig rig;
    uint64_t before;
    struct engine_stats stats;
    double jobs;

    init(&rig, conninfo, bench_migrate(conninfo, 0), is_life ? BENCH_CLUSTERS : 0, 1000000);
    lead(&rig);
    bench_meter_init(&meter, conninfo);
    run_for(&rig, warm, feed_requests);
    before = is_life ? rig.ended : rig.accepted;
    rig.fake_cpu_s = 0;
    rig.turns_ms.values.len = 0;
    stats = engine_stats(rig.engine);
    bench_meter_start(&meter);
    run_for(&rig, seconds, feed_requests);
    bench_meter_stop(&meter);
    jobs = (double)((is_life ? rig.ended : rig.accepted) - before);
    bench_print(name, &meter, jobs, NULL);
    bench_field("fake_cpu_us", rig.fake_cpu_s * 1e6 / jobs);
    bench_field("batch_jobs", jobs / (double)(engine_stats(rig.engine).batches - stats.batches));
    bench_field("turn_p99_ms", bench_samples_at(&rig.turns_ms, 0.99));
    bench_field("turn_max_ms", bench_samples_at(&rig.turns_ms, 1));
    bench_end();
    bench_meter_fini(&meter);
    fini(&rig);
}

/* ---- at a given rate ---- */

static int64_t pace_began_ns;
static double pace_rate;
static uint64_t pace_done;

static void feed_pace(struct rig *rig)
{
    double elapsed_s = (double)(bench_now_ns() - pace_began_ns) * 1e-9;
    uint64_t due = (uint64_t)(elapsed_s * pace_rate / EVENTS_A_LIFE);

    while (pace_done < due && engine_stats(rig->engine).inbox_len < INBOX_LEN_MAX) {
        submit(rig, 1);
        pace_done++;
    }
}

static void run_turns(const char *conninfo, double rate, double warm, double seconds)
{
    struct bench_meter meter;
    struct engine_stats before;
    uint64_t ended;
    struct rig rig;

    init(&rig, conninfo, bench_migrate(conninfo, 0), BENCH_CLUSTERS, 1000000);
    lead(&rig);
    bench_meter_init(&meter, conninfo);
    pace_rate = rate;
    pace_began_ns = bench_now_ns();
    run_for(&rig, warm, feed_pace);
    before = engine_stats(rig.engine);
    ended = rig.ended;
    rig.turns_ms.values.len = 0;
    bench_meter_start(&meter);
    run_for(&rig, seconds, feed_pace);
    bench_meter_stop(&meter);
    bench_print("engine-turns", &meter, (double)(rig.ended - ended), NULL);
    bench_field("events_per_s", (double)(engine_stats(rig.engine).events - before.events) /
                                    ((double)meter.at_ns * 1e-9));
    bench_field("turn_p50_ms", bench_samples_at(&rig.turns_ms, 0.5));
    bench_field("turn_p99_ms", bench_samples_at(&rig.turns_ms, 0.99));
    bench_field("turn_max_ms", bench_samples_at(&rig.turns_ms, 1));
    bench_end();
    bench_meter_fini(&meter);
    fini(&rig);
}

/* ---- a start among many rows ---- */

static void run_seed(const char *conninfo)
{
    struct rig rig;

    init(&rig, conninfo, bench_migrate(conninfo, SEED_PARTITIONS), 1,
         0); /* nothing fits, so that the job stays queued */
    lead(&rig);
    submit(&rig, 1);
    while (rig.accepted == 0) {
        turn(&rig, NULL);
    }
    puts("{\"case\": \"seed\"}");
    fini(&rig);
}

static void run_restart(const char *conninfo, int64_t since_ns, uint64_t queued)
{
    struct partition_config partitions = partition_config_default();
    struct fl_err err = {0};
    struct rig rig;
    int64_t made_ns;
    size_t loaded;

    if (!migrate(conninfo, &partitions, &err)) bench_die("%s", err.text); /* as at each start */
    init(&rig, conninfo, partitions, 1, 1);
    rig.is_boot = false;
    made_ns = bench_now_ns();
    while (!rig.has_begun) {
        turn(&rig, NULL);
    }
    loaded = core_stats(engine_core(rig.engine)).jobs;
    if (loaded < queued) bench_die("only %zu jobs were loaded", loaded);
    while (rig.first_start_ns == 0) {
        turn(&rig, NULL);
    }
    printf("{\"case\": \"restart\"");
    bench_field("value", (double)(rig.first_start_ns - since_ns) * 1e-9);
    bench_field("made_s", (double)(made_ns - since_ns) * 1e-9);
    bench_field("loaded_s", (double)(rig.began_ns - since_ns) * 1e-9);
    bench_field("jobs", (double)loaded);
    bench_field("own_cpu_s", bench_own_cpu_s());
    bench_field("turn_max_ms", bench_samples_at(&rig.turns_ms, 1));
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
                    (uint64_t)bench_arg_number(argc, argv, "queued", 1));
    } else {
        fputs("usage: engine_bench submit|life|turns|seed|restart --pg=CONNINFO [--seconds=4]"
              " [--warm=1] [--rate=100000] [--since=NS] [--queued=N]\n",
              stderr);
        return 2;
    }
    return 0;
}
