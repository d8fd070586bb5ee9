/* The removal of a replica: from behind its gate at once, after its end when its output was taken,
 * or when nothing took it in time.  While a visit reads its files they stay: 'tar' takes a folder
 * that is moved for one that is written to. */
#include "agent/process/process_state.h"
#include "shared/io/log.h"

static void remove_now(struct process_replica *replica)
{
    struct process *process = replica->process;
    struct fl_attempt attempt = replica->attempt;
    uint32_t number = replica->replica;

    /* A visitor may have been in its group when it ended. */
    if (replica->cgroup) cgroup_remove(replica->cgroup);
    (void)process_results_take(replica);
    process_sweeper_remove(process, replica->name);
    process_table_remove(replica);
    process_events_gone(process, attempt, number);
}

static void log_grace_over(void *ctx)
{
    struct process_replica *replica = ctx;

    replica->is_grace_over = replica->readers > 0;
    if (replica->is_grace_over) return;
    if (replica->end.is_given_up) { /* nothing took even the gap */
        fl_log(FL_LOG_WARN, "process", "output_forgotten", FL_LOG_S("replica", replica->name),
               FL_LOG_N("bytes", replica->end.bytes));
        remove_now(replica);
        return;
    }
    given_up_write(replica);
    fl_timer_in(&replica->timer, replica->process->config.log_grace_ms);
}

void replica_removal_settle(struct process_replica *replica)
{
    struct process *process = replica->process;

    if (!replica->is_removing) return;
    if (replica->phase == PROCESS_GATED &&
        !replica_pipes_send(replica, (struct layout_command){.kind = LAYOUT_LEAVE})) {
        replica->is_removing = false;
        process_events_undelivered(replica, AGENT_CMD_remove);
    }
    if (replica->phase != PROCESS_ENDED) return;
    if (replica->is_output_taken || replica->state == FL_REPLICA_refused) {
        if (replica->readers == 0) remove_now(replica);
    } else if (!fl_timer_is_on(&replica->timer)) {
        fl_timer_init(&replica->timer, process->loop, log_grace_over, replica);
        fl_timer_in(&replica->timer, replica->is_grace_over ? 0 : process->config.log_grace_ms);
    }
}
