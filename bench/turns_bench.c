/* turns_bench.c - the longest turn and the largest batch of engine and core, where one event means
 * much.  No store, no Postgres, no network: batches are durable at once, and agents are events.
 *
 *   turns_bench new-shape       a job of a new shape a turn; 10,000 clusters of one node, all full
 *   turns_bench waiting-shapes  10,000 shapes wait in 500 queues; one of 500,000 nodes has more
 *   turns_bench explains        1,000 explains asked at once; 100 clusters of 5,000 nodes
 *   turns_bench deadlines       the deadlines of 100,000 running jobs pass at once
 *   turns_bench totals          a page of nodes changes its totals; 100 shapes fit nowhere
 *   turns_bench empty-queue     1,000 lists of an empty queue at once, beside 1,000,000 jobs
 *   turns_bench cancel-queued   an array of 1,000,000 elements is cancelled, 1 of which runs
 *   turns_bench cancel-running  the same when all of them run
 *   turns_bench drain           a cluster on which 1,000,000 elements run is drained
 *   turns_bench silence         that cluster falls silent, and speaks again
 *   turns_bench forget          that cluster is removed while it is away
 *   turns_bench begin           a core begins with 1,000,000 running elements
 *   turns_bench begin-waiting   the same when all of them wait for their next attempt
 *
 *   --scale=N divides the sizes, for a test of the tool itself. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "controlplane/core/shape.h"
#include "controlplane/engine/engine.h"
#include "shared/base/buf.h"

enum {
    QUEUES = 500,
    PAGE_NODES = 1024,
    ARRAY_MAX = 1000000, /* elements of one job */
    NODE_CPUS = 4000000, /* milli */
    SHAPE_BYTES = 64,
    TURNS_MAX = 1000000,
};

struct agent {
    uint64_t session_epoch, report_seq, control_seq;
};

struct started {
    struct fl_cluster cluster;
    struct fl_attempt attempt;
};

struct rig {
    struct engine *engine;
    struct engine_results results;
    fl_ms now;
    bool is_taking, is_loading;
    struct {
        uint64_t number;
    } sent[ENGINE_INFLIGHT_MAX];
    size_t sent_len;
    uint64_t scale;
    uint32_t deadline_s; /* for the jobs that submit() makes */

    FL_VEC(struct agent) agents;
    FL_VEC(struct started) started; /* to be reported as running */
    FL_VEC(struct started) running;
    size_t stops, refusals;

    bool is_measured;
    double cpu_ms_max, wall_ms_max;
    uint64_t turns;
};

/* ---- the store and the ports ----------------------------------------------------------------- */

static void take(void *ctx, uint64_t batch_from, uint64_t epoch_above, fl_ms now)
{
    struct rig *rig = ctx;

    (void)batch_from, (void)epoch_above, (void)now;
    rig->is_taking = true;
}

static void load(void *ctx, fl_ms now)
{
    struct rig *rig = ctx;

    (void)now;
    rig->is_loading = true;
}

static void commit(void *ctx, const struct core_batch *batch, uint64_t epoch, fl_ms now)
{
    struct rig *rig = ctx;

    (void)epoch, (void)now;
    rig->sent[rig->sent_len++].number = batch->number;
}

static void drop(void *ctx)
{
    (void)ctx;
    bench_die("the engine fell");
}

static void lookup(void *ctx, uint64_t id, struct fl_tenant tenant, struct fl_str key, fl_ms now)
{
    (void)ctx, (void)id, (void)tenant, (void)key, (void)now;
    bench_die("no request has a key");
}

static void began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms)
{
    (void)ctx, (void)epoch, (void)core_ahead_ms;
}

static void hear_answer(void *ctx, const struct core_answer *answer)
{
    struct rig *rig = ctx;
    bool is_taken = answer->outcomes_len == 0 || answer->outcomes[0].code == FL_OK;

    if (answer->code == FL_OK && is_taken) return;
    if (rig->refusals++ == 0) {
        fprintf(stderr, "turns_bench: request %" PRIu64 ": %s\n", answer->request,
                answer->text ? answer->text : "a job was refused");
    }
}

