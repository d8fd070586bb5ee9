#include "tests/sim/policy_each.h"

#include <inttypes.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"

/* 0: it has not ended. */
static uint8_t end_of(const struct policy_job *job, uint32_t number)
{
    return number < job->ends.len ? job->ends.at[number] : 0;
}

/* The end of its fellow. */
static uint8_t fellow_of(struct policy *policy, const struct policy_job *job, uint32_t number)
{
    return end_of(policy_job(policy, job->each), number);
}

static bool has_number(const struct policy_job *job, uint32_t number)
{
    return job->numbers & UINT64_C(1) << number;
}

static void read_numbers(struct policy_job *job, const struct row_job_new *row)
{
    struct fl_element_set picks = {0};
    struct fl_err err = {0};

    fl_assert(row->picked.len == 0 || fl_element_set_decode(row->picked, &picks, &err));
    for (uint32_t place = 0; place < row->elements && row->elements <= 32; place++) {
        uint32_t number = picks.len ? fl_element_set_nth(&picks, place) : place;

        if (number < 64) job->numbers |= UINT64_C(1) << number;
    }
    fl_element_set_fini(&picks);
}

void policy_each_job(struct policy *policy, const struct row_job_new *row)
{
    struct policy_job *job = policy_job(policy, row->job), *fellow;
    struct fl_arena arena = {0};
    struct fl_dependencies list = {0};
    struct fl_err err = {0};

    read_numbers(job, row);
    fl_assert(fl_dependencies_decode(row->after, &arena, &list, &err));
    for (size_t i = 0; i < list.len; i++) {
        if (list.at[i].on == FL_ON_each) job->each = list.at[i].job.n;
    }
    fl_arena_fini(&arena);
    if (!job->each) return;
    fellow = policy_job(policy, job->each);
    if (fellow->numbers == job->numbers && fellow->elements == row->elements &&
        fellow->end_state == 0 && row->elements > 1) {
        return;
    }
    sim_broken(policy->sim, "I38", "job %" PRIu64 " waits for elements of job %" PRIu64, row->job,
               job->each);
}

void policy_each_mark(struct policy *policy, const struct row_mark_set *row)
{
    struct policy_job *job = policy_job(policy, row->job);

    if (job->each == (uint64_t)row->value && !job->is_each_marked) {
        job->is_each_marked = true;
        return;
    }
    sim_broken(policy->sim, "I38", "the mark of job %" PRIu64 " names job %" PRId64, row->job,
               row->value);
}

void policy_each_start(struct policy *policy, const struct row_attempt_new *row)
{
    const struct policy_job *job = policy_job(policy, row->job);

    if (!job->each || fellow_of(policy, job, row->element) == JOB_succeeded) return;
    sim_broken(policy->sim, "I38", "job %" PRIu64 ".%u starts before that of job %" PRIu64,
               row->job, row->element, job->each);
}

void policy_each_end(struct policy *policy, const struct row_element_end *row)
{
    struct policy_job *job = policy_job(policy, row->job);
    uint8_t fellow = job->each ? fellow_of(policy, job, row->element) : 0;

    while (job->ends.len <= row->element) {
        fl_vec_push(&job->ends, 0);
    }
    job->ends.at[row->element] = row->state;
    if (row->reason != REASON_NeverMet || job->is_stopped) return;
    sim_mark(policy->sim, MARK_each_never_met);
    if (job->each && fellow && fellow != JOB_succeeded && row->state == JOB_cancelled &&
        row->n == 0) {
        return;
    }
    sim_broken(policy->sim, "I38",
               "job %" PRIu64 ".%u ends for reason NeverMet, and its fellow's end is %u", row->job,
               row->element, fellow);
}

/* A reason that comes from the elements, not from a stop: one that ends the job at once has no mark
 * before it. */
static bool is_of_elements(uint16_t reason)
{
    return reason == REASON_Succeeded || reason == REASON_ElementsFailed ||
           reason == REASON_NeverMet;
}

/* Not stopped, it is as its elements are. */
void policy_each_job_end(struct policy *policy, const struct row_job_end *row)
{
    const struct policy_job *job = policy_job(policy, row->job);
    bool is_some = job->cancelled > 0 && job->failed == 0;

    if (!job->each || job->is_stopped || job->was_cancelled) return;
    if (!is_of_elements(row->reason)) return;
    if (is_some == (row->reason == REASON_NeverMet && row->state == JOB_cancelled)) return;
    sim_broken(policy->sim, "I38", "job %" PRIu64 " ends for reason %s", row->job,
               reason_name((enum reason)row->reason));
}

static bool has_begun(const struct policy_job *job, uint32_t number)
{
    for (size_t i = 0; i < job->begun.len; i++) {
        if (job->begun.at[i].element == number) return true;
    }
    return false;
}

bool policy_each_is_fresh(struct policy *policy, const struct policy_job *job)
{
    if (!job->each) return job->started < job->elements;
    for (uint32_t number = 0; number < 64; number++) {
        if (!has_number(job, number) || has_begun(job, number)) continue;
        if (fellow_of(policy, job, number) == JOB_succeeded) return true;
    }
    return false;
}

bool policy_each_waits(struct policy *policy, const struct policy_job *job)
{
    for (uint32_t number = 0; job->each && number < 64; number++) {
        if (has_number(job, number) && !fellow_of(policy, job, number)) return true;
    }
    return false;
}

/* No element waits for one that is over. */
static void I38_it_is_told(struct policy *policy, const struct policy_job *job, uint64_t id)
{
    if (!job->each || job->is_stopped) return;
    if (!job->is_each_marked) sim_broken(policy->sim, "I38", "job %" PRIu64 " has no mark", id);
    for (uint32_t number = 0; number < 64; number++) {
        uint8_t fellow = fellow_of(policy, job, number);

        if (!has_number(job, number) || has_begun(job, number)) continue;
        if (fellow == JOB_succeeded) sim_mark(policy->sim, MARK_each_met);
        if (fellow == 0 || fellow == JOB_succeeded) {
            if (fellow || !policy_job(policy, job->each)->end_state) continue;
        }
        sim_broken(policy->sim, "I38",
                   "job %" PRIu64 ".%u waits, and that of job %" PRIu64 " can never succeed", id,
                   number, job->each);
    }
}

void policy_each_batch(struct policy *policy)
{
    for (size_t i = 0; i < policy->queues.len; i++) {
        const struct policy_queue *queue = &policy->queues.at[i];

        for (size_t k = 0; k < queue->open.len; k++) {
            I38_it_is_told(policy, policy_job(policy, queue->open.at[k]), queue->open.at[k]);
        }
    }
}
