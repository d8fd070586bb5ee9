#include "tests/sim/agent_host.h"

#include <stdio.h>
#include <string.h>

#include "agent/streams/log_pump.h"
#include "agent/tunnel/spec_receiver.h"
#include "agent/tunnel/translate.h"
#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/link/streams.h"
#include "tests/sim/tunnel_end.h"

#define WANTS_BYTES ((uint64_t)1 << 30) /* more than there can be: see log_feed.c */

struct waiting {
    struct fl_attempt attempt;
    uint32_t replica;
};

struct host_seal {
    uint8_t at[64];
    size_t len;
};

struct agent_host {
    struct sim *sim;
    struct net *net;
    struct fake_runtime *runtime;
    const struct fake_client *blobs;
    struct agent_host_config config;
    uint64_t boot;
    struct host_seal seal;   /* the hub's newest, or an older one ... */
    struct host_seal stored; /* ... which outlives the process */
    bool is_seal_newest, is_seal_first;
    bool is_up;
    fl_ms paused_until;
    fl_ms clock_offset;
    int64_t drift_ppm;
    struct agent_core *core; /* NULL: no process */
    struct agent_batch batch;
    struct fl_mux *mux; /* NULL: no process */
    struct tunnel_end tunnel;
    struct fl_streams *streams;     /* NULL: no process */
    struct spec_receiver *specs;    /* the same */
    struct fl_stream *log_stream;   /* NULL: no tunnel */
    struct log_pump *pump;          /* NULL: no process */
    FL_VEC(struct waiting) waiting; /* replicas that found no place in it */
    bool is_told;                   /* the tunnel pulls until it is given nothing */
    uint64_t rewinds;               /* the pump's count when it was last read */
    struct fl_arena arena;          /* holds the message at hand */
    struct fl_arena out;            /* and the one that is sent */
    uint16_t protocol;              /* as the newest WELCOME chose */
    fl_ms wake_at;
    struct fl_attempt told; /* the newest end that was reported, in the life of this host */
    uint32_t told_replica;
    bool is_synced, has_adopted; /* this process's */
    bool is_busy;                /* so the core believes */
};

static void work(struct agent_host *agent);

/* The agent's clock: not the true time, not at the true pace, and never back. */
static fl_ms clock_now(const struct agent_host *agent)
{
    fl_ms now = agent->sim->now;

    return agent->clock_offset + now + now * agent->drift_ppm / 1000000;
}

static fl_ms true_time(const struct agent_host *agent, fl_ms clock)
{
    fl_ms in = clock - clock_now(agent);

    if (in <= 0) return agent->sim->now;
    return agent->sim->now + in - in * agent->drift_ppm / 1000000 + 1;
}

/* Standing still: events of now happen when it goes on. */
static bool is_paused(const struct agent_host *agent)
{
    return agent->sim->now < agent->paused_until;
}

/* ---- commands of the core -------------------------------------------------------------------- */

/* An end that was reported in an earlier session, and not acknowledged, is reported again. */
static void note_report(struct agent_host *agent, const struct agent_command *command)
{
    if (!fl_replica_state_is_last(command->report.state)) return;
    if (fl_attempt_is_same(agent->told, command->attempt) &&
        agent->told_replica == command->replica) {
        sim_mark(agent->sim, MARK_report_repeated);
    }
    agent->told = command->attempt;
    agent->told_replica = command->replica;
}

static void send_frame(struct agent_host *agent, const struct agent_command *command)
{
    struct fl_msg msg;

    if (command->kind == AGENT_CMD_replica && command->report.cause == AGENT_CAUSE_no_go) {
        sim_mark(agent->sim, MARK_gate_timed_out);
    }
    if (command->kind == AGENT_CMD_node) {
        sim_tell(agent->sim, "agent %llu: node %llu has %llu milli cpus, %llu MiB free, mark %llu",
                 agent->config.number, command->node.number, command->node.free.cpu_milli,
                 command->node.free.memory_bytes >> 20, command->node.mark);
    }
    if (command->kind == AGENT_CMD_replica) note_report(agent, command);
    if (agent_translate_out(command, agent->protocol, &agent->out, &msg)) {
        fl_mux_put(agent->mux, &msg);
    }
    fl_arena_reset(&agent->out);
}

