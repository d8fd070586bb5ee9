#include "controlplane/usage/usage_ledger.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/row.h"
#include "controlplane/store/journal.h"
#include "controlplane/store/pg_array.h"
#include "controlplane/store/pg_conn.h"
#include "controlplane/usage/usage_pass.h"
#include "controlplane/usage/usage_save.h"
#include "shared/io/loop.h"

enum {
    PASS_BATCHES = 512,   /* the most that a pass takes */
    PASS_BYTES = 4 << 20, /* no further batch is read from then on */
    SPECS_MAX = 100,      /* asked for at a time */
    FORGET_ROWS = 10000,  /* deleted at a time */
    RETRY_MS = 2000,
    RESTS_A_PASS = 20,
    RESTS_OF_SUBMISSIONS = 100,
    REST_OF_SUBMISSIONS_MS_MAX = 10000,
};

enum state { RESTING, CONNECTING, READING, LOOKING, ASKING_SPECS, SAVING, FORGETTING };

struct usage_ledger {
    struct fl_loop *loop;
    char *conninfo;
    struct fl_str labels[USAGE_LABELS_MAX]; /* the pass has them */
    int64_t retention_ms;
    uint32_t pause_ms, wait_ms;
    struct usage_ledger_hooks hooks;
    struct pg_waker waker;
    struct pg_conn *conn; /* NULL: none is needed, or it was lost */
    struct fl_timer timer;
    struct fl_after turn;
    enum state state;
    unsigned results;  /* so many statements of this state are answered */
    bool is_wrong;     /* one of them failed */
    bool is_forgotten; /* the old sums were few enough to go at once */
    uint64_t mark;     /* as it is, if no other ledger moves it; 0: not known */
    fl_ms began_at, forget_at;
    struct usage_pass pass;
    struct fl_arena rows; /* one batch's at a time */
    uint64_t walked_to;   /* its memory is of the batches up to this one */
    uint64_t from, to;    /* the mark, and the next one */
    fl_ms to_at;
    bool has_more;

    struct usage_ledger_stats stats;
};

/* ---- resting --------------------------------------------------------------------------------- */

static void rest(struct usage_ledger *ledger, fl_ms ms)
{
    ledger->state = RESTING;
    fl_timer_in(&ledger->timer, ms);
}

static void disconnect(struct usage_ledger *ledger)
{
    pg_conn_destroy(ledger->conn);
    ledger->conn = NULL;
}

static void fail(struct usage_ledger *ledger, const char *text)
{
    ledger->hooks.trouble(ledger->hooks.ctx, text);
    disconnect(ledger);
    usage_pass_forget_specs(&ledger->pass);
    ledger->mark = 0;
    ledger->stats.is_behind = true;
    rest(ledger, RETRY_MS);
}

/* Jobs that only came are counted more slowly: in a flood of them the machine is to take them. */
static fl_ms rest_of_submissions(const struct usage_ledger *ledger, fl_ms took)
{
    fl_ms ms = took * RESTS_OF_SUBMISSIONS;

    if (ms > REST_OF_SUBMISSIONS_MS_MAX) ms = REST_OF_SUBMISSIONS_MS_MAX;
    return ms > ledger->pause_ms ? ms : ledger->pause_ms;
}

