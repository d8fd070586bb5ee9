#include "tests/sim/policy_edit.h"

#include <inttypes.h>

void policy_line_up(struct policy *policy, const struct policy_job *job, uint64_t id)
{
    struct policy_queue *queue = policy_queue(policy, job->queue);
    size_t i = queue->open.len;

    while (i > 0 && policy_is_before(job, id, policy_job(policy, queue->open.at[i - 1]),
                                     queue->open.at[i - 1])) {
        i--;
    }
    fl_vec_insert(&queue->open, i, id);
}

void policy_leave_line(struct policy *policy, const struct policy_job *job, uint64_t id)
{
    struct policy_queue *queue = policy_queue(policy, job->queue);

    for (size_t i = 0; i < queue->open.len; i++) {
        if (queue->open.at[i] != id) continue;
        fl_vec_remove(&queue->open, i);
        return;
    }
}

void policy_edit_job(struct policy *policy, const struct row_job_edit *row)
{
    struct policy_job *job = policy_job(policy, row->job);

    if (row->revision != job->revision + 1) {
        sim_broken(policy->sim, "I35", "edit %u of job %" PRIu64 " follows edit %u", row->revision,
                   row->job, job->revision);
    }
    if (policy_queue(policy, row->queue)->tenant != job->tenant) {
        sim_broken(policy->sim, "I35", "job %" PRIu64 " comes into a queue of another tenant",
                   row->job);
    }
    if (row->deadline_s != job->deadline_s && job->started > job->unplaced) {
        sim_broken(policy->sim, "I35", "job %" PRIu64 " has started, and its deadline is another",
                   row->job);
    }
    if (row->queue != job->queue) sim_mark(policy->sim, MARK_edit_moved);
    if (row->priority < job->priority) sim_mark(policy->sim, MARK_edit_lowered);
    if (row->priority > job->priority) sim_mark(policy->sim, MARK_edit_raised);
    if (job->live > 0) sim_mark(policy->sim, MARK_edit_while_live);
    if (row->parallelism > 0 && row->parallelism < job->live) {
        sim_mark(policy->sim, MARK_parallelism_below_live);
    }
    policy_leave_line(policy, job, row->job);
    job->queue = row->queue;
    job->priority = row->priority;
    job->deadline_s = row->deadline_s;
    job->parallelism = row->parallelism;
    job->name = policy_hash(row->name);
    job->labels = policy_hash(row->labels);
    job->revision = row->revision;
    job->edited_at = policy->at;
    policy_line_up(policy, job, row->job);
}

void policy_edit_mark(struct policy *policy, const struct row_mark_set *row)
{
    uint32_t revision = policy_job(policy, row->job)->revision;

    if (row->value == revision) return;
    sim_broken(policy->sim, "I35", "job %" PRIu64 " was edited %u times, and its mark says %lld",
               row->job, revision, (long long)row->value);
}
