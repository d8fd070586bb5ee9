/* Removes directories bit by bit, and waits for supervisors that ended. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/process/process_state.h"
#include "agent/process/remove_tree.h"

enum {
    SWEEP_MS = 20,
    SWEEP_ENTRIES = 500, /* entries that one sweep removes */
    FIRST_ENTRIES = 64,  /* entries removed at once: enough for a job that left no files */
    ENTRY_NAME_MAX = RESULT_NAME_MAX + 32,
};

/* The newest first.  One that cannot be removed does not hold up the others. */
static void remove_leftovers(struct process *process)
{
    unsigned entries_left = SWEEP_ENTRIES;

    for (size_t i = process->leftovers.len; i > 0 && entries_left > 0; i--) {
        char *name = process->leftovers.at[i - 1];

        if (!remove_tree_counted(process->dir, name, &entries_left)) continue;
        process->leftovers.at[i - 1] = process->leftovers.at[process->leftovers.len - 1];
        process->leftovers.len--;
        fl_free(name);
    }
}

static void sweep(void *ctx)
{
    struct process *process = ctx;
    size_t kept = 0;

    for (size_t i = 0; i < process->dead.len; i++) {
        pid_t pid = process->dead.at[i];

        if (waitpid(pid, NULL, WNOHANG) == 0) process->dead.at[kept++] = pid;
    }
    process->dead.len = kept;
    remove_leftovers(process);
    if (process->dead.len + process->leftovers.len > 0) fl_timer_in(&process->sweep, SWEEP_MS);
}

void process_sweeper_reap(struct process *process, pid_t supervisor)
{
    fl_vec_push(&process->dead, supervisor);
    if (!fl_timer_is_on(&process->sweep)) fl_timer_in(&process->sweep, 0);
}

void process_sweeper_remove_later(struct process *process, const char *name)
{
    char *copy = fl_new_array(char, strlen(name) + 1);

    memcpy(copy, name, strlen(name) + 1);
    fl_vec_push(&process->leftovers, copy);
    if (!fl_timer_is_on(&process->sweep)) fl_timer_in(&process->sweep, SWEEP_MS);
}

/* Under its own name, an agent that starts now would adopt it half empty. */
static bool rename_gone(const struct process *process, int dir, const char *name,
                        char ret_gone[ENTRY_NAME_MAX])
{
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(ret_gone, ENTRY_NAME_MAX, PROCESS_GONE "%s-%" PRIu32, name, i);
        if (renameat2(dir, name, process->dir, ret_gone, RENAME_NOREPLACE) == 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

static void remove_gone(struct process *process, const char *gone)
{
    if (!remove_tree_some(process->dir, gone, FIRST_ENTRIES)) {
        process_sweeper_remove_later(process, gone);
    }
}

bool process_sweeper_adopt(struct process *process, int dir, const char *name)
{
    char gone[ENTRY_NAME_MAX];

    if (!rename_gone(process, dir, name, gone)) return false;
    remove_gone(process, gone);
    return true;
}

void process_sweeper_remove(struct process *process, const char *name)
{
    char gone[ENTRY_NAME_MAX];

    if (!rename_gone(process, process->dir, name, gone) && errno == ENOENT) return;
    remove_gone(process, gone);
}

void process_sweeper_init(struct process *process)
{
    fl_timer_init(&process->sweep, process->loop, sweep, process);
}

void process_sweeper_fini(struct process *process)
{
    fl_timer_off(&process->sweep);
    while (process->leftovers.len > 0) {
        fl_free(fl_vec_pop(&process->leftovers));
    }
    fl_vec_fini(&process->leftovers);
    fl_vec_fini(&process->dead);
}