static void end_pass(struct usage_ledger *ledger)
{
    fl_ms took = fl_loop_now(ledger->loop) - ledger->began_at;
    bool is_of_submissions =
        ledger->pass.ended.len == 0 && ledger->pass.events.len == 0 && ledger->pass.hours.len > 0;

    ledger->stats.is_behind = ledger->has_more;
    if (is_of_submissions) {
        rest(ledger, rest_of_submissions(ledger, took));
    } else {
        rest(ledger, ledger->has_more ? 1 + took * RESTS_A_PASS : ledger->pause_ms);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void ask(struct usage_ledger *ledger, enum pg_stmt stmt, const struct pg_value *values)
{
    /* A failure shows as LOST, in the next turn. */
    if (!pg_conn_send(ledger->conn, stmt, values)) fl_after_put(&ledger->turn);
}

static void wait_for(struct usage_ledger *ledger, enum state state)
{
    ledger->state = state;
    ledger->results = 0;
    ledger->is_wrong = false;
    fl_timer_in(&ledger->timer, ledger->wait_ms);
    if (!pg_conn_sync(ledger->conn)) fl_after_put(&ledger->turn);
}

static void begin_pass(struct usage_ledger *ledger)
{
    ledger->began_at = fl_loop_now(ledger->loop);
    usage_pass_begin(&ledger->pass);
}

static void read_journal(struct usage_ledger *ledger)
{
    int64_t batches, bytes;
    struct pg_value values[] = {pg_i64(&batches, PASS_BATCHES), pg_i64(&bytes, PASS_BYTES)};

    begin_pass(ledger);
    ask(ledger, PG_STMT_usage_journal, values);
    wait_for(ledger, READING);
}

/* Jobs and attempts that the memory does not have.  False: it has all. */
static bool look_up(struct usage_ledger *ledger)
{
    struct pg_array ids = {0}, index = {0}, jobs = {0}, elements = {0}, ns = {0};
    const struct usage_pass *pass = &ledger->pass;
    struct pg_value values[4];
    bool is_any;

    pg_array_start(&ids);
    pg_array_start(&index);
    pg_array_start(&jobs);
    pg_array_start(&elements);
    pg_array_start(&ns);
    for (size_t i = 0; i < pass->jobs.len; i++) {
        if (!pass->jobs.at[i].is_known) pg_array_put_i64(&ids, pass->jobs.at[i].id);
    }
    for (size_t i = 0; i < pass->ended.len; i++) {
        const struct usage_ended *ended = &pass->ended.at[i];

        if (ended->is_known) continue;
        pg_array_put_i32(&index, (uint32_t)i);
        pg_array_put_i64(&jobs, ended->job);
        pg_array_put_i32(&elements, ended->element);
        pg_array_put_i32(&ns, ended->n);
    }
    is_any = ids.items > 0 || index.items > 0;
    if (is_any) {
        values[0] = pg_array_value(&ids, PG_INT8);
        ask(ledger, PG_STMT_usage_jobs, values);
        values[0] = pg_array_value(&index, PG_INT4);
        values[1] = pg_array_value(&jobs, PG_INT8);
        values[2] = pg_array_value(&elements, PG_INT4);
        values[3] = pg_array_value(&ns, PG_INT4);
        ask(ledger, PG_STMT_usage_attempts, values);
        wait_for(ledger, LOOKING);
    }
    pg_array_fini(&ids);
    pg_array_fini(&index);
    pg_array_fini(&jobs);
    pg_array_fini(&elements);
    pg_array_fini(&ns);
    return is_any;
}

/* False: all specs are known. */
static bool ask_specs(struct usage_ledger *ledger)
{
    struct pg_array index = {0}, jobs = {0}, digests = {0};
    const struct usage_subject *job;
    struct pg_value values[3];
    size_t len = 0, from = 0, place;

    pg_array_start(&index);
    pg_array_start(&jobs);
    pg_array_start(&digests);
    for (; len < SPECS_MAX && (job = usage_pass_lacks(&ledger->pass, &from, &place)); len++) {
        pg_array_put_i32(&index, (uint32_t)place);
        pg_array_put_i64(&jobs, job->id / ROW_JOB_RANGE * ROW_JOB_RANGE);
        pg_array_put_bytes(&digests, job->spec.at, sizeof job->spec.at);
    }
    if (len > 0) {
        values[0] = pg_array_value(&index, PG_INT4);
        values[1] = pg_array_value(&jobs, PG_INT8);
        values[2] = pg_array_value(&digests, PG_BYTEA);
        ask(ledger, PG_STMT_usage_specs, values);
        wait_for(ledger, ASKING_SPECS);
    }
    pg_array_fini(&index);
    pg_array_fini(&jobs);
    pg_array_fini(&digests);
    return len > 0;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* A batch that cannot be read is left out, or nothing would ever be counted again. */
static void note_batch(struct usage_ledger *ledger, struct fl_str body, fl_ms at)
{
    struct fl_err err = {0};
    struct fl_str rows;

    fl_arena_reset(&ledger->rows);
    if (!journal_unpack(body, &ledger->rows, &rows, &err) ||
        !usage_pass_rows(&ledger->pass, rows, at, &err)) {
        /* An attempt that it knows may have ended there. */
        usage_cache_empty(&ledger->pass.memory);
        ledger->hooks.trouble(ledger->hooks.ctx, err.text);
    }
}

static void take_journal(struct usage_ledger *ledger, const PGresult *result)
{
    int rows = PQntuples(result), i = 0;
    size_t bytes = 0;

    ledger->from = ledger->to = rows > 0 ? (uint64_t)pg_get_int(result, 0, 0) : 0;
    ledger->stats.batch = ledger->from;
    if (ledger->from != ledger->walked_to) usage_cache_empty(&ledger->pass.memory);
    for (; i < rows && !PQgetisnull(result, i, 1) && !usage_pass_is_full(&ledger->pass); i++) {
        ledger->to = (uint64_t)pg_get_int(result, i, 1);
        ledger->to_at = pg_get_int(result, i, 2);
        note_batch(ledger, pg_field(result, i, 3), ledger->to_at);
        bytes += pg_field(result, i, 3).len;
    }
    ledger->walked_to = ledger->to;
    ledger->has_more = i == PASS_BATCHES || bytes >= PASS_BYTES || (i > 0 && i < rows);
}

static void take_jobs(struct usage_ledger *ledger, const PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct fl_str spec = pg_field(result, i, 5);
        struct usage_job found = {.tenant = (uint32_t)pg_get_int(result, i, 1),
                                  .queue = (uint32_t)pg_get_int(result, i, 2),
                                  .submitted_at = pg_get_int(result, i, 6),
                                  .owner = pg_field(result, i, 3),
                                  .labels = pg_field(result, i, 4)};

        if (spec.len != sizeof found.spec.at) continue;
        memcpy(found.spec.at, spec.at, spec.len);
        usage_pass_job(&ledger->pass, (uint64_t)pg_get_int(result, i, 0), &found);
    }
}

static void take_attempts(struct usage_ledger *ledger, const PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++) {
        usage_pass_attempt(&ledger->pass, (size_t)pg_get_int(result, i, 0),
                           pg_get_int(result, i, 1), !PQgetisnull(result, i, 2));
    }
}

static void take_specs(struct usage_ledger *ledger, const PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++) {
        usage_pass_spec(&ledger->pass, (size_t)pg_get_int(result, i, 0), pg_field(result, i, 1));
    }
}

