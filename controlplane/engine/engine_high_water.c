#include "controlplane/engine/engine_high_water.h"

#include "controlplane/core/core.h"

enum {
    EPOCHS_AHEAD = 64,
    NOTE_MS = 1000,  /* between two writes that only note batches */
    HOLD_MS = 2000,  /* a write that takes longer holds nothing back */
    BUSY_MS = 10000, /* a limit that is used up faster is raised by twice as much */
    IDS_AHEAD_MAX = 1 << 20,
    IDS_OF_REQUEST = CORE_SUBMIT_MAX,
};

static void mark_dirty(struct engine_high_water *water)
{
    if (water->has_port) {
        water->is_dirty = true;
    } else {
        water->kept = water->now;
    }
}

void engine_high_water_init(struct engine_high_water *water, const struct high_water *found,
                            uint32_t ids_min, bool has_port)
{
    *water = (struct engine_high_water){.found = *found,
                                        .now = *found,
                                        .kept = *found,
                                        .has_port = has_port,
                                        .is_first = true,
                                        .ids_min = ids_min,
                                        .ids_ahead = ids_min};
    if (found->epoch_below > 0) water->epoch_above = found->epoch_below - 1;
    water->now.epoch_below = water->epoch_above + EPOCHS_AHEAD;
    water->now.is_closed = 0;
    mark_dirty(water);
}

bool engine_high_water_is_open(const struct engine_high_water *water)
{
    return !water->kept.is_closed && water->kept.epoch_below > water->epoch_above + 1;
}

static bool has_found(const struct engine_high_water *water)
{
    return water->found.epoch_below > 0;
}

bool engine_high_water_taken(struct engine_high_water *water, const struct engine_taken *taken)
{
    water->epoch_above = taken->epoch;
    if (taken->epoch + EPOCHS_AHEAD / 2 > water->now.epoch_below) {
        water->now.epoch_below = taken->epoch + EPOCHS_AHEAD;
        mark_dirty(water);
    }
    water->batch_taken = taken->batch_newest;
    return taken->epoch < water->kept.epoch_below;
}

/* A loss that a replica has noticed is of an older incarnation, and the database knows its end. */
static bool is_accounted_for(const struct engine_high_water *water, const struct core *core)
{
    return water->now.incarnation < core_incarnation(core) &&
           water->now.batch <= core_batch_known(core);
}

void engine_high_water_compare(struct engine_high_water *water, const struct core *core)
{
    bool is_doubtful = water->is_first && has_found(water) && !water->found.is_closed;

    water->is_lost = water->batch_taken < water->now.batch && !is_accounted_for(water, core);
    water->is_raised = water->is_lost || is_doubtful;
    water->incarnation_taken = core_incarnation(core);
}

/* No id from here on was given out, as far as this process and the one before know. */
static uint64_t job_from(const struct engine_high_water *water)
{
    return water->is_first ? water->found.job_below : water->now.job_next;
}

void engine_high_water_tell(const struct engine_high_water *water, struct core_event *event)
{
    event->kind = CORE_EV_history;
    event->actor = FL_STR("fairleadd");
    event->history.is_lost = water->is_lost;
    event->history.is_raised = water->is_raised;
    event->history.incarnation = (uint32_t)water->now.incarnation;
    event->history.job_from = job_from(water);
    event->history.jobs = water->now.jobs;
    if (!water->is_lost) return;
    event->history.batch_known = water->now.batch_highest;
    event->history.jobs_unsure = job_from(water) - water->now.job_next;
    event->history.batches = water->now.batch - water->batch_taken;
}

static void note(struct engine_high_water *water, uint64_t batch, uint64_t job_next, uint64_t jobs)
{
    water->now.batch = batch;
    if (batch > water->now.batch_highest) water->now.batch_highest = batch;
    water->now.job_next = job_next;
    water->now.jobs = jobs;
    if (water->now.job_below < job_next) water->now.job_below = job_next;
    mark_dirty(water);
}

