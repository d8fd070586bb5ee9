#include "agent/agent.h"

#include "agent/engine/engine.h"
#include "agent/streams/log_feed.h"
#include "agent/streams/visit_streams.h"
#include "agent/tunnel/dialer.h"
#include "agent/tunnel/history_seal.h"
#include "agent/tunnel/translate.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"
#include "shared/io/notify.h"
#include "shared/tls/random.h"

struct agent {
    struct fl_loop *loop;
    struct runtime runtime;
    const char *cluster_uid;
    struct fl_notify *notify;
    void *refused_ctx;
    void (*refused)(void *ctx, const char *why);
    struct fl_arena arena; /* holds one message on its way out */
    uint16_t protocol;     /* as the newest WELCOME chose */
    uint64_t boot; /* random; HELLO has it: it tells this process from other agents' processes */
    struct history_seal seal;
    struct log_feed *feed;
    struct visit_streams *visits;
    struct agent_engine *engine;
    struct agent_dialer *dialer; /* NULL: not yet, or no longer */
};

/* ---- from the tunnel ------------------------------------------------------------------------- */

static void on_hello(void *ctx, struct fl_msg_hello *ret_hello)
{
    struct agent *agent = ctx;

    ret_hello->boot = agent->boot;
    ret_hello->cluster_uid = fl_str_c(agent->cluster_uid);
    ret_hello->seal = history_seal_bytes(&agent->seal);
    ret_hello->capabilities =
        agent->runtime.ops->has_images ? FL_STR("[\"images\"]") : FL_STR("[]");
}

static void on_opened(void *ctx, struct fl_streams *streams)
{
    struct agent *agent = ctx;

    fl_log(FL_LOG_INFO, "agent", "connected");
    fl_notify_status(agent->notify, "connected");
    history_seal_connected(&agent->seal);
    log_feed_begin(agent->feed, streams);
}

static void on_message(void *ctx, const struct fl_msg *msg, struct fl_str spec)
{
    struct agent *agent = ctx;
    struct agent_event event;
    struct fl_err err = {0};
    struct fl_str params = msg->kind == FL_MSG_start ? msg->start.params : (struct fl_str){0};

    if (msg->kind == FL_MSG_history) {
        history_seal_hear(&agent->seal, msg->history.seal, fl_loop_now(agent->loop));
        return;
    }
    if (msg->kind == FL_MSG_welcome) agent->protocol = msg->welcome.protocol;
    if (agent_translate_in(msg, &event, &err)) {
        agent_engine_hear(agent->engine, &event, spec, params);
    }
}

static void on_closed(void *ctx, const char *why)
{
    struct agent *agent = ctx;

    fl_log(FL_LOG_WARN, "agent", "disconnected", FL_LOG_S("why", why));
    fl_notify_status(agent->notify, "not connected; jobs go on");
    agent_engine_session_down(agent->engine);
}

static void on_refused(void *ctx, const char *why)
{
    struct agent *agent = ctx;

    fl_log(FL_LOG_WARN, "agent", "refused", FL_LOG_S("why", why));
    fl_notify_status(agent->notify, "refused by the control plane; jobs go on");
    if (agent->refused) agent->refused(agent->refused_ctx, why);
}

static void on_busy(void *ctx, bool is_on)
{
    struct agent *agent = ctx;

    agent_engine_busy(agent->engine, is_on);
}

/* ---- from the engine ------------------------------------------------------------------------- */

static void on_send(void *ctx, const struct agent_command *command)
{
    struct agent *agent = ctx;
    struct fl_msg msg;

    if (agent_translate_out(command, agent->protocol, &agent->arena, &msg) && agent->dialer) {
        agent_dialer_put(agent->dialer, &msg);
    }
    fl_arena_reset(&agent->arena);
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool dial(struct agent *agent, struct fl_loop *loop, const struct agent_setup *config,
                 struct fl_err *err)
{
    /* The table of streams.  The tunnel adds BLOB, which carries the documents of jobs, itself. */
    struct fl_stream_kind streams[] = {
        log_feed_stream(agent->feed),
        visit_streams_exec(agent->visits),
        visit_streams_forward(agent->visits),
    };
    struct agent_dialer_ports ports = {
        .ctx = agent,
        .hello = on_hello,
        .opened = on_opened,
        .message = on_message,
        .closed = on_closed,
        .busy = on_busy,
        .refused = on_refused,
    };
    struct agent_dialer_config tunnel = {
        .hub = config->hub,
        .server_name = config->server_name,
        .store = config->store,
        .proxy = config->proxy,
        .no_proxy = config->no_proxy,
        .seed = fl_random_u64(),
        .streams = streams,
        .streams_len = sizeof streams / sizeof *streams,
    };

    agent->dialer = agent_dialer_create(loop, &tunnel, &ports, err);
    return agent->dialer != NULL;
}

bool agent_create(struct fl_loop *loop, const struct agent_setup *config, struct runtime runtime,
                  struct agent **ret_agent, struct fl_err *err)
{
    struct agent_core_config core = agent_core_config_default();
    struct agent *agent = fl_new(struct agent);
    struct agent_engine_ports ports = {.ctx = agent, .send = on_send};

    agent->loop = loop;
    agent->runtime = runtime;
    agent->cluster_uid = config->cluster_uid;
    agent->notify = config->notify;
    agent->refused_ctx = config->ctx;
    agent->refused = config->refused;
    agent->boot = fl_random_u64();
    history_seal_load(&agent->seal, config->store);
    agent->feed = log_feed_create(loop, runtime);
    agent->visits = visit_streams_create(loop, runtime);
    ports.output = log_feed_listener(agent->feed);
    agent->engine = agent_engine_create(loop, &core, runtime, &ports);
    agent_engine_begin(agent->engine);
    if (!dial(agent, loop, config, err)) {
        agent_destroy(agent);
        return fl_err_wrap(err, "tunnel");
    }
    *ret_agent = agent;
    return true;
}

bool agent_reload_identity(struct agent *agent, struct fl_err *err)
{
    return agent_dialer_reload(agent->dialer, err);
}

void agent_destroy(struct agent *agent)
{
    if (!agent) return;
    agent_dialer_destroy(agent->dialer);
    agent->dialer = NULL;
    history_seal_end(&agent->seal);
    agent_engine_destroy(agent->engine);
    log_feed_destroy(agent->feed);
    visit_streams_destroy(agent->visits);
    fl_arena_fini(&agent->arena);
    fl_free(agent);
}
