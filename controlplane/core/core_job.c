#include <inttypes.h>

#include "controlplane/core/core_state.h"

/* A job between its attempts: whether it has something to start, its place in its bucket, the jobs
 * that it waits for, and its end.  Every end of a job, for any reason, passes through end_job(). */

static bool is_first(const struct core *core, const struct job *job)
{
    return singleton_table_first(&core->singletons, job->id) == job->id;
}

/* But for its parallelism. */
static bool may_start(const struct core *core, const struct job *job)
{
    const struct job_run *run = job_table_run(&core->jobs, job);

    if (job->is_held || job->is_after || (run && run->stop != REASON_none)) return false;
    if (job->is_singleton && !is_first(core, job)) return false;
    return job_table_fresh(&core->jobs, job) > 0 || (run && run->ready_first.n != 0);
}

bool core_job_is_throttled(const struct core *core, const struct job *job)
{
    return job_table_starts_left(&core->jobs, job) == 0 && may_start(core, job);
}

bool core_job_has_work(const struct core *core, const struct job *job)
{
    return may_start(core, job) && job_table_starts_left(&core->jobs, job) > 0;
}

void core_job_place(struct core *core, struct job_slot slot)
{
    if (core_job_has_work(core, job_table_at(&core->jobs, slot))) {
        queue_table_enter(&core->queues, &core->jobs, slot);
        core->is_dirty = true;
    } else {
        if (job_table_at(&core->jobs, slot)->place != JOB_OUT) {
            core->is_dirty = true; /* room that it may have claimed is for others */
        }
        queue_table_remove(&core->queues, &core->jobs, slot);
    }
    queue_table_recount(&core->queues, &core->jobs, slot);
}

/* A job at its limit stands in no bucket: so no round looks at it, it claims no room, and those
 * behind it go on.  It is back with the first attempt that ends. */
void core_job_count_live(struct core *core, struct job_slot slot)
{
    if (job_table_parallelism(&core->jobs, job_table_at(&core->jobs, slot)) == 0) return;
    core_job_place(core, slot);
}

void core_job_hold(struct core *core, struct core_batch *batch, struct job_slot slot, bool is_held)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct row set = {.kind = ROW_mark_set,
                      .mark_set = {.job = job->id, .kind = CORE_MARK_held, .value = 1}};
    struct row clear = {.kind = ROW_mark_clear,
                        .mark_clear = {.job = job->id, .kind = CORE_MARK_held}};

    job->is_held = is_held;
    core_batch_row(batch, is_held ? &set : &clear);
    core_job_place(core, slot);
    core->is_dirty = true;
}

uint32_t core_job_started(const struct job *job, const struct job_run *run)
{
    return job->elements_next - (run ? run->unplaced : 0);
}

uint32_t core_job_open(const struct job *job, const struct job_run *run)
{
    return job->elements_next - run->succeeded - run->failed - run->cancelled;
}

/* Whether open_mark may have rows of it: only then they are looked for. */
static bool may_have_marks(const struct core *core, const struct job *job,
                           const struct job_run *run)
{
    if (job->is_held || job->is_after || job->is_singleton) return true;
    if (job_table_revision(&core->jobs, job) > 0) return true;
    return run && (run->stop != REASON_none || run->first_start || run->picks.len > 0 || run->pair);
}

/* ---- jobs that wait for others --------------------------------------------------------------- */

/* The jobs that it still waits for, as its mark. */
static void put_mark(struct core *core, struct core_batch *batch, const struct job *job)
{
    struct fl_dependency left[FL_JOB_AFTER_MAX];
    const struct dependency_edge *edge = dependency_table_first(&core->dependencies, job->id);
    struct row row = {.kind = ROW_mark_set};
    size_t len = 0;

    for (; edge; edge = dependency_table_next(&core->dependencies, edge)) {
        fl_assert(len < FL_JOB_AFTER_MAX);
        left[len++] = (struct fl_dependency){.job = {edge->target}, .on = edge->on};
    }
    row.mark_set = (struct row_mark_set){.job = job->id,
                                         .kind = CORE_MARK_after,
                                         .value = (int64_t)len,
                                         .body = fl_dependencies_encode(left, len, &core->scratch)};
    core_batch_row(batch, &row);
}

