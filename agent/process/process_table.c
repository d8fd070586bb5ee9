/* The replicas that are known, by name. */
#include <string.h>
#include <unistd.h>

#include "agent/process/process_state.h"
#include "shared/base/assert.h"

struct process_replica *process_table_find(const struct process *process, struct fl_attempt attempt,
                                           uint32_t replica)
{
    char name[LAYOUT_NAME_MAX];
    uint64_t place;

    layout_name(attempt, replica, name);
    if (!fl_map_find(&process->index, name, strlen(name), &place)) return NULL;
    return process->replicas.at[place];
}

struct process_replica *process_table_add(struct process *process, struct fl_attempt attempt,
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
    replica_pipes_close(replica);
    if (replica->dir >= 0) close(replica->dir);
    fl_amounts_free(&replica->named);
    fl_free(replica->words);
    fl_free(replica->cgroup);
    fl_free(replica);
}

void process_table_remove(struct process_replica *replica)
{
    struct process *process = replica->process;
    struct process_replica *last = fl_vec_pop(&process->replicas);
    uint64_t place;
    bool is_found = fl_map_find(&process->index, replica->name, strlen(replica->name), &place);

    fl_assert(is_found);
    if (last != replica) { /* the last one moves to the free place */
        process->replicas.at[place] = last;
        fl_map_put(&process->index, last->name, strlen(last->name), place);
    }
    fl_map_remove(&process->index, replica->name, strlen(replica->name));
    free_replica(replica);
}

void process_table_fini(struct process *process)
{
    while (process->replicas.len > 0) {
        free_replica(fl_vec_pop(&process->replicas));
    }
    fl_vec_fini(&process->replicas);
    fl_map_fini(&process->index);
}
