#include "agent/config.h"

#include "shared/base/api_limits.h"

const struct fl_config_setting agent_config_settings[AGENT_CONFIG_LEN] = {
#define SETTING FL_CONFIG_ROW
#include "agent/config.def"
#undef SETTING
};

static const char *const about[] = {
    "One runs on each cluster.  At its first start it enrols with a join token, which 'fairlead "
    "cluster join NAME' makes; then it keeps a tunnel to the control plane, runs what that wants "
    "here, and reports what it sees.  It only dials out; nothing listens.",
    "Running jobs do not depend on it: each replica has a supervisor of its own "
    "(fairlead-supervise), and a stop, an upgrade and even a kill of the agent leave all jobs "
    "running.  The next agent with the same state directory adopts them.",
    NULL,
};

static const struct fl_program_group groups[] = {
    {AGENT_CONFIG_node_name, "Settings of runtime = process"},
    {AGENT_CONFIG_kubeconfig, "Settings of runtime = kubernetes"},
    {0, NULL},
};

static const struct fl_program_item environment[] = {
    {"https_proxy", "The proxy, where the setting names none."},
    {"no_proxy", "Hosts that are dialed without it, where the setting names none."},
    {NULL, NULL},
};

static const struct fl_program_item files[] = {
    {"/etc/fairlead/agent.conf", "The settings, where the unit of systemd looks for them."},
    {"/var/lib/fairlead-agent", "Its state directory: identity, and a directory for each process."},
    {NULL, NULL},
};

static const char *const see_also[] = {"fairlead 1", "fairleadd 8", NULL};

const struct fl_program agent_program = {
    .name = "fairlead-agent",
    .line = "runs the work of one cluster for Fairlead",
    .about = about,
    .settings = agent_config_settings,
    .settings_len = AGENT_CONFIG_LEN,
    .log_level = AGENT_CONFIG_log_level,
    .groups = groups,
    .environment = environment,
    .files = files,
    .see_also = see_also,
};
