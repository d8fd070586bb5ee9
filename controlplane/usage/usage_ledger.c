#include "controlplane/usage/usage_ledger.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "controlplane/core/row.h"
#include "controlplane/store/journal.h"
#include "controlplane/store/pg_array.h"
#include "controlplane/store/pg_conn.h"
#include "controlplane/usage/usage_day.h"
#include "controlplane/usage/usage_memory.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"
#include "shared/json/json_out.h"
#include "shared/spec/job_spec.h"

enum {
    PASS_BATCHES = 512,      /* the most that a pass takes */
    PASS_BYTES = 4 << 20,    /* no further batch is read from then on ... */
    PASS_ATTEMPTS = 20000,   /* ... or taken */
    SPECS_MAX = 100,         /* asked for at a time */
    SPECS_KNOWN_MAX = 10000, /* remembered from one pass to the next */
    FORGET_ROWS = 10000,     /* deleted at a time */
    RETRY_MS = 2000,
    RESTS_A_PASS = 20,
};

enum state { RESTING, CONNECTING, READING, LOOKING, ASKING_SPECS, SAVING, FORGETTING };

struct ended { /* an attempt */
    uint64_t job;
    uint32_t element;
    uint16_t n;
    bool is_last;  /* it ended with its element, unless it had ended before */
    bool is_known; /* it is there, and this is its end */
    fl_ms began_at, ended_at;
    struct fl_usage used;
};

struct job {
    uint64_t id;
    bool is_known;
    struct usage_group group;
    struct fl_digest spec;
};

struct asked { /* a spec asks for so much, for all replicas */
    struct fl_resources_sum held;
    uint32_t replicas;
};

struct usage_ledger {
    struct fl_loop *loop;
    char *conninfo;
    struct fl_str labels[USAGE_LABELS_MAX];
    size_t labels_len;
    int64_t retention_ms;
    uint32_t pause_ms, wait_ms;
    struct usage_ledger_hooks hooks;
    struct pg_waker waker;
    struct pg_conn *conn; /* NULL: none is needed, or it was lost */
    struct fl_timer timer;
    struct fl_after turn;
    enum state state;
    unsigned results; /* so many statements of this state are answered */
    bool is_wrong;    /* one of them failed */
    uint64_t mark;    /* as it is, if no other ledger moves it; 0: not known */
    fl_ms began_at, forget_at;
    struct fl_map specs; /* digest -> index of 'asked' */
    FL_VEC(struct asked) asked;
    struct usage_memory memory;
    uint64_t walked_to; /* the memory is of the batches up to this one */

    /* The pass. */
    struct fl_arena arena;
    uint64_t from, to; /* the mark, and the next one */
    fl_ms to_at;
    bool has_more;
    FL_VEC(struct ended) ended;
    FL_VEC(struct job) jobs; /* theirs, by id */
    struct usage_days days;
    uint64_t summed; /* attempts that are in them */

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
    ledger->mark = 0;
    ledger->stats.is_behind = true;
    rest(ledger, RETRY_MS);
}

static void end_pass(struct usage_ledger *ledger)
{
    fl_ms took = fl_loop_now(ledger->loop) - ledger->began_at;

    ledger->stats.is_behind = ledger->has_more;
    rest(ledger, ledger->has_more ? 1 + took * RESTS_A_PASS : ledger->pause_ms);
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
    fl_arena_reset(&ledger->arena);
    ledger->ended.len = ledger->jobs.len = ledger->days.len = 0;
}

static void read_journal(struct usage_ledger *ledger)
{
    int64_t batches, bytes;
    struct pg_value values[] = {pg_i64(&batches, PASS_BATCHES), pg_i64(&bytes, PASS_BYTES)};

    begin_pass(ledger);
    if (ledger->asked.len >= SPECS_KNOWN_MAX) {
        fl_map_fini(&ledger->specs);
        ledger->asked.len = 0;
    }
    ask(ledger, PG_STMT_usage_journal, values);
    wait_for(ledger, READING);
}

