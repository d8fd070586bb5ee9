/* turns_bench.c - the longest turn and the largest batch of engine and core, where one event means
 * much.  No store, no Postgres, no network: batches are durable at once, and agents are events.
 *
 *   turns_bench new-shape       a job of a new shape a turn; 10,000 clusters of one node, all full
 *   turns_bench waiting-shapes  10,000 shapes wait in 500 queues; one of 500,000 nodes has more
 *   turns_bench many-queues     a job waits in each of 10,000 queues; nodes for a few of them, and
 *                               then for all, and a further job
 *   turns_bench never-fits      jobs that none of 10,000 clusters could ever run: 100 requests of a
 *                               new shape each, and one of 1,000 new shapes
 *   turns_bench explains        1,000 explains asked at once; 100 clusters of 5,000 nodes
 *   turns_bench deadlines       the deadlines of 100,000 running jobs pass at once
 *   turns_bench totals          a page of nodes changes its totals; 100 shapes fit nowhere
 *   turns_bench empty-queue     1,000 lists of an empty queue at once, beside 1,000,000 jobs
 *   turns_bench cancel-queued   an array of 1,000,000 elements is cancelled, 1 of which runs
 *   turns_bench cancel-running  the same when all of them run
 *   turns_bench drain           a cluster on which 1,000,000 elements run is drained
 *   turns_bench silence         that cluster falls silent, and speaks again
 *   turns_bench forget          that cluster is removed while it is away
 *   turns_bench pair-chain      64 arrays of 1,000,000 elements, which wait for the same element of
 *                               the array before: 2,500 elements of the first one fail
 *   turns_bench pair-cancel     that first array is cancelled: 100,000 elements, 63 behind each
 *   turns_bench pair-star       63 arrays wait so for the first one, and 2,500 elements succeed
 *   turns_bench begin           a core begins with 1,000,000 running elements
 *   turns_bench begin-waiting   the same when all of them wait for their next attempt
 *
 *   --scale=N divides the sizes, for a test of the tool itself. */
#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "bench/bench_help_rig.h"
#include "controlplane/core/pair_table.h"

enum { QUEUES = 500 };

/* ---- the cases ------------------------------------------------------------------------------- */

static void new_shape(struct rig *rig)
{
    char bytes[SHAPE_BYTES];

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, (uint32_t)rig_scaled(rig, 10000), 1, 0);
    rig_measure(rig);
    for (uint32_t i = 0; i < 20; i++) {
        rig_submit(rig, "q0", rig_encode(bytes, 100 + i, 0), 1, 1);
        rig_run_out(rig);
    }
}

static void waiting_shapes(struct rig *rig)
{
    char name[16], bytes[SHAPE_BYTES];
    uint32_t shapes = (uint32_t)rig_scaled(rig, 10000);

    for (uint32_t i = 0; i < QUEUES; i++) {
        snprintf(name, sizeof name, "q%u", i);
        rig_put_queue(rig, name);
    }
    for (uint32_t i = 0; i < shapes; i++) {
        snprintf(name, sizeof name, "q%u", i % QUEUES);
        rig_submit(rig, name, rig_encode(bytes, 1000 + i, 0), 1, 1);
    }
    rig_run_out(rig);
    rig_put_clusters(rig, (uint32_t)rig_scaled(rig, 100), (uint32_t)rig_scaled(rig, 5000), 0);
    for (uint32_t i = 0; i <= shapes / QUEUES; i++) {
        rig_pass(rig, 6 * FL_MINUTE_MS); /* no queue holds a head back any more */
    }
    rig_measure(rig);
    for (uint32_t free = 1; free <= 5; free++) {
        rig_report_nodes(rig, 1, 0, 1, NODE_CPUS, free);
        rig_pass(rig, 1000);
    }
}

