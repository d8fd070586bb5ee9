#include "controlplane/engine/engine_term.h"

#include "controlplane/engine/engine_state.h"

#define NEVER INT64_MAX

fl_ms engine_term_now(const struct engine *engine)
{
    return engine->base_core + (engine->now - engine->base_at);
}

static bool is_alone(const struct engine *engine)
{
    return engine->now < engine->alone_until || engine->inbox.suspects > 0;
}

static bool has_number(const struct engine *engine)
{
    return engine->open->core->number < engine->batch_below;
}

/* The remaining numbers are for events that cannot be refused: the agents' reports, and time. */
const char *engine_term_refusal(const struct engine *engine)
{
    bool is_room_short = !has_number(engine) || engine->batch_below - engine->open->core->number <=
                                                    engine->config.batches_kept;

    return is_room_short ? "batch numbers run out: no further partition was made; nothing is "
                           "accepted until maintenance has made one"
                         : NULL;
}

/* ---- events in ------------------------------------------------------------------------------- */

void engine_term_step(struct engine *engine, const struct core_event *event)
{
    engine->open->core->at = event->now;
    core_step(engine->core, event, engine->open->core);
    engine->open->steps++;
    engine->is_unsettled = true;
    engine->stats.events++;
}

/* Partitions exist below, and the state directory says that ids below may be given out. */
static uint64_t room_of(const struct engine *engine)
{
    uint64_t kept = engine_high_water_job_below(&engine->water);

    return kept < engine->job_below ? kept : engine->job_below;
}

void engine_term_room(struct engine *engine)
{
    struct core_event room = {.kind = CORE_EV_room, .now = engine_term_now(engine)};

    room.room.job_below = engine->room_told = room_of(engine);
    engine_term_step(engine, &room);
}

/* False: the next event had better wait for ids. */
static bool has_ids(struct engine *engine)
{
    if (!engine_high_water_is_short(&engine->water, engine->core)) return true;
    engine_high_water_turn(&engine->water, engine->core, &engine->ports, engine->now);
    if (room_of(engine) != engine->room_told) engine_term_room(engine);
    return !engine_high_water_holds(&engine->water, engine->core, engine->now);
}

static size_t held_bytes(const struct engine *engine)
{
    return engine_batch_bytes(engine->open) + engine_flights_bytes(&engine->flights);
}

/* Nothing more goes into the open batch. */
static bool is_closed(const struct engine *engine)
{
    const struct core_batch *batch = engine->open->core;

    if (batch->jobs >= engine->config.batch_jobs_max) return true;
    if (batch->body.len >= engine->config.batch_bytes_max) return true;
    if (core_batch_bytes(batch) >= engine->config.batch_memory_max) return true;
    if (held_bytes(engine) >= engine->config.held_bytes_max) return true;
    /* Left-over work goes first, so that an event is not blamed for it. */
    return is_alone(engine) && (engine->open->steps > 0 || engine->is_more);
}

/* Tells the core when the oldest commit takes too long, and when the next one came through. */
static void watch_database(struct engine *engine)
{
    struct core_event event = {.now = engine_term_now(engine)};
    bool is_away = engine->flights.len > 0 &&
                   engine->now - engine->flights.since >= (fl_ms)engine->config.away_ms;

    if (is_away == engine->is_away) return;
    engine->is_away = is_away;
    event.kind = is_away ? CORE_EV_db_away : CORE_EV_db_back;
    engine_term_step(engine, &event);
}

/* Takes from the turn's work what the core has looked at since the last time, but at least
 * 'cost'. */
static void charge(struct engine *engine, size_t *work, size_t cost)
{
    size_t looked = (size_t)(core_looked(engine->core) - engine->looked) / CORE_LOOKS_PER_EVENT;

    if (looked > cost) cost = looked;
    *work -= cost < *work ? cost : *work;
    engine->looked = core_looked(engine->core);
}

static void step_event(struct engine *engine, struct engine_event *event, size_t *work)
{
    event->event.now = engine_term_now(engine);
    engine_term_step(engine, &event->event);
    charge(engine, work, engine_event_work(event));
    if (event->event.request != 0 || is_alone(engine)) {
        engine_event_list_push(&engine->open->kept, event);
    } else {
        engine_event_destroy(event);
    }
}

static void fill(struct engine *engine, size_t *work)
{
    const char *closed_text = engine_term_refusal(engine);
    struct engine_event *event;

    if (!is_closed(engine) && core_deadline(engine->core) <= engine_term_now(engine)) {
        struct core_event tick = {.kind = CORE_EV_tick, .now = engine_term_now(engine)};

        engine_term_step(engine, &tick);
        charge(engine, work, 0);
    }
    while (!is_closed(engine) && has_ids(engine)) {
        event = engine_inbox_next(&engine->inbox, work, closed_text, engine->now);
        if (!event) break;
        step_event(engine, event, work);
    }
}

/* ---- batches out ----------------------------------------------------------------------------- */

