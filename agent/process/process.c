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
#include "agent/process/tree.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"

enum {
    SWEEP_MS = 20,
    SWEEP_ENTRIES = 500, /* of doomed directories, taken away in one sweep */
    DOOM_ENTRIES = 64,   /* and at once, which is enough for a job that left no files */
    ENTRY_NAME_MAX = LAYOUT_NAME_MAX + 32,
};

/* ---- the table ---------------------------------------------------------------------------------- */

struct process_replica *process_find(const struct process *process, struct fl_attempt attempt,
                                     uint32_t replica)
{
    char name[LAYOUT_NAME_MAX];
    uint64_t place;

    layout_name(attempt, replica, name);
    if (!fl_map_find(&process->index, name, strlen(name), &place)) return NULL;
    return process->replicas.at[place];
}

struct process_replica *process_add(struct process *process, struct fl_attempt attempt,
                                    uint32_t number)
{
    struct process_replica *replica = fl_new(struct process_replica);

    replica->process = process;
    replica->attempt = attempt;
    replica->replica = number;
    replica->dir = replica->news = -1;
    layout_name(attempt, number, replica->name);
    fl_map_put(&process->index, replica->name, strlen(replica->name), process->replicas.len);
    fl_vec_push(&process->replicas, replica);
    return replica;
}

static void free_replica(struct process_replica *replica)
{
    fl_timer_off(&replica->timer);
    replica_close(replica);
    if (replica->dir >= 0) close(replica->dir);
    fl_free(replica);
}

void process_forget(struct process_replica *replica)
{
    struct process *process = replica->process;
    struct process_replica *last = fl_vec_pop(&process->replicas);
    uint64_t place;
    bool is_found = fl_map_find(&process->index, replica->name, strlen(replica->name), &place);

    fl_assert(is_found);
    if (last != replica) { /* it moves to the place that is free now */
        process->replicas.at[place] = last;
        fl_map_put(&process->index, last->name, strlen(last->name), place);
    }
    fl_map_remove(&process->index, replica->name, strlen(replica->name));
    free_replica(replica);
}

/* ---- telling ------------------------------------------------------------------------------------ */

static void note(struct process *process, struct process_note news)
{
    fl_vec_push(&process->notes, news);
    fl_after_put(&process->tell);
}

/* The listener may command us meanwhile, and so add to the notes: those wait for the next turn. */
static void tell_all(void *ctx)
{
    struct process *process = ctx;
    size_t len = process->notes.len;

    for (size_t i = 0; i < len; i++) {
        struct process_note news = process->notes.at[i];

        news.event.now = fl_loop_now(process->loop);
        if (!news.is_output) {
            process->listener.happened(process->listener.ctx, &news.event);
        } else if (process->listener.output) {
            process->listener.output(process->listener.ctx, news.event.replica_seen.attempt,
                                     news.event.replica_seen.replica);
        }
    }
    memmove(process->notes.at, process->notes.at + len,
            (process->notes.len - len) * sizeof(*process->notes.at));
    process->notes.len -= len;
    if (process->notes.len > 0) fl_after_put(&process->tell);
}

static enum fl_replica_state state_of(const struct process_replica *replica)
{
    switch (replica->phase) {
    case PROCESS_BEGINNING:
        return FL_REPLICA_pending;
    case PROCESS_GATED:
        return FL_REPLICA_created;
    case PROCESS_RUNNING:
    case PROCESS_CLEARING:
        return FL_REPLICA_running;
    case PROCESS_ENDED:
        return replica->state;
    }
    fl_unreachable("every phase is above");
}

void process_tell_state(struct process_replica *replica)
{
    struct process_note news = {.event.kind = AGENT_EV_replica_seen};

    news.event.replica_seen.attempt = replica->attempt;
    news.event.replica_seen.replica = replica->replica;
    news.event.replica_seen.state = state_of(replica);
    news.event.replica_seen.exit_code = replica->exit_code;
    news.event.replica_seen.cause = replica->cause;
    news.event.replica_seen.output_bytes = replica->end.bytes;
    news.event.replica_seen.node = replica->node;
    news.event.replica_seen.resources = replica->resources;
    if (news.event.replica_seen.state == FL_REPLICA_pending) return; /* it will be told */
    note(replica->process, news);
}

void process_tell_output(struct process_replica *replica)
{
    struct process_note news = {.is_output = true};

    news.event.replica_seen.attempt = replica->attempt;
    news.event.replica_seen.replica = replica->replica;
    note(replica->process, news);
}

void process_tell_gone(struct process *process, struct fl_attempt attempt, uint32_t replica)
{
    struct process_note news = {.event.kind = AGENT_EV_replica_gone};

    news.event.replica_gone.attempt = attempt;
    news.event.replica_gone.replica = replica;
    note(process, news);
}

