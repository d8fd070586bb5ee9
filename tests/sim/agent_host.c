#include "tests/sim/agent_host.h"

#include <string.h>

#include "controlplane/core/shape.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "tests/sim/tunnel_end.h"

struct agent_host {
    struct sim *sim;
    struct net *net;
    struct fake_runtime *runtime;
    const struct fake_client *blobs;
    struct agent_host_config config;
    uint64_t boot;
    bool is_up, was_killed;
    fl_ms paused_until;
    fl_ms clock_offset;
    int64_t drift_ppm;
    struct agent_core *core; /* NULL: no process */
    struct agent_batch batch;
    struct tunnel_end tunnel;
    fl_ms wake_at;
    uint32_t adopted; /* replicas that were there when this process began */
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

/* Standing still: what would happen now happens when it goes on. */
static bool is_paused(const struct agent_host *agent)
{
    return agent->sim->now < agent->paused_until;
}

/* --- what the core wants --------------------------------------------------------------------- */

static void send_frame(struct agent_host *agent, const struct agent_command *command)
{
    struct fl_msg msg = {0};

    switch (command->kind) {
    case AGENT_CMD_inventory_item:
        msg.kind = FL_MSG_inventory_item;
        msg.inventory_item = (struct fl_msg_inventory_item){
            command->attempt, command->replica, command->report.state, command->report.exit_code,
            command->report.output_bytes};
        break;
    case AGENT_CMD_inventory_end:
        msg.kind = FL_MSG_inventory_end;
        msg.inventory_end = (struct fl_msg_inventory_end){command->inventory_end.count,
                                                          command->inventory_end.digest};
        break;
    case AGENT_CMD_replica:
        msg.kind = FL_MSG_replica;
        msg.replica = (struct fl_msg_replica){
            command->report.report_seq, command->attempt,          command->replica,
            command->report.state,      command->report.exit_code, (uint16_t)command->report.cause,
            command->report.output_bytes};
        if (command->report.cause == AGENT_CAUSE_no_go) sim_mark(agent->sim, MARK_gate_timed_out);
        break;
    case AGENT_CMD_node:
        msg.kind = FL_MSG_node;
        msg.node = (struct fl_msg_node){command->node.report_seq, command->node.mark,
                                        command->node.number,     command->node.is_ready,
                                        command->node.total,      command->node.free,
                                        command->node.name,       command->node.labels};
        break;
    default: fl_unreachable("the rest is for the runtime");
    }
    tunnel_end_put(&agent->tunnel, &msg);
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

/* --- the link -------------------------------------------------------------------------------- */

static void send_hello(struct agent_host *agent)
{
    struct agent_core_highest highest = agent_core_highest(agent->core);
    struct fl_msg msg = {.kind = FL_MSG_hello};
    char uid[32];

    snprintf(uid, sizeof(uid), "uid-%u", agent->config.number);
    msg.hello = (struct fl_msg_hello){
        .protocol_min = FL_PROTOCOL_MIN,
        .protocol_max = FL_PROTOCOL_MAX,
        .boot = agent->boot,
        .incarnation_highest = highest.incarnation,
        .job_highest = highest.job,
        .cluster_uid = fl_str_c(uid),
        .version = FL_STR("sim"),
        .capabilities = FL_STR("[\"images\"]"),
    };
    tunnel_end_put(&agent->tunnel, &msg);
}

static void drop_session(struct agent_host *agent)
{
    struct agent_event down = {.kind = AGENT_EV_session_down};

    step(agent, &down);
}

static void act(struct agent_host *agent, enum fl_link_answer answer)
{
    struct fl_msg msg = {0};

    switch (answer) {
    case FL_LINK_DO_DIAL:
        tunnel_end_begin(&agent->tunnel,
                         net_dial(agent->net, agent->config.host,
                                  agent->config.choose_hub(agent->config.choose_hub_ctx)));
        break;
    case FL_LINK_DO_HELLO: send_hello(agent); break;
    case FL_LINK_DO_PING:
        msg.kind = FL_MSG_ping;
        msg.ping.nonce = agent->tunnel.link.ping_nonce;
        tunnel_end_put(&agent->tunnel, &msg);
        break;
    case FL_LINK_DO_PONG:
        msg.kind = FL_MSG_pong;
        msg.pong.nonce = agent->tunnel.link.pong_nonce;
        tunnel_end_put(&agent->tunnel, &msg);
        break;
    case FL_LINK_DO_CLOSE:
        if (agent->tunnel.link.why == FL_LINK_WHY_silent) {
            sim_mark(agent->sim, MARK_tunnel_half_open);
        }
        sim_tell(agent->sim, "agent %llu leaves its tunnel, why %llu", agent->config.number,
                 agent->tunnel.link.why);
        tunnel_end_close(&agent->tunnel);
        drop_session(agent);
        break;
    case FL_LINK_DO_WAIT:
    case FL_LINK_DO_BEGIN: /* the WELCOME itself is handled where it is read */
        break;
    default: fl_unreachable("the other answers are a hub's");
    }
}

static void link_step(struct agent_host *agent, struct fl_link_event ev)
{
    ev.now = clock_now(agent);
    act(agent, fl_link_step(&agent->tunnel.link, ev));
}

/* --- what comes in --------------------------------------------------------------------------- */

static void start(struct agent_host *agent, const struct fl_msg_start *msg)
{
    struct agent_event event = {.kind = AGENT_EV_start};
    struct fl_str spec = fake_client_spec(agent->blobs, msg->spec);
    struct fl_resources *resources = NULL;
    struct fl_err err = {0};
    struct shape shape;

    if (spec.at && !sim_chance(agent->sim, agent->config.no_spec_ppm)) {
        fl_assert(shape_decode(spec, &shape, &err));
        if (shape_replicas(&shape) == msg->nodes.len) {
            resources = fl_arena_array(&agent->tunnel.arena, struct fl_resources, msg->nodes.len);
            for (uint32_t i = 0; i < msg->nodes.len; i++) {
                resources[i] = shape_role_of(&shape, i)->each;
            }
        }
    }
    event.start.control_seq = msg->control_seq;
    event.start.attempt = msg->attempt;
    event.start.spec = msg->spec;
    event.start.nodes = msg->nodes.at;
    event.start.resources = resources;
    event.start.replicas_len = msg->nodes.len;
    step(agent, &event);
}

static void hear(struct agent_host *agent, const struct fl_msg *msg)
{
    struct agent_event event = {0};

    switch (msg->kind) {
    case FL_MSG_welcome:
    case FL_MSG_resync:
        event.kind = AGENT_EV_session_up;
        event.session_up.is_new_connection = msg->kind == FL_MSG_welcome;
        event.session_up.session_epoch = event.session_up.is_new_connection
                                             ? msg->welcome.session_epoch
                                             : msg->resync.session_epoch;
        event.session_up.incarnation = event.session_up.is_new_connection
                                           ? msg->welcome.incarnation
                                           : msg->resync.incarnation;
        sim_tell(agent->sim, "agent %llu: session %llu, resync %llu", agent->config.number,
                 event.session_up.session_epoch, !event.session_up.is_new_connection);
        break;
    case FL_MSG_start:
        sim_tell(agent->sim, "agent %llu: START job %llu.%llu attempt %llu", agent->config.number,
                 msg->start.attempt.job.n, msg->start.attempt.element, msg->start.attempt.n);
        start(agent, &msg->start);
        return;
    case FL_MSG_go:
        sim_tell(agent->sim, "agent %llu: GO job %llu.%llu attempt %llu", agent->config.number,
                 msg->go.attempt.job.n, msg->go.attempt.element, msg->go.attempt.n);
        event.kind = AGENT_EV_go;
        event.go.control_seq = msg->go.control_seq;
        event.go.attempt = msg->go.attempt;
        break;
    case FL_MSG_stop:
        sim_tell(agent->sim, "agent %llu: STOP job %llu.%llu attempt %llu reason %llu",
                 agent->config.number, msg->stop.attempt.job.n, msg->stop.attempt.element,
                 msg->stop.attempt.n, msg->stop.reason);
        event.kind = AGENT_EV_stop;
        event.stop.control_seq = msg->stop.control_seq;
        event.stop.attempt = msg->stop.attempt;
        event.stop.grace_ms = msg->stop.grace_ms;
        break;
    case FL_MSG_ack:
        event.kind = AGENT_EV_ack;
        event.ack.report_seq = msg->ack.report_seq;
        break;
    default: return; /* ping, pong, bye: the link's */
    }
    step(agent, &event);
}

void agent_host_opened(struct agent_host *agent, uint64_t connection)
{
    if (!agent->is_up || agent->tunnel.connection != connection) return;
    link_step(agent, (struct fl_link_event){.kind = FL_LINK_EV_opened});
    work(agent);
}

void agent_host_bytes(struct agent_host *agent, uint64_t connection, struct fl_str bytes)
{
    struct tunnel_messages messages;
    bool is_broken;

    if (!agent->is_up || agent->tunnel.connection != connection) return;
    link_step(agent, (struct fl_link_event){.kind = FL_LINK_EV_bytes});
    while (agent->tunnel.connection == connection &&
           tunnel_end_receive(&agent->tunnel, &bytes, &messages, &is_broken)) {
        for (size_t i = 0; i < messages.len && agent->tunnel.connection == connection; i++) {
            link_step(agent, tunnel_end_event(&messages.at[i], 0));
            if (agent->tunnel.connection == connection) hear(agent, &messages.at[i]);
        }
    }
    if (agent->tunnel.connection == connection && is_broken) {
        sim_broken(agent->sim, "I24", "a hub sent agent %u what is no frame", agent->config.number);
    }
    work(agent);
}

void agent_host_closed(struct agent_host *agent, uint64_t connection)
{
    if (!agent->is_up || agent->tunnel.connection != connection) return;
    link_step(agent, (struct fl_link_event){.kind = FL_LINK_EV_lost});
    work(agent);
}

/* --- its loop -------------------------------------------------------------------------------- */

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

/* The end of every turn: deadlines, then what is to be sent, then when to look again. */
static void work(struct agent_host *agent)
{
    struct agent_event tick = {.kind = AGENT_EV_tick};
    fl_ms due;

    if (!agent->is_up || is_paused(agent)) return;
    for (int i = 0; i < 4 && clock_now(agent) >= agent->tunnel.link.deadline; i++) {
        link_step(agent, (struct fl_link_event){.kind = FL_LINK_EV_tick});
    }
    if (agent_core_next_deadline(agent->core) <= clock_now(agent)) step(agent, &tick);
    tunnel_end_flush(&agent->tunnel);
    due = agent_core_next_deadline(agent->core);
    if (agent->tunnel.link.deadline < due) due = agent->tunnel.link.deadline;
    if (due != INT64_MAX) plan_wake(agent, true_time(agent, due));
}

static void from_runtime(void *ctx, struct agent_event *event)
{
    struct agent_host *agent = ctx;

    if (event->kind == AGENT_EV_synced && agent->was_killed && agent->adopted) {
        sim_mark(agent->sim, MARK_agent_crash_adopted);
    }
    if (event->kind == AGENT_EV_replica_seen && !agent->wake_at) agent->adopted++;
    step(agent, event);
    work(agent);
}

/* --- life ------------------------------------------------------------------------------------ */

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
    tunnel_end_init(&agent->tunnel, net, NET_AGENT);
    return agent;
}

void agent_host_destroy(struct agent_host *agent)
{
    if (!agent) return;
    agent_core_destroy(agent->core);
    agent_batch_fini(&agent->batch);
    tunnel_end_fini(&agent->tunnel);
    fl_free(agent);
}

void agent_host_start(struct agent_host *agent)
{
    if (agent->is_up) return;
    sim_tell(agent->sim, "agent %llu starts", agent->config.number);
    agent->boot++;
    agent->is_up = true;
    agent->wake_at = 0;
    agent->adopted = 0;
    agent->paused_until = 0;
    agent->clock_offset = sim_between(agent->sim, 0, 1000000000);
    agent->drift_ppm = sim_between(agent->sim, -10000, 10000);
    agent->core = agent_core_create(&agent->config.core);
    fl_link_init_agent(&agent->tunnel.link, fl_prng_u64(&agent->sim->prng), clock_now(agent));
    fake_runtime_attach(agent->runtime, from_runtime, agent);
    work(agent);
}

void agent_host_kill(struct agent_host *agent, bool is_silent)
{
    if (!agent->is_up) return;
    sim_tell(agent->sim, "agent %llu is killed, silently %llu", agent->config.number, is_silent);
    agent->is_up = false;
    agent->was_killed = true;
    net_host_gone(agent->net, NET_AGENT, agent->config.host, is_silent);
    agent->tunnel.connection = 0;
    fake_runtime_detach(agent->runtime, sim_chance(agent->sim, 500000));
    agent_core_destroy(agent->core);
    agent->core = NULL;
}

void agent_host_pause(struct agent_host *agent, fl_ms until)
{
    if (!agent->is_up) return;
    sim_tell(agent->sim, "agent %llu stands still until %llu", agent->config.number, until);
    agent->paused_until = until;
    net_pause_host(agent->net, NET_AGENT, agent->config.host, until);
    fake_runtime_pause(agent->runtime, until);
    plan_wake(agent, until);
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

/* --- lies ------------------------------------------------------------------------------------ */

void agent_host_lie(struct agent_host *agent, enum agent_lie lie, struct fl_attempt foreign,
                    int32_t exit_code)
{
    struct fl_msg msg = {0};
    char noise[64];

    if (!agent->is_up || agent->tunnel.link.state != FL_LINK_UP || is_paused(agent)) return;
    sim_fault(agent->sim, FAULT_agent_evil);
    sim_tell(agent->sim, "agent %llu lies, way %llu, about job %llu", agent->config.number, lie,
             foreign.job.n);
    switch (lie) {
    case AGENT_LIE_FOREIGN:
        msg.kind = FL_MSG_replica;
        msg.replica = (struct fl_msg_replica){
            UINT64_MAX / 2, foreign, 0, FL_REPLICA_exited, exit_code, 0, 0};
        tunnel_end_put(&agent->tunnel, &msg);
        break;
    case AGENT_LIE_INVENTORY:
        msg.kind = FL_MSG_inventory_item;
        msg.inventory_item =
            (struct fl_msg_inventory_item){foreign, 0, FL_REPLICA_running, exit_code, 0};
        tunnel_end_put(&agent->tunnel, &msg);
        break;
    case AGENT_LIE_GARBAGE:
        for (size_t i = 0; i < sizeof(noise); i++) {
            noise[i] = (char)sim_between(agent->sim, 0, 255);
        }
        tunnel_end_flush(&agent->tunnel);
        net_send(agent->net, NET_AGENT, agent->tunnel.connection,
                 (struct fl_str){noise, sizeof(noise)});
        break;
    case AGENT_LIE_KINDS: break;
    }
    tunnel_end_flush(&agent->tunnel);
    /* Having lied in it, it can do no more good in this session. */
    link_step(agent, (struct fl_link_event){.kind = FL_LINK_EV_lost});
    work(agent);
}