static void save(struct usage_ledger *ledger)
{
    struct usage_mark mark = {ledger->from, ledger->to, ledger->to_at};

    usage_pass_sum(&ledger->pass);
    /* A failure shows as LOST, in the next turn. */
    if (!usage_save(ledger->conn, &mark, &ledger->pass.days, &ledger->pass.hours)) {
        fl_after_put(&ledger->turn);
    }
    wait_for(ledger, SAVING);
}

/* Nothing that is counted happened between the mark and there. */
static void pass_over(struct usage_ledger *ledger, const struct usage_progress *progress)
{
    begin_pass(ledger);
    ledger->from = ledger->mark;
    ledger->to = progress->newest;
    ledger->to_at = progress->newest_at;
    if (ledger->walked_to == ledger->from) ledger->walked_to = ledger->to;
    ledger->has_more = false;
    save(ledger);
}

/* ---- old sums -------------------------------------------------------------------------------- */

/* False: it is not the time. */
static bool forget(struct usage_ledger *ledger)
{
    int64_t oldest = (fl_loop_wall(ledger->loop) - ledger->retention_ms) / FL_DAY_MS, limit;
    uint32_t day = htobe32((uint32_t)oldest);
    uint32_t hour = htobe32((uint32_t)(oldest * THROUGHPUT_DAY));
    struct pg_value values[2] = {{&day, sizeof day}};

    if (ledger->retention_ms == 0 || fl_loop_now(ledger->loop) < ledger->forget_at) return false;
    values[1] = pg_i64(&limit, FORGET_ROWS);
    ask(ledger, PG_STMT_usage_forget, values);
    values[0] = (struct pg_value){&hour, sizeof hour};
    ask(ledger, PG_STMT_usage_forget_hours, values);
    ledger->is_forgotten = true;
    wait_for(ledger, FORGETTING);
    return true;
}

