/* fairlead-agent: one per cluster.  Enrols at its first start, then keeps a tunnel to the control plane, runs
 * what that wants here, and tells what is seen.  What runs does not depend on this process: SIGTERM and even
 * kill -9 leave all of it running, for the next agent to adopt. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/config.h"
#include "agent/engine.h"
#include "agent/process/cgroup.h"
#include "agent/process/process.h"
#include "agent/streams/log_feed.h"
#include "agent/tunnel/dialer.h"
#include "agent/tunnel/enrol.h"
#include "agent/tunnel/translate.h"
#include "shared/base/version.h"
#include "shared/io/lifeline.h"
#include "shared/io/log.h"
#include "shared/io/notify.h"
#include "shared/io/signal.h"
#include "shared/io/state_dir.h"
#include "shared/tls/random.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, ENROL_TRY_MS = 20000 };

static const char usage[] =
    "usage: fairlead-agent [--config FILE] [--SETTING VALUE]...\n"
    "       fairlead-agent --help | --version | --print-config\n"
    "\n"
    "Runs the work of one cluster.  The first start needs a join token, which\n"
    "'fairlead cluster join NAME' makes.  Settings come from the file, then the environment\n"
    "(FAIRLEAD_STATE_DIR), then flags:\n\n";

struct agent {
    struct fl_config *config;
    struct fl_notify *notify;
    int lifeline_fd; /* for enrolment and supervisors; -1: none */
    struct fl_state_dir *state_dir;
    struct fl_loop *loop;
    struct fl_signals *signals;
    struct fl_lifeline *lifeline;
    struct process *process;
    struct runtime runtime;
    struct log_feed *feed;
    struct agent_engine *engine;
    struct agent_dialer *dialer;
    uint64_t boot; /* which life of the agent this is */
    char cluster_uid[65], cgroup[CGROUP_PATH_MAX], node_name[256];
    char supervisor[PATH_MAX], replicas[PATH_MAX];
};

static const char *setting(const struct agent *agent, enum agent_config key)
{
    return fl_config_string(agent->config, key);
}

/* NULL where it is empty. */
static const char *maybe(const struct agent *agent, enum agent_config key)
{
    const char *text = setting(agent, key);

    return text[0] ? text : NULL;
}

static const char *proxy_of(const struct agent *agent)
{
    const char *proxy = maybe(agent, AGENT_CONFIG_proxy);

    if (!proxy) proxy = getenv("https_proxy");
    return proxy ? proxy : getenv("HTTPS_PROXY");
}

static const char *no_proxy_of(const struct agent *agent)
{
    const char *no_proxy = maybe(agent, AGENT_CONFIG_no_proxy);

    if (!no_proxy) no_proxy = getenv("no_proxy");
    return no_proxy ? no_proxy : getenv("NO_PROXY");
}

/* ---- between tunnel, engine and logs ------------------------------------------------------------- */

static void on_hello(void *ctx, struct fl_msg_hello *ret_hello)
{
    struct agent *agent = ctx;
    struct agent_core_highest highest = agent_engine_highest(agent->engine);

    ret_hello->boot = agent->boot;
    ret_hello->incarnation_highest = highest.incarnation;
    ret_hello->job_highest = highest.job;
    ret_hello->cluster_uid = fl_str_c(agent->cluster_uid);
    ret_hello->capabilities =
        agent->runtime.ops->has_images ? FL_STR("[\"images\"]") : FL_STR("[]");
}

static void on_opened(void *ctx)
{
    struct agent *agent = ctx;

    fl_log(FL_LOG_INFO, "agent", "connected");
    fl_notify_status(agent->notify, "connected");
    log_feed_opened(agent->feed);
}

static void on_message(void *ctx, const struct fl_msg *msg, struct fl_str spec)
{
    struct agent *agent = ctx;
    struct agent_event event;
    struct fl_err err = {0};
    struct fl_str params = msg->kind == FL_MSG_start ? msg->start.params : (struct fl_str){0};

    if (!agent_translate_in(msg, &event, &err)) return;
    agent_engine_hear(agent->engine, &event, spec, params);
}

static void on_closed(void *ctx, const char *why)
{
    struct agent *agent = ctx;

    fl_log(FL_LOG_WARN, "agent", "disconnected", FL_LOG_S("why", why));
    fl_notify_status(agent->notify, "not connected; jobs go on");
    log_feed_closed(agent->feed);
    agent_engine_session_down(agent->engine);
}