static void step(struct agent_host *agent, struct agent_event *event)
{
    event->now = clock_now(agent);
    agent_core_step(agent->core, event, &agent->batch);
    for (size_t i = 0; i < agent->batch.commands.len; i++) {
        const struct agent_command *command = &agent->batch.commands.at[i];

        if (agent_command_is_frame(command->kind)) {
            send_frame(agent, command);
        } else {
            fake_runtime_do(agent->runtime, command);
        }
    }
    agent_batch_reset(&agent->batch);
}

/* ---- the link -------------------------------------------------------------------------------- */

enum { HELLO_LIE_PPM = 50000 };

static void send_hello(struct agent_host *agent)
{
    struct host_seal seal = agent->seal;
    struct fl_msg msg = {.kind = FL_MSG_hello};
    char uid[32];
    bool is_liar = agent->seal.len > 0 && sim_chance(agent->sim, HELLO_LIE_PPM);

    if (is_liar || !agent->is_seal_newest) fake_runtime_unsealed(agent->runtime);
    snprintf(uid, sizeof(uid), "uid-%u", agent->config.number);
    msg.hello = (struct fl_msg_hello){
        .protocol_min = FL_PROTOCOL_MIN,
        .protocol_max = agent->config.protocol_max,
        .boot = agent->boot,
        .cluster_uid = fl_str_c(uid),
        .version = FL_STR("sim"),
        .capabilities = FL_STR("[\"images\"]"),
    };
    if (is_liar) {
        seal.at[sim_between(agent->sim, 0, (int64_t)seal.len - 1)] ^= 0x40;
        sim_mark(agent->sim, MARK_seal_forged);
    }
    msg.hello.seal = (struct fl_str){(const char *)seal.at, seal.len};
    agent->is_seal_first = true;
    fl_mux_put(agent->mux, &msg);
}

static void drop_session(struct agent_host *agent)
{
    struct agent_event down = {.kind = AGENT_EV_session_down};

    agent->is_busy = false;
    step(agent, &down);
}

/* As much as the socket takes. */
static void flush(struct agent_host *agent)
{
    while (fl_link_is_connected(fl_mux_link(agent->mux)) && tunnel_end_has_room(&agent->tunnel) &&
           fl_mux_has_output(agent->mux)) {
        if (!fl_mux_write(agent->mux, clock_now(agent), &agent->tunnel.out)) return;
        tunnel_end_send(&agent->tunnel);
    }
}

static void leave(struct agent_host *agent)
{
    enum fl_link_why why = fl_mux_link(agent->mux)->why;

    if (why == FL_LINK_WHY_silent) sim_mark(agent->sim, MARK_tunnel_half_open);
    sim_tell(agent->sim, "agent %llu leaves its tunnel, why %llu", agent->config.number, why);
    tunnel_end_close(&agent->tunnel);
    fl_streams_end(agent->streams);
    drop_session(agent);
}

static void act(struct agent_host *agent, enum fl_link_answer answer)
{
    switch (answer) {
    case FL_LINK_DO_DIAL:
        tunnel_end_begin(&agent->tunnel,
                         net_dial(agent->net, agent->config.host,
                                  agent->config.choose_hub(agent->config.choose_hub_ctx)));
        break;
    case FL_LINK_DO_HELLO:
        send_hello(agent);
        break;
    case FL_LINK_DO_CLOSE:
        leave(agent);
        break;
    case FL_LINK_DO_WAIT:
    case FL_LINK_DO_BEGIN: /* the WELCOME itself is handled where it is read */
        break;
    default:
        fl_unreachable("the other answers are a hub's, or the multiplexer's");
    }
}

static void link_step(struct agent_host *agent, enum fl_link_event_kind kind)
{
    act(agent, fl_mux_step(agent->mux, kind, clock_now(agent)));
}

/* ---- input ----------------------------------------------------------------------------------- */

/* Fills in the resources of each replica, as the spec has them, unless it cannot be had. */
static void resolve(struct agent_host *agent, const struct fl_msg_start *msg,
                    struct agent_event *event)
{
    struct fl_resources *resources;
    struct fl_amounts *named;
    struct fl_err err = {0};
    struct shape shape;
    struct fl_str spec;