static void take_saved(struct usage_ledger *ledger, const PGresult *result)
{
    bool is_moved = pg_get_int(result, 0, 0) != 0; /* or another ledger had moved it */

    ledger->mark = is_moved ? ledger->to : 0;
    if (is_moved) ledger->stats.batch = ledger->to;
    if (is_moved) ledger->stats.attempts += ledger->pass.summed;
}

/* The answer for days, and then the one for hours. */
static void take_forgotten(struct usage_ledger *ledger, PGresult *result)
{
    if (strtoul(PQcmdTuples(result), NULL, 10) == FORGET_ROWS) ledger->is_forgotten = false;
    ledger->forget_at = fl_loop_now(ledger->loop) + (ledger->is_forgotten ? FL_HOUR_MS : 0);
}

/* ---- its turn -------------------------------------------------------------------------------- */

static void take(struct usage_ledger *ledger, PGresult *result)
{
    switch (ledger->state) {
    case READING:
        take_journal(ledger, result);
        break;
    case LOOKING:
        if (ledger->results++ == 0) {
            take_jobs(ledger, result);
        } else {
            take_attempts(ledger, result);
        }
        break;
    case ASKING_SPECS:
        take_specs(ledger, result);
        break;
    case FORGETTING:
        take_forgotten(ledger, result);
        break;
    case SAVING:
        take_saved(ledger, result);
        break;
    case RESTING:
    case CONNECTING:
        break;
    }
}

/* All statements of a state are answered. */
static void go_on(struct usage_ledger *ledger)
{
    switch (ledger->state) {
    case READING:
        usage_pass_gather(&ledger->pass);
        if (ledger->pass.jobs.len > 0) {
            if (!look_up(ledger) && !ask_specs(ledger)) save(ledger);
        } else if (ledger->to > ledger->from) {
            save(ledger);
        } else {
            ledger->mark = ledger->from;
            end_pass(ledger);
        }
        break;
    case LOOKING:
    case ASKING_SPECS:
        if (!ask_specs(ledger)) save(ledger);
        break;
    case SAVING:
        if (!forget(ledger)) end_pass(ledger);
        break;
    case FORGETTING:
        end_pass(ledger);
        break;
    case RESTING:
    case CONNECTING:
        break;
    }
}

static void read_results(struct usage_ledger *ledger)
{
    PGresult *result;

    while (ledger->conn && pg_conn_next(ledger->conn, &result) == PG_RESULT) {
        switch (PQresultStatus(result)) {
        case PGRES_PIPELINE_SYNC:
            go_on(ledger);
            break;
        case PGRES_TUPLES_OK:
        case PGRES_COMMAND_OK:
            take(ledger, result);
            break;
        default: {
            struct pg_failure failure;

            pg_failure_of(result, &failure);
            fail(ledger, failure.text);
            break;
        }
        }
        PQclear(result);
    }
}