void core_job_wait(struct core *core, struct core_batch *batch, struct job_slot slot,
                   const struct fl_dependency *at, size_t len)
{
    struct job *job = job_table_at(&core->jobs, slot);

    if (len == 0) return;
    for (size_t i = 0; i < len; i++) {
        dependency_table_add(&core->dependencies, job->id, at[i].job.n, at[i].on);
    }
    core_owner(core, job)->used[OWNER_waits] += (uint32_t)len;
    job->is_after = true;
    put_mark(core, batch, job);
}

void core_job_wait_no_more(struct core *core, const struct job *job)
{
    uint32_t *waits = &core_owner(core, job)->used[OWNER_waits];

    *waits -= dependency_table_drop(&core->dependencies, job->id);
}

/* One end that it waited for has come. */
static void wait_less(struct core *core, struct core_batch *batch, struct job_slot slot)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct row row = {.kind = ROW_mark_clear,
                      .mark_clear = {.job = job->id, .kind = CORE_MARK_after}};

    if (dependency_table_first(&core->dependencies, job->id)) {
        put_mark(core, batch, job);
        return;
    }
    job->is_after = false;
    core_batch_row(batch, &row);
    core_job_place(core, slot);
}

/* It waited for an end that can never be.  It ends in a later slice, since others may wait for that
 * in their turn. */
static void give_up(struct core *core, struct core_batch *batch, struct job_slot slot)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct job_run *run = job_table_need_run(&core->jobs, job);
    struct row row = {
        .kind = ROW_mark_set,
        .mark_set = {.job = job->id, .kind = CORE_MARK_cancel, .value = REASON_NeverMet}};

    core_job_wait_no_more(core, job);
    run->stop = REASON_NeverMet;
    run->is_swept = true;
    queue_table_recount(&core->queues, &core->jobs, slot);
    core_batch_row(batch, &row);
    core_walk_add(core, (struct core_walk){.id = job->id});
}

static void tell_dependents(struct core *core, struct core_batch *batch, uint64_t id,
                            enum job_state state)
{
    struct dependency_edge edge;

    while (dependency_table_take(&core->dependencies, id, &edge)) {
        struct job_slot slot = job_table_find(&core->jobs, (struct fl_job){edge.job});

        core_spend(core, 1);
        core_owner(core, job_table_at(&core->jobs, slot))->used[OWNER_waits]--;
        if (job_state_meets(state, edge.on)) {
            wait_less(core, batch, slot);
        } else {
            give_up(core, batch, slot);
        }
    }
}

/* ---- jobs that run one at a time ------------------------------------------------------------- */

void core_job_queue_up(struct core *core, struct job_slot slot, struct fl_str key)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct owner *owner = core_owner(core, job);

    singleton_table_add(&core->singletons, owner->tenant.n, key, job->id);
    owner->used[OWNER_singletons]++;
    job->is_singleton = true;
}

/* The job ends: the next one may start where it was the first of its line. */
static void end_turn(struct core *core, struct job *job)
{
    uint64_t next;

    if (!job->is_singleton) return;
    next = singleton_table_remove(&core->singletons, job->id);
    job->is_singleton = false;
    core_owner(core, job)->used[OWNER_singletons]--;
    if (next) core_job_place(core, job_table_find(&core->jobs, (struct fl_job){next}));
}

/* ---- arrays that wait for each other element by element -------------------------------------- */

bool core_job_owes_ends(const struct job *job, const struct job_run *run)
{
    return run && run->dependents && job->elements_next < job->elements;
}