static void on_log_frame(void *ctx, struct fl_str payload)
{
    struct agent *agent = ctx;

    log_feed_frame(agent->feed, payload);
}

static size_t on_log_pull(void *ctx, uint8_t *at, size_t bytes_max)
{
    struct agent *agent = ctx;

    return log_feed_pull(agent->feed, at, bytes_max);
}

static void on_log_wants(void *ctx, uint64_t bytes)
{
    struct agent *agent = ctx;

    if (agent->dialer) agent_dialer_log_wants(agent->dialer, bytes);
}

static void on_send(void *ctx, const struct agent_command *command)
{
    struct agent *agent = ctx;
    struct fl_msg msg;

    agent_translate_out(command, &msg);
    if (agent->dialer) agent_dialer_put(agent->dialer, &msg);
}

static void on_output(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct agent *agent = ctx;

    log_feed_output(agent->feed, attempt, replica);
}

static void on_gone(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct agent *agent = ctx;

    log_feed_gone(agent->feed, attempt, replica);
}

/* ---- signals ------------------------------------------------------------------------------------ */

static void on_signal(void *ctx, int number)
{
    struct agent *agent = ctx;

    if (number == SIGTERM || number == SIGINT) {
        fl_log(FL_LOG_INFO, "agent", "stopping", FL_LOG_N("signal", number));
        fl_loop_stop(agent->loop);
    }
}

static void on_lifeline(void *ctx)
{
    struct agent *agent = ctx;

    fl_log(FL_LOG_INFO, "agent", "lifeline_cut");
    fl_loop_stop(agent->loop);
}

/* Signals are blocked and there is no loop yet: they and the lifeline are asked. */
static bool should_stop_enrolling(void *ctx)
{
    struct agent *agent = ctx;
    struct pollfd lifeline = {.fd = agent->lifeline_fd, .events = POLLIN};
    sigset_t pending;

    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) ||
           poll(&lifeline, 1, 0) > 0;
}

/* ---- beginning ---------------------------------------------------------------------------------- */

static bool enrol(struct agent *agent, struct fl_err *err)
{
    const char *path = fl_state_dir_path(agent->state_dir);
    struct agent_enrol_config config = {
        .join_token = setting(agent, AGENT_CONFIG_join_token),
        .api_url = maybe(agent, AGENT_CONFIG_api_url),
        .tunnel = maybe(agent, AGENT_CONFIG_hub),
        .server_name = maybe(agent, AGENT_CONFIG_server_name),
        .cluster_uid = agent->cluster_uid,
        .state_dir = path,
        .proxy = proxy_of(agent),
        .no_proxy = no_proxy_of(agent),
        .timeout_ms = ENROL_TRY_MS,
        .give_up_ms = fl_config_int(agent->config, AGENT_CONFIG_enrol_timeout),
        .ctx = agent,
        .should_stop = should_stop_enrolling,
    };

    if (agent_enrol_is_done(path)) return true;
    if (!config.join_token[0]) {
        return fl_fail(err, FL_ABSENT,
                       "this agent has not joined yet: 'fairlead cluster join NAME' makes a "
                       "token, which goes into --join-token @FILE");
    }
    fl_log(FL_LOG_INFO, "agent", "enrolling");
    if (!agent_enrol(&config, err)) return fl_err_wrap(err, "enrolment");
    fl_log(FL_LOG_INFO, "agent", "enrolled");
    return true;
}

/* The group to make limits in, or NULL; why not is said once. */
static const char *find_cgroup(struct agent *agent)
{
    const char *wish = setting(agent, AGENT_CONFIG_cgroup);
    struct fl_err err = {0};
    bool is_found;

    if (strcmp(wish, "off") == 0) {
        fl_fail(&err, FL_ABSENT, "switched off");
        is_found = false;
    } else if (strcmp(wish, "auto") == 0) {
        is_found = cgroup_find_root(agent->cgroup, &err);
    } else {
        is_found =
            snprintf(agent->cgroup, sizeof(agent->cgroup), "%s", wish) < (int)sizeof(agent->cgroup);
    }
    if (is_found && cgroup_prepare(agent->cgroup, &err)) return agent->cgroup;
    fl_log(FL_LOG_INFO, "agent", "no_limits", FL_LOG_ERR(&err));
    return NULL;
}

