#include <inttypes.h>

#include "controlplane/core/core_state.h"

/* A database that was restored, or that lost its end, has forgotten numbers that were given out.
 * None of them is ever given out again: ids go on above them, and a greater incarnation makes the
 * same attempt number another attempt. */

static void put_counter(struct core_batch *batch, enum core_counter counter, uint64_t value)
{
    struct row row = {.kind = ROW_counter, .counter = {(uint8_t)counter, value}};

    core_batch_row(batch, &row);
}

static void raise_incarnation(struct core *core, struct core_batch *batch, uint32_t above)
{
    uint32_t step = above > core->incarnation ? above - core->incarnation + 1 : 1;

    core->incarnation += step;
    core->history.incarnations += step;
    put_counter(batch, CORE_COUNTER_incarnations, core->history.incarnations);
}

static void know_batch(struct core *core, struct core_batch *batch, uint64_t newest)
{
    if (newest <= core->history.batch_known) return;
    core->history.batch_known = newest;
    put_counter(batch, CORE_COUNTER_batch_known, newest);
}

/* Those that are lost may run somewhere, so that strays of them are not stopped at once. */
static void note_lost(struct core *core, struct core_batch *batch, uint64_t job_from)
{
    if (!core->history.job_lost_from) {
        core->history.job_lost_from = core->job_next;
        put_counter(batch, CORE_COUNTER_job_lost_from, core->history.job_lost_from);
    }
    core->history.job_lost_to = job_from - 1;
    put_counter(batch, CORE_COUNTER_job_lost_to, core->history.job_lost_to);
}

static void jump(struct core *core, struct core_batch *batch, uint64_t job_from)
{
    core->history.jobs_skipped += job_from - core->job_next;
    core->job_next = job_from;
    put_counter(batch, CORE_COUNTER_job_next, core->job_next);
    put_counter(batch, CORE_COUNTER_jobs_skipped, core->history.jobs_skipped);
}

void core_history(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    uint64_t jobs = core_jobs_accepted(core), job_from = event->history.job_from;
    uint64_t lost = event->history.jobs > jobs ? event->history.jobs - jobs : 0;

    if (event->history.is_lost) {
        core_audit(batch, event, "history_lost jobs=%" PRIu64 "..%" PRIu64 " batches=%" PRIu64,
                   lost, lost + event->history.jobs_unsure, event->history.batches);
        if (job_from > core->job_next) note_lost(core, batch, job_from);
    }
    if (job_from > core->job_next) jump(core, batch, job_from);
    if (!event->history.is_raised) return;
    raise_incarnation(core, batch, event->history.incarnation);
    know_batch(core, batch,
               event->history.is_lost ? event->history.batch_known : batch->number - 1);
}

bool core_history_load(struct core *core, const struct row_counter *row)
{
    switch ((enum core_counter)row->counter) {
    case CORE_COUNTER_job_next:
        if (row->value > core->job_next) core->job_next = row->value;
        return true;
    case CORE_COUNTER_job_lost_from:
        core->history.job_lost_from = row->value;
        return true;
    case CORE_COUNTER_job_lost_to:
        core->history.job_lost_to = row->value;
        return true;
    case CORE_COUNTER_jobs_skipped:
        core->history.jobs_skipped = row->value;
        return true;
    case CORE_COUNTER_incarnations:
        core->history.incarnations = (uint32_t)row->value;
        return row->value <= UINT32_MAX;
    case CORE_COUNTER_batch_known:
        core->history.batch_known = row->value;
        return true;
    }
    return false;
}

uint64_t core_job_next(const struct core *core)
{
    return core->job_next;
}

uint64_t core_jobs_accepted(const struct core *core)
{
    return core->job_next - 1 - core->history.jobs_skipped;
}

uint64_t core_batch_known(const struct core *core)
{
    return core->history.batch_known;
}

uint32_t core_incarnation(const struct core *core)
{
    return core->incarnation;
}
