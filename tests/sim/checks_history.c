#include "tests/sim/checks_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

struct entry { /* a row of the present journal */
    uint64_t batch, jobs;
    fl_ms at;
};

struct attempt_key {
    uint64_t job;
    uint32_t element, incarnation, n, zero;
};

struct checks_history {
    struct sim *sim;
    FL_VEC(struct entry) entries;
    struct fl_map jobs, attempts, epochs;
    bool is_clean;
    fl_ms down_at;
    bool is_lost; /* a loss that must be noticed, and was not yet */
    bool is_blind, is_older, goes_on;
    bool is_stopped;  /* by an agent's seal, and no person has accepted it yet */
    bool is_accepted; /* once at least */
    bool is_asked;    /* a person has accepted what is sealed, or is just about to */
    uint64_t seen_job_below, seen_incarnation, seen_batch; /* the latest of all seals */
    struct core_seen note;                                 /* as far as its rows were read */
    uint64_t batches_lost,
        jobs_lost; /* by the newest restore, until an audit row has counted them */
};

struct checks_history *checks_history_create(struct sim *sim)
{
    struct checks_history *history = fl_new(struct checks_history);

    history->sim = sim;
    return history;
}

void checks_history_destroy(struct checks_history *history)
{
    if (!history) return;
    fl_vec_fini(&history->entries);
    fl_map_fini(&history->jobs);
    fl_map_fini(&history->attempts);
    fl_map_fini(&history->epochs);
    fl_free(history);
}

/* True: it is in the map already, else it is now. */
static bool is_known(struct fl_map *map, const void *key, size_t key_len)
{
    uint64_t found;

    if (fl_map_find(map, key, key_len, &found)) return true;
    fl_map_put(map, key, key_len, 1);
    return false;
}

void checks_history_took(struct checks_history *history, uint64_t epoch)
{
    if (history->is_blind) return;
    if (is_known(&history->epochs, &epoch, sizeof epoch)) {
        sim_broken(history->sim, "I17", "epoch %" PRIu64 " is taken twice", epoch);
    }
}

static void I1_noticed_first(struct checks_history *history, const char *what, uint64_t job)
{
    if (!history->is_lost) return;
    sim_broken(history->sim, "I1", "job %" PRIu64 " is %s before a lost history was noticed", job,
               what);
}

static void I1_stopped(struct checks_history *history, const char *what, uint64_t job)
{
    if (!history->is_stopped) return;
    sim_broken(history->sim, "I1",
               "job %" PRIu64 " is %s although an agent has seen a later history", job, what);
}

static void read_job(struct checks_history *history, uint64_t job)
{
    if (history->is_blind) {
        I1_stopped(history, "accepted", job);
        if (history->is_accepted && job < history->seen_job_below) {
            sim_broken(history->sim, "I17", "id %" PRIu64 " is below the sealed %" PRIu64, job,
                       history->seen_job_below);
        }
        if (history->is_accepted) history->goes_on = true;
        return;
    }
    I1_noticed_first(history, "accepted", job);
    if (is_known(&history->jobs, &job, sizeof job)) {
        sim_broken(history->sim, "I17", "id %" PRIu64 " is given to a second job", job);
    }
}

static void read_attempt(struct checks_history *history, const struct row_attempt_new *row)
{
    struct attempt_key key = {row->job, row->element, row->incarnation, row->n, 0};

    if (history->is_blind) {
        I1_stopped(history, "started", row->job);
        if (history->is_accepted && row->incarnation <= history->seen_incarnation) {
            sim_broken(history->sim, "I17", "an attempt is of incarnation %u, sealed is %" PRIu64,
                       row->incarnation, history->seen_incarnation);
        }
        if (!history->is_accepted) return;
    }
    I1_noticed_first(history, "started", row->job);
    if (is_known(&history->attempts, &key, sizeof key)) {
        sim_broken(history->sim, "I17",
                   "attempt %u of job %" PRIu64 ".%u is given out twice in incarnation %u", row->n,
                   row->job, row->element, row->incarnation);
    }
}

static void read_acceptance(struct checks_history *history)
{
    if (!history->is_stopped) return;
    if (!history->is_asked) {
        sim_broken(history->sim, "I1", "a dispute is over, and no person accepted the restore");
    }
    sim_mark(history->sim, MARK_history_accepted);
    history->is_accepted = true;
    history->is_stopped = history->is_asked = false;
}

/* An agent that comes later may know more than what was accepted, and stops the core again; one
 * that knows no more does not. */