void engine_term_release(struct engine *engine, struct engine_batch *batch, bool has_sends)
{
    struct engine_event_list events = engine_batch_take_events(batch);

    engine_inbox_done_list(&engine->inbox, &events);
    if (batch->core->rows.len > 0) engine->ports.notice(engine->ports.ctx, batch->core);
    for (struct engine_batch *part = batch; part;
         part = part == batch ? batch->riders : part->next) {
        for (size_t i = 0; i < part->core->effects.len; i++) {
            struct core_effect *effect = &part->core->effects.at[i];

            if (effect->kind == CORE_ANSWER) {
                if (effect->answer.at == 0) effect->answer.at = part->core->at;
                engine->ports.answer(engine->ports.ctx, &effect->answer);
            } else if (has_sends) {
                engine->ports.send(engine->ports.ctx, &effect->send);
            }
        }
    }
    engine_batch_destroy(batch);
}

/* Takes the open batch and puts an empty one in its place. */
static struct engine_batch *take_open(struct engine *engine, uint64_t number_next)
{
    struct engine_batch *batch = engine->open;

    engine->open = engine_batch_create(number_next);
    return batch;
}

static void send_open(struct engine *engine, bool is_for_one)
{
    struct engine_batch *batch = take_open(engine, engine->open->core->number + 1);

    batch->job_next = core_job_next(engine->core);
    batch->jobs = core_jobs_accepted(engine->core);
    batch->incarnation = core_incarnation(engine->core);
    batch->is_alone = is_for_one;
    batch->epoch = engine->epoch;
    engine_flights_push(&engine->flights, batch, engine->now);
    engine->store.commit(engine->store.ctx, batch->core, batch->epoch, engine->now);
}

/* Whether a batch may go now.  Beside another one only if it is worth a commit of its own: a small
 * one would wait behind it anyway, and grows meanwhile. */
static bool has_slot(const struct engine *engine)
{
    const struct core_batch *batch = engine->open->core;

    if (engine->flights.len == 0) return true;
    if (engine->flights.len == engine->config.inflight_max) return false;
    return batch->rows.len == 0 || batch->body.len >= engine->config.beside_bytes_min ||
           is_closed(engine);
}

/* Sends the open batch on its way.  False: there is nothing to send, or it must wait. */
static bool close_open(struct engine *engine)
{
    struct core_batch *batch = engine->open->core;
    bool is_for_one = is_alone(engine);
    bool was_used = engine->open->steps > 0 || engine->is_more;

    if (!has_slot(engine)) return false;
    if (has_number(engine) && (engine->is_unsettled || engine->is_more)) {
        batch->at = engine_term_now(engine);
        engine->is_more = core_settle(engine->core, engine_term_now(engine), batch);
        engine->is_unsettled = false;
    }
    if (core_batch_bytes(batch) > engine->stats.batch_largest_bytes) {
        engine->stats.batch_largest_bytes = core_batch_bytes(batch);
    }
    if (batch->rows.len > 0) {
        if (!has_number(engine)) return false;
        send_open(engine, is_for_one);
    } else if (batch->effects.len > 0) {
        struct engine_batch *rider = take_open(engine, batch->number);

        if (engine->flights.len > 0) {
            engine_flights_ride(&engine->flights, rider);
        } else {
            engine_term_release(engine, rider, true);
        }
    } else {
        engine->open->steps = 0;
        engine_inbox_done_list(&engine->inbox, &engine->open->kept);
        return was_used;
    }
    return true;
}

/* ---- a turn ---------------------------------------------------------------------------------- */

void engine_term_turn(struct engine *engine)
{
    size_t work = engine->config.turn_work_max;
    bool goes_on = true;

    watch_database(engine);
    if (room_of(engine) != engine->room_told) engine_term_room(engine);
    while (goes_on) {
        fill(engine, &work);
        goes_on = close_open(engine);
        charge(engine, &work, 0);
        goes_on = goes_on && work > 0 && !engine->is_more;
    }
}

fl_ms engine_term_deadline(const struct engine *engine)
{
    const struct core_batch *batch = engine->open->core;
    fl_ms due = NEVER;
    fl_ms tick;

    if (room_of(engine) != engine->room_told) return engine->now;
    if (has_slot(engine) && has_number(engine) &&
        (engine->is_unsettled || engine->is_more || batch->rows.len > 0 ||
         batch->effects.len > 0)) {
        return engine->now;
    }
    if (!is_closed(engine)) {
        if (engine_inbox_has_next(&engine->inbox)) {
            if (!engine_high_water_holds(&engine->water, engine->core, engine->now)) {
                return engine->now;
            }
            due = engine->now + 1;
        }
        tick = core_deadline(engine->core);
        if (tick != NEVER) due = tick - engine->base_core + engine->base_at;
    }
    if (engine->is_away) {
        bool is_back = engine->flights.len == 0 ||
                       engine->now - engine->flights.since < (fl_ms)engine->config.away_ms;

        if (is_back) return engine->now;
    } else if (engine->flights.len > 0) {
        fl_ms away = engine->flights.since + engine->config.away_ms;

        if (away < due) due = away;
    }
    return due;
}
