#include "bench/bench_help_fake.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "controlplane/core/shape.h"

enum {
    NODES_MS = 1000,
    /* Requests are numbered upwards; those of the boot say which agent they are for. */
    REQUEST_QUEUE = 1,
    REQUEST_CLUSTER = 2,
    REQUEST_FIRST = 1000,
};

void fake_init(struct fake *fake, uint32_t agents, uint32_t slots)
{
    struct shape shape = {.roles_len = 1};
    struct fl_digest digest = {{1, 2, 3}};

    *fake = (struct fake){.agents_len = agents, .slots = slots, .request_last = REQUEST_FIRST};
    if (agents > BENCH_CLUSTERS) bench_die("at most %d agents", BENCH_CLUSTERS);
    fake->each = (struct fl_resources){.memory_bytes = 1 << 20, .cpu_milli = 1000};
    shape.roles[0] = (struct shape_role){.replicas = 1, .replicas_min = 1, .each = fake->each};
    fl_buf_init(&fake->shape, FL_JOB_SHAPE_BYTES_MAX);
    if (!shape_encode(&fake->shape, &shape)) bench_die("the shape cannot be encoded");
    for (size_t i = 0; i < BENCH_REQUEST_JOBS; i++) {
        fake->items[i] = (struct core_submit_item){
            .queue = FL_STR(BENCH_QUEUE),
            .shape = {(const char *)fake->shape.at, fake->shape.len},
            .spec = FL_STR(BENCH_SPEC),
            .spec_digest = digest,
            .elements = 1,
            .retries_max = 1,
            .params = bench_params(i, fake->params[i]),
        };
    }
    for (uint32_t i = 0; i < agents; i++) {
        snprintf(fake->names[i], sizeof fake->names[i], "cluster-%" PRIu32, i);
    }
}

void fake_fini(struct fake *fake)
{
    fl_vec_fini(&fake->notes);
    fl_buf_fini(&fake->shape);
}

static void note(struct fake *fake, struct fake_note what)
{
    if (fake->notes_at == fake->notes.len) fake->notes.len = fake->notes_at = 0;
    fl_vec_push(&fake->notes, what);
}

void fake_boot(struct fake *fake)
{
    note(fake, (struct fake_note){.kind = CORE_EV_queue_put});
    for (uint32_t i = 0; i < fake->agents_len; i++) {
        note(fake, (struct fake_note){.kind = CORE_EV_cluster_put, .agent = i});
    }
}

void fake_hello(struct fake *fake)
{
    for (uint32_t i = 0; i < fake->agents_len; i++) {
        note(fake, (struct fake_note){.kind = CORE_EV_session_open, .agent = i});
    }
}

bool fake_is_ready(const struct fake *fake)
{
    for (uint32_t i = 0; i < fake->agents_len; i++) {
        if (!fake->agents[i].is_heard) return false;
    }
    return fake->notes_at == fake->notes.len;
}

static void report_nodes(struct fake *fake, struct fake_agent *agent, struct core_event *event)
{
    uint64_t left = fake->slots - (agent->live < fake->slots ? agent->live : fake->slots);

    fake->node = (struct core_node_report){
        .is_ready = true,
        .name = FL_STR(BENCH_NODE),
        .total = {fake->each.memory_bytes * fake->slots, fake->each.cpu_milli * fake->slots, 0},
        .free = {fake->each.memory_bytes * left, (uint32_t)(fake->each.cpu_milli * left), 0}};
    event->nodes.mark = agent->control_seq;
    event->nodes.at = &fake->node;
    event->nodes.len = 1;
    event->nodes.report_seq = ++agent->report_seq;
    event->nodes.session_epoch = agent->session_epoch;
    agent->is_heard = true;
}

static void report_replica(struct fake *fake, struct fake_agent *agent,
                           const struct fake_note *what, struct core_event *event)
{
    event->replica.session_epoch = agent->session_epoch;
    event->replica.report_seq = ++agent->report_seq;
    event->replica.told.attempt = what->attempt;
    event->replica.told.state = what->state;
    if (what->state == FL_REPLICA_exited) {
        event->replica.told.usage = bench_usage;
        fake->exited++;
        agent->live--;
    }
}

