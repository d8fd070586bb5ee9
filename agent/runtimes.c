#include "agent/runtimes.h"

#include <stdio.h>
#include <string.h>

#include "agent/config.h"
#include "agent/kube/kube_settings.h"
#include "agent/process/process_config.h"

_Static_assert(AGENT_CONFIG_log_grace - AGENT_CONFIG_node_name == PROCESS_SETTING_log_grace,
               "the settings of the process runtime stand together");
_Static_assert(AGENT_CONFIG_kube_log_grace - AGENT_CONFIG_kubeconfig == KUBE_SETTING_kube_log_grace,
               "so do those of Kubernetes");

const struct agent_runtime_row agent_runtimes[] = {
    {"process", AGENT_CONFIG_node_name, process_open, NULL},
    {"kubernetes", AGENT_CONFIG_kubeconfig, kube_settings_open, kube_settings_clear},
};
const size_t agent_runtimes_len = sizeof agent_runtimes / sizeof *agent_runtimes;

static const struct agent_runtime_row *find(const char *name, struct fl_err *err)
{
    char names[200] = "";

    for (size_t i = 0; i < agent_runtimes_len; i++) {
        size_t len = strlen(names);

        if (strcmp(agent_runtimes[i].name, name) == 0) return &agent_runtimes[i];
        snprintf(names + len, sizeof names - len, "%s%s", i ? ", " : "", agent_runtimes[i].name);
    }
    fl_fail(err, FL_INVALID, "runtime: '%s' is unknown; known are: %s", name, names);
    return NULL;
}

bool agent_runtime_open(const char *name, struct runtime_setup setup, struct runtime *ret_runtime,
                        struct fl_err *err)
{
    const struct agent_runtime_row *row = find(name, err);

    if (!row) return false;
    setup.setting_first = row->setting_first;
    return row->open(&setup, ret_runtime, err) || fl_err_wrap(err, "runtime %s", name);
}

bool agent_runtime_clear(const char *name, struct runtime_setup setup, fl_ms give_up_ms,
                         const struct runtime_clear_port *port, struct runtime_clear *ret_clear,
                         struct fl_err *err)
{
    const struct agent_runtime_row *row = find(name, err);

    if (!row) return false;
    if (!row->clear) {
        return fl_fail(err, FL_UNSUPPORTED,
                       "clear: runtime %s has nothing to clear; 'fairlead cluster drain NAME "
                       "--stop-jobs' ends its jobs",
                       name);
    }
    setup.setting_first = row->setting_first;
    return row->clear(&setup, give_up_ms, port, ret_clear, err) ||
           fl_err_wrap(err, "runtime %s", name);
}