static bool find_supervisor(struct agent *agent, struct fl_err *err)
{
    const char *wish = maybe(agent, AGENT_CONFIG_supervisor);
    ssize_t len;
    char *slash;

    if (wish) {
        snprintf(agent->supervisor, sizeof(agent->supervisor), "%s", wish);
        return true;
    }
    len = readlink("/proc/self/exe", agent->supervisor, sizeof(agent->supervisor) - 32);
    if (len <= 0) return fl_fail(err, FL_IO, "cannot find myself: %s", strerror(errno));
    agent->supervisor[len] = 0;
    slash = strrchr(agent->supervisor, '/');
    snprintf(slash ? slash + 1 : agent->supervisor, 32, "fairlead-supervise");
    return true;
}

static bool start_runtime(struct agent *agent, struct fl_err *err)
{
    const struct fl_config *config = agent->config;
    struct process_config process = {
        .dir = agent->replicas,
        .supervisor = agent->supervisor,
        .name = agent->node_name,
        .cgroup = find_cgroup(agent),
        .lifeline = agent->lifeline_fd,
        .nodes = (uint32_t)fl_config_int(config, AGENT_CONFIG_nodes),
        .each = {.cpu_milli = (uint32_t)fl_config_int(config, AGENT_CONFIG_cpus) * 1000,
                 .memory_bytes = (uint64_t)fl_config_int(config, AGENT_CONFIG_memory),
                 .gpus = (uint32_t)fl_config_int(config, AGENT_CONFIG_gpus)},
        .head_bytes = (uint64_t)fl_config_int(config, AGENT_CONFIG_output_head),
        .tail_bytes = (uint64_t)fl_config_int(config, AGENT_CONFIG_output_tail),
        .log_grace_ms = fl_config_int(config, AGENT_CONFIG_log_grace),
    };

    if (!find_supervisor(agent, err)) return false;
    if (maybe(agent, AGENT_CONFIG_node_name)) {
        snprintf(agent->node_name, sizeof(agent->node_name), "%s",
                 setting(agent, AGENT_CONFIG_node_name));
    } else if (gethostname(agent->node_name, sizeof(agent->node_name) - 1) != 0) {
        snprintf(agent->node_name, sizeof(agent->node_name), "node");
    }
    snprintf(agent->replicas, sizeof(agent->replicas), "%s/replicas",
             fl_state_dir_path(agent->state_dir));
    if (!process_create(agent->loop, &process, &agent->process, err)) return false;
    if (process.nodes > 1 || process.each.cpu_milli || process.each.memory_bytes ||
        process.each.gpus) {
        fl_log(FL_LOG_INFO, "agent", "capacity_pretended", FL_LOG_N("nodes", process.nodes),
               FL_LOG_N("cpu_milli", process.each.cpu_milli),
               FL_LOG_N("memory_bytes", process.each.memory_bytes),
               FL_LOG_N("gpus", process.each.gpus));
    }
    agent->runtime = process_runtime(agent->process);
    return true;
}

static bool start_dialer(struct agent *agent, struct fl_err *err)
{
    struct agent_dialer_ports ports = {
        .ctx = agent,
        .hello = on_hello,
        .opened = on_opened,
        .message = on_message,
        .closed = on_closed,
        .log_frame = on_log_frame,
        .log_pull = on_log_pull,
    };
    struct agent_dialer_config config = {
        .hub = maybe(agent, AGENT_CONFIG_hub),
        .server_name = maybe(agent, AGENT_CONFIG_server_name),
        .state_dir = fl_state_dir_path(agent->state_dir),
        .proxy = proxy_of(agent),
        .no_proxy = no_proxy_of(agent),
        .seed = fl_random_u64(),
    };

    agent->dialer = agent_dialer_create(agent->loop, &config, &ports, err);
    return agent->dialer != NULL;
}

static bool is_well(void *ctx)
{
    (void)ctx; /* that it is asked shows that the loop turns */
    return true;
}

