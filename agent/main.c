/* fairlead-agent: one per cluster.  It enrols at its first start, then keeps a tunnel to the
 * control plane, runs the replicas that the control plane orders, and reports on them.  Replicas do
 * not depend on this process: SIGTERM and even kill -9 leave them running, for the next agent to
 * adopt. */
#include <stdio.h>
#include <stdlib.h>

#include "agent/agent.h"
#include "agent/config.h"
#include "agent/runtimes.h"
#include "agent/tunnel/enrol.h"
#include "agent/tunnel/identity_folder.h"
#include "shared/base/uuid.h"
#include "shared/base/version.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/io/notify.h"
#include "shared/io/state_dir.h"

enum { ENROL_TRY_MS = 20000 };

struct daemon {
    const struct fl_program_run *run;
    struct fl_state_dir *state_dir;
    struct runtime runtime;
    struct agent_setup setup;
    struct agent_enrol *enrol; /* NULL, but while the agent enrols */
    struct fl_uuid cluster;    /* as before that; zero: none */
    bool is_token_bad;         /* it was refused; a restart tries it, or another one, again */
    struct agent *agent;
    struct runtime_clear clear; /* in place of an agent */
};

static const char *text(const struct daemon *daemon, enum agent_config setting)
{
    return fl_config_string(daemon->run->config, setting);
}

/* The setting, else the variable in either spelling, else NULL. */
static const char *text_or_env(const struct daemon *daemon, enum agent_config setting,
                               const char *lower, const char *upper)
{
    const char *found = text(daemon, setting);

    if (!found[0]) found = getenv(lower);
    return found ? found : getenv(upper);
}

/* The setting's text; NULL if it is empty. */
static const char *maybe(const struct daemon *daemon, enum agent_config setting)
{
    return text(daemon, setting)[0] ? text(daemon, setting) : NULL;
}

static void on_refused(void *ctx, const char *why);

static struct agent_setup agent_setup(struct daemon *daemon)
{
    struct agent_setup config = {
        .hub = maybe(daemon, AGENT_CONFIG_hub),
        .server_name = maybe(daemon, AGENT_CONFIG_server_name),
        .proxy = text_or_env(daemon, AGENT_CONFIG_proxy, "https_proxy", "HTTPS_PROXY"),
        .no_proxy = text_or_env(daemon, AGENT_CONFIG_no_proxy, "no_proxy", "NO_PROXY"),
        .cluster_uid = maybe(daemon, AGENT_CONFIG_cluster_uid),
        .store = identity_folder(fl_state_dir_path(daemon->state_dir)),
        .notify = daemon->run->notify,
        .ctx = (void *)daemon,
        .refused = on_refused,
    };

    if (!config.cluster_uid) config.cluster_uid = fl_state_dir_instance(daemon->state_dir);
    return config;
}

/* Starts the agent itself; its identity is in the store by now. */
static bool work(struct daemon *daemon, struct fl_err *err)
{
    if (!agent_create(daemon->run->loop, &daemon->setup, daemon->runtime, &daemon->agent, err)) {
        return false;
    }
    fl_notify_ready(daemon->run->notify);
    fl_log(FL_LOG_INFO, "agent", "ready", FL_LOG_S("version", FL_VERSION),
           FL_LOG_S("runtime", daemon->runtime.ops->name));
    return true;
}

/* As another cluster than before it has other jobs, with the same numbers perhaps. */
static void forget_others(const struct daemon *daemon)
{
    if (!daemon->runtime.ops->forget) return;
    if (fl_uuid_eq(agent_enrol_cluster(daemon->setup.store), daemon->cluster)) return;
    daemon->runtime.ops->forget(daemon->runtime.self);
}

static void on_enrolled(void *ctx, const struct fl_err *why_not)
{
    struct daemon *daemon = ctx;
    struct fl_err err = {0};

    if (why_not) {
        err = *why_not;
        fl_err_wrap(&err, "enrolment");
    }
    agent_enrol_destroy(daemon->enrol);
    daemon->enrol = NULL;
    if (!why_not) forget_others(daemon);
    if (err.text[0] || !work(daemon, &err)) fl_program_fail(daemon->run, &err);
}

static void begin_enrol(struct daemon *daemon, fl_ms give_up_ms,
                        void (*done)(void *ctx, const struct fl_err *why_not))
{
    const struct agent_setup *agent = &daemon->setup;
    struct agent_enrol_config config = {
        .join_token = text(daemon, AGENT_CONFIG_join_token),
        .api_url = maybe(daemon, AGENT_CONFIG_api_url),
        .tunnel = agent->hub,
        .server_name = agent->server_name,
        .cluster_uid = agent->cluster_uid,
        .store = agent->store,
        .proxy = agent->proxy,
        .no_proxy = agent->no_proxy,
        .timeout_ms = ENROL_TRY_MS,
        .give_up_ms = give_up_ms,
        .ctx = daemon,
        .done = done,
    };

    daemon->cluster = agent_enrol_cluster(agent->store);
    fl_log(FL_LOG_INFO, "agent", "enrolling");
    fl_notify_status(daemon->run->notify, "enrolling");
    daemon->enrol = agent_enrol_start(daemon->run->loop, &config);
}