static void many_queues(struct rig *rig)
{
    uint32_t queues = (uint32_t)rig_scaled(rig, 10000);
    char name[16], bytes[SHAPE_BYTES];
    struct fl_str shape = rig_encode(bytes, 1, 0);

    for (uint32_t i = 0; i < queues; i++) {
        snprintf(name, sizeof name, "q%u", i);
        rig_put_queue(rig, name);
    }
    rig_put_clusters(rig, 100, 1, 0);
    for (uint32_t i = 0; i < queues; i++) {
        snprintf(name, sizeof name, "q%u", i);
        rig_submit(rig, name, shape, 1, 1);
    }
    rig_run_out(rig);
    rig_measure(rig);
    for (uint32_t free = 1; free <= 20; free++) {
        rig_report_nodes(rig, free, 0, 1, NODE_CPUS, 1);
        rig_submit(rig, "q0", shape, 1, 1);
        rig_pass(rig, 1000);
    }
    for (uint32_t i = 21; i <= 100; i++) {
        rig_report_nodes(rig, i, 0, 1, NODE_CPUS, NODE_CPUS);
    }
    rig_pass(rig, FL_MINUTE_MS);
}

/* Jobs of new shapes, which ask for more than any node has, a CPU more each; 'from' is the first
 * one's. */
static void submit_never(struct rig *rig, uint32_t from, uint32_t len)
{
    static char bytes[CORE_SUBMIT_MAX][SHAPE_BYTES];
    static struct core_submit_item items[CORE_SUBMIT_MAX];
    struct core_event event = {.kind = CORE_EV_submit, .request = 2, .submit = {items, len}};

    for (uint32_t i = 0; i < len; i++) {
        items[i] = (struct core_submit_item){.queue = FL_STR("q0"),
                                             .shape = rig_encode(bytes[i], NODE_CPUS + from + i, 0),
                                             .elements = 1};
    }
    rig_tell(rig, &event);
    rig_run_out(rig);
}

static void never_fits(struct rig *rig)
{
    uint32_t from = 1;

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, (uint32_t)rig_scaled(rig, 10000), 1, NODE_CPUS);
    rig_pass(rig, FL_MINUTE_MS); /* all have told all their nodes */
    rig_measure(rig);
    rig->may_refuse = true;
    for (uint32_t i = 0; i < 100; i++) {
        submit_never(rig, from++, 1);
    }
    submit_never(rig, from, CORE_SUBMIT_MAX);
    if (rig->refusals < 100) bench_die("%zu jobs were refused", rig->refusals);
    rig->refusals = 0;
}

static void explains(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_explain, .request = 3, .job = {.job = {1}}};
    char bytes[SHAPE_BYTES];

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, (uint32_t)rig_scaled(rig, 100), (uint32_t)rig_scaled(rig, 5000), 0);
    rig_submit(rig, "q0", rig_encode(bytes, 1000, 0), 1, 1);
    rig_run_out(rig);
    rig_measure(rig);
    for (uint64_t i = 0; i < rig_scaled(rig, 1000); i++) {
        rig_tell(rig, &event);
    }
    rig_run_out(rig);
}

static void deadlines(struct rig *rig)
{
    char bytes[SHAPE_BYTES];
    size_t jobs = rig_scaled(rig, 100000);

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, 10, 1, NODE_CPUS);
    rig->deadline_s = 3600;
    for (size_t i = 0; i < jobs; i += CORE_SUBMIT_MAX) {
        rig_submit(rig, "q0", rig_encode(bytes, 1, 0),
                   jobs < CORE_SUBMIT_MAX ? jobs : CORE_SUBMIT_MAX, 1);
    }
    rig_run_all(rig);
    if (rig->running.len < jobs) bench_die("%zu of %zu jobs run", rig->running.len, jobs);
    rig_measure(rig);
    rig_pass(rig, 3600 * FL_SECOND_MS);
    if (rig->stops < jobs) bench_die("%zu of %zu jobs were stopped", rig->stops, jobs);
}

static void totals(struct rig *rig)
{
    char bytes[SHAPE_BYTES];
    uint32_t nodes = (uint32_t)rig_scaled(rig, 5000);

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, (uint32_t)rig_scaled(rig, 100), nodes, 0);
    for (uint32_t i = 0; i < 100; i++) {
        rig_submit(rig, "q0", rig_encode(bytes, 2 * NODE_CPUS + i, 0), 1, 1);
    }
    rig_run_out(rig);
    rig_measure(rig);
    for (uint32_t i = 1; i <= 5; i++) {
        rig_report_nodes(rig, 1, 0, nodes < PAGE_NODES ? nodes : PAGE_NODES, NODE_CPUS - i, 0);
    }
}