    if (!spec_receiver_find(agent->specs, msg->spec, &spec) ||
        sim_chance(agent->sim, agent->config.no_spec_ppm)) {
        return;
    }
    fl_assert(shape_decode(spec, &shape, &err));
    if (shape_replicas(&shape) != msg->nodes.len) return;
    fl_arena_reset(&agent->arena);
    resources = fl_arena_array(&agent->arena, struct fl_resources, msg->nodes.len);
    named = fl_arena_array(&agent->arena, struct fl_amounts, msg->nodes.len);
    for (uint32_t i = 0; i < msg->nodes.len; i++) {
        resources[i] = shape_role_of(&shape, i)->each;
        named[i] = sim_amounts_listed(&shape, shape_role_of(&shape, i), &agent->arena);
    }
    event->start.resources = resources;
    event->start.named = named;
}

static void tell(struct agent_host *agent, const struct agent_event *event)
{
    uint32_t number = agent->config.number;

    switch (event->kind) {
    case AGENT_EV_session_up:
        sim_tell(agent->sim, "agent %llu: session %llu, new %llu", number,
                 event->session_up.session_epoch, event->session_up.is_new_connection);
        break;
    case AGENT_EV_start:
        sim_tell(agent->sim, "agent %llu: START job %llu.%llu attempt %llu, seq %llu", number,
                 event->start.attempt.job.n, event->start.attempt.element, event->start.attempt.n,
                 event->start.control_seq);
        for (size_t i = 0; i < event->start.replicas_len && event->start.resources; i++) {
            sim_tell(agent->sim, "   replica %llu on node %llu: %llu milli cpus, %llu MiB", i,
                     event->start.nodes[i], event->start.resources[i].cpu_milli,
                     event->start.resources[i].memory_bytes >> 20);
        }
        break;
    case AGENT_EV_go:
        sim_tell(agent->sim, "agent %llu: GO job %llu.%llu attempt %llu", number,
                 event->go.attempt.job.n, event->go.attempt.element, event->go.attempt.n);
        break;
    case AGENT_EV_stop:
        sim_tell(agent->sim, "agent %llu: STOP job %llu.%llu attempt %llu", number,
                 event->stop.attempt.job.n, event->stop.attempt.element, event->stop.attempt.n);
        break;
    case AGENT_EV_ack:
        sim_tell(agent->sim, "agent %llu: ACK %llu", number, event->ack.report_seq);
        break;
    default:
        break;
    }
}

static void hear(struct agent_host *agent, const struct fl_msg *msg)
{
    struct agent_event event = {0};
    struct fl_err err = {0};

    if (msg->kind == FL_MSG_history) {
        agent->seal.len = msg->history.seal.len;
        memcpy(agent->seal.at, msg->history.seal.at, msg->history.seal.len);
        agent->is_seal_newest = true;
        fake_runtime_sealed(agent->runtime);
        if (agent->is_seal_first) agent->stored = agent->seal;
        agent->is_seal_first = false;
        return;
    }
    if (!agent_translate_in(msg, &event, &err)) return; /* ping, pong, bye: the link's */
    if (event.kind == AGENT_EV_start) resolve(agent, &msg->start, &event);
    tell(agent, &event);
    step(agent, &event);
}

void agent_host_opened(struct agent_host *agent, uint64_t connection)
{
    if (!agent->is_up || agent->tunnel.connection != connection) return;
    link_step(agent, FL_LINK_EV_opened);
    work(agent);
}

static void begin_session(struct agent_host *agent, const struct fl_msg *welcome)
{
    struct fl_err err = {0};

    spec_receiver_begin(agent->specs);
    fl_assert(
        fl_streams_open(agent->streams, FL_FRAME_LOG, clock_now(agent), &agent->log_stream, &err));
    agent->is_told = false;
    agent->protocol = welcome->welcome.protocol;
    log_pump_opened(agent->pump);
    hear(agent, welcome);
}

static void take_item(struct agent_host *agent, const struct fl_mux_item *item)
{
    switch (item->kind) {
    case FL_MUX_ANSWER:
        if (item->answer == FL_LINK_DO_BEGIN) {
            begin_session(agent, item->messages);
        } else {
            act(agent, item->answer);
        }
        break;
    case FL_MUX_MESSAGE:
        for (size_t i = 0; i < item->messages_len; i++) {
            hear(agent, &item->messages[i]);
        }
        break;
    case FL_MUX_DATA:
        fl_streams_take(agent->streams, item);
        tunnel_watch_consumed(&agent->tunnel.watch, item->stream, item->bytes.len);
        break;
    case FL_MUX_CLOSED:
        fl_streams_take(agent->streams, item);
        break;
    }
}

