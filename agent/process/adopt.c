/* Adopts the directories of earlier agents, with and without a living supervisor. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "agent/process/process_state.h"
#include "shared/io/log.h"

enum { AGAIN_MS = 200, AGAIN_MS_MAX = 30000 };

/* FL_OK; FL_IO: it cannot be read now; FL_TORN: it is absent, or unfinished. */
static enum fl_code read_spec(int dir, struct process_replica *replica)
{
    struct fl_arena arena = {0};
    struct layout_spec spec;
    struct fl_err err = {0};
    struct fl_buf buf;
    bool is_read;

    fl_buf_init(&buf, LAYOUT_SPEC_BYTES_MAX);
    is_read =
        layout_read(dir, LAYOUT_SPEC, &buf, &err) &&
        layout_spec_decode((struct fl_str){(const char *)buf.at, buf.len}, &arena, &spec, &err);
    if (is_read) {
        replica->node = spec.node;
        replica->resources = spec.resources;
        fl_amounts_free(&replica->named);
        replica->named = fl_amounts_clone(&spec.named);
        memcpy(replica->run, spec.run, sizeof(replica->run));
        fl_free(replica->cgroup);
        replica->cgroup = spec.cgroup.len > 0 ? fl_str_dup(spec.cgroup) : NULL;
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
    if (is_read) return FL_OK;
    return err.code == FL_IO ? FL_IO : FL_TORN;
}

static bool has_gate(int dir)
{
    return faccessat(dir, LAYOUT_GATE, F_OK, 0) == 0 || faccessat(dir, LAYOUT_EXIT, F_OK, 0) == 0;
}

/* It is not reported yet: it is tried again. */
static bool give_back(struct process_replica *replica, int dir)
{
    close(dir);
    process_table_remove(replica);
    return false;
}

/* Its supervisor lives and will send news of its further states. */
static bool adopt_living(struct process_replica *replica, int dir)
{
    struct layout_gate gate;
    enum replica_gate seen = replica_read_gate(dir, &gate);

    if (seen == REPLICA_GATE_UNREADABLE) return give_back(replica, dir);
    close(dir);
    if (replica->news < 0) replica_watch_by_time(replica);
    if (seen == REPLICA_GATE_ABSENT) {
        replica->phase = PROCESS_BEGINNING;
        return true;
    }
    replica->phase = seen == REPLICA_GATE_OPEN ? PROCESS_RUNNING : PROCESS_GATED;
    process_events_state(replica);
    process_events_output(replica);
    return true;
}

/* We hold the lock on 'dir': its supervisor is gone. */
static bool adopt_dead(struct process_replica *replica, int dir)
{
    replica_pipes_close(replica);
    if (!has_gate(dir)) { /* no agent has reported it */
        close(dir);
        process_sweeper_remove(replica->process, replica->name);
        process_table_remove(replica);
        return true;
    }
    if (!replica_orphaned(replica, dir)) return give_back(replica, dir);
    if (replica->phase == PROCESS_CLEARING) process_events_state(replica);
    return true;
}

static bool take_lock(int dir)
{
    return flock(dir, LOCK_EX | LOCK_NB) == 0;
}

/* False: it cannot be read now. */
static bool adopt(struct process *process, const char *name)
{
    struct process_replica *replica;
    struct fl_attempt attempt;
    struct fl_err err = {0};
    enum fl_code spec;
    uint32_t number;
    int dir;

    if (!layout_parse_name(name, &attempt, &number)) {
        if (strncmp(name, PROCESS_GONE, sizeof(PROCESS_GONE) - 1) == 0) {
            process_sweeper_remove_later(process, name);
        }
        return true;
    }
    dir = openat(process->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return errno == ENOENT || errno == ENOTDIR;
    replica = process_table_add(process, attempt, number);
    spec = read_spec(dir, replica);
    if (spec == FL_IO) return give_back(replica, dir);
    if (spec != FL_OK) { /* it is unfinished: no supervisor was started in it */
        bool is_ours = take_lock(dir);

        close(dir);
        process_table_remove(replica);
        if (is_ours) process_sweeper_remove(process, name);
        return true;
    }
    if (take_lock(dir)) return adopt_dead(replica, dir);
    /* A dying supervisor drops the lock before it closes 'news' (see supervisor.c).  If it dies
     * after we listen, we hear its end; if it dropped the lock before, the second try gets it.
     * Without a descriptor for its news it is looked at by time. */
    if (replica_watch(replica, &err) && take_lock(dir)) return adopt_dead(replica, dir);
    return adopt_living(replica, dir);
}

static bool list(struct process *process)
{
    int fd = openat(process->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    if (!folder) {
        fl_log(FL_LOG_ERROR, "process", "not_listed", FL_LOG_S("why", strerror(errno)));
        if (fd >= 0) close(fd);
        return false;
    }
    while ((entry = readdir(folder))) {
        char *name = strdup(entry->d_name);

        if (name) fl_vec_push(&process->unread, name);
    }
    closedir(folder);
    return true;
}

/* After listing, since adopting renames folders.  Until all are read those that are left may run,
 * and are not reported. */
static void adopt_some(void *ctx)
{
    struct process *process = ctx;
    size_t kept = 0;

    if (!process->is_listed) process->is_listed = list(process);
    for (size_t i = 0; i < process->unread.len; i++) {
        if (adopt(process, process->unread.at[i])) {
            free(process->unread.at[i]);
        } else {
            process->unread.at[kept++] = process->unread.at[i];
        }
    }
    process->unread.len = kept;
    if (process->is_listed && kept == 0) {
        process_events_synced(process);
        return;
    }
    if (kept) {
        fl_log(FL_LOG_ERROR, "process", "not_adopted", FL_LOG_N("directories", kept),
               FL_LOG_S("first", process->unread.at[0]),
               FL_LOG_S("why", "it cannot be read; the agent waits until it can, or is removed"));
    }
    process->adopt_ms = process->adopt_ms ? 2 * process->adopt_ms : AGAIN_MS;
    if (process->adopt_ms > AGAIN_MS_MAX) process->adopt_ms = AGAIN_MS_MAX;
    fl_timer_in(&process->adopt, process->adopt_ms);
}

void adopt_all(struct process *process)
{
    fl_timer_init(&process->adopt, process->loop, adopt_some, process);
    adopt_some(process);
}

void adopt_fini(struct process *process)
{
    fl_timer_off(&process->adopt);
    while (process->unread.len > 0) {
        free(fl_vec_pop(&process->unread));
    }
    fl_vec_fini(&process->unread);
}