static void hear_send(void *ctx, const struct core_send *send)
{
    struct rig *rig = ctx;
    struct agent *agent = &rig->agents.at[send->cluster.n - 1];

    if (send->control_seq) agent->control_seq = send->control_seq;
    if (send->kind == CORE_SEND_welcome) agent->session_epoch = send->session_epoch;
    if (send->kind == CORE_SEND_stop) rig->stops++;
    if (send->kind == CORE_SEND_bye) bench_die("an agent was sent away: %s", send->text);
    if (send->kind == CORE_SEND_start) {
        fl_vec_push(&rig->started, (struct started){send->cluster, send->attempt});
    }
}

static void notice(void *ctx, const struct core_batch *batch)
{
    (void)ctx, (void)batch;
}

static void quarantine(void *ctx, const struct core_event *event, const char *why)
{
    (void)ctx, (void)event;
    bench_die("quarantined: %s", why);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void answer_store(struct rig *rig)
{
    struct engine_results *to = &rig->results;
    size_t sent_len = rig->sent_len;

    rig->sent_len = 0;
    for (size_t i = 0; i < sent_len; i++) {
        to->committed(to->ctx, rig->sent[i].number, ENGINE_COMMITTED, NULL, rig->now);
    }
    if (rig->is_loading) {
        rig->is_loading = false;
        to->loaded(to->ctx, true, rig->now);
    }
    if (rig->is_taking) { /* a load that follows is answered in the next turn */
        struct engine_taken taken = {.epoch = 1,
                                     .incarnation = 1,
                                     .at = 1000000,
                                     .job_below = UINT64_MAX,
                                     .batch_below = UINT64_MAX};

        rig->is_taking = false;
        to->taken(to->ctx, &taken, rig->now);
    }
}

/* One wake-up of the engine's thread: the store's answers, then the engine's turn. */
static void turn(struct rig *rig)
{
    double cpu_ms = bench_thread_cpu_s() * 1e3;
    int64_t at_ns = bench_now_ns();
    double wall_ms;

    answer_store(rig);
    engine_turn(rig->engine, rig->now);
    cpu_ms = bench_thread_cpu_s() * 1e3 - cpu_ms;
    wall_ms = (double)(bench_now_ns() - at_ns) * 1e-6;
    if (!rig->is_measured) return;
    rig->turns++;
    if (cpu_ms > rig->cpu_ms_max) rig->cpu_ms_max = cpu_ms;
    if (wall_ms > rig->wall_ms_max) rig->wall_ms_max = wall_ms;
}

static bool is_busy(const struct rig *rig)
{
    return rig->sent_len > 0 || rig->is_taking || rig->is_loading ||
           engine_deadline(rig->engine) <= rig->now;
}

static void run_out(struct rig *rig)
{
    for (int turns = 0; is_busy(rig); turns++) {
        if (turns == TURNS_MAX) bench_die("the engine never rests");
        turn(rig);
    }
}

static void pass(struct rig *rig, fl_ms ms)
{
    rig->now += ms;
    run_out(rig);
}

static void tell(struct rig *rig, const struct core_event *what)
{
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    event->event = *what;
    event->event.tenant.n = 1;
    event->event.actor = FL_STR("bench");
    if (!engine_adopt(rig->engine, event, rig->now, &err)) bench_die("%s", err.text);
}

static void measure(struct rig *rig)
{
    if (rig->refusals) bench_die("%zu requests were refused", rig->refusals);
    rig->is_measured = true;
}

static void create(struct rig *rig)
{
    struct engine_config config = engine_config_default();
    struct engine_store store = {rig, take, load, commit, drop, lookup};
    struct engine_ports ports = {rig, began, hear_answer, hear_send, notice, quarantine};

    config.inbox_max = 200000;
    config.inbox_bytes_max = (size_t)1 << 30;
    config.core.silence_ms = 1000;
    rig->engine = engine_create(&config, &store, &ports, rig->now);
    rig->results = engine_results(rig->engine);
}

static void init(struct rig *rig, uint64_t scale)
{
    *rig = (struct rig){.now = 1000, .scale = scale};
    create(rig);
    run_out(rig);
}

static void report(struct rig *rig, const char *name)
{
    printf("{\"case\": \"%s\"", name);
    bench_field("turn_cpu_ms", rig->cpu_ms_max);
    bench_field("turn_wall_ms", rig->wall_ms_max);
    bench_field("batch_mib", (double)engine_stats(rig->engine).batch_largest_bytes / (1 << 20));
    bench_field("turns", (double)rig->turns);
    bench_end();
    engine_destroy(rig->engine);
    fl_vec_fini(&rig->agents);
    fl_vec_fini(&rig->started);
    fl_vec_fini(&rig->running);
}

static uint64_t scaled(const struct rig *rig, uint64_t n)
{
    return n > rig->scale ? n / rig->scale : 1;
}

/* ---- queues, clusters, jobs ------------------------------------------------------------------ */

static void put_queue(struct rig *rig, const char *name)
{
    struct core_event event = {.kind = CORE_EV_queue_put, .request = 1};

    event.queue_put.name = fl_str_c(name);
    tell(rig, &event);
    run_out(rig);
}

/* One page of nodes; 'share' of 1000 of each is free. */
static void report_nodes(struct rig *rig, uint32_t cluster, uint32_t from, uint32_t len,
                         uint32_t cpus, uint32_t cpus_free)
{
    static char names[PAGE_NODES][16];
    struct core_node_report page[PAGE_NODES];
    struct agent *agent = &rig->agents.at[cluster - 1];
    struct core_event event = {.kind = CORE_EV_nodes,
                               .nodes = {.cluster = {cluster},
                                         .session_epoch = agent->session_epoch,
                                         .report_seq = ++agent->report_seq,
                                         .mark = agent->control_seq,
                                         .at = page,
                                         .len = len}};

    for (uint32_t i = 0; i < len; i++) {
        snprintf(names[i], sizeof names[i], "node-%u", from + i);
        page[i] = (struct core_node_report){.number = from + i,
                                            .is_ready = true,
                                            .name = fl_str_c(names[i]),
                                            .total = {(uint64_t)1 << 50, cpus, 0},
                                            .free = {(uint64_t)1 << 50, cpus_free, 0}};
    }
    tell(rig, &event);
    run_out(rig); /* the page is borrowed */
}

static void connect(struct rig *rig, uint32_t cluster)
{
    struct core_event hello = {.kind = CORE_EV_session_open,
                               .session_open = {.cluster = {cluster}, .connection = cluster}};
    struct core_event end = {.kind = CORE_EV_inventory};

    tell(rig, &hello);
    run_out(rig);
    end.inventory.cluster.n = cluster;
    end.inventory.session_epoch = rig->agents.at[cluster - 1].session_epoch;
    end.inventory.is_end = true;
    tell(rig, &end);
    run_out(rig);
}

static void put_clusters(struct rig *rig, uint32_t clusters, uint32_t nodes, uint32_t cpus_free)
{
    char name[32];

    for (uint32_t i = 1; i <= clusters; i++) {
        struct core_event event = {.kind = CORE_EV_cluster_put, .request = 1};

        snprintf(name, sizeof name, "cluster-%u", i);
        event.cluster_put.name = event.cluster_put.uid = fl_str_c(name);
        fl_vec_push(&rig->agents, (struct agent){0});
        tell(rig, &event);
        run_out(rig);
        connect(rig, i);
        for (uint32_t from = 0; from < nodes; from += PAGE_NODES) {
            report_nodes(rig, i, from, nodes - from < PAGE_NODES ? nodes - from : PAGE_NODES,
                         NODE_CPUS, cpus_free);
        }
    }
}

static struct fl_str encode(char *out, uint32_t cpus, uint64_t memory)
{
    struct shape shape = {.roles_len = 1};
    struct fl_str bytes = {out, 0};
    struct fl_buf buf;

    shape.roles[0] = (struct shape_role){
        .replicas = 1, .replicas_min = 1, .each = {.cpu_milli = cpus, .memory_bytes = memory}};
    fl_buf_init(&buf, SHAPE_BYTES);
    if (!shape_encode(&buf, &shape)) bench_die("a shape has more bytes than thought");
    memcpy(out, buf.at, buf.len);
    bytes.len = buf.len;
    fl_buf_fini(&buf);
    return bytes;
}

/* One request of 'len' equal jobs. */
static void submit(struct rig *rig, const char *queue, struct fl_str shape, size_t len,
                   uint32_t elements)
{
    struct core_submit_item items[CORE_SUBMIT_MAX];
    struct core_event event = {.kind = CORE_EV_submit, .request = 2, .submit = {items, len}};

    for (size_t i = 0; i < len; i++) {
        items[i] = (struct core_submit_item){.queue = fl_str_c(queue),
                                             .shape = shape,
                                             .elements = elements,
                                             .deadline_s = rig->deadline_s};
    }
    tell(rig, &event);
    turn(rig);
    turn(rig); /* the items are borrowed until they are stepped */
}

/* Agents confirm and run all that was started, until nothing more starts. */
static void run_all(struct rig *rig)
{
    run_out(rig);
    while (rig->started.len > 0) {
        for (size_t i = 0; i < rig->started.len; i++) {
            struct started *what = &rig->started.at[i];
            struct agent *agent = &rig->agents.at[what->cluster.n - 1];
            struct core_event event = {.kind = CORE_EV_replica,
                                       .replica = {.cluster = what->cluster,
                                                   .session_epoch = agent->session_epoch,
                                                   .report_seq = ++agent->report_seq,
                                                   .told.attempt = what->attempt,
                                                   .told.state = FL_REPLICA_running}};

            fl_vec_push(&rig->running, *what);
            tell(rig, &event);
        }
        rig->started.len = 0;
        for (uint32_t i = 1; i <= rig->agents.len; i++) { /* its starts are in its numbers */
            report_nodes(rig, i, 0, 1, NODE_CPUS, NODE_CPUS);
        }
        run_out(rig);
    }
}

/* An array of which all elements run, on one cluster. */
static void run_array(struct rig *rig, uint32_t elements)
{
    char bytes[SHAPE_BYTES];

    put_queue(rig, "q0");
    put_clusters(rig, 1, 1, NODE_CPUS);
    submit(rig, "q0", encode(bytes, 1, 0), 1, elements);
    run_all(rig);
    if (rig->running.len != elements) {
        bench_die("%zu of %u elements run", rig->running.len, elements);
    }
}

/* ---- the cases ------------------------------------------------------------------------------- */

static void new_shape(struct rig *rig)
{
    char bytes[SHAPE_BYTES];

    put_queue(rig, "q0");
    put_clusters(rig, (uint32_t)scaled(rig, 10000), 1, 0);
    measure(rig);
    for (uint32_t i = 0; i < 20; i++) {
        submit(rig, "q0", encode(bytes, 100 + i, 0), 1, 1);
        run_out(rig);
    }
}

static void waiting_shapes(struct rig *rig)
{
    char name[16], bytes[SHAPE_BYTES];
    uint32_t shapes = (uint32_t)scaled(rig, 10000);

    for (uint32_t i = 0; i < QUEUES; i++) {
        snprintf(name, sizeof name, "q%u", i);
        put_queue(rig, name);
    }
    for (uint32_t i = 0; i < shapes; i++) {
        snprintf(name, sizeof name, "q%u", i % QUEUES);
        submit(rig, name, encode(bytes, 1000 + i, 0), 1, 1);
    }
    run_out(rig);
    put_clusters(rig, (uint32_t)scaled(rig, 100), (uint32_t)scaled(rig, 5000), 0);
    for (uint32_t i = 0; i <= shapes / QUEUES; i++) {
        pass(rig, 6 * FL_MINUTE_MS); /* no queue holds a head back any more */
    }
    measure(rig);
    for (uint32_t free = 1; free <= 5; free++) {
        report_nodes(rig, 1, 0, 1, NODE_CPUS, free);
        pass(rig, 1000);
    }
}

static void explains(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_explain, .request = 3, .job = {.job = {1}}};
    char bytes[SHAPE_BYTES];

    put_queue(rig, "q0");
    put_clusters(rig, (uint32_t)scaled(rig, 100), (uint32_t)scaled(rig, 5000), 0);
    submit(rig, "q0", encode(bytes, 1000, 0), 1, 1);
    run_out(rig);
    measure(rig);
    for (uint64_t i = 0; i < scaled(rig, 1000); i++) {
        tell(rig, &event);
    }
    run_out(rig);
}