/* The job ends.  Each of its elements has ended, so no element waits for it any more. */
static void end_pairs(struct core *core, struct owner *owner, struct job_run *run)
{
    struct pair **at;

    for (struct pair *pair = run->dependents; pair; pair = pair->next_of_target) {
        const struct job_run *waiting =
            job_table_run(&core->jobs, job_table_at(&core->jobs, pair->job));

        fl_assert(pair->waiting_len == 0 || waiting->stop != REASON_none);
        pair->target = (struct job_slot){0};
    }
    run->dependents = NULL;
    if (!run->pair) return;
    if (run->pair->target.n) {
        const struct job *target = job_table_at(&core->jobs, run->pair->target);

        at = &job_table_run(&core->jobs, target)->dependents;
        while (*at != run->pair) {
            at = &(*at)->next_of_target;
        }
        *at = run->pair->next_of_target;
    }
    owner->used[OWNER_pairs]--;
    owner->used[OWNER_pair_elements] -= run->pair->elements;
    pair_table_remove(&core->pairs, run->pair);
    run->pair = NULL;
}

/* ---- its end --------------------------------------------------------------------------------- */

static bool is_array(const struct job *job, const struct job_run *run)
{
    return job->elements > 1 || (run && run->picks.len > 0);
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
                                  .is_array = is_array(job, run),
                                  .has_marks = may_have_marks(core, job, run)}};

    if (run && run->first_start && run->stop == REASON_none) core->deadlines--;
    if (run) end_pairs(core, core_owner(core, job), run);
    core_job_wait_no_more(core, job);
    end_turn(core, job);
    queue_table_remove(&core->queues, &core->jobs, slot);
    shape_table_unref(&core->shapes, bucket->shape);
    owner_table_leave(&core->owners, job->owner, job->bucket);
    queue_table_leave(&core->queues, &core->jobs, slot);
    job_table_remove(&core->jobs, slot);
    core->is_dirty = true; /* the jobs behind it in its queue may start */
    core_batch_row(batch, &row);
    tell_dependents(core, batch, row.job_end.job, state);
}

enum job_state core_job_stopped_state(enum reason reason)
{
    return reason == REASON_Cancelled || reason == REASON_NeverMet ? JOB_cancelled : JOB_failed;
}

/* Some elements of a pair are cancelled although the job is not. */
static enum job_state state_of_elements(const struct job_run *run)
{
    if (run->failed) return JOB_failed;
    return run->cancelled ? JOB_cancelled : JOB_succeeded;
}

static enum reason reason_of_array(const struct job_run *run)
{
    if (run->failed) return REASON_ElementsFailed;
    return run->cancelled ? REASON_NeverMet : REASON_Succeeded;
}

void core_job_end_if_over(struct core *core, struct core_batch *batch, struct job_slot slot,
                          enum reason reason)
{
    struct job *job = job_table_at(&core->jobs, slot);
    const struct job_run *run = job_table_run(&core->jobs, job);

    if (run->stop != REASON_none) {
        if (core_job_open(job, run) > 0 || core_job_owes_ends(job, run)) return;
        if (job->elements_next == 0) {
            core_spend(core, LOOKS_OF_END);
            core_job_end_unstarted(core, batch, slot, run->stop);
            return;
        }
        end_job(core, batch, slot, core_job_stopped_state(run->stop), run->stop);
    } else if (job->elements_next == job->elements && core_job_open(job, run) == 0) {
        if (job->elements > 1) reason = reason_of_array(run);
        end_job(core, batch, slot, state_of_elements(run), reason);
    }
}

void core_job_end_unstarted(struct core *core, struct core_batch *batch, struct job_slot job_slot,
                            enum reason reason)
{
    const struct job *job = job_table_at(&core->jobs, job_slot);
    const struct job_run *run = job_table_run(&core->jobs, job);
    struct row row = {.kind = ROW_element_end,
                      .element_end = {.job = job->id,
                                      .state = (uint8_t)core_job_stopped_state(reason),
                                      .reason = (uint16_t)reason,
                                      .first_replica = UINT32_MAX}};

    if (!is_array(job, run)) core_batch_row(batch, &row);
    end_job(core, batch, job_slot, core_job_stopped_state(reason), reason);
}