void agent_host_bytes(struct agent_host *agent, uint64_t connection, struct fl_str bytes)
{
    struct fl_mux_item item;
    struct fl_err err = {0};

    if (!agent->is_up || agent->tunnel.connection != connection) return;
    tunnel_watch_in(&agent->tunnel.watch, bytes);
    while (fl_mux_receive(agent->mux, &bytes, clock_now(agent), &item, &err)) {
        take_item(agent, &item);
    }
    if (err.code != FL_OK) {
        sim_broken(agent->sim, "I24", "a hub broke a rule, says agent %u: %s", agent->config.number,
                   err.text);
    }
    work(agent);
}

void agent_host_closed(struct agent_host *agent, uint64_t connection)
{
    if (!agent->is_up || agent->tunnel.connection != connection) return;
    link_step(agent, FL_LINK_EV_lost);
    work(agent);
}

/* ---- its loop -------------------------------------------------------------------------------- */

static void from_runtime(void *ctx, struct agent_event *event);

static void wake(void *ctx, uint64_t boot, uint64_t at)
{
    struct agent_host *agent = ctx;

    if (boot != agent->boot || !agent->is_up || agent->wake_at != (fl_ms)at) return;
    agent->wake_at = 0;
    work(agent);
}

static void plan_wake(struct agent_host *agent, fl_ms at)
{
    if (at < agent->paused_until) at = agent->paused_until;
    if (agent->wake_at > agent->sim->now && agent->wake_at <= at) return;
    agent->wake_at = at;
    sim_at(agent->sim, at, wake, agent, agent->boot, (uint64_t)at);
}

/* ---- its logs, as agent/streams/log_feed.c has it -------------------------------------------- */

static bool read_output(void *ctx, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                        size_t bytes_max, struct fl_buf *out, bool *ret_is_more, bool *ret_is_ended,
                        struct fl_err *err)
{
    struct agent_host *agent = ctx;
    struct runtime runtime = fake_runtime_port(agent->runtime);
    struct runtime_output output;

    if (!runtime.ops->read_output(runtime.self, attempt, replica, offset, bytes_max, out, &output,
                                  err)) {
        return false;
    }
    *ret_is_more = output.is_more;
    *ret_is_ended = output.is_ended;
    return true;
}

static void output_taken(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct agent_host *agent = ctx;
    struct runtime runtime = fake_runtime_port(agent->runtime);

    runtime.ops->output_taken(runtime.self, attempt, replica);
}

static void on_output(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct agent_host *agent = ctx;
    struct fl_err err = {0};

    if (!log_pump_notice(agent->pump, attempt, replica, &err)) {
        sim_mark(agent->sim, MARK_log_no_place);
        fl_vec_push(&agent->waiting, ((struct waiting){attempt, replica}));
    }
    work(agent);
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct agent_host *agent = ctx;

    return fl_streams_pull(agent->streams, stream, at, bytes_max);
}

static bool on_log_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "the agent opens the LOG stream");
}

static bool on_log_data(void *ctx, struct fl_stream *stream, struct fl_str bytes,
                        struct fl_err *err)
{
    struct agent_host *agent = ctx;

    if (!log_pump_take(agent->pump, bytes, err)) {
        sim_broken(agent->sim, "I24", "a hub sent agent %u a LOG frame that is none: %s",
                   agent->config.number, err->text);
    }
    fl_stream_consumed(stream, (uint32_t)bytes.len);
    return true;
}

static size_t on_log_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct agent_host *agent = ctx;
    size_t len = log_pump_pull(agent->pump, at, bytes_max);

    (void)stream;
    if (len == 0) agent->is_told = false;
    if (len == 0 && log_pump_wants(agent->pump)) sim_mark(agent->sim, MARK_log_credit_spent);
    return len;
}

static void on_log_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct agent_host *agent = ctx;
    struct fl_err err = {0};

    agent->log_stream = NULL;
    log_pump_closed(agent->pump);
    fl_fail(&err, code, "the LOG stream was closed: " FL_STR_FMT, FL_STR_ARG(text));
    fl_streams_fail(stream->streams, &err);
}