static bool start(struct agent *agent, struct fl_err *err)
{
    struct agent_core_config core = agent_core_config_default();
    struct agent_engine_ports ports = {
        .ctx = agent, .send = on_send, .output = on_output, .gone = on_gone};
    struct log_feed_port feed = {.ctx = agent, .wants = on_log_wants};

    if (!fl_state_dir_open(setting(agent, AGENT_CONFIG_state_dir), &agent->state_dir, err)) {
        return fl_err_wrap(err, "state directory");
    }
    snprintf(agent->cluster_uid, sizeof(agent->cluster_uid), "%s",
             maybe(agent, AGENT_CONFIG_cluster_uid) ? setting(agent, AGENT_CONFIG_cluster_uid)
                                                    : fl_state_dir_instance(agent->state_dir));
    if (!enrol(agent, err)) return false;
    agent->boot = fl_random_u64();
    agent->loop = fl_loop_create();
    agent->signals = fl_signals_create(agent->loop, on_signal, agent);
    agent->lifeline = fl_lifeline_create(
        agent->loop, agent->lifeline_fd >= 0 ? dup(agent->lifeline_fd) : -1, on_lifeline, agent);
    if (!start_runtime(agent, err)) return false;
    agent->feed = log_feed_create(agent->loop, agent->runtime, &feed);
    agent->engine = agent_engine_create(agent->loop, &core, agent->runtime, &ports);
    agent_engine_begin(agent->engine);
    if (!start_dialer(agent, err)) return fl_err_wrap(err, "tunnel");
    fl_notify_watch(agent->notify, agent->loop, is_well, agent);
    fl_notify_ready(agent->notify);
    fl_log(FL_LOG_INFO, "agent", "ready", FL_LOG_S("version", FL_VERSION),
           FL_LOG_S("node", agent->node_name), FL_LOG_S("runtime", agent->runtime.ops->name));
    return true;
}

static void stop(struct agent *agent)
{
    if (agent->notify) fl_notify_stopping(agent->notify);
    agent_dialer_destroy(agent->dialer);
    agent->dialer = NULL;
    agent_engine_destroy(agent->engine);
    log_feed_destroy(agent->feed);
    process_destroy(agent->process);
    fl_lifeline_destroy(agent->lifeline);
    fl_signals_destroy(agent->signals);
    fl_notify_destroy(agent->notify);
    fl_loop_destroy(agent->loop);
    fl_state_dir_close(agent->state_dir);
    fl_config_destroy(agent->config);
}

/* ---- main --------------------------------------------------------------------------------------- */

static int answer(const struct agent *agent, enum fl_config_action action)
{
    switch (action) {
    case FL_CONFIG_HELP:
        fputs(usage, stdout);
        fl_config_print_help(agent_config_settings, AGENT_CONFIG_LEN, stdout);
        break;
    case FL_CONFIG_VERSION:
        puts("fairlead-agent " FL_VERSION);
        break;
    default:
        fl_config_print(agent->config, stdout);
    }
    return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
}

static int fail(struct agent *agent, const struct fl_err *err, int code)
{
    fl_log(FL_LOG_ERROR, "agent", "cannot_start", FL_LOG_ERR(err));
    stop(agent);
    return code;
}

int main(int argc, char **argv)
{
    struct agent agent = {.lifeline_fd = -1};
    enum fl_config_action action;
    struct fl_err err = {0};
    struct fl_str levels;

    fl_signals_block();
    fl_log_open(
        &(struct fl_log_config){.fd = STDERR_FILENO, .has_time = !getenv("JOURNAL_STREAM")});
    agent.config = fl_config_create(agent_config_settings, AGENT_CONFIG_LEN);
    if (!fl_config_load(agent.config, argc, argv, environ, &action, &err)) {
        return fail(&agent, &err, EXIT_USAGE);
    }
    if (action != FL_CONFIG_RUN) {
        int code = answer(&agent, action);

        fl_config_destroy(agent.config);
        return code;
    }
    levels = fl_str_c(setting(&agent, AGENT_CONFIG_log_level));
    if (!fl_log_set_levels(levels, &err)) return fail(&agent, &err, EXIT_USAGE);
    agent.notify = fl_notify_take();
    if (!fl_lifeline_take(&agent.lifeline_fd, &err) || !start(&agent, &err)) {
        return fail(&agent, &err, EXIT_FAILED);
    }
    fl_loop_run(agent.loop);
    stop(&agent);
    return 0;
}
