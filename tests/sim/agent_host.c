#include "tests/sim/agent_host.h"

#include <string.h>

#include "agent/tunnel/translate.h"
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
    bool is_up;
    fl_ms paused_until;
    fl_ms clock_offset;
    int64_t drift_ppm;
    struct agent_core *core; /* NULL: no process */
    struct agent_batch batch;
    struct tunnel_end tunnel;
    fl_ms wake_at;
    struct fl_attempt told; /* the newest end that was reported, in the life of this host */
    uint32_t told_replica;
    bool is_synced, has_adopted; /* of this process */
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

/* An end that was told in an earlier session, and not acknowledged, is told again. */
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
    agent_translate_out(command, &msg);
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
    case FL_LINK_DO_HELLO:
        send_hello(agent);
        break;
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
    default:
        fl_unreachable("the other answers are a hub's");
    }
}

static void link_step(struct agent_host *agent, struct fl_link_event ev)
{
    ev.now = clock_now(agent);
    act(agent, fl_link_step(&agent->tunnel.link, ev));
}

/* --- what comes in --------------------------------------------------------------------------- */

/* The resources of each replica, as the spec has them; NULL: it could not be had. */
static const struct fl_resources *resolve(struct agent_host *agent, const struct fl_msg_start *msg)
{
    struct fl_str spec = fake_client_spec(agent->blobs, msg->spec);
    struct fl_resources *resources;
    struct fl_err err = {0};
    struct shape shape;

    if (!spec.at || sim_chance(agent->sim, agent->config.no_spec_ppm)) return NULL;
    fl_assert(shape_decode(spec, &shape, &err));
    if (shape_replicas(&shape) != msg->nodes.len) return NULL;
    resources = fl_arena_array(&agent->tunnel.arena, struct fl_resources, msg->nodes.len);
    for (uint32_t i = 0; i < msg->nodes.len; i++)
        resources[i] = shape_role_of(&shape, i)->each;
    return resources;
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

    if (!agent_translate_in(msg, &event, &err)) return; /* ping, pong, bye: the link's */
    if (event.kind == AGENT_EV_start) event.start.resources = resolve(agent, &msg->start);
    tell(agent, &event);
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

    if (!agent->is_up) return;
    if (is_paused(agent)) {
        plan_wake(agent, agent->paused_until + 1);
        return;
    }
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

    if (event->kind == AGENT_EV_replica_seen && !agent->is_synced) {
        agent->has_adopted |= event->replica_seen.state == FL_REPLICA_running;
    }
    if (event->kind == AGENT_EV_synced) {
        agent->is_synced = true;
        sim_tell(agent->sim, "agent %llu knows what runs", agent->config.number);
        if (agent->has_adopted) sim_mark(agent->sim, MARK_agent_crash_adopted);
    }
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
    agent->is_synced = agent->has_adopted = false;
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
        msg.replica =
            (struct fl_msg_replica){UINT64_MAX / 2, foreign, 0, FL_REPLICA_exited, exit_code, 0, 0};
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
    case AGENT_LIE_KINDS:
        break;
    }
    tunnel_end_flush(&agent->tunnel);
    /* Having lied in it, it can do no more good in this session. */
    link_step(agent, (struct fl_link_event){.kind = FL_LINK_EV_lost});
    work(agent);
}
