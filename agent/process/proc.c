#include "agent/process/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/vec.h"

enum { STAT_BYTES_MAX = 1024, ENVIRON_PIECE_BYTES = 65536 };
enum { NOBODY = -1 }; /* no parent has this number; the first process's parent is 0 */

struct proc {
    pid_t pid, parent, session;
    unsigned long long started; /* clock ticks since the host's boot */
    char state;
    bool is_ours;
};

struct proc_list {
    struct proc *at;
    size_t len, cap;
};

/* ---- reading --------------------------------------------------------------------------------- */

static ssize_t read_small(const char *path, char *ret, size_t bytes_max)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len;

    if (fd < 0) return -1;
    len = read(fd, ret, bytes_max - 1);
    close(fd);
    if (len >= 0) ret[len] = 0;
    return len;
}

/* The name of a process may hold anything, ')' too: the fields follow the last one. */
static bool read_stat(pid_t pid, struct proc *ret_proc)
{
    char path[64];
    char text[STAT_BYTES_MAX];
    struct proc proc = {.pid = pid};
    int parent;
    int session;
    char *at;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (read_small(path, text, sizeof(text)) <= 0) return false;
    at = strrchr(text, ')');
    if (!at) return false;
    /* state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime
     * cstime priority nice threads itrealvalue starttime */
    if (sscanf(at + 1,
               " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &proc.state, &parent, &session, &proc.started) != 4) {
        return false;
    }
    proc.parent = parent;
    proc.session = session;
    *ret_proc = proc;
    return true;
}

static void read_all(struct proc_list *list)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;

    if (!folder) return;
    while ((entry = readdir(folder))) {
        struct proc proc;

        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        if (read_stat((pid_t)strtol(entry->d_name, NULL, 10), &proc)) fl_vec_push(list, proc);
    }
    closedir(folder);
}

static bool is_gone(const struct proc *proc)
{
    return proc->state == 'Z' || proc->state == 'X';
}

/* Whether the environment that the process was started with has the variable. */
static bool has_variable(pid_t pid, const char *variable)
{
    size_t variable_len = strlen(variable) + 1; /* with its zero */
    char path[64];
    char *text;
    size_t len = 0;
    ssize_t got;
    bool is_found = false;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    text = fl_alloc(ENVIRON_PIECE_BYTES);
    /* A match is looked for in a window that keeps the end of the piece before. */
    while (!is_found && (got = read(fd, text + len, ENVIRON_PIECE_BYTES - len)) > 0) {
        size_t keep;

        len += (size_t)got;
        is_found = memmem(text, len, variable, variable_len) != NULL;
        keep = len < variable_len ? len : variable_len;
        memmove(text, text + len - keep, keep);
        len = keep;
    }
    fl_free(text);
    close(fd);
    return is_found;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static const struct proc *find(const struct proc_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].pid == pid) return &list->at[i];
    }
    return NULL;
}

/* Marks the children of marked processes, until nothing changes. */
static void spread(struct proc_list *list, pid_t ancestor)
{
    bool has_changed = true;

    while (has_changed) {
        has_changed = false;
        for (size_t i = 0; i < list->len; i++) {
            struct proc *proc = &list->at[i];
            const struct proc *parent;

            if (proc->is_ours) continue;
            parent = proc->parent == ancestor ? NULL : find(list, proc->parent);
            if (proc->parent != ancestor && !(parent && parent->is_ours)) continue;
            proc->is_ours = has_changed = true;
        }
    }
}

static void send(const struct proc *proc, int number)
{
    int fd = (int)syscall(SYS_pidfd_open, proc->pid, 0);
    struct proc again;

    if (fd < 0) return;
    if (read_stat(proc->pid, &again) && again.started == proc->started) {
        syscall(SYS_pidfd_send_signal, fd, number, NULL, 0);
    }
    close(fd);
}

static size_t signal_ours(struct proc_list *list, int number)
{
    size_t living = 0;

    for (size_t i = 0; i < list->len; i++) {
        const struct proc *proc = &list->at[i];

        if (!proc->is_ours || is_gone(proc)) continue;
        if (proc->pid <= 1 || proc->pid == getpid()) continue;
        living++;
        if (number) send(proc, number);
    }
    fl_vec_fini(list);
    return living;
}

size_t proc_signal_below(pid_t ancestor, int number)
{
    struct proc_list list = {0};

    read_all(&list);
    spread(&list, ancestor);
    return signal_ours(&list, number);
}

size_t proc_signal_run(const char *run, pid_t session, int number)
{
    struct proc_list list = {0};
    const struct proc *leader;
    char variable[128];

    snprintf(variable, sizeof(variable), "FAIRLEAD_RUN_ID=%s", run);
    read_all(&list);
    leader = find(&list, session);
    if (leader && !is_gone(leader)) session = 0;
    for (size_t i = 0; i < list.len; i++) {
        struct proc *proc = &list.at[i];

        if (is_gone(proc) || proc->pid == getpid()) continue;
        proc->is_ours =
            (session > 0 && proc->session == session) || has_variable(proc->pid, variable);
    }
    spread(&list, NOBODY);
    return signal_ours(&list, number);
}
