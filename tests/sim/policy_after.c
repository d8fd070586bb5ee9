#include "tests/sim/policy_after.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"

/* 0: it is open. */
static uint8_t end_of(struct policy *policy, const struct fl_dependency *after)
{
    return policy_job(policy, after->job.n)->end_state;
}

/* policy_each.c has those that wait element by element. */
static bool is_whole(const struct fl_dependency *after)
{
    return after->on != FL_ON_each;
}

static bool is_met(const struct fl_dependency *after, uint8_t end)
{
    switch (after->on) {
    case FL_ON_success:
        return end == JOB_succeeded;
    case FL_ON_failure:
        return end == JOB_failed || end == JOB_cancelled;
    default:
        return end != 0;
    }
}

static bool is_failed(struct policy *policy, const struct policy_job *job)
{
    for (size_t i = 0; i < job->after.len; i++) {
        uint8_t end = end_of(policy, &job->after.at[i]);

        if (end && is_whole(&job->after.at[i]) && !is_met(&job->after.at[i], end)) return true;
    }
    return false;
}

static uint32_t count_open(struct policy *policy, const struct policy_job *job)
{
    uint32_t len = 0;

    for (size_t i = 0; i < job->after.len; i++) {
        len += is_whole(&job->after.at[i]) && end_of(policy, &job->after.at[i]) == 0;
    }
    return len;
}

bool policy_after_waits(const struct policy *policy, const struct policy_job *job)
{
    return count_open((struct policy *)policy, job) > 0;
}

void policy_after_job(struct policy *policy, const struct row_job_new *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    struct fl_arena arena = {0};
    struct fl_dependencies list = {0};
    struct fl_err err = {0};

    fl_assert(fl_dependencies_decode(row->after, &arena, &list, &err));
    for (size_t i = 0; i < list.len; i++) {
        if (list.at[i].job.n >= row->job ||
            policy_job(policy, list.at[i].job.n)->tenant != row->tenant) {
            sim_broken(policy->sim, "I34", "job %" PRIu64 " waits for job %" PRIu64, row->job,
                       list.at[i].job.n);
        }
        fl_vec_push(&job->after, list.at[i]);
    }
    fl_arena_fini(&arena);
    if (is_failed(policy, job)) {
        sim_broken(policy->sim, "I34",
                   "job %" PRIu64 " is accepted, and what it waits for can never be", row->job);
    }
    if (list.len && count_open(policy, job) == 0) sim_mark(policy->sim, MARK_after_ended);
}

/* The mark names those that are open, in the job's order. */
void policy_after_mark(struct policy *policy, const struct row_mark_set *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    struct fl_arena arena = {0};
    struct fl_dependencies list = {0};
    struct fl_err err = {0};
    size_t next = 0;

    fl_assert(fl_dependencies_decode(row->body, &arena, &list, &err));
    for (size_t i = 0; i < job->after.len; i++) {
        const struct fl_dependency *after = &job->after.at[i];

        if (end_of(policy, after) || !is_whole(after)) continue;
        if (next == list.len || list.at[next].job.n != after->job.n ||
            list.at[next].on != after->on) {
            break;
        }
        next++;
    }
    if (next != list.len || list.len == 0 || (uint64_t)row->value != list.len) {
        sim_broken(policy->sim, "I34",
                   "the mark of job %" PRIu64 " names %zu jobs, of which %zu are those to wait for",
                   row->job, list.len, next);
    }
    job->after_marked = (uint32_t)list.len;
    fl_arena_fini(&arena);
}

/* Elements for which others wait, or which wait for others, may have ended without an attempt. */
static bool has_run(const struct policy_job *job)
{
    for (size_t i = 0; i < job->begun.len; i++) {
        if (job->begun.at[i].n > 0) return true;
    }
    return false;
}

void policy_after_job_end(struct policy *policy, const struct row_job_end *row)
{
    struct policy_job *job = policy_job(policy, row->job);

    job->end_state = row->state;
    if (row->reason == REASON_NeverMet) {
        sim_mark(policy->sim, MARK_after_never_met);
        if (job->each && !job->is_stopped) return; /* policy_each_job_end() looks */
        if (!has_run(job) && is_failed(policy, job) && row->state == JOB_cancelled) return;
        sim_broken(policy->sim, "I34",
                   "job %" PRIu64 " ends %s for reason NeverMet; %u elements started", row->job,
                   job_state_name((enum job_state)row->state), job->started);
    }
    if (job->after.len == 0 || !is_failed(policy, job)) return;
    if (job->is_stopped && job->stop == row->reason) return; /* stopped before that was so */
    sim_broken(policy->sim, "I34",
               "job %" PRIu64 " ends for reason %s, and what it waits for can never be", row->job,
               reason_name((enum reason)row->reason));
}

static void I34_it_is_told(struct policy *policy, const struct policy_job *job, uint64_t id)
{
    if (job->after.len == 0) return;
    if (job->is_stopped) {
        if (job->stop != REASON_NeverMet || is_failed(policy, job)) return;
    } else if (!is_failed(policy, job) && count_open(policy, job) == job->after_marked) {
        if (job->after_marked == 0) sim_mark(policy->sim, MARK_after_met);
        return;
    }
    sim_broken(policy->sim, "I34",
               "job %" PRIu64 " waits for %u jobs, and its mark says %u; it is to stop: %d", id,
               count_open(policy, job), job->after_marked, job->is_stopped);
}

void policy_after_batch(struct policy *policy)
{
    for (size_t i = 0; i < policy->queues.len; i++) {
        const struct policy_queue *queue = &policy->queues.at[i];

        for (size_t k = 0; k < queue->open.len; k++) {
            I34_it_is_told(policy, policy_job(policy, queue->open.at[k]), queue->open.at[k]);
        }
    }
}