static void deadlines(struct rig *rig)
{
    char bytes[SHAPE_BYTES];
    size_t jobs = scaled(rig, 100000);

    put_queue(rig, "q0");
    put_clusters(rig, 10, 1, NODE_CPUS);
    rig->deadline_s = 3600;
    for (size_t i = 0; i < jobs; i += CORE_SUBMIT_MAX) {
        submit(rig, "q0", encode(bytes, 1, 0), jobs < CORE_SUBMIT_MAX ? jobs : CORE_SUBMIT_MAX, 1);
    }
    run_all(rig);
    if (rig->running.len < jobs) bench_die("%zu of %zu jobs run", rig->running.len, jobs);
    measure(rig);
    pass(rig, 3600 * FL_SECOND_MS);
    if (rig->stops < jobs) bench_die("%zu of %zu jobs were stopped", rig->stops, jobs);
}

static void totals(struct rig *rig)
{
    char bytes[SHAPE_BYTES];
    uint32_t nodes = (uint32_t)scaled(rig, 5000);

    put_queue(rig, "q0");
    put_clusters(rig, (uint32_t)scaled(rig, 100), nodes, 0);
    for (uint32_t i = 0; i < 100; i++) {
        submit(rig, "q0", encode(bytes, 2 * NODE_CPUS + i, 0), 1, 1);
    }
    run_out(rig);
    measure(rig);
    for (uint32_t i = 1; i <= 5; i++) {
        report_nodes(rig, 1, 0, nodes < PAGE_NODES ? nodes : PAGE_NODES, NODE_CPUS - i, 0);
    }
}