bool fake_next(struct fake *fake, fl_ms now, struct core_event *ret_event)
{
    struct core_event event = {.tenant = {1}, .actor = FL_STR(BENCH_ACTOR)};
    const struct fake_note *what;
    struct fl_cluster cluster;
    struct fake_agent *agent;

    if (fake->nodes_at != 0 && now >= fake->nodes_at) {
        fake->nodes_at = now + NODES_MS;
        for (uint32_t i = 0; i < fake->agents_len; i++) {
            note(fake, (struct fake_note){.kind = CORE_EV_nodes, .agent = i});
        }
    }
    if (fake->notes_at == fake->notes.len) return false;
    what = &fake->notes.at[fake->notes_at++];
    agent = &fake->agents[what->agent];
    cluster.n = what->agent + 1;
    event.kind = what->kind;
    switch (what->kind) {
    case CORE_EV_queue_put:
        event.request = REQUEST_QUEUE;
        event.queue_put.name = FL_STR(BENCH_QUEUE);
        break;
    case CORE_EV_cluster_put:
        event.request = REQUEST_CLUSTER + what->agent;
        event.cluster_put.name = fl_str_c(fake->names[what->agent]);
        event.cluster_put.uid = fl_str_c(fake->names[what->agent]);
        break;
    case CORE_EV_session_open:
        event.session_open.cluster = cluster;
        event.session_open.connection = cluster.n;
        break;
    case CORE_EV_inventory:
        event.inventory.cluster = cluster;
        event.inventory.session_epoch = agent->session_epoch;
        event.inventory.is_end = true;
        break;
    case CORE_EV_nodes:
        event.nodes.cluster = cluster;
        report_nodes(fake, agent, &event);
        if (fake->nodes_at == 0) fake->nodes_at = now + NODES_MS;
        break;
    case CORE_EV_replica:
        event.replica.cluster = cluster;
        report_replica(fake, agent, what, &event);
        break;
    default:
        bench_die("fake: unknown note");
    }
    *ret_event = event;
    return true;
}

struct core_event fake_submit(struct fake *fake, size_t jobs)
{
    fake->requests_open++;
    for (size_t i = 0; i < jobs; i++) {
        bench_params_own(fake->request_last * BENCH_REQUEST_JOBS + i, fake->params[i]);
    }
    return (struct core_event){.kind = CORE_EV_submit,
                               .request = ++fake->request_last,
                               .tenant = {1},
                               .actor = FL_STR(BENCH_ACTOR),
                               .owner = FL_STR(BENCH_ACTOR),
                               .submit = {fake->items, jobs}};
}

void fake_heard(struct fake *fake, const struct core_send *send)
{
    uint32_t i = send->cluster.n - 1;
    struct fake_agent *agent = &fake->agents[i];
    struct fake_note replica = {.kind = CORE_EV_replica, .agent = i, .attempt = send->attempt};

    if (i >= fake->agents_len) bench_die("fake: a frame for cluster %" PRIu32, send->cluster.n);
    if (send->control_seq > agent->control_seq) agent->control_seq = send->control_seq;
    switch (send->kind) {
    case CORE_SEND_welcome:
        agent->session_epoch = send->session_epoch;
        note(fake, (struct fake_note){.kind = CORE_EV_inventory, .agent = i});
        note(fake, (struct fake_note){.kind = CORE_EV_nodes, .agent = i});
        break;
    case CORE_SEND_start:
        fake->started++;
        agent->live++;
        replica.state = FL_REPLICA_created;
        note(fake, replica);
        break;
    case CORE_SEND_go:
        replica.state = FL_REPLICA_running;
        note(fake, replica);
        replica.state = FL_REPLICA_exited;
        note(fake, replica);
        break;
    case CORE_SEND_ack:
        break;
    default:
        bench_die("fake: an agent heard %s: %s", core_send_name(send->kind),
                  send->text ? send->text : "");
    }
}

void fake_answered(struct fake *fake, const struct core_answer *answer)
{
    if (answer->code != FL_OK) {
        bench_die("fake: request %" PRIu64 ": %s", answer->request,
                  answer->text ? answer->text : fl_code_name(answer->code));
    }
    if (answer->request <= REQUEST_QUEUE) return;
    if (answer->request < REQUEST_FIRST) {
        uint32_t agent = (uint32_t)(answer->request - REQUEST_CLUSTER);

        if (answer->id != agent + 1) bench_die("fake: the database is not empty");
        note(fake, (struct fake_note){.kind = CORE_EV_session_open, .agent = agent});
        return;
    }
    fake->requests_open--;
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        if (answer->outcomes[i].code != FL_OK) {
            bench_die("fake: a job was refused: %s", answer->outcomes[i].text);
        }
    }
}
