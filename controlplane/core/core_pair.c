#include <inttypes.h>

#include "controlplane/core/core_state.h"

/* Arrays of which each element waits for the same element of another one.  All that follows from
 * the end of an element is in the batch of that end: so a load needs to know no more than how
 * elements of open jobs have ended. */

enum { ELEMENTS_OF_LOOK = 64 }; /* so many new ones are as dear as one look */

static struct job_run *run_of(const struct core *core, struct job_slot slot)
{
    return job_table_run(&core->jobs, job_table_at(&core->jobs, slot));
}

/* The jobs from one on that hear of its elements, itself first. */
struct family {
    struct job_slot at[PAIR_FAMILY_MAX];
    uint32_t len;
};

static void gather(const struct core *core, struct job_slot job, struct family *ret)
{
    ret->at[0] = job;
    ret->len = 1;
    for (uint32_t i = 0; i < ret->len; i++) {
        const struct job_run *run = run_of(core, ret->at[i]);

        for (struct pair *pair = run ? run->dependents : NULL; pair; pair = pair->next_of_target) {
            fl_assert(ret->len < PAIR_FAMILY_MAX);
            ret->at[ret->len++] = pair->job;
        }
    }
}

uint32_t core_pair_family(const struct core *core, struct job_slot job)
{
    struct family family;
    const struct job_run *run;

    while ((run = run_of(core, job)) && run->pair && run->pair->target.n) {
        job = run->pair->target;
    }
    gather(core, job, &family);
    return family.len;
}

static struct pair *link_pair(struct core *core, struct job_slot slot, struct job_slot target)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct job_run *run = job_table_need_run(&core->jobs, job), *of_target;
    struct owner *owner = core_owner(core, job);

    run->pair = pair_table_add(&core->pairs, slot, target, job->elements);
    owner->used[OWNER_pairs]++;
    owner->used[OWNER_pair_elements] += job->elements;
    if (!target.n) return run->pair;
    of_target = job_table_need_run(&core->jobs, job_table_at(&core->jobs, target));
    run->pair->next_of_target = of_target->dependents;
    of_target->dependents = run->pair;
    return run->pair;
}

/* Those of the target that ended have all succeeded: core_submit looked.  They are those that have
 * begun, but for the open ones. */
static void meet_ended(struct core *core, struct pair *pair, const struct job *target)
{
    const struct job_run *run = job_table_run(&core->jobs, target);
    uint32_t number = 0, from = 0;

    if (run->pair) {
        pair_make_ready_begun(pair, run->pair);
    } else {
        pair_make_ready_before(pair, target->elements_next);
    }
    while (job_table_next_element(&core->jobs, target, from, &number).n != 0) {
        core_look(core, 1);
        from = number + 1;
        pair_wait_again(pair, job_table_place(&core->jobs, target, number));
    }
}

void core_pair_add(struct core *core, struct core_batch *batch, struct job_slot slot,
                   struct job_slot target_slot)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct job *target = job_table_at(&core->jobs, target_slot);
    struct row mark = {
        .kind = ROW_mark_set,
        .mark_set = {.job = job->id, .kind = CORE_MARK_each, .value = (int64_t)target->id}};
    struct pair *pair = link_pair(core, slot, target_slot);

    core_look(core, job->elements / ELEMENTS_OF_LOOK);
    if (target->elements_next > 0) meet_ended(core, pair, target);
    core_batch_row(batch, &mark);
}

/* ---- an element ends ------------------------------------------------------------------------- */

/* An element that has not begun ends; its job goes on.  For any reason it is cancelled, since
 * nothing of it has failed. */
static void skip_element(struct core *core, struct core_batch *batch, struct job *job,
                         uint32_t number, enum reason reason)
{
    struct job_run *run = job_table_run(&core->jobs, job);
    struct row row = {.kind = ROW_element_end,
                      .element_end = {.job = job->id,
                                      .element = number,
                                      .state = JOB_cancelled,
                                      .reason = (uint16_t)reason,
                                      .first_replica = UINT32_MAX}};

    core_spend(core, LOOKS_OF_END);
    job->elements_next++;
    run->cancelled++;
    run->unplaced++;
    core_batch_row(batch, &row);
}