static void tell_nodes(struct process *process)
{
    const struct process_config *config = &process->config;

    for (uint32_t i = 0; i < config->nodes; i++) {
        struct process_note news = {.event.kind = AGENT_EV_node_seen};

        news.event.node_seen.number = i;
        news.event.node_seen.is_ready = true;
        news.event.node_seen.name = fl_str_c(process->names.at[i]);
        news.event.node_seen.labels =
            process->is_pretended ? FL_STR("pretended=true\n") : (struct fl_str){0};
        news.event.node_seen.total = process->each;
        note(process, news);
    }
}

/* ---- removal ------------------------------------------------------------------------------------ */

static void sweep(void *ctx)
{
    struct process *process = ctx;
    size_t kept = 0;

    for (size_t i = 0; i < process->dead.len; i++) {
        pid_t pid = process->dead.at[i];

        if (waitpid(pid, NULL, WNOHANG) == 0) process->dead.at[kept++] = pid;
    }
    process->dead.len = kept;
    if (process->doomed.len > 0) {
        char *name = process->doomed.at[process->doomed.len - 1];

        if (tree_remove_some(process->dir, name, SWEEP_ENTRIES)) {
            fl_free(name);
            process->doomed.len--;
        }
    }
    if (process->dead.len + process->doomed.len > 0) fl_timer_in(&process->sweep, SWEEP_MS);
}

void process_bury(struct process *process, pid_t supervisor)
{
    fl_vec_push(&process->dead, supervisor);
    if (!fl_timer_is_on(&process->sweep)) fl_timer_in(&process->sweep, 0);
}

void process_condemn(struct process *process, const char *name)
{
    char *copy = fl_new_array(char, strlen(name) + 1);

    memcpy(copy, name, strlen(name) + 1);
    fl_vec_push(&process->doomed, copy);
    if (!fl_timer_is_on(&process->sweep)) fl_timer_in(&process->sweep, SWEEP_MS);
}

void process_doom(struct process *process, const char *name)
{
    char gone[ENTRY_NAME_MAX];

    /* Under its own name it would be adopted, half empty, by an agent that starts now. */
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(gone, sizeof(gone), PROCESS_GONE "%s-%" PRIu32, name, i);
        if (renameat2(process->dir, name, process->dir, gone, RENAME_NOREPLACE) == 0) break;
        if (errno == ENOENT) return;
    }
    if (!tree_remove_some(process->dir, gone, DOOM_ENTRIES)) process_condemn(process, gone);
}

static void remove_now(struct process_replica *replica)
{
    struct process *process = replica->process;
    struct fl_attempt attempt = replica->attempt;
    uint32_t number = replica->replica;

    process_doom(process, replica->name);
    process_forget(replica);
    process_tell_gone(process, attempt, number);
}

static void log_grace_over(void *ctx)
{
    struct process_replica *replica = ctx;

    if (replica->end.is_given_up) { /* nobody wants to know even that */
        fl_log(FL_LOG_WARN, "process", "output_forgotten", FL_LOG_S("replica", replica->name),
               FL_LOG_N("bytes", replica->end.bytes));
        remove_now(replica);
        return;
    }
    given_up_make(replica);
    fl_timer_in(&replica->timer, replica->process->config.log_grace_ms);
}

void process_settle_removal(struct process_replica *replica)
{
    struct process *process = replica->process;

    if (!replica->is_removing) return;
    if (replica->phase == PROCESS_GATED) {
        replica_command(replica, (struct layout_command){.kind = LAYOUT_LEAVE});
    }
    if (replica->phase != PROCESS_ENDED) return;
    if (replica->is_output_taken || replica->state == FL_REPLICA_refused) {
        remove_now(replica);
    } else if (!fl_timer_is_on(&replica->timer)) {
        fl_timer_init(&replica->timer, process->loop, log_grace_over, replica);
        fl_timer_in(&replica->timer, process->config.log_grace_ms);
    }
}

/* ---- commands ----------------------------------------------------------------------------------- */

static void do_begin(void *self, const struct runtime_listener *listener)
{
    struct process *process = self;

    fl_assert(!process->listener.happened);
    process->listener = *listener;
    tell_nodes(process);
    adopt_all(process);
    note(process, (struct process_note){.event.kind = AGENT_EV_synced});
}

static void do_create(void *self, const struct runtime_order *order)
{
    struct process *process = self;
    struct process_replica *replica = process_find(process, order->attempt, order->replica);
    struct fl_err err = {0};

    if (replica) {
        process_tell_state(replica);
        return;
    }
    replica = process_add(process, order->attempt, order->replica);
    replica->node = order->node;
    replica->resources = order->resources;
    if (order->image.len > 0) {
        fl_fail(&err, FL_UNSUPPORTED, "this runtime has no images");
    } else if (order->argv_len == 0 || order->node >= process->config.nodes) {
        fl_fail(&err, FL_INVALID, "no command, or no such node");
    } else if (spawn_replica(replica, order, &err)) {
        return;
    }
    fl_log(FL_LOG_WARN, "process", "not_created", FL_LOG_S("replica", replica->name),
           FL_LOG_ERR(&err));
    replica_close(replica);
    replica->phase = PROCESS_ENDED;
    replica->state = FL_REPLICA_refused;
    process_tell_state(replica);
}