/* Batches of another replica, and those that are durable although their answer was lost, count as
 * well, in the incarnation that the database has: another replica may have raised it, and a seal of
 * these batches in the older one would tell of a loss.  An own raise counts from the first
 * commit.  After a loss the marks stay until that commit, which carries the news of it. */
void engine_high_water_loaded(struct engine_high_water *water, const struct core *core)
{
    if (water->is_lost) return;
    note(water, water->batch_taken, core_job_next(core), core_jobs_accepted(core));
    if (water->incarnation_taken > water->now.incarnation) {
        water->now.incarnation = water->incarnation_taken;
    }
}

void engine_high_water_committed(struct engine_high_water *water, uint64_t batch, uint64_t job_next,
                                 uint64_t jobs, uint32_t incarnation)
{
    note(water, batch, job_next, jobs);
    water->now.incarnation = incarnation;
    water->is_first = false;
}

/* ---- ids ahead ------------------------------------------------------------------------------- */

static uint64_t left(const struct high_water *limits, uint64_t job_next)
{
    return limits->job_below > job_next ? limits->job_below - job_next : 0;
}

static void reserve(struct engine_high_water *water, uint64_t job_next, fl_ms now)
{
    bool is_busy = water->reserved_at > 0 && now - water->reserved_at < BUSY_MS;

    if (is_busy && water->ids_ahead < IDS_AHEAD_MAX) water->ids_ahead *= 2;
    if (!is_busy && water->ids_ahead > water->ids_min) water->ids_ahead /= 2;
    water->reserved_at = now;
    water->now.job_below = job_next + water->ids_ahead;
    mark_dirty(water);
}

void engine_high_water_turn(struct engine_high_water *water, const struct core *core,
                            const struct engine_ports *ports, fl_ms now)
{
    uint64_t job_next = core ? core_job_next(core) : 0;
    bool is_urgent;

    if (core && left(&water->now, job_next) < water->ids_ahead / 2) reserve(water, job_next, now);
    is_urgent = water->now.job_below > water->kept.job_below ||
                water->now.epoch_below > water->kept.epoch_below || water->kept.is_closed;
    if (water->is_asking || !water->is_dirty) return;
    if ((!is_urgent || water->is_failed) && now < water->asked_at + NOTE_MS) return;
    water->asked = water->now;
    water->asked_at = now;
    water->is_dirty = false;
    water->is_asking = true;
    ports->keep(ports->keep_ctx, &water->asked);
}

void engine_high_water_kept(struct engine_high_water *water, bool is_good)
{
    water->is_asking = false;
    water->is_failed = !is_good;
    if (is_good) {
        water->kept = water->asked;
    } else {
        mark_dirty(water);
    }
}

fl_ms engine_high_water_deadline(const struct engine_high_water *water)
{
    if (water->is_asking || !water->is_dirty) return INT64_MAX;
    return water->asked_at + NOTE_MS;
}

uint64_t engine_high_water_job_below(const struct engine_high_water *water)
{
    return water->kept.job_below;
}

bool engine_high_water_is_short(const struct engine_high_water *water, const struct core *core)
{
    uint64_t least = water->ids_ahead / 8 > IDS_OF_REQUEST ? water->ids_ahead / 8 : IDS_OF_REQUEST;

    if (least > water->ids_min / 2) least = water->ids_min / 2;
    return left(&water->kept, core_job_next(core)) < least;
}

bool engine_high_water_holds(const struct engine_high_water *water, const struct core *core,
                             fl_ms now)
{
    return water->is_asking && now < water->asked_at + HOLD_MS &&
           water->asked.job_below > water->kept.job_below &&
           engine_high_water_is_short(water, core);
}

/* Before the first commit a bad end of the process before is still to be made good: that doubt
 * stays.  Its batch may be durable all the same, with an answer that was lost. */
struct high_water engine_high_water_close(const struct engine_high_water *water)
{
    struct high_water last = water->now;

    last.job_below = last.job_next;
    last.epoch_below = water->epoch_above + 1;
    last.is_closed = 1;
    if (!water->is_first) return last;
    if (last.job_below < water->found.job_below) last.job_below = water->found.job_below;
    if (has_found(water)) last.is_closed = water->found.is_closed;
    return last;
}
