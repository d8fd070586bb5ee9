#include "controlplane/core/core_state.h"

/* A job between its attempts: whether it has something to start, its place in its bucket, and its
 * end.  Every end of a job, for any reason, passes through end_job(). */

bool core_job_has_work(const struct core *core, const struct job *job)
{
    const struct job_run *run = job_table_run(&core->jobs, job);

    if (job->is_held || (run && run->stop != REASON_none)) return false;
    return job->elements_next < job->elements || (run && run->ready_first.n != 0);
}

void core_job_place(struct core *core, struct job_slot slot)
{
    if (core_job_has_work(core, job_table_at(&core->jobs, slot))) {
        queue_table_enter(&core->queues, &core->jobs, slot);
        core->is_dirty = true;
    } else {
        queue_table_remove(&core->queues, &core->jobs, slot);
    }
}

uint32_t core_job_open(const struct job *job, const struct job_run *run)
{
    return job->elements_next - run->succeeded - run->failed - run->cancelled;
}

/* Whether open_mark may have rows of it: only then they are looked for. */
static bool may_have_marks(const struct job *job, const struct job_run *run)
{
    if (job->is_held) return true;
    return run && (run->stop != REASON_none || run->first_start || run->picks.len > 0);
}

static void end_job(struct core *core, struct core_batch *batch, struct job_slot slot,
                    enum job_state state, enum reason reason)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    struct job_run *run = job_table_run(&core->jobs, job);
    struct row row = {.kind = ROW_job_end,
                      .job_end = {.job = job->id,
                                  .state = (uint8_t)state,
                                  .reason = (uint16_t)reason,
                                  .is_array = job->elements > 1 || (run && run->picks.len > 0),
                                  .has_marks = may_have_marks(job, run)}};

    if (run && run->first_start && run->stop == REASON_none) core->deadlines--;
    queue_table_remove(&core->queues, &core->jobs, slot);
    shape_table_unref(&core->shapes, bucket->shape);
    queue_table_leave(&core->queues, &core->jobs, slot);
    job_table_remove(&core->jobs, slot);
    core->is_dirty = true; /* the jobs behind it in its queue may start */
    core_batch_row(batch, &row);
}

enum job_state core_job_stopped_state(enum reason reason)
{
    return reason == REASON_Cancelled ? JOB_cancelled : JOB_failed;
}

void core_job_end_if_over(struct core *core, struct core_batch *batch, struct job_slot slot,
                          enum reason reason)
{
    struct job *job = job_table_at(&core->jobs, slot);
    const struct job_run *run = job_table_run(&core->jobs, job);

    if (run->stop != REASON_none) {
        if (core_job_open(job, run) > 0) return;
        end_job(core, batch, slot, core_job_stopped_state(run->stop), run->stop);
    } else if (job->elements_next == job->elements && core_job_open(job, run) == 0) {
        enum job_state state = run->failed ? JOB_failed : JOB_succeeded;

        if (job->elements > 1) reason = run->failed ? REASON_ElementsFailed : REASON_Succeeded;
        end_job(core, batch, slot, state, reason);
    }
}

void core_job_end_unstarted(struct core *core, struct core_batch *batch, struct job_slot job_slot,
                            enum reason reason)
{
    const struct job *job = job_table_at(&core->jobs, job_slot);
    struct row row = {.kind = ROW_element_end,
                      .element_end = {.job = job->id,
                                      .state = (uint8_t)core_job_stopped_state(reason),
                                      .reason = (uint16_t)reason,
                                      .first_replica = UINT32_MAX}};

    if (job->elements == 1) core_batch_row(batch, &row);
    end_job(core, batch, job_slot, core_job_stopped_state(reason), reason);
}