/* The element of one array that waits for it can never start; true: it ends. */
static bool give_up(struct core *core, struct core_batch *batch, struct pair *pair, uint32_t place)
{
    struct job *job = job_table_at(&core->jobs, pair->job);

    if (run_of(core, pair->job)->stop != REASON_none || !pair_waits(pair, place)) return false;
    (void)pair_take(pair, place);
    skip_element(core, batch, job, job_table_number(&core->jobs, job, place), REASON_NeverMet);
    return true;
}

static void succeed(struct core *core, const struct job_run *run, uint32_t place)
{
    for (struct pair *pair = run->dependents; pair; pair = pair->next_of_target) {
        core_spend(core, 1);
        if (pair_make_ready(pair, place)) core_job_place(core, pair->job);
    }
}

void core_pair_tell(struct core *core, struct core_batch *batch, struct job_slot slot,
                    uint32_t element, enum job_state state)
{
    uint32_t place = job_table_place(&core->jobs, job_table_at(&core->jobs, slot), element);
    struct family told = {.at = {slot}, .len = 1};

    if (state == JOB_succeeded) {
        succeed(core, run_of(core, slot), place);
        return;
    }
    for (uint32_t i = 0; i < told.len; i++) {
        for (struct pair *pair = run_of(core, told.at[i])->dependents; pair;
             pair = pair->next_of_target) {
            fl_assert(told.len < PAIR_FAMILY_MAX);
            if (give_up(core, batch, pair, place)) told.at[told.len++] = pair->job;
        }
    }
    while (told.len > 1) { /* those that wait end before the job that they wait for */
        core_job_end_if_over(core, batch, told.at[--told.len], REASON_NeverMet);
    }
}

/* ---- a job is stopped ------------------------------------------------------------------------ */

bool core_pair_sweep(struct core *core, struct core_batch *batch, struct job_slot slot)
{
    struct job *job = job_table_at(&core->jobs, slot);
    struct job_run *run = job_table_run(&core->jobs, job);
    enum reason reason = (enum reason)run->stop;
    uint32_t number;

    while (core_job_owes_ends(job, run)) {
        uint32_t place = job->elements_next;

        if (core->slice_left == 0) return false;
        if (run->pair) {
            place = pair_first_left(run->pair);
            (void)pair_take(run->pair, place);
        }
        number = job_table_number(&core->jobs, job, place);
        skip_element(core, batch, job, number, reason);
        core_pair_tell(core, batch, slot, number, JOB_cancelled);
    }
    return true;
}

/* ---- loading --------------------------------------------------------------------------------- */

bool core_pair_load(struct core *core, struct job_slot slot, int64_t target, struct fl_err *err)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct job_run *run = job_table_run(&core->jobs, job);
    struct job_slot of = job_table_find(&core->jobs, (struct fl_job){(uint64_t)target});

    if (target <= 0 || (uint64_t)target >= job->id || job->elements < 2 || (run && run->pair) ||
        !pair_table_has_room(&core->pairs, job->elements) ||
        (of.n && job_table_at(&core->jobs, of)->elements != job->elements) ||
        (of.n && core_pair_family(core, of) >= PAIR_FAMILY_MAX)) {
        return fl_fail(err, FL_TORN,
                       "job %" PRIu64 ": its elements cannot wait for those of job %" PRId64,
                       job->id, target);
    }
    (void)link_pair(core, slot, of);
    return true;
}

/* Rows come by job, so those of the target before those of the arrays that wait for it. */
bool core_pair_load_end(struct core *core, const struct row_pair_end *row, struct fl_err *err)
{
    struct job_slot slot = job_table_find(&core->jobs, (struct fl_job){row->job});
    const struct job *job = slot.n ? job_table_at(&core->jobs, slot) : NULL;
    const struct job_run *run = job ? job_table_run(&core->jobs, job) : NULL;
    uint32_t place;

    if (!run || !job_table_has_element(&core->jobs, job, row->element)) {
        return fl_fail(err, FL_TORN, "job %" PRIu64 " element %" PRIu32 " ended, and is not there",
                       row->job, row->element);
    }
    place = job_table_place(&core->jobs, job, row->element);
    if (run->pair) (void)pair_take(run->pair, place);
    if (row->state == JOB_succeeded) succeed(core, run, place);
    if (run->pair) core_job_place(core, slot);
    return true;
}