static void do_release(void *self, struct fl_attempt attempt, uint32_t number)
{
    struct process *process = self;
    struct process_replica *replica = process_find(process, attempt, number);

    if (!replica) {
        process_tell_gone(process, attempt, number);
    } else if (replica->phase == PROCESS_GATED) {
        replica_command(replica, (struct layout_command){.kind = LAYOUT_GO});
    } else {
        process_tell_state(replica);
    }
}

static void do_stop(void *self, struct fl_attempt attempt, uint32_t number, uint32_t grace_ms)
{
    struct process *process = self;
    struct process_replica *replica = process_find(process, attempt, number);

    if (!replica) {
        process_tell_gone(process, attempt, number);
    } else if (replica->phase == PROCESS_ENDED) {
        process_tell_state(replica);
    } else if (replica->phase != PROCESS_CLEARING) {
        replica_command(replica,
                        (struct layout_command){.kind = LAYOUT_STOP, .grace_ms = grace_ms});
    }
}

static void do_remove(void *self, struct fl_attempt attempt, uint32_t number)
{
    struct process *process = self;
    struct process_replica *replica = process_find(process, attempt, number);

    if (!replica) {
        process_tell_gone(process, attempt, number);
    } else if (replica->phase == PROCESS_RUNNING || replica->phase == PROCESS_CLEARING) {
        process_tell_state(replica);
    } else {
        replica->is_removing = true;
        process_settle_removal(replica);
    }
}

static bool do_read_output(void *self, struct fl_attempt attempt, uint32_t number, uint64_t offset,
                           size_t bytes_max, struct fl_buf *records,
                           struct runtime_output *ret_output, struct fl_err *err)
{
    struct process *process = self;
    struct process_replica *replica = process_find(process, attempt, number);
    bool is_read;
    int dir;

    if (!replica) return fl_fail(err, FL_ABSENT, "no such replica");
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
    struct process_replica *replica = process_find(self, attempt, number);

    if (!replica) return;
    replica->is_output_taken = true;
    process_settle_removal(replica);
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
    };

    return (struct runtime){.ops = &ops, .self = process};
}

/* ---- life --------------------------------------------------------------------------------------- */

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
    process->is_pretended = config->each.cpu_milli || config->each.memory_bytes ||
                            config->each.gpus || config->nodes > 1;
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

bool process_create(struct fl_loop *loop, const struct process_config *config,
                    struct process **ret_process, struct fl_err *err)
{
    struct process *process = fl_new(struct process);

    fl_assert(config->nodes > 0 && config->nodes <= PROCESS_NODES_MAX);
    process->loop = loop;
    process->config = *config;
    process->dir = -1;
    layout_boot_id(process->boot);
    fl_after_init(&process->tell, loop, tell_all, process);
    fl_timer_init(&process->sweep, loop, sweep, process);
    if (getrandom(&process->seed, sizeof(process->seed), 0) != sizeof(process->seed)) {
        fl_fail(err, FL_IO, "no random numbers: %s", strerror(errno));
        process_destroy(process);
        return false;
    }
    if (!open_dir(process, err)) {
        process_destroy(process);
        return false;
    }
    name_nodes(process);
    *ret_process = process;
    return true;
}

void process_destroy(struct process *process)
{
    if (!process) return;
    fl_after_off(&process->tell);
    fl_timer_off(&process->sweep);
    while (process->replicas.len > 0) {
        free_replica(fl_vec_pop(&process->replicas));
    }
    while (process->doomed.len > 0) {
        fl_free(fl_vec_pop(&process->doomed));
    }
    while (process->names.len > 0) {
        fl_free(fl_vec_pop(&process->names));
    }
    fl_vec_fini(&process->replicas);
    fl_vec_fini(&process->doomed);
    fl_vec_fini(&process->names);
    fl_vec_fini(&process->notes);
    fl_vec_fini(&process->dead);
    fl_map_fini(&process->index);
    if (process->dir >= 0) close(process->dir);
    fl_free(process);
}

struct process_stats process_stats(const struct process *process)
{
    struct process_stats stats = {
        .replicas = process->replicas.len,
        .removals = process->doomed.len,
    };

    for (size_t i = 0; i < process->replicas.len; i++) {
        stats.supervisors += process->replicas.at[i]->news >= 0;
    }
    return stats;
}