static bool enrol(struct daemon *daemon, struct fl_err *err)
{
    if (!text(daemon, AGENT_CONFIG_join_token)[0]) {
        return fl_fail(err, FL_ABSENT,
                       "this agent has not joined yet: 'fairlead cluster join NAME' makes a "
                       "token, which goes into --join-token @FILE");
    }
    begin_enrol(daemon, fl_config_int(daemon->run->config, AGENT_CONFIG_enrol_timeout),
                on_enrolled);
    return true;
}

/* ---- an identity that is refused ------------------------------------------------------------- */

static void on_enrolled_again(void *ctx, const struct fl_err *why_not)
{
    struct daemon *daemon = ctx;
    struct fl_err err = {0};

    if (why_not) {
        err = *why_not;
        daemon->is_token_bad = err.code == FL_DENIED || err.code == FL_INVALID;
    }
    agent_enrol_destroy(daemon->enrol);
    daemon->enrol = NULL;
    if (!why_not) forget_others(daemon);
    if (err.text[0] || !agent_reload_identity(daemon->agent, &err)) {
        fl_log(FL_LOG_WARN, "agent", "not_enrolled", FL_LOG_ERR(&err),
               FL_LOG_S("then", daemon->is_token_bad
                                    ? "start the agent with a new join token"
                                    : "the join token is tried again when it is refused again"));
    }
}

/* A join token wins over an identity that the control plane does not let in: one that expired long
 * ago, was revoked or is locked.  A token that was used up earlier is refused, and nothing is
 * lost. */
static void on_refused(void *ctx, const char *why)
{
    struct daemon *daemon = ctx;

    (void)why; /* it is logged */
    if (daemon->enrol || daemon->is_token_bad || !text(daemon, AGENT_CONFIG_join_token)[0]) return;
    begin_enrol(daemon, 0, on_enrolled_again);
}

/* ---- the end of an installation -------------------------------------------------------------- */

static void on_cleared(void *ctx, const struct fl_err *why_not)
{
    struct daemon *daemon = ctx;

    if (why_not) {
        fl_program_fail(daemon->run, why_not);
    } else {
        fl_log(FL_LOG_INFO, "agent", "cleared");
        fl_loop_stop(daemon->run->loop);
    }
}

/* It needs no identity and no state directory: another agent may hold that. */
static bool clear(struct daemon *daemon, struct runtime_setup setup, struct fl_err *err)
{
    struct runtime_clear_port port = {daemon, on_cleared};

    return agent_runtime_clear(text(daemon, AGENT_CONFIG_runtime), setup,
                               fl_config_int(daemon->run->config, AGENT_CONFIG_clear_timeout),
                               &port, &daemon->clear, err);
}

static bool start(void *ctx, const struct fl_program_run *run, struct fl_err *err)
{
    struct daemon *daemon = ctx;
    struct runtime_setup setup = {.loop = run->loop,
                                  .config = run->config,
                                  .lifeline_fd = run->lifeline_fd,
                                  .descriptors = run->descriptors};

    daemon->run = run;
    if (fl_config_bool(run->config, AGENT_CONFIG_clear)) return clear(daemon, setup, err);
    if (!fl_state_dir_open(text(daemon, AGENT_CONFIG_state_dir), &daemon->state_dir, err)) {
        return fl_err_wrap(err, "state directory");
    }
    daemon->setup = agent_setup(daemon);
    setup.state_dir = fl_state_dir_path(daemon->state_dir);
    if (!agent_runtime_open(text(daemon, AGENT_CONFIG_runtime), setup, &daemon->runtime, err)) {
        return false;
    }
    return agent_enrol_is_done(daemon->setup.store) ? work(daemon, err) : enrol(daemon, err);
}

static void stop(void *ctx)
{
    struct daemon *daemon = ctx;

    agent_enrol_destroy(daemon->enrol);
    agent_destroy(daemon->agent);
    if (daemon->runtime.ops) daemon->runtime.ops->destroy(daemon->runtime.self);
    if (daemon->clear.self) daemon->clear.destroy(daemon->clear.self);
    fl_state_dir_close(daemon->state_dir);
}

int main(int argc, char **argv)
{
    struct daemon daemon = {0};
    struct fl_program_steps steps = {&daemon, start, stop, NULL};

    return fl_program_main(&agent_program, &steps, argc, argv);
}
