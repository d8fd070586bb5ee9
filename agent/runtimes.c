#include "agent/runtimes.h"

#include <stdio.h>
#include <string.h>

#include "agent/config.h"
#include "agent/process/process_config.h"

_Static_assert(AGENT_CONFIG_log_grace - AGENT_CONFIG_node_name == PROCESS_SETTING_log_grace,
               "the settings of the process runtime stand together");

const struct agent_runtime_row agent_runtimes[] = {
    {"process", AGENT_CONFIG_node_name, process_open},
};
const size_t agent_runtimes_len = sizeof agent_runtimes / sizeof *agent_runtimes;

bool agent_runtime_open(const char *name, struct runtime_setup setup, struct runtime *ret_runtime,
                        struct fl_err *err)
{
    char names[200] = "";

    for (size_t i = 0; i < agent_runtimes_len; i++) {
        size_t len = strlen(names);

        if (strcmp(agent_runtimes[i].name, name) == 0) {
            setup.setting_first = agent_runtimes[i].setting_first;
            return agent_runtimes[i].open(&setup, ret_runtime, err) ||
                   fl_err_wrap(err, "runtime %s", name);
        }
        snprintf(names + len, sizeof names - len, "%s%s", i ? ", " : "", agent_runtimes[i].name);
    }
    return fl_fail(err, FL_INVALID, "runtime: '%s' is unknown; known are: %s", name, names);
}