static void I11_sources_are_bounded(struct agent_host *agent, const struct log_pump_stats *stats)
{
    if (stats->sources <= agent->config.log_sources_max && stats->queued <= stats->sources) return;
    sim_broken(agent->sim, "I11", "agent %u sends the output of %u replicas", agent->config.number,
               stats->sources);
}

static void mind_logs(struct agent_host *agent)
{
    struct log_pump_stats stats;
    struct fl_err err = {0};

    while (agent->waiting.len > 0) {
        struct waiting next = agent->waiting.at[agent->waiting.len - 1];

        if (!log_pump_notice(agent->pump, next.attempt, next.replica, &err)) break;
        agent->waiting.len--;
    }
    stats = log_pump_stats(agent->pump);
    I11_sources_are_bounded(agent, &stats);
    if (stats.rewinds > agent->rewinds) sim_mark(agent->sim, MARK_log_set_back);
    agent->rewinds = stats.rewinds;
    if (!agent->log_stream || agent->is_told || log_pump_wants(agent->pump) == 0) return;
    agent->is_told = true;
    fl_stream_wants(agent->log_stream, WANTS_BYTES);
}

/* Control that waits, and bytes that came and were not taken: the watch's count and the
 * multiplexer's. */
static void I11_what_waits_is_bounded(struct agent_host *agent)
{
    size_t control = fl_mux_control_bytes(agent->mux);
    uint64_t held = fl_mux_held_bytes(agent->mux);

    if (control > agent->config.flow.control_bytes_max + FL_FRAME_PAYLOAD_MAX) {
        sim_broken(agent->sim, "I11", "%zu bytes of control wait at agent %u", control,
                   agent->config.number);
    }
    if (agent->tunnel.connection && held != tunnel_watch_held(&agent->tunnel.watch)) {
        sim_broken(agent->sim, "I11", "agent %u holds %llu bytes, and %llu came and were not taken",
                   agent->config.number, (unsigned long long)held,
                   (unsigned long long)tunnel_watch_held(&agent->tunnel.watch));
    }
}

/* The end of every turn: deadlines, then what is to be sent, then when to look again. */
/* Tells the core whether its tunnel takes more. */
static void mind_busy(struct agent_host *agent)
{
    size_t bytes = fl_mux_control_bytes(agent->mux);
    uint32_t max = agent->config.busy_bytes;
    struct agent_core_stats stats = agent_core_stats(agent->core);
    struct agent_event busy = {.kind = AGENT_EV_busy};

    if (stats.is_session_up && agent->is_synced && !stats.is_listed) {
        sim_mark(agent->sim, MARK_inventory_in_pages);
    }
    busy.busy.is_on =
        fl_mux_link(agent->mux)->state == FL_LINK_UP && bytes > (agent->is_busy ? max / 2 : max);
    if (busy.busy.is_on == agent->is_busy) return;
    agent->is_busy = busy.busy.is_on;
    if (agent->is_busy) sim_mark(agent->sim, MARK_tunnel_busy);
    step(agent, &busy);
}

static void work(struct agent_host *agent)
{
    struct agent_event tick = {.kind = AGENT_EV_tick};
    fl_ms due;

    if (!agent->is_up) return;
    if (is_paused(agent)) {
        plan_wake(agent, agent->paused_until + 1);
        return;
    }
    for (int i = 0; i < 4 && clock_now(agent) >= fl_mux_deadline(agent->mux); i++) {
        link_step(agent, FL_LINK_EV_tick);
    }
    if (agent_core_next_deadline(agent->core) <= clock_now(agent)) step(agent, &tick);
    mind_logs(agent);
    mind_busy(agent);
    flush(agent);
    mind_busy(agent);
    I11_what_waits_is_bounded(agent);
    due = agent_core_next_deadline(agent->core);
    if (fl_mux_deadline(agent->mux) < due) due = fl_mux_deadline(agent->mux);
    if (agent->tunnel.connection && fl_mux_has_output(agent->mux) &&
        clock_now(agent) + TUNNEL_CHOKED_MS < due) {
        due = clock_now(agent) + TUNNEL_CHOKED_MS;
    }
    if (due != INT64_MAX) plan_wake(agent, true_time(agent, due));
}

