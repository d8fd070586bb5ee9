#include "agent/process/process_config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/cgroup.h"
#include "agent/process/node_resources.h"
#include "agent/process/process.h"
#include "shared/io/config.h"
#include "shared/io/log.h"

enum { NODE_NAME_MAX = 256 };

static const char *text(const struct runtime_setup *setup, enum process_setting setting)
{
    return fl_config_string(setup->config, setup->setting_first + setting);
}

static int64_t number(const struct runtime_setup *setup, enum process_setting setting)
{
    return fl_config_int(setup->config, setup->setting_first + setting);
}

/* Writes the group to make limits in and returns it; NULL, and a line of the log says why, when
 * there are no limits. */
static const char *find_cgroup(const struct runtime_setup *setup, char ret_path[CGROUP_PATH_MAX])
{
    const char *wish = text(setup, PROCESS_SETTING_cgroup);
    struct fl_err err = {0};
    bool is_found;

    if (strcmp(wish, "off") == 0) {
        is_found = fl_fail(&err, FL_ABSENT, "switched off");
    } else if (strcmp(wish, "auto") == 0) {
        is_found = cgroup_find_root(ret_path, &err);
    } else {
        is_found = snprintf(ret_path, CGROUP_PATH_MAX, "%s", wish) < CGROUP_PATH_MAX ||
                   fl_fail(&err, FL_TOO_LARGE, "the path is too long");
    }
    if (is_found && cgroup_prepare(ret_path, &err)) return ret_path;
    fl_log(FL_LOG_INFO, "process", "no_limits", FL_LOG_ERR(&err));
    return NULL;
}

/* Beside this program, unless the setting names it. */
static bool find_supervisor(const struct runtime_setup *setup, char ret_path[PATH_MAX],
                            struct fl_err *err)
{
    const char *wish = text(setup, PROCESS_SETTING_supervisor);
    ssize_t len;
    char *slash;

    if (wish[0]) {
        snprintf(ret_path, PATH_MAX, "%s", wish);
        return true;
    }
    len = readlink("/proc/self/exe", ret_path, PATH_MAX - 32);
    if (len <= 0) {
        return fl_fail(err, FL_IO, "cannot find this program's own file: %s", strerror(errno));
    }
    ret_path[len] = 0;
    slash = strrchr(ret_path, '/');
    snprintf(slash ? slash + 1 : ret_path, 32, "fairlead-supervise");
    return true;
}

static void find_node_name(const struct runtime_setup *setup, char ret_name[NODE_NAME_MAX])
{
    const char *wish = text(setup, PROCESS_SETTING_node_name);

    ret_name[NODE_NAME_MAX - 1] = 0;
    if (wish[0]) {
        snprintf(ret_name, NODE_NAME_MAX, "%s", wish);
    } else if (gethostname(ret_name, NODE_NAME_MAX - 1) != 0) {
        snprintf(ret_name, NODE_NAME_MAX, "node");
    }
}

static void log_capacity(const struct process_config *config)
{
    const struct fl_resources *each = &config->each;

    if (config->nodes == 1 && fl_resources_is_zero(*each) && config->named.len == 0) return;
    fl_log(FL_LOG_INFO, "process", "capacity_pretended", FL_LOG_N("nodes", config->nodes),
           FL_LOG_N("cpu_milli", each->cpu_milli), FL_LOG_N("memory_bytes", each->memory_bytes),
           FL_LOG_N("gpus", each->gpus), FL_LOG_N("node_resources", config->named.len));
}

bool process_open(const struct runtime_setup *setup, struct runtime *ret_runtime,
                  struct fl_err *err)
{
    char cgroup[CGROUP_PATH_MAX], name[NODE_NAME_MAX], supervisor[PATH_MAX], dir[PATH_MAX],
        results[PATH_MAX];
    struct process_config config = {
        .dir = dir,
        .supervisor = supervisor,
        .name = name,
        .lifeline = setup->lifeline_fd,
        .descriptors = setup->descriptors,
        .nodes = (uint32_t)number(setup, PROCESS_SETTING_nodes),
        .each = {.cpu_milli = (uint32_t)number(setup, PROCESS_SETTING_cpus) * 1000,
                 .memory_bytes = (uint64_t)number(setup, PROCESS_SETTING_memory),
                 .gpus = (uint32_t)number(setup, PROCESS_SETTING_gpus)},
        .head_bytes = (uint64_t)number(setup, PROCESS_SETTING_output_head),
        .tail_bytes = (uint64_t)number(setup, PROCESS_SETTING_output_tail),
        .log_grace_ms = number(setup, PROCESS_SETTING_log_grace),
        .results_dir = results,
        .keep_ms = number(setup, PROCESS_SETTING_keep_results),
        .keep_bytes_max = (uint64_t)number(setup, PROCESS_SETTING_keep_results_bytes),
        .keep_replica_bytes_max = (uint64_t)number(setup, PROCESS_SETTING_keep_results_job_bytes),
    };
    struct process *process;
    struct fl_arena arena = {0};
    bool is_created;

    if (!find_supervisor(setup, supervisor, err)) return false;
    find_node_name(setup, name);
    config.cgroup = find_cgroup(setup, cgroup);
    if (snprintf(dir, sizeof dir, "%s/replicas", setup->state_dir) >= (int)sizeof dir ||
        snprintf(results, sizeof results, "%s/kept", setup->state_dir) >= (int)sizeof results) {
        return fl_fail(err, FL_TOO_LARGE, "the state directory's path is too long");
    }
    is_created = node_resources_read(fl_str_c(text(setup, PROCESS_SETTING_node_resources)), &arena,
                                     &config.named, err) &&
                 process_create(setup->loop, &config, &process, err);
    fl_arena_fini(&arena);
    if (!is_created) return false;
    log_capacity(&config);
    *ret_runtime = process_runtime(process);
    return true;
}
