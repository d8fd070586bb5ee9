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

/* How far a new incarnation is above all known ones is drawn.  The same backup may be restored once
 * more: it has forgotten what was noticed since, and a fixed step would begin the same incarnation,
 * in which attempts were numbered already.  After an end that was not in good order the steps are
 * small: with one each ten seconds the numbers last for ten years. */
enum { DRAWN_AFTER_LOSS = 65536, DRAWN_AFTER_BAD_END = 256 };

static void raise_incarnation(struct core *core, struct core_batch *batch, uint32_t above,
                              uint32_t drawn_below)
{
    uint32_t known = above > core->incarnation ? above : core->incarnation;
    uint64_t next = (uint64_t)known + 1 + fl_prng_below(&core->prng, drawn_below);
    uint32_t step = (uint32_t)(next - core->incarnation);

    fl_assert(next <= UINT32_MAX);
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

/* Postgres was promoted, or is another server: the leader row has noticed that. */
static bool is_leader_row_raised(const struct core *core)
{
    uint32_t noted = core->history.leader_incarnation ? core->history.leader_incarnation : 1;

    return core->history.leader_row > noted;
}

void core_history(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    uint64_t jobs = core_jobs_accepted(core), job_from = event->history.job_from;
    uint64_t lost = event->history.jobs > jobs ? event->history.jobs - jobs : 0;
    uint32_t drawn_below = event->history.is_lost ? DRAWN_AFTER_LOSS : DRAWN_AFTER_BAD_END;

    if (event->history.is_lost) {
        core_audit(batch, event, "history_lost jobs=%" PRIu64 "..%" PRIu64 " batches=%" PRIu64,
                   lost, lost + event->history.jobs_unsure, event->history.batches);
        if (job_from > core->job_next) note_lost(core, batch, job_from);
    }
    if (job_from > core->job_next) jump(core, batch, job_from);
    if (event->history.is_raised) {
        raise_incarnation(core, batch, event->history.incarnation, drawn_below);
    }
    if (event->history.is_raised || is_leader_row_raised(core)) {
        know_batch(core, batch, batch->number - 1);
        know_batch(core, batch, event->history.batch_known);
    }
    if (!is_leader_row_raised(core)) return;
    core->history.leader_incarnation = core->history.leader_row;
    put_counter(batch, CORE_COUNTER_leader_incarnation, core->history.leader_incarnation);
}

/* ---- agents know of a later history ---------------------------------------------------------- */

/* A person who accepts a database knows no more than the agents that came, and the lost history may
 * have had later incarnations than theirs.  The new one is far above those; one in between is of a
 * lost history. */
enum { ACCEPTED_GAP = 1000 };

static void raise_past_unknown(struct core *core, struct core_batch *batch, uint32_t seen)
{
    uint32_t known = seen > core->incarnation ? seen : core->incarnation;

    raise_incarnation(core, batch, known + ACCEPTED_GAP, DRAWN_AFTER_LOSS);
    core->history.incarnation_known = known;
    core->history.incarnation_accepted = core->incarnation;
    put_counter(batch, CORE_COUNTER_incarnation_known, known);
    put_counter(batch, CORE_COUNTER_incarnation_accepted, core->incarnation);
}

static bool is_of_lost(const struct core *core, uint32_t incarnation)
{
    uint32_t known = core->history.incarnation_known;
    uint32_t accepted = core->history.incarnation_accepted;

    if (accepted == 0) accepted = known + ACCEPTED_GAP + 1; /* by an older program */
    return known > 0 && incarnation > known && incarnation < accepted;
}

bool core_history_is_news(const struct core *core, const struct core_batch *batch,
                          const struct core_seen *seen)
{
    if (seen->incarnation == 0) return false;
    if (seen->incarnation > core->incarnation || is_of_lost(core, seen->incarnation)) return true;
    if (seen->incarnation == core->incarnation) return seen->batch >= batch->number;
    return seen->batch > core->history.batch_known;
}

static void put_seen(struct core *core, struct core_batch *batch, struct core_seen seen)
{
    core->history.seen = seen;
    put_counter(batch, CORE_COUNTER_seen_incarnation, seen.incarnation);
    put_counter(batch, CORE_COUNTER_seen_batch, seen.batch);
    put_counter(batch, CORE_COUNTER_seen_job_below, seen.job_below);
}

bool core_history_is_disputed(const struct core *core)
{
    return core->history.seen.incarnation > 0;
}

void core_history_dispute(struct core *core, const struct core_event *event,
                          struct core_batch *batch, const struct cluster *cluster)
{
    struct core_seen told = event->session_open.seen, seen = core->history.seen;
    struct core_event who = *event;

    if (!core_history_is_disputed(core)) {
        who.actor = FL_STR("agent");
        core_audit(batch, &who, "history_disputed %s batch=%" PRIu64 " incarnation=%" PRIu32,
                   cluster->name, told.batch, told.incarnation);
    }
    if (told.incarnation <= seen.incarnation && told.batch <= seen.batch &&
        told.job_below <= seen.job_below) {
        return;
    }
    if (told.incarnation > seen.incarnation) seen.incarnation = told.incarnation;
    if (told.batch > seen.batch) seen.batch = told.batch;
    if (told.job_below > seen.job_below) seen.job_below = told.job_below;
    put_seen(core, batch, seen);
}

bool core_history_accept(struct core *core, const struct core_event *event,
                         struct core_batch *batch)
{
    struct core_seen seen = core->history.seen;

    if (!core_history_is_disputed(core)) {
        core_answer_code(batch, event, FL_CONFLICT,
                         "there is nothing to accept: no agent has seen a later history than this "
                         "database's");
        return false;
    }
    if (seen.job_below > core->job_next) {
        note_lost(core, batch, seen.job_below);
        jump(core, batch, seen.job_below);
    }
    raise_past_unknown(core, batch, seen.incarnation);
    know_batch(core, batch, seen.batch);
    know_batch(core, batch, batch->number);
    put_seen(core, batch, (struct core_seen){0});
    core->history.strays_until = core->now + core->config.stray_ms;
    core_audit(batch, event, "accept_restore job_next=%" PRIu64 " incarnation=%" PRIu32,
               core->job_next, core->incarnation);
    core_answer_code(batch, event, FL_OK, "");
    return true;
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
    case CORE_COUNTER_seen_incarnation:
        core->history.seen.incarnation = (uint32_t)row->value;
        return row->value <= UINT32_MAX;
    case CORE_COUNTER_seen_batch:
        core->history.seen.batch = row->value;
        return true;
    case CORE_COUNTER_seen_job_below:
        core->history.seen.job_below = row->value;
        return true;
    case CORE_COUNTER_leader_incarnation:
        core->history.leader_incarnation = (uint32_t)row->value;
        return row->value <= UINT32_MAX;
    case CORE_COUNTER_incarnation_known:
        core->history.incarnation_known = (uint32_t)row->value;
        return row->value <= UINT32_MAX;
    case CORE_COUNTER_incarnation_accepted:
        core->history.incarnation_accepted = (uint32_t)row->value;
        return row->value <= UINT32_MAX;
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
