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

static bool read_spec(int dir, struct process_replica *replica)
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
        memcpy(replica->run, spec.run, sizeof(replica->run));
        snprintf(replica->cgroup, sizeof(replica->cgroup), FL_STR_FMT, FL_STR_ARG(spec.cgroup));
    }
    fl_buf_fini(&buf);
    fl_arena_fini(&arena);
    return is_read;
}

static bool has_gate(int dir)
{
    return faccessat(dir, LAYOUT_GATE, F_OK, 0) == 0 || faccessat(dir, LAYOUT_EXIT, F_OK, 0) == 0;
}

/* Its supervisor lives and will send news of its further states. */
static void adopt_living(struct process_replica *replica, int dir)
{
    struct layout_gate gate;

    if (!replica_read_gate(dir, &gate)) {
        replica->phase = PROCESS_BEGINNING;
    } else {
        replica->phase = gate.is_open ? PROCESS_RUNNING : PROCESS_GATED;
        process_events_state(replica);
        process_events_output(replica);
    }
    close(dir);
}

/* We hold the lock on 'dir': its supervisor is gone. */
static void adopt_dead(struct process_replica *replica, int dir)
{
    replica_pipes_close(replica);
    if (!has_gate(dir)) { /* no agent has reported it */
        close(dir);
        process_sweeper_remove(replica->process, replica->name);
        process_table_remove(replica);
        return;
    }
    replica_orphaned(replica, dir);
    if (replica->phase == PROCESS_CLEARING) process_events_state(replica);
}

static bool take_lock(int dir)
{
    return flock(dir, LOCK_EX | LOCK_NB) == 0;
}

static void adopt(struct process *process, const char *name)
{
    struct process_replica *replica;
    struct fl_attempt attempt;
    struct fl_err err = {0};
    uint32_t number;
    int dir;

    if (!layout_parse_name(name, &attempt, &number)) {
        if (strncmp(name, PROCESS_GONE, sizeof(PROCESS_GONE) - 1) == 0) {
            process_sweeper_remove_later(process, name);
        }
        return;
    }
    dir = openat(process->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return;
    replica = process_table_add(process, attempt, number);
    if (!read_spec(dir, replica)) { /* it is unfinished: no supervisor was started in it */
        bool is_ours = take_lock(dir);

        close(dir);
        process_table_remove(replica);
        if (is_ours) process_sweeper_remove(process, name);
        return;
    }
    if (take_lock(dir)) {
        adopt_dead(replica, dir);
        return;
    }
    /* A dying supervisor drops the lock before it closes 'news' (see supervisor.c).  If it dies
     * after we listen, we hear its end; if it dropped the lock before, the second try gets it. */
    if (!replica_watch(replica, &err)) {
        fl_log(FL_LOG_ERROR, "process", "not_adopted", FL_LOG_S("replica", name), FL_LOG_ERR(&err));
        close(dir);
        process_table_remove(replica);
    } else if (take_lock(dir)) {
        adopt_dead(replica, dir);
    } else {
        adopt_living(replica, dir);
    }
}

void adopt_all(struct process *process)
{
    int fd = openat(process->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    FL_VEC(char *) names = {0};
    struct dirent *entry;

    if (!folder) {
        fl_log(FL_LOG_ERROR, "process", "not_listed", FL_LOG_S("why", strerror(errno)));
        if (fd >= 0) close(fd);
        return;
    }
    while ((entry = readdir(folder))) {
        char *name = strdup(entry->d_name);

        if (name) fl_vec_push(&names, name);
    }
    closedir(folder);
    for (size_t i = 0; i < names.len; i++) { /* after listing, since adopting renames folders */
        adopt(process, names.at[i]);
        free(names.at[i]);
    }
    fl_vec_fini(&names);
}