static void empty_queue(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_list_jobs, .request = 3};
    char bytes[SHAPE_BYTES];

    put_queue(rig, "full");
    put_queue(rig, "empty");
    for (uint64_t i = 0; i < scaled(rig, 1000); i++) {
        submit(rig, "full", encode(bytes, 1, 0), CORE_SUBMIT_MAX, 1);
    }
    run_out(rig);
    measure(rig);
    event.list_jobs.queue = FL_STR("empty");
    event.list_jobs.len_max = 1;
    for (uint64_t i = 0; i < 1000; i++) {
        tell(rig, &event);
    }
    run_out(rig);
}

static void cancel_first(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_cancel, .request = 3, .job = {.job = {1}}};

    measure(rig);
    tell(rig, &event);
    run_out(rig);
    if (rig->stops != rig->running.len) {
        bench_die("%zu of %zu running elements were stopped", rig->stops, rig->running.len);
    }
}

static void cancel_queued(struct rig *rig)
{
    char bytes[SHAPE_BYTES];

    put_queue(rig, "q0");
    put_clusters(rig, 1, 1, 1000);
    submit(rig, "q0", encode(bytes, 1000, 0), 1, (uint32_t)scaled(rig, ARRAY_MAX));
    run_out(rig);
    for (size_t i = 0; i < rig->started.len; i++) {
        fl_vec_push(&rig->running, rig->started.at[i]);
    }
    cancel_first(rig);
}