static void on_turn(void *ctx)
{
    struct usage_ledger *ledger = ctx;

    if (!ledger->conn) return;
    switch (pg_conn_turn(ledger->conn, fl_loop_now(ledger->loop))) {
    case PG_CONNECTING:
        fl_timer_at(&ledger->timer, pg_conn_deadline(ledger->conn));
        return;
    case PG_LOST:
        fail(ledger, pg_conn_error(ledger->conn));
        return;
    case PG_READY:
        break;
    }
    if (ledger->state == CONNECTING) {
        fl_timer_off(&ledger->timer);
        read_journal(ledger);
    }
    read_results(ledger);
}

static void on_time(void *ctx)
{
    struct usage_ledger *ledger = ctx;
    struct usage_progress progress;
    bool knows_mark;

    if (ledger->state == CONNECTING) { /* for too long, perhaps */
        on_turn(ledger);
        return;
    }
    if (ledger->state != RESTING) {
        fail(ledger, "Postgres did not answer in time");
        return;
    }
    progress = ledger->hooks.progress(ledger->hooks.ctx);
    if (progress.newest == 0) {
        disconnect(ledger);
        ledger->mark = 0;
    }
    if (progress.newest == ledger->mark) { /* also when it does not lead */
        rest(ledger, ledger->pause_ms);
        return;
    }
    /* A mark beyond the newest was read a moment ago, or the database was restored: it is read. */
    knows_mark = ledger->mark > 0 && ledger->mark < progress.newest;
    if (ledger->conn && knows_mark && ledger->mark >= progress.counted) {
        pass_over(ledger, &progress);
        return;
    }
    if (ledger->conn) {
        read_journal(ledger);
        return;
    }
    ledger->conn = pg_conn_create(ledger->conninfo, PG_LEDGER, "fairlead usage", &ledger->waker,
                                  fl_loop_now(ledger->loop));
    ledger->state = CONNECTING;
    fl_after_put(&ledger->turn);
}

static void on_wake(void *ctx)
{
    fl_after_put(&((struct usage_ledger *)ctx)->turn);
}

/* ---- its life -------------------------------------------------------------------------------- */

struct usage_ledger *usage_ledger_create(struct fl_loop *loop,
                                         const struct usage_ledger_config *config,
                                         const struct usage_ledger_hooks *hooks)
{
    struct usage_ledger *ledger = fl_new(struct usage_ledger);

    fl_assert(config->labels_len <= USAGE_LABELS_MAX);
    ledger->loop = loop;
    ledger->conninfo = fl_str_dup(fl_str_c(config->conninfo));
    for (size_t i = 0; i < config->labels_len; i++) {
        ledger->labels[i] = fl_str_c(fl_str_dup(fl_str_c(config->labels[i])));
    }
    ledger->pass.labels = ledger->labels;
    ledger->pass.labels_len = config->labels_len;
    ledger->retention_ms = config->retention_ms;
    ledger->pause_ms = config->pause_ms;
    ledger->wait_ms = config->wait_ms;
    ledger->hooks = *hooks;
    ledger->waker = (struct pg_waker){loop, on_wake, ledger};
    fl_timer_init(&ledger->timer, loop, on_time, ledger);
    fl_after_init(&ledger->turn, loop, on_turn, ledger);
    rest(ledger, 1);
    return ledger;
}

void usage_ledger_destroy(struct usage_ledger *ledger)
{
    if (!ledger) return;
    fl_timer_off(&ledger->timer);
    fl_after_off(&ledger->turn);
    pg_conn_destroy(ledger->conn);
    for (size_t i = 0; i < ledger->pass.labels_len; i++) {
        fl_free((char *)ledger->labels[i].at);
    }
    usage_pass_fini(&ledger->pass);
    fl_arena_fini(&ledger->rows);
    fl_free(ledger->conninfo);
    fl_free(ledger);
}

struct usage_ledger_stats usage_ledger_stats(const struct usage_ledger *ledger)
{
    return ledger->stats;
}
