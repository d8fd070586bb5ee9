#include "agent/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/process/process_state.h"
#include "agent/process/process_visit.h"
#include "agent/process/remove_tree.h"
#include "shared/base/assert.h"
#include "shared/io/descriptors.h"
#include "shared/io/log.h"

enum { RESERVE = 64 }; /* descriptors for all but the news of replicas */

/* ---- commands -------------------------------------------------------------------------------- */

static void do_begin(void *self, const struct runtime_listener *listener)
{
    struct process *process = self;

    fl_assert(!process->listener.happened);
    process->listener = *listener;
    process_events_nodes(process);
    adopt_all(process);
}

static bool spawn(struct process_replica *replica, const struct runtime_order *order,
                  struct fl_err *err)
{
    const struct fl_job_role *role = order->role;

    if (role->image.len > 0) return fl_fail(err, FL_UNSUPPORTED, "this runtime has no images");
    if (role->mounts.len + role->secret_env.len > 0) {
        return fl_fail(err, FL_UNSUPPORTED, "this runtime has no mounts and no secrets");
    }
    if (role->command.len + role->args.len == 0) return fl_fail(err, FL_INVALID, "no command");
    if (order->node >= replica->process->config.nodes) {
        return fl_fail(err, FL_INVALID, "there is no node %" PRIu32, order->node);
    }
    return spawn_replica(replica, order, err);
}

static void do_create(void *self, struct runtime_order *order)
{
    struct process *process = self;
    struct process_replica *replica = process_table_find(process, order->attempt, order->replica);
    struct fl_err err = {0};

    if (replica) {
        process_events_state(replica);
        runtime_order_destroy(order);
        return;
    }
    replica = process_table_add(process, order->attempt, order->replica);
    replica->node = order->node;
    replica->resources = order->resources;
    replica->named = fl_amounts_clone(&order->role->request.named);
    if (!spawn(replica, order, &err)) {
        fl_log(FL_LOG_WARN, "process", "not_created", FL_LOG_S("replica", replica->name),
               FL_LOG_ERR(&err));
        replica_pipes_close(replica);
        replica->phase = PROCESS_ENDED;
        replica->state = FL_REPLICA_refused;
        replica->cause = err.code == FL_FULL ? AGENT_CAUSE_full : AGENT_CAUSE_runtime;
        replica->words = fl_str_dup(fl_str_c(err.text));
        process_events_state(replica);
    }
    runtime_order_destroy(order);
}

static void do_release(void *self, struct fl_attempt attempt, uint32_t number)
{
    struct process *process = self;
    struct process_replica *replica = process_table_find(process, attempt, number);

    if (!replica) {
        process_events_gone(process, attempt, number);
    } else if (replica->phase != PROCESS_GATED) {
        process_events_state(replica);
    } else if (!replica_pipes_send(replica, (struct layout_command){.kind = LAYOUT_GO})) {
        process_events_undelivered(replica, AGENT_CMD_release);
    }
}

static void do_stop(void *self, struct fl_attempt attempt, uint32_t number, uint32_t grace_ms)
{
    struct layout_command command = {.kind = LAYOUT_STOP, .grace_ms = grace_ms};
    struct process *process = self;
    struct process_replica *replica = process_table_find(process, attempt, number);

    if (!replica) {
        process_events_gone(process, attempt, number);
    } else if (replica->phase == PROCESS_ENDED) {
        process_events_state(replica);
    } else if (replica->phase != PROCESS_CLEARING && !replica_pipes_send(replica, command)) {
        process_events_undelivered(replica, AGENT_CMD_stop);
    }
}

static void do_remove(void *self, struct fl_attempt attempt, uint32_t number)
{
    struct process *process = self;
    struct process_replica *replica = process_table_find(process, attempt, number);

    if (!replica) {
        process_events_gone(process, attempt, number);
    } else if (replica->phase == PROCESS_RUNNING || replica->phase == PROCESS_CLEARING) {
        process_events_state(replica);
    } else {
        replica->is_removing = true;
        replica_removal_settle(replica);
    }
}

static bool do_read_output(void *self, struct fl_attempt attempt, uint32_t number, uint64_t offset,
                           size_t bytes_max, struct fl_buf *records,
                           struct runtime_output *ret_output, struct fl_err *err)
{
    struct process *process = self;
    struct process_replica *replica = process_table_find(process, attempt, number);
    bool is_read;
    int dir;