static void read_dispute(struct checks_history *history, const struct core_seen *seen)
{
    if (!history->is_blind || !history->is_older) {
        sim_broken(
            history->sim, "I23",
            "a database is disputed that lost nothing, or whose loss was noticed: batch %" PRIu64,
            seen->batch);
    }
    if (!history->is_stopped) {
        if (history->is_accepted && seen->incarnation <= history->seen_incarnation &&
            seen->batch <= history->seen_batch) {
            sim_broken(history->sim, "I23",
                       "a seal of batch %" PRIu64 " disputes what a person has accepted",
                       seen->batch);
        }
        sim_mark(history->sim, MARK_history_disputed);
    }
    history->is_stopped = true;
    if (seen->incarnation > history->seen_incarnation) {
        history->seen_incarnation = seen->incarnation;
    }
    if (seen->batch > history->seen_batch) history->seen_batch = seen->batch;
    if (seen->job_below > history->seen_job_below) history->seen_job_below = seen->job_below;
}

/* The core's note of an agent's seal is three rows, the limit of ids last.  Zeros accept it. */
static void read_counter(struct checks_history *history, const struct row_counter *row)
{
    struct core_seen *note = &history->note;

    if (row->counter == CORE_COUNTER_seen_incarnation) note->incarnation = (uint32_t)row->value;
    if (row->counter == CORE_COUNTER_seen_batch) note->batch = row->value;
    if (row->counter != CORE_COUNTER_seen_job_below) return;
    note->job_below = row->value;
    if (note->incarnation == 0) {
        read_acceptance(history);
    } else {
        read_dispute(history, note);
    }
}

/* "history_lost jobs=3..19 batches=7" */
static void read_audit(struct checks_history *history, struct fl_str body)
{
    char text[128] = {0};
    uint64_t least, most;

    memcpy(text, body.at, body.len < sizeof text ? body.len : sizeof text - 1);
    if (sscanf(text, "history_lost jobs=%" SCNu64 "..%" SCNu64, &least, &most) != 2) return;
    if (history->is_blind) return;
    if (history->batches_lost == 0) {
        sim_broken(history->sim, "I1", "a loss is told that never was: %s", text);
    }
    if (history->jobs_lost < least || history->jobs_lost > most) {
        sim_broken(history->sim, "I1", "%" PRIu64 " jobs were lost, told is: %s",
                   history->jobs_lost, text);
    }
    sim_mark(history->sim, MARK_history_noticed);
    if (history->jobs_lost > 0) sim_mark(history->sim, MARK_history_jobs_lost);
    history->is_lost = false;
    history->batches_lost = history->jobs_lost = 0;
}

void checks_history_committed(struct checks_history *history, const struct fake_pg_journal *entry)
{
    struct entry now = {.batch = entry->batch, .at = history->sim->now};

    /* The audit row of the loss may stand anywhere in the first batch that goes on. */
    for (int pass = 0; pass < 2; pass++) {
        struct fl_reader reader = fl_reader(entry->body.at, entry->body.len);
        struct fl_err err = {0};
        struct row row;

        while (reader.pos < reader.len && row_decode(&reader, &row, &err)) {
            if (pass == 0 && row.kind == ROW_audit) read_audit(history, row.audit.body);
            if (pass == 0) continue;
            if (row.kind == ROW_counter) read_counter(history, &row.counter);
            if (row.kind == ROW_attempt_new) read_attempt(history, &row.attempt_new);
            if (row.kind != ROW_job_new) continue;
            read_job(history, row.job_new.job);
            now.jobs++;
        }
    }
    fl_vec_push(&history->entries, now);
}

void checks_history_down(struct checks_history *history, bool is_clean)
{
    history->is_clean = is_clean;
    history->down_at = history->sim->now;
}

void checks_history_restored(struct checks_history *history, uint64_t batch)
{
    bool is_old = false;

    history->batches_lost = history->jobs_lost = 0;
    while (history->entries.len && history->entries.at[history->entries.len - 1].batch > batch) {
        struct entry entry = fl_vec_pop(&history->entries);

        history->batches_lost++;
        history->jobs_lost += entry.jobs;
        is_old = history->is_clean || entry.at < history->down_at - HISTORY_LATE_MS;
    }
    sim_tell(history->sim, "the database goes back to batch %llu: %llu batches, %llu jobs are lost",
             batch, history->batches_lost, history->jobs_lost);
    sim_mark(history->sim, MARK_history_restored);
    history->is_lost = is_old && !history->is_blind;
    if (history->batches_lost > 0 && !is_old) sim_mark(history->sim, MARK_history_lost_end);
}

bool checks_history_is_waiting(const struct checks_history *history)
{
    return history->is_lost;
}

void checks_history_blind(struct checks_history *history, bool is_older)
{
    history->is_blind = true;
    history->is_older = is_older;
}

bool checks_history_is_stopped(const struct checks_history *history)
{
    return history->is_stopped;
}

void checks_history_accepted(struct checks_history *history)
{
    history->is_asked = true;
}

bool checks_history_goes_on(const struct checks_history *history)
{
    return history->goes_on;
}