static void cancel_running(struct rig *rig)
{
    run_array(rig, (uint32_t)scaled(rig, ARRAY_MAX));
    cancel_first(rig);
}

static void drain(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_cluster_drain, .request = 3};

    run_array(rig, (uint32_t)scaled(rig, ARRAY_MAX));
    measure(rig);
    event.cluster_drain.cluster.n = 1;
    event.cluster_drain.is_stop = true;
    tell(rig, &event);
    run_out(rig);
    if (rig->stops != rig->running.len) bench_die("%zu were stopped", rig->stops);
}

static void lose_session(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_session_lost};

    event.session_lost.cluster.n = 1;
    event.session_lost.session_epoch = rig->agents.at[0].session_epoch;
    tell(rig, &event);
    pass(rig, 2000);
}

/* Silent, and back with an inventory of everything. */
static void silence(struct rig *rig)
{
    static struct core_replica_told items[CORE_INVENTORY_MAX];
    struct core_event hello = {.kind = CORE_EV_session_open,
                               .session_open = {.cluster = {1}, .connection = 2}};
    struct core_event page = {.kind = CORE_EV_inventory,
                              .inventory = {.cluster = {1}, .at = items}};
    uint64_t digest = 0;

    run_array(rig, (uint32_t)scaled(rig, ARRAY_MAX));
    measure(rig);
    lose_session(rig);
    rig->agents.at[0] = (struct agent){0};
    tell(rig, &hello);
    run_out(rig);
    page.inventory.session_epoch = rig->agents.at[0].session_epoch;
    for (size_t i = 0; i < rig->running.len; i += page.inventory.len) {
        size_t left = rig->running.len - i;

        page.inventory.len = left < CORE_INVENTORY_MAX ? left : CORE_INVENTORY_MAX;
        for (size_t k = 0; k < page.inventory.len; k++) {
            items[k] = (struct core_replica_told){.attempt = rig->running.at[i + k].attempt,
                                                  .state = FL_REPLICA_running};
            digest = fl_inventory_digest(digest, items[k].attempt, 0, items[k].state, 0);
        }
        page.inventory.is_end = left == page.inventory.len;
        page.inventory.count = (uint32_t)rig->running.len;
        page.inventory.digest = digest;
        tell(rig, &page);
        run_out(rig);
    }
}