static void from_runtime(void *ctx, struct agent_event *event)
{
    struct agent_host *agent = ctx;

    if (event->kind == AGENT_EV_replica_seen && !agent->is_synced) {
        agent->has_adopted |= event->replica_seen.state == FL_REPLICA_running;
    }
    if (event->kind == AGENT_EV_synced) {
        agent->is_synced = true;
        if (fl_mux_link(agent->mux)->state == FL_LINK_UP) sim_mark(agent->sim, MARK_synced_late);
        sim_tell(agent->sim, "agent %llu knows what runs", agent->config.number);
        if (agent->has_adopted) sim_mark(agent->sim, MARK_agent_crash_adopted);
    }
    if (event->kind == AGENT_EV_replica_gone) {
        log_pump_drop(agent->pump, event->replica_gone.attempt, event->replica_gone.replica);
    }
    step(agent, event);
    work(agent);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct agent_host *agent_host_create(struct sim *sim, struct net *net, struct fake_runtime *runtime,
                                     const struct fake_client *blobs,
                                     const struct agent_host_config *config)
{
    struct agent_host *agent = fl_new(struct agent_host);

    agent->sim = sim;
    agent->net = net;
    agent->runtime = runtime;
    agent->blobs = blobs;
    agent->config = *config;
    tunnel_end_init(&agent->tunnel, sim, net, NET_AGENT, &agent->config.flow);
    return agent;
}

/* Frees what it held in memory. */
static void drop_process(struct agent_host *agent)
{
    agent->tunnel.connection = 0;
    agent_core_destroy(agent->core);
    agent->core = NULL;
    if (agent->streams) fl_streams_end(agent->streams);
    fl_streams_destroy(agent->streams);
    agent->streams = NULL;
    spec_receiver_destroy(agent->specs);
    agent->specs = NULL;
    fl_mux_destroy(agent->mux);
    agent->mux = NULL;
    log_pump_destroy(agent->pump);
    agent->pump = NULL;
    fl_vec_clear(&agent->waiting);
}

void agent_host_destroy(struct agent_host *agent)
{
    if (!agent) return;
    drop_process(agent);
    agent_batch_fini(&agent->batch);
    tunnel_end_fini(&agent->tunnel);
    fl_arena_fini(&agent->arena);
    fl_arena_fini(&agent->out);
    fl_vec_fini(&agent->waiting);
    fl_free(agent);
}

/* A document must be what its digest says. */
static bool is_right(void *ctx, struct fl_digest digest, struct fl_str document)
{
    struct agent_host *agent = ctx;

    if (!fl_str_eq(document, fake_client_spec(agent->blobs, digest))) {
        sim_broken(agent->sim, "I24", "agent %u got a document that is not its digest's",
                   agent->config.number);
    }
    sim_mark(agent->sim, MARK_spec_sent);
    return true;
}

/* Output is written at the end of each turn anyway. */
static void on_changed(void *ctx)
{
    (void)ctx;
}

static void on_fail(void *ctx, const struct fl_err *err)
{
    struct agent_host *agent = ctx;

    if (err->code == FL_INVALID || err->code == FL_TOO_LARGE) {
        sim_broken(agent->sim, "I24", "a hub broke a rule of streams, says agent %u: %s",
                   agent->config.number, err->text);
    }
    link_step(agent, FL_LINK_EV_broken);
}

static void make_streams(struct agent_host *agent)
{
    struct fl_streams_owner owner = {agent, on_changed, on_fail};
    struct spec_receiver_port specs = {agent, is_right};
    struct fl_stream_kind kinds[2];

    agent->specs = spec_receiver_create(&specs);
    kinds[0] = spec_receiver_stream(agent->specs);
    kinds[1] = (struct fl_stream_kind){FL_FRAME_LOG, 1,           agent,       on_log_open,
                                       on_log_data,  on_log_pull, on_log_close};
    agent->streams = fl_streams_create(agent->mux, &owner);
    fl_streams_add(agent->streams, kinds, 2);
}

void agent_host_start(struct agent_host *agent)
{
    struct log_pump_port pump = {agent, read_output, output_taken};
    struct runtime_listener listener = {agent, from_runtime, on_output};
    struct fl_mux_config mux;

    if (agent->is_up) return;
    sim_tell(agent->sim, "agent %llu starts", agent->config.number);
    agent->boot++;
    agent->is_up = true;
    agent->wake_at = 0;
    agent->is_synced = agent->has_adopted = false;
    agent->paused_until = 0;
    agent->clock_offset = sim_between(agent->sim, 0, 1000000000);
    agent->drift_ppm = sim_between(agent->sim, -10000, 10000);
    agent->core = agent_core_create(&agent->config.core);
    mux = (struct fl_mux_config){.side = FL_LINK_AGENT,
                                 .flow = agent->config.flow,
                                 .seed = fl_prng_u64(&agent->sim->prng),
                                 .ctx = agent,
                                 .pull = pull};
    agent->mux = fl_mux_create(&mux, clock_now(agent));
    make_streams(agent);
    agent->pump = log_pump_create(&pump, agent->config.log_sources_max);
    agent->rewinds = 0;
    fake_runtime_attach(agent->runtime, &listener);
    work(agent);
}

void agent_host_kill(struct agent_host *agent, bool is_silent)
{
    if (!agent->is_up) return;
    sim_tell(agent->sim, "agent %llu is killed, silently %llu", agent->config.number, is_silent);
    agent->is_up = false;
    net_host_gone(agent->net, NET_AGENT, agent->config.host, is_silent);
    fake_runtime_detach(agent->runtime, sim_chance(agent->sim, 500000));
    drop_process(agent);
    agent->seal = agent->stored;
    agent->is_seal_newest = false;
}

void agent_host_pause(struct agent_host *agent, fl_ms until)
{
    if (!agent->is_up) return;
    sim_tell(agent->sim, "agent %llu stands still until %llu", agent->config.number, until);
    agent->paused_until = until;
    net_pause_host(agent->net, NET_AGENT, agent->config.host, until);
    fake_runtime_pause(agent->runtime, until);
    plan_wake(agent, until + 1); /* the socket is read before a clock is believed */
}

void agent_host_step_clock(struct agent_host *agent, fl_ms by)
{
    agent->clock_offset += by;
    if (agent->is_up) plan_wake(agent, agent->sim->now);
}

bool agent_host_is_up(const struct agent_host *agent)
{
    return agent->is_up;
}

void agent_host_check(struct agent_host *agent)
{
    if (agent->core) agent_core_check(agent->core);
}

void agent_host_heal(struct agent_host *agent)
{
    agent->config.no_spec_ppm = 0;
}

/* ---- lies ------------------------------------------------------------------------------------ */

void agent_host_lie(struct agent_host *agent, enum agent_lie lie, struct fl_attempt foreign,
                    int32_t exit_code)
{
    struct fl_msg msg = {0};
    char noise[64];

    if (!agent->is_up || fl_mux_link(agent->mux)->state != FL_LINK_UP || is_paused(agent)) return;
    sim_fault(agent->sim, FAULT_agent_evil);
    sim_tell(agent->sim, "agent %llu lies, way %llu, about job %llu", agent->config.number, lie,
             foreign.job.n);
    switch (lie) {
    case AGENT_LIE_FOREIGN:
        msg.kind = FL_MSG_replica;
        msg.replica =
            (struct fl_msg_replica){UINT64_MAX / 2, foreign, 0, FL_REPLICA_exited, exit_code, 0, 0};
        fl_mux_put(agent->mux, &msg);
        break;
    case AGENT_LIE_INVENTORY:
        msg.kind = FL_MSG_inventory_item;
        msg.inventory_item =
            (struct fl_msg_inventory_item){foreign, 0, FL_REPLICA_running, exit_code, 0, 0};
        fl_mux_put(agent->mux, &msg);
        break;
    case AGENT_LIE_GARBAGE:
        for (size_t i = 0; i < sizeof(noise); i++) {
            noise[i] = (char)sim_between(agent->sim, 0, 255);
        }
        flush(agent);
        net_send(agent->net, NET_AGENT, agent->tunnel.connection,
                 (struct fl_str){noise, sizeof(noise)});
        break;
    case AGENT_LIE_KINDS:
        break;
    }
    flush(agent);
    /* Having lied in it, it can do no more good in this session. */
    link_step(agent, FL_LINK_EV_lost);
    work(agent);
}