static void empty_queue(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_list_jobs, .request = 3};
    char bytes[SHAPE_BYTES];

    rig_put_queue(rig, "full");
    rig_put_queue(rig, "empty");
    for (uint64_t i = 0; i < rig_scaled(rig, 1000); i++) {
        rig_submit(rig, "full", rig_encode(bytes, 1, 0), CORE_SUBMIT_MAX, 1);
    }
    rig_run_out(rig);
    rig_measure(rig);
    event.list_jobs.queue = FL_STR("empty");
    event.list_jobs.len_max = 1;
    for (uint64_t i = 0; i < 1000; i++) {
        rig_tell(rig, &event);
    }
    rig_run_out(rig);
}

static void cancel_first(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_cancel, .request = 3, .job = {.job = {1}}};

    rig_measure(rig);
    rig_tell(rig, &event);
    rig_run_out(rig);
    if (rig->stops != rig->running.len) {
        bench_die("%zu of %zu running elements were stopped", rig->stops, rig->running.len);
    }
}

static void cancel_queued(struct rig *rig)
{
    char bytes[SHAPE_BYTES];

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, 1, 1, 1000);
    rig_submit(rig, "q0", rig_encode(bytes, 1000, 0), 1, (uint32_t)rig_scaled(rig, ARRAY_MAX));
    rig_run_out(rig);
    for (size_t i = 0; i < rig->started.len; i++) {
        fl_vec_push(&rig->running, rig->started.at[i]);
    }
    cancel_first(rig);
}

static void cancel_running(struct rig *rig)
{
    rig_run_array(rig, (uint32_t)rig_scaled(rig, ARRAY_MAX));
    cancel_first(rig);
}

static void drain(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_cluster_drain, .request = 3};

    rig_run_array(rig, (uint32_t)rig_scaled(rig, ARRAY_MAX));
    rig_measure(rig);
    event.cluster_drain.cluster.n = 1;
    event.cluster_drain.is_stop = true;
    rig_tell(rig, &event);
    rig_run_out(rig);
    if (rig->stops != rig->running.len) bench_die("%zu were stopped", rig->stops);
}

static void lose_session(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_session_lost};

    event.session_lost.cluster.n = 1;
    event.session_lost.session_epoch = rig->agents.at[0].session_epoch;
    rig_tell(rig, &event);
    rig_pass(rig, 2000);
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

    rig_run_array(rig, (uint32_t)rig_scaled(rig, ARRAY_MAX));
    rig_measure(rig);
    lose_session(rig);
    rig->agents.at[0] = (struct agent){0};
    rig_tell(rig, &hello);
    rig_run_out(rig);
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
        rig_tell(rig, &page);
        rig_run_out(rig);
    }
}

static void forget(struct rig *rig)
{
    struct core_event event = {.kind = CORE_EV_cluster_forget, .request = 3};

    rig_run_array(rig, (uint32_t)rig_scaled(rig, ARRAY_MAX));
    lose_session(rig);
    rig_measure(rig);
    event.cluster_forget.cluster.n = 1;
    rig_tell(rig, &event);
    rig_run_out(rig);
}

/* PAIR_FAMILY_MAX arrays; each waits, element by element, for the one before it, or for the first.
 * 'running' of the first run. */
