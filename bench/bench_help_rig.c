#include "bench/bench_help_rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "controlplane/core/shape.h"
#include "shared/base/buf.h"

enum { TURNS_MAX = 1000000 };

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
    if (rig->refusals++ == 0 && !rig->may_refuse) {
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

void rig_turn(struct rig *rig)
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

void rig_run_out(struct rig *rig)
{
    for (int turns = 0; is_busy(rig); turns++) {
        if (turns == TURNS_MAX) bench_die("the engine never rests");
        rig_turn(rig);
    }
}

void rig_pass(struct rig *rig, fl_ms ms)
{
    rig->now += ms;
    rig_run_out(rig);
}

void rig_tell(struct rig *rig, const struct core_event *what)
{
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    event->event = *what;
    event->event.tenant.n = 1;
    event->event.actor = FL_STR("bench");
    if (!engine_adopt(rig->engine, event, rig->now, &err)) bench_die("%s", err.text);
}

void rig_measure(struct rig *rig)
{
    if (rig->refusals) bench_die("%zu requests were refused", rig->refusals);
    rig->is_measured = true;
}

void rig_create(struct rig *rig)
{
    struct engine_config config = engine_config_default();
    struct engine_store store = {rig, take, load, commit, drop, lookup};
    struct engine_ports ports = {rig, began, hear_answer, hear_send, notice, quarantine};

    config.inbox_max = 200000;
    config.inbox_bytes_max = (size_t)1 << 30;
    config.core.queues_max = 10000;
    config.core.silence_ms = 1000;
    rig->engine = engine_create(&config, &store, &ports, rig->now);
    rig->results = engine_results(rig->engine);
}

void rig_init(struct rig *rig, uint64_t scale)
{
    *rig = (struct rig){.now = 1000, .scale = scale};
    rig_create(rig);
    rig_run_out(rig);
}

void rig_report(struct rig *rig, const char *name)
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

uint64_t rig_scaled(const struct rig *rig, uint64_t n)
{
    return n > rig->scale ? n / rig->scale : 1;
}

/* ---- queues, clusters, jobs ------------------------------------------------------------------ */

void rig_put_queue(struct rig *rig, const char *name)
{
    struct core_event event = {.kind = CORE_EV_queue_put, .request = 1};

    event.queue_put.name = fl_str_c(name);
    rig_tell(rig, &event);
    rig_run_out(rig);
}

void rig_report_nodes(struct rig *rig, uint32_t cluster, uint32_t from, uint32_t len, uint32_t cpus,
                      uint32_t cpus_free)
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
    rig_tell(rig, &event);
    rig_run_out(rig); /* the page is borrowed */
}

static void connect(struct rig *rig, uint32_t cluster)
{
    struct core_event hello = {.kind = CORE_EV_session_open,
                               .session_open = {.cluster = {cluster}, .connection = cluster}};
    struct core_event end = {.kind = CORE_EV_inventory};

    rig_tell(rig, &hello);
    rig_run_out(rig);
    end.inventory.cluster.n = cluster;
    end.inventory.session_epoch = rig->agents.at[cluster - 1].session_epoch;
    end.inventory.is_end = true;
    rig_tell(rig, &end);
    rig_run_out(rig);
}

void rig_put_clusters(struct rig *rig, uint32_t clusters, uint32_t nodes, uint32_t cpus_free)
{
    char name[32];

    for (uint32_t i = 1; i <= clusters; i++) {
        struct core_event event = {.kind = CORE_EV_cluster_put, .request = 1};

        snprintf(name, sizeof name, "cluster-%u", i);
        event.cluster_put.name = event.cluster_put.uid = fl_str_c(name);
        fl_vec_push(&rig->agents, (struct agent){0});
        rig_tell(rig, &event);
        rig_run_out(rig);
        connect(rig, i);
        for (uint32_t from = 0; from < nodes; from += PAGE_NODES) {
            rig_report_nodes(rig, i, from, nodes - from < PAGE_NODES ? nodes - from : PAGE_NODES,
                             NODE_CPUS, cpus_free);
        }
    }
}

struct fl_str rig_encode(char *out, uint32_t cpus, uint64_t memory)
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

void rig_submit(struct rig *rig, const char *queue, struct fl_str shape, size_t len,
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
    rig_tell(rig, &event);
    rig_turn(rig);
    rig_turn(rig); /* the items are borrowed until they are stepped */
}

void rig_run_all(struct rig *rig)
{
    rig_run_out(rig);
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
            rig_tell(rig, &event);
        }
        rig->started.len = 0;
        for (uint32_t i = 1; i <= rig->agents.len; i++) { /* its starts are in its numbers */
            rig_report_nodes(rig, i, 0, 1, NODE_CPUS, NODE_CPUS);
        }
        rig_run_out(rig);
    }
}

void rig_run_array(struct rig *rig, uint32_t elements)
{
    char bytes[SHAPE_BYTES];

    rig_put_queue(rig, "q0");
    rig_put_clusters(rig, 1, 1, NODE_CPUS);
    rig_submit(rig, "q0", rig_encode(bytes, 1, 0), 1, elements);
    rig_run_all(rig);
    if (rig->running.len != elements) {
        bench_die("%zu of %u elements run", rig->running.len, elements);
    }
}