    if (!replica) return fl_fail(err, FL_ABSENT, "unknown replica");
    dir = openat(process->dir, replica->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return fl_fail(err, FL_IO, "cannot open %s: %s", replica->name, strerror(errno));
    is_read = output_read(dir, &replica->place, offset, bytes_max,
                          replica->phase == PROCESS_ENDED ? &replica->end : NULL, records,
                          ret_output, err);
    close(dir);
    return is_read;
}

static void do_output_taken(void *self, struct fl_attempt attempt, uint32_t number)
{
    struct process_replica *replica = process_table_find(self, attempt, number);

    if (!replica) return;
    replica->is_output_taken = true;
    replica_removal_settle(replica);
}

static bool do_visit(void *self, const struct fl_visit_open *open,
                     const struct runtime_visit_port *port, struct runtime_visit *ret_visit,
                     struct fl_err *err)
{
    return process_visit_start(self, open, port, ret_visit, err);
}

static void do_forget(void *self)
{
    const struct process *process = self;

    if (process->results) results_forget(process->results);
}

static void do_destroy(void *self)
{
    process_destroy(self);
}

struct runtime process_runtime(struct process *process)
{
    static const struct runtime_ops ops = {
        .name = "process",
        .has_images = false,
        .begin = do_begin,
        .create = do_create,
        .release = do_release,
        .stop = do_stop,
        .remove = do_remove,
        .read_output = do_read_output,
        .output_taken = do_output_taken,
        .visit = do_visit,
        .forget = do_forget,
        .destroy = do_destroy,
    };

    return (struct runtime){.ops = &ops, .self = process};
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct fl_resources host_resources(void)
{
    struct sysinfo info = {0};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    sysinfo(&info);
    return (struct fl_resources){
        .cpu_milli = cpus > 0 ? (uint32_t)cpus * 1000 : 1000,
        .memory_bytes = (uint64_t)info.totalram * info.mem_unit,
    };
}

static void name_nodes(struct process *process)
{
    const struct process_config *config = &process->config;
    struct fl_resources host = host_resources();

    process->each = config->each;
    process->is_pretended =
        !fl_resources_is_zero(config->each) || config->nodes > 1 || config->named.len > 0;
    if (process->each.cpu_milli == 0) process->each.cpu_milli = host.cpu_milli;
    if (process->each.memory_bytes == 0) process->each.memory_bytes = host.memory_bytes;
    for (uint32_t i = 0; i < config->nodes; i++) {
        char *name = fl_new_array(char, strlen(config->name) + 16);

        snprintf(name, strlen(config->name) + 16, config->nodes > 1 ? "%s-%" PRIu32 : "%s",
                 config->name, i + 1);
        fl_vec_push(&process->names, name);
    }
}

static bool open_dir(struct process *process, struct fl_err *err)
{
    const char *path = process->config.dir;

    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        return fl_fail(err, FL_IO, "cannot make %s: %s", path, strerror(errno));
    }
    process->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process->dir < 0) return fl_fail(err, FL_IO, "cannot open %s: %s", path, strerror(errno));
    if (access(process->config.supervisor, X_OK) != 0) {
        return fl_fail(err, FL_IO, "cannot run %s: %s", process->config.supervisor,
                       strerror(errno));
    }
    return true;
}

static void limit_news(struct process *process)
{
    uint64_t limit = fl_descriptors_limit();

    process->news_max = process->config.news_max;
    if (process->news_max) return;
    process->news_max = (size_t)(limit / 2 < RESERVE ? limit / 2 : limit - RESERVE);
}

static const char *keep(struct process *process, const char *text)
{
    return text ? fl_arena_copy(&process->texts, text, strlen(text)) : NULL;
}

static void keep_texts(struct process *process)
{
    struct process_config *config = &process->config;

    config->dir = keep(process, config->dir);
    config->supervisor = keep(process, config->supervisor);
    config->name = keep(process, config->name);
    config->cgroup = keep(process, config->cgroup);
    config->results_dir = keep(process, config->results_dir);
    config->named = fl_amounts_copy(&config->named, &process->texts);
}

bool process_create(struct fl_loop *loop, const struct process_config *config,
                    struct process **ret_process, struct fl_err *err)
{
    struct process *process = fl_new(struct process);

    fl_assert(config->nodes > 0 && config->nodes <= PROCESS_NODES_MAX);
    process->loop = loop;
    process->config = *config;
    keep_texts(process);
    process->dir = -1;
    layout_boot_id(process->boot);
    process_events_init(process);
    process_sweeper_init(process);
    if (getrandom(&process->seed, sizeof(process->seed), 0) != sizeof(process->seed)) {
        fl_fail(err, FL_IO, "no random numbers: %s", strerror(errno));
        process_destroy(process);
        return false;
    }
    if (!open_dir(process, err)) {
        process_destroy(process);
        return false;
    }
    process_results_init(process);
    name_nodes(process);
    limit_news(process);
    *ret_process = process;
    return true;
}

void process_destroy(struct process *process)
{
    if (!process) return;
    process_visits_fini(process);
    process_events_fini(process);
    adopt_fini(process);
    process_table_fini(process);
    results_destroy(process->results);
    process_sweeper_fini(process);
    while (process->names.len > 0) {
        fl_free(fl_vec_pop(&process->names));
    }
    fl_vec_fini(&process->names);
    fl_arena_fini(&process->texts);
    if (process->dir >= 0) close(process->dir);
    fl_free(process);
}

struct process_stats process_stats(const struct process *process)
{
    struct process_stats stats = {
        .replicas = process->replicas.len,
        .removals = process->leftovers.len,
        .unread = process->unread.len,
    };

    for (size_t i = 0; i < process->replicas.len; i++) {
        stats.supervisors += process->replicas.at[i]->news >= 0;
    }
    return stats;
}