static void put_pairs(struct rig *rig, uint32_t elements, uint32_t running, bool is_star)
{
    struct core_dependency after = {.after.on = FL_ON_each};
    char bytes[SHAPE_BYTES];
    struct core_submit_item item = {.queue = FL_STR("q0"),
                                    .shape = rig_encode(bytes, NODE_CPUS / running, 0),
                                    .elements = elements,
                                    .after = &after};
    struct core_event event = {.kind = CORE_EV_submit, .request = 2, .submit = {&item, 1}};

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, 1, 1, NODE_CPUS);
    for (uint64_t i = 0; i < PAIR_FAMILY_MAX; i++) {
        after.after.job.n = is_star ? 1 : i;
        item.after_len = i > 0;
        rig_tell(rig, &event);
        rig_run_out(rig);
    }
    for (size_t i = 0; i < rig->started.len; i++) {
        fl_vec_push(&rig->running, rig->started.at[i]);
    }
    if (rig->running.len != running) bench_die("%zu of %u run", rig->running.len, running);
}

/* All that run end at once. */
static void end_running(struct rig *rig, int exit_code)
{
    for (size_t i = 0; i < rig->running.len; i++) {
        struct core_event event = {.kind = CORE_EV_replica,
                                   .replica = {.cluster = {1},
                                               .session_epoch = rig->agents.at[0].session_epoch,
                                               .report_seq = ++rig->agents.at[0].report_seq,
                                               .told = {.attempt = rig->running.at[i].attempt,
                                                        .state = FL_REPLICA_exited,
                                                        .exit_code = exit_code}}};

        rig_tell(rig, &event);
    }
    rig_run_out(rig);
}

static void pair_chain(struct rig *rig)
{
    put_pairs(rig, (uint32_t)rig_scaled(rig, ARRAY_MAX), (uint32_t)rig_scaled(rig, 2500), false);
    rig_measure(rig);
    end_running(rig, 1);
}

static void pair_cancel(struct rig *rig)
{
    put_pairs(rig, (uint32_t)rig_scaled(rig, 100000), 1, false);
    cancel_first(rig);
}

static void pair_star(struct rig *rig)
{
    put_pairs(rig, (uint32_t)rig_scaled(rig, ARRAY_MAX), (uint32_t)rig_scaled(rig, 2500), true);
    rig_measure(rig);
    end_running(rig, 0);
}

static void load_row(struct rig *rig, const struct row *row)
{
    rig->results.load_row(rig->results.ctx, row);
}

/* A fresh core with the rows of an array that has started.  Rows come over many turns, which are
 * not measured here; the turn that ends the load is. */
static void begin_with(struct rig *rig, bool is_waiting)
{
    uint32_t elements = (uint32_t)rig_scaled(rig, ARRAY_MAX);
    char bytes[SHAPE_BYTES];
    struct row rows[] = {
        {.kind = ROW_queue_put, .queue_put = {.queue = 1, .tenant = 1, .name = FL_STR("q0")}},
        {.kind = ROW_cluster_put,
         .cluster_put = {.cluster = 1,
                         .state = 1,
                         .session_epoch = 1,
                         .name = FL_STR("cluster-1"),
                         .uid = FL_STR("uid")}},
        {.kind = ROW_shape_new, .shape_new = {.shape = 1, .body = rig_encode(bytes, 1, 0)}},
        {.kind = ROW_job_new,
         .job_new = {.job = 1, .tenant = 1, .queue = 1, .shape = 1, .elements = elements}}};

    engine_destroy(rig->engine);
    rig_create(rig);
    while (!rig->is_loading) {
        rig_turn(rig);
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
    rig_measure(rig);
    rig_run_out(rig);
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
    {"many-queues", many_queues},
    {"never-fits", never_fits},
    {"explains", explains},
    {"deadlines", deadlines},
    {"totals", totals},
    {"empty-queue", empty_queue},
    {"cancel-queued", cancel_queued},
    {"cancel-running", cancel_running},
    {"drain", drain},
    {"silence", silence},
    {"forget", forget},
    {"pair-chain", pair_chain},
    {"pair-cancel", pair_cancel},
    {"pair-star", pair_star},
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
        rig_init(&rig, scale);
        cases[i].run(&rig);
        if (rig.refusals) bench_die("%zu requests were refused", rig.refusals);
        rig_report(&rig, cases[i].name);
        return 0;
    }
    fputs("usage: turns_bench CASE [--scale=1], CASE one of:", stderr);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fprintf(stderr, " %s", cases[i].name);
    }
    fputs("\n", stderr);
    return 2;
}