/* Jobs and attempts that the memory does not have.  False: it has all. */
static bool look_up(struct usage_ledger *ledger)
{
    struct pg_array ids = {0}, index = {0}, jobs = {0}, elements = {0}, ns = {0};
    struct pg_value values[4];
    bool is_any;

    pg_array_start(&ids);
    pg_array_start(&index);
    pg_array_start(&jobs);
    pg_array_start(&elements);
    pg_array_start(&ns);
    for (size_t i = 0; i < ledger->jobs.len; i++) {
        if (!ledger->jobs.at[i].is_known) pg_array_put_i64(&ids, ledger->jobs.at[i].id);
    }
    for (size_t i = 0; i < ledger->ended.len; i++) {
        const struct ended *ended = &ledger->ended.at[i];

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
    struct pg_value values[3];
    size_t len = 0;

    pg_array_start(&index);
    pg_array_start(&jobs);
    pg_array_start(&digests);
    for (size_t i = 0; i < ledger->jobs.len && len < SPECS_MAX; i++) {
        const struct job *job = &ledger->jobs.at[i];
        const struct fl_digest *spec = &job->spec;

        if (!job->is_known) continue;
        if (fl_map_find(&ledger->specs, spec->at, sizeof spec->at, NULL)) continue;
        fl_map_put(&ledger->specs, spec->at, sizeof spec->at, ledger->asked.len);
        pg_array_put_i32(&index, (uint32_t)ledger->asked.len);
        pg_array_put_i64(&jobs, job->id / ROW_JOB_RANGE * ROW_JOB_RANGE);
        pg_array_put_bytes(&digests, spec->at, sizeof spec->at);
        fl_vec_push(&ledger->asked, (struct asked){.replicas = 0});
        len++;
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

static void note_end(struct usage_ledger *ledger, const struct row *row, fl_ms at)
{
    struct ended ended = {.ended_at = at};
    struct usage_nth nth;

    if (row->kind == ROW_attempt_end) {
        ended.job = row->attempt_end.job;
        ended.element = row->attempt_end.element;
        ended.n = row->attempt_end.n;
        ended.used = fl_usage_read(row->attempt_end.usage);
    } else if (row->kind == ROW_element_end && row->element_end.n > 0) {
        ended.job = row->element_end.job;
        ended.element = row->element_end.element;
        ended.n = row->element_end.n;
        ended.used = fl_usage_read(row->element_end.usage);
        ended.is_last = true;
    } else {
        return;
    }
    nth = (struct usage_nth){ended.job, ended.element, ended.n};
    ended.is_known = usage_memory_ended(&ledger->memory, &nth, &ended.began_at);
    fl_vec_push(&ledger->ended, ended);
}

static bool is_noted(enum row_kind kind)
{
    return kind == ROW_job_new || kind == ROW_job_edit || kind == ROW_attempt_new ||
           row_kind_ends_attempts(kind);
}

static void note_row(struct usage_ledger *ledger, const struct row *row, fl_ms at)
{
    struct usage_nth nth;

    if (row->kind == ROW_job_new) {
        usage_memory_job(&ledger->memory, &row->job_new);
    } else if (row->kind == ROW_job_edit) {
        usage_memory_forget(&ledger->memory, row->job_edit.job);
    } else if (row->kind == ROW_attempt_new) {
        nth =
            (struct usage_nth){row->attempt_new.job, row->attempt_new.element, row->attempt_new.n};
        usage_memory_began(&ledger->memory, &nth, at);
    } else {
        note_end(ledger, row, at);
    }
}

/* A batch that cannot be read is left out, or nothing would ever be counted again. */
static void note_batch(struct usage_ledger *ledger, struct fl_str body, fl_ms at)
{
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    struct fl_reader reader, one;
    struct fl_str rows;
    enum row_kind kind;
    struct row row;

    if (journal_unpack(body, &arena, &rows, &err)) {
        reader = fl_reader(rows.at, rows.len);
        while (reader.pos < reader.len && row_cut(&reader, &kind, &one, &err)) {
            if (!is_noted(kind)) continue;
            if (!row_decode(&one, &row, &err)) break;
            note_row(ledger, &row, at);
        }
    }
    if (err.code != FL_OK) {
        usage_memory_empty(&ledger->memory); /* an attempt that it knows may have ended there */
        ledger->hooks.trouble(ledger->hooks.ctx, err.text);
    }
    fl_arena_fini(&arena);
}

static void take_journal(struct usage_ledger *ledger, const PGresult *result)
{
    int rows = PQntuples(result), i = 0;
    size_t bytes = 0;

    ledger->from = ledger->to = rows > 0 ? (uint64_t)pg_get_int(result, 0, 0) : 0;
    ledger->stats.batch = ledger->from;
    if (ledger->from != ledger->walked_to) usage_memory_empty(&ledger->memory);
    for (; i < rows && !PQgetisnull(result, i, 1) && ledger->ended.len < PASS_ATTEMPTS; i++) {
        ledger->to = (uint64_t)pg_get_int(result, i, 1);
        ledger->to_at = pg_get_int(result, i, 2);
        note_batch(ledger, pg_field(result, i, 3), ledger->to_at);
        bytes += pg_field(result, i, 3).len;
    }
    ledger->walked_to = ledger->to;
    ledger->has_more = i == PASS_BATCHES || bytes >= PASS_BYTES || (i > 0 && i < rows);
}

/* The value of a label in "key=value\n" lines; false: there is none. */
static bool find_label(struct fl_str lines, struct fl_str key, struct fl_str *ret_value)
{
    while (lines.len > 0) {
        const char *end = memchr(lines.at, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.at) : lines.len;

        if (len > key.len && lines.at[key.len] == '=' && memcmp(lines.at, key.at, key.len) == 0) {
            *ret_value = (struct fl_str){lines.at + key.len + 1, len - key.len - 1};
            return true;
        }
        len += end != NULL;
        lines = (struct fl_str){lines.at + len, lines.len - len};
    }
    return false;
}

/* Those that are counted, as a JSON object. */
static struct fl_str counted(struct usage_ledger *ledger, struct fl_str lines)
{
    struct fl_json_out json;
    struct fl_str value, object;
    struct fl_buf buf;
    size_t bytes = 2;

    fl_buf_init(&buf, USAGE_LABELS_BYTES_MAX);
    json = fl_json_out(&buf);
    fl_json_open(&json, NULL, '{');
    for (size_t i = 0; i < ledger->labels_len; i++) {
        struct fl_str key = ledger->labels[i];

        if (!find_label(lines, key, &value)) continue;
        bytes += key.len + value.len + 6;
        if (bytes > USAGE_LABELS_BYTES_MAX) break;
        fl_json_put_str(&json, key.at, value);
    }
    fl_json_close(&json, '}');
    object = fl_arena_str(&ledger->arena, (struct fl_str){(const char *)buf.at, buf.len});
    fl_buf_fini(&buf);
    return object;
}

static void know_job(struct usage_ledger *ledger, struct job *job, const struct usage_job *found)
{
    job->is_known = true;
    job->group.tenant = found->tenant;
    job->group.queue = found->queue;
    job->group.owner = fl_arena_str(&ledger->arena, found->owner);
    job->group.labels = counted(ledger, found->labels);
    job->spec = found->spec;
}

static int by_id(const void *a, const void *b)
{
    const struct job *left = a, *right = b;

    return (left->id > right->id) - (left->id < right->id);
}

static void gather_jobs(struct usage_ledger *ledger)
{
    size_t len = 0;

    for (size_t i = 0; i < ledger->ended.len; i++) {
        fl_vec_push(&ledger->jobs, (struct job){.id = ledger->ended.at[i].job});
    }
    if (ledger->jobs.len > 0) {
        qsort(ledger->jobs.at, ledger->jobs.len, sizeof *ledger->jobs.at, by_id);
    }
    for (size_t i = 0; i < ledger->jobs.len; i++) {
        if (len > 0 && ledger->jobs.at[len - 1].id == ledger->jobs.at[i].id) continue;
        ledger->jobs.at[len++] = ledger->jobs.at[i];
    }
    ledger->jobs.len = len;
    for (size_t i = 0; i < len; i++) {
        const struct usage_job *known = usage_memory_find(&ledger->memory, ledger->jobs.at[i].id);

        if (known) know_job(ledger, &ledger->jobs.at[i], known);
    }
}

static struct job *job_of(struct usage_ledger *ledger, uint64_t id)
{
    size_t i = fl_vec_lower_bound(&ledger->jobs, id, id);

    return i < ledger->jobs.len && ledger->jobs.at[i].id == id ? &ledger->jobs.at[i] : NULL;
}

static void take_jobs(struct usage_ledger *ledger, const PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct job *job = job_of(ledger, (uint64_t)pg_get_int(result, i, 0));
        struct fl_str spec = pg_field(result, i, 5);
        struct usage_job found = {.owner = pg_field(result, i, 3),
                                  .labels = pg_field(result, i, 4)};

        if (!job || spec.len != sizeof found.spec.at) continue;
        found.tenant = (uint32_t)pg_get_int(result, i, 1);
        found.queue = (uint32_t)pg_get_int(result, i, 2);
        memcpy(found.spec.at, spec.at, spec.len);
        know_job(ledger, job, &found);
    }
}

static void take_attempts(struct usage_ledger *ledger, const PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++) {
        size_t index = (size_t)pg_get_int(result, i, 0);
        struct ended *ended;

        if (index >= ledger->ended.len) continue;
        ended = &ledger->ended.at[index];
        ended->began_at = pg_get_int(result, i, 1);
        ended->is_known = !ended->is_last || PQgetisnull(result, i, 2);
    }
}

static struct asked asked_by(struct fl_str body)
{
    struct fl_arena arena = {0};
    struct fl_job_spec spec;
    struct fl_err err = {0};
    struct asked asked = {.replicas = 0};

    if (fl_job_spec_read(body, &arena, &spec, &err)) {
        for (size_t r = 0; r < spec.roles.len; r++) {
            const struct fl_job_role *role = &spec.roles.at[r];
            const struct fl_resources *each = &role->request.usual;

            asked.replicas += role->replicas;
            asked.held.memory_bytes += each->memory_bytes * role->replicas;
            asked.held.cpu_milli += (uint64_t)each->cpu_milli * role->replicas;
            asked.held.gpus += (uint64_t)each->gpus * role->replicas;
        }
    }
    fl_arena_fini(&arena);
    return asked;
}

static void take_specs(struct usage_ledger *ledger, const PGresult *result)
{
    for (int i = 0; i < PQntuples(result); i++) {
        size_t index = (size_t)pg_get_int(result, i, 0);

        if (index < ledger->asked.len) ledger->asked.at[index] = asked_by(pg_field(result, i, 1));
    }
}

static void sum_up(struct usage_ledger *ledger)
{
    for (size_t i = 0; i < ledger->ended.len; i++) {
        const struct ended *ended = &ledger->ended.at[i];
        const struct job *job = job_of(ledger, ended->job);
        struct usage_attempt attempt = {
            .began_at = ended->began_at, .ended_at = ended->ended_at, .used = ended->used};
        uint64_t spec;

        if (!ended->is_known || !job || !job->is_known) continue;
        attempt.group = job->group;
        if (fl_map_find(&ledger->specs, job->spec.at, sizeof job->spec.at, &spec)) {
            attempt.held = ledger->asked.at[spec].held;
            attempt.replicas = ledger->asked.at[spec].replicas;
        }
        usage_days_add(&ledger->days, &attempt);
        ledger->summed++;
    }
    usage_days_merge(&ledger->days);
}

enum { SAVE_KEYS = 5, SAVE_FIRST = 3, SAVE_ARRAYS = SAVE_KEYS + USAGE_SUMS_LEN };

static void put_day(struct pg_array columns[SAVE_ARRAYS], const struct usage_day *day)
{
    pg_array_put_i32(&columns[0], (uint32_t)day->day);
    pg_array_put_i32(&columns[1], day->group.tenant);
    pg_array_put_i32(&columns[2], day->group.queue);
    pg_array_put_str(&columns[3], day->group.owner);
    pg_array_put_str(&columns[4], day->group.labels);
    for (size_t i = 0; i < USAGE_SUMS_LEN; i++) {
        pg_array_put_i64(&columns[SAVE_KEYS + i], day->sums[i]);
    }
}

static void save(struct usage_ledger *ledger)
{
    static const Oid keys[SAVE_KEYS] = {PG_INT4, PG_INT4, PG_INT4, PG_TEXT, PG_TEXT};
    struct pg_array columns[SAVE_ARRAYS] = {{0}};
    struct pg_value values[SAVE_FIRST + SAVE_ARRAYS];
    int64_t from, to, at;

    ledger->summed = 0;
    sum_up(ledger);
    values[0] = pg_i64(&from, ledger->from);
    values[1] = pg_i64(&to, ledger->to);
    values[2] = pg_i64(&at, (uint64_t)ledger->to_at);
    for (size_t c = 0; c < SAVE_ARRAYS; c++) {
        pg_array_start(&columns[c]);
    }
    for (size_t i = 0; i < ledger->days.len; i++) {
        put_day(columns, &ledger->days.at[i]);
    }
    for (size_t c = 0; c < SAVE_ARRAYS; c++) {
        values[SAVE_FIRST + c] = pg_array_value(&columns[c], c < SAVE_KEYS ? keys[c] : PG_INT8);
    }
    ask(ledger, PG_STMT_usage_save, values);
    for (size_t c = 0; c < SAVE_ARRAYS; c++) {
        pg_array_fini(&columns[c]);
    }
    wait_for(ledger, SAVING);
}

/* No attempt ended between the mark and there. */
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

/* ---- old days -------------------------------------------------------------------------------- */

/* False: it is not the time. */
static bool forget(struct usage_ledger *ledger)
{
    int64_t oldest = (fl_loop_wall(ledger->loop) - ledger->retention_ms) / FL_DAY_MS, limit;
    uint32_t day = htobe32((uint32_t)oldest);
    struct pg_value values[2] = {{&day, sizeof day}};

    if (ledger->retention_ms == 0 || fl_loop_now(ledger->loop) < ledger->forget_at) return false;
    values[1] = pg_i64(&limit, FORGET_ROWS);
    ask(ledger, PG_STMT_usage_forget, values);
    wait_for(ledger, FORGETTING);
    return true;
}

static void take_saved(struct usage_ledger *ledger, const PGresult *result)
{
    bool is_moved = pg_get_int(result, 0, 0) != 0; /* or another ledger had moved it */

    ledger->mark = is_moved ? ledger->to : 0;
    if (is_moved) ledger->stats.batch = ledger->to;
    if (is_moved) ledger->stats.attempts += ledger->summed;
}

static void take_forgotten(struct usage_ledger *ledger, PGresult *result)
{
    bool is_full = strtoul(PQcmdTuples(result), NULL, 10) == FORGET_ROWS;

    ledger->forget_at = fl_loop_now(ledger->loop) + (is_full ? 0 : FL_HOUR_MS);
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
        gather_jobs(ledger);
        if (ledger->jobs.len > 0) {
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
    if (ledger->conn && knows_mark && ledger->mark >= progress.of_ends) {
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
    ledger->labels_len = config->labels_len;
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
    fl_map_fini(&ledger->specs);
    usage_memory_empty(&ledger->memory);
    fl_vec_fini(&ledger->asked);
    fl_arena_fini(&ledger->arena);
    fl_vec_fini(&ledger->ended);
    fl_vec_fini(&ledger->jobs);
    usage_days_fini(&ledger->days);
    for (size_t i = 0; i < ledger->labels_len; i++) {
        fl_free((char *)ledger->labels[i].at);
    }
    fl_free(ledger->conninfo);
    fl_free(ledger);
}

struct usage_ledger_stats usage_ledger_stats(const struct usage_ledger *ledger)
{
    return ledger->stats;
}