static void forget(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_cluster_forget, .request = 3};

    run_array(rig, (uint32_t)scaled(rig, ARRAY_MAX));
    lose_session(rig);
    measure(rig);
    event.cluster_forget.cluster.n = 1;
    tell(rig, &event);
    run_out(rig);
}

static void load_row(struct rig *rig, const struct row *row)
{
    rig->results.load_row(rig->results.ctx, row);
}

/* A fresh core with the rows of an array that has started.  Rows come over many turns, which are
 * not measured here; the turn that ends the load is. */
static void begin_with(struct rig *rig, bool is_waiting)
{
    uint32_t elements = (uint32_t)scaled(rig, ARRAY_MAX);
    char bytes[SHAPE_BYTES];
    struct row rows[] = {
        {.kind = ROW_queue_put, .queue_put = {.queue = 1, .tenant = 1, .name = FL_STR("q0")}},
        {.kind = ROW_cluster_put,
         .cluster_put = {.cluster = 1,
                         .state = 1,
                         .session_epoch = 1,
                         .name = FL_STR("cluster-1"),
                         .uid = FL_STR("uid")}},
        {.kind = ROW_shape_new, .shape_new = {.shape = 1, .body = encode(bytes, 1, 0)}},
        {.kind = ROW_job_new,
         .job_new = {.job = 1, .tenant = 1, .queue = 1, .shape = 1, .elements = elements}}};

    engine_destroy(rig->engine);
    create(rig);
    while (!rig->is_loading) {
        turn(rig);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        load_row(rig, &rows[i]);
    }
    for (uint32_t i = 0; i < elements; i++) {
        struct row row = {.kind = ROW_attempt_new,
                          .attempt_new = {.job = 1,
                                          .element = i,
                                          .n = 1,
                                          .incarnation = 1,
                                          .cluster = 1,
                                          .nodes = FL_STR("node-1")}};

        load_row(rig, &row);
    }
    for (uint32_t i = 0; i < elements && is_waiting; i++) {
        struct row row = {.kind = ROW_attempt_end, .attempt_end = {.job = 1, .element = i, .n = 1}};

        load_row(rig, &row);
    }
    measure(rig);
    run_out(rig);
    if (core_stats(engine_core(rig->engine)).elements != elements) bench_die("not all were loaded");
}

static void begin(struct rig *rig)
{
    begin_with(rig, false);
}

static void begin_waiting(struct rig *rig)
{
    begin_with(rig, true);
}

static const struct {
    const char *name;
    void (*run)(struct rig *rig);
} cases[] = {
    {"new-shape", new_shape},
    {"waiting-shapes", waiting_shapes},
    {"explains", explains},
    {"deadlines", deadlines},
    {"totals", totals},
    {"empty-queue", empty_queue},
    {"cancel-queued", cancel_queued},
    {"cancel-running", cancel_running},
    {"drain", drain},
    {"silence", silence},
    {"forget", forget},
    {"begin", begin},
    {"begin-waiting", begin_waiting},
};

int main(int argc, char **argv)
{
    uint64_t scale = (uint64_t)bench_arg_number(argc, argv, "scale", 1);
    struct rig rig;

    bench_limit(300);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0) continue;
        init(&rig, scale);
        cases[i].run(&rig);
        if (rig.refusals) bench_die("%zu requests were refused", rig.refusals);
        report(&rig, cases[i].name);
        return 0;
    }
    fputs("usage: turns_bench CASE [--scale=1], CASE one of:", stderr);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fprintf(stderr, " %s", cases[i].name);
    }
    fputs("\n", stderr);
    return 2;
}
