/* Replicas' files that are kept after the removal: joins results.h with directories and sweeper. */
#include <stdio.h>

#include "agent/process/process_state.h"

static bool on_sweep(void *ctx, int dir, const char *name)
{
    return process_sweeper_adopt(ctx, dir, name);
}

void process_results_init(struct process *process)
{
    const struct process_config *config = &process->config;
    struct result_limits limits = {
        .keep_ms = config->keep_ms,
        .bytes_max = config->keep_bytes_max,
        .replica_bytes_max = config->keep_replica_bytes_max,
        .entries_max = RESULT_ENTRIES_MAX,
    };

    if (!config->results_dir) return;
    process->results = results_create(process->loop, config->results_dir, &limits,
                                      &(struct results_port){.ctx = process, .sweep = on_sweep});
}

/* One that never ran has left nothing, and one with a folder of its document's left it elsewhere:
 * its own is empty. */
bool process_results_take(struct process_replica *replica)
{
    char from[LAYOUT_NAME_MAX + sizeof("/" LAYOUT_FILES)];

    if (!replica->process->results || replica->state == FL_REPLICA_refused) return false;
    snprintf(from, sizeof from, "%s/" LAYOUT_FILES, replica->name);
    return results_take(replica->process->results, replica->process->dir, from, replica->name);
}
