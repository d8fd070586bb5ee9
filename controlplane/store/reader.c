#include "controlplane/store/reader.h"

#include <stdio.h>
#include <string.h>

#include "controlplane/store/reader_ask.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"

struct question {
    uint64_t number;
    enum pg_stmt stmt;
    struct pg_value values[PG_PARAMS_MAX]; /* into 'bytes' */
    uint8_t *bytes;
    reader_answer_fn *answer; /* NULL: forgotten */
    void *op;
    fl_ms give_up_at; /* 0: the next turn sets it */
};

struct reader {
    char *conninfo;
    struct pg_waker waker;
    reader_trouble_fn *trouble;
    void *ctx;
    struct pg_conn *conn; /* NULL: not connected, and not connecting */
    fl_ms retry_at;
    uint32_t retry_ms;
    FL_VEC(struct question *) questions; /* in the order of their answers; sent ones are first */
    size_t flying;                       /* how many are sent */
    bool is_answered;                    /* a question got its answer, and its sync follows */
    uint64_t number_last;
    const struct question *current; /* the question whose answer is being delivered */
    bool has_new;
    struct fl_arena arena;
    struct reader_stats stats;
};

struct reader *reader_create(const char *conninfo, const struct pg_waker *waker,
                             reader_trouble_fn *trouble, void *ctx)
{
    struct reader *reader = fl_new(struct reader);
    size_t bytes = strlen(conninfo) + 1;

    reader->conninfo = memcpy(fl_alloc(bytes), conninfo, bytes);
    reader->waker = *waker;
    reader->trouble = trouble;
    reader->ctx = ctx;
    return reader;
}

static void free_question(struct question *question)
{
    fl_free(question->bytes);
    fl_free(question->op);
    fl_free(question);
}

void reader_destroy(struct reader *reader)
{
    if (!reader) return;
    pg_conn_destroy(reader->conn);
    for (size_t i = 0; i < reader->questions.len; i++) {
        free_question(reader->questions.at[i]);
    }
    fl_vec_fini(&reader->questions);
    fl_arena_fini(&reader->arena);
    fl_free(reader->conninfo);
    fl_free(reader);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void push(struct reader *reader, uint64_t number, fl_ms give_up_at, enum pg_stmt stmt,
                 const struct pg_value *values, reader_answer_fn *answer, const void *op,
                 size_t op_bytes)
{
    const struct pg_stmt_info *info = &pg_stmts[stmt];
    struct question *question = fl_new(struct question);
    size_t bytes = 0;

    fl_assert(op_bytes > 0 && op_bytes <= READER_OP_BYTES_MAX && info->role == PG_READER);
    *question = (struct question){
        .number = number, .stmt = stmt, .answer = answer, .give_up_at = give_up_at};
    question->op = memcpy(fl_alloc(op_bytes), op, op_bytes);
    for (int i = 0; i < info->params; i++) {
        bytes += values[i].bytes;
    }
    question->bytes = fl_alloc(bytes ? bytes : 1);
    bytes = 0;
    for (int i = 0; i < info->params; i++) {
        question->values[i] = (struct pg_value){&question->bytes[bytes], values[i].bytes};
        if (values[i].bytes > 0) memcpy(&question->bytes[bytes], values[i].at, values[i].bytes);
        bytes += values[i].bytes;
    }
    fl_vec_push(&reader->questions, question);
    reader->stats.asked++;
    reader->has_new = true;
}

uint64_t reader_ask(struct reader *reader, enum pg_stmt stmt, const struct pg_value *values,
                    reader_answer_fn *answer, const void *op, size_t op_bytes, struct fl_err *err)
{
    if (reader->questions.len >= READER_ASKS_MAX) {
        fl_fail(err, FL_FULL, "%d questions wait for the database already", READER_ASKS_MAX);
        return 0;
    }
    push(reader, ++reader->number_last, 0, stmt, values, answer, op, op_bytes);
    return reader->number_last;
}

uint64_t reader_ask_numbers(struct reader *reader, enum pg_stmt stmt, const uint64_t *numbers,
                            reader_answer_fn *answer, const void *op, size_t op_bytes,
                            struct fl_err *err)
{
    const struct pg_stmt_info *info = &pg_stmts[stmt];
    struct pg_value values[PG_PARAMS_MAX];
    uint64_t be[PG_PARAMS_MAX];

    for (int i = 0; i < info->params; i++) {
        size_t bytes = info->types[i] == PG_INT4 ? 4 : 8;

        be[i] = htobe64(numbers[i]);
        values[i] = (struct pg_value){(const char *)&be[i] + sizeof be[i] - bytes, bytes};
    }
    return reader_ask(reader, stmt, values, answer, op, op_bytes, err);
}

uint64_t reader_ask_jobs(struct reader *reader, enum pg_stmt stmt, const struct fl_job *jobs,
                         size_t len, uint64_t rows_max, reader_answer_fn *answer, const void *op,
                         size_t op_bytes, struct fl_err *err)
{
    struct pg_array ids = {0};
    int64_t max_be;
    struct pg_value values[2];
    uint64_t ask;

    pg_array_start(&ids);
    for (size_t i = 0; i < len; i++) {
        pg_array_put_i64(&ids, jobs[i].n);
    }
    values[0] = pg_array_value(&ids, PG_INT8);
    values[1] = pg_i64(&max_be, rows_max);
    ask = reader_ask(reader, stmt, values, answer, op, op_bytes, err);
    pg_array_fini(&ids);
    return ask;
}

void reader_ask_on(struct reader *reader, enum pg_stmt stmt, const struct pg_value *values,
                   reader_answer_fn *answer, const void *op, size_t op_bytes)
{
    fl_assert(reader->current);
    push(reader, reader->current->number, reader->current->give_up_at, stmt, values, answer, op,
         op_bytes);
}

void reader_forget(struct reader *reader, uint64_t number)
{
    for (size_t i = 0; i < reader->questions.len; i++) {
        if (reader->questions.at[i]->number == number) reader->questions.at[i]->answer = NULL;
    }
}

/* ---- answering ------------------------------------------------------------------------------- */

static void deliver(struct reader *reader, size_t i, const PGresult *result,
                    const struct fl_err *err)
{
    struct question *question = reader->questions.at[i];

    fl_vec_remove(&reader->questions, i);
    if (result) {
        reader->stats.answered++;
    } else {
        reader->stats.failed++;
    }
    if (question->answer) {
        reader->current = question;
        question->answer(question->op,
                         &(struct reader_answer){reader, result, result ? PQntuples(result) : 0,
                                                 err, &reader->arena});
        reader->current = NULL;
        fl_arena_reset(&reader->arena);
    }
    free_question(question);
}

void reader_note(const struct reader *reader, const char *text)
{
    reader->trouble(reader->ctx, text);
}

bool reader_is_null(const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column);
}

bool reader_row(const PGresult *result, int i, int column, unsigned place, struct row *ret_row)
{
    struct fl_str values[ROW_COLUMNS_MAX];
    int len = (int)row_columns_len(place);

    for (int c = 0; c < len; c++) {
        values[c] = pg_field(result, i, column + c);
    }
    return row_read(place, values, ret_row);
}

/* ---- the connection -------------------------------------------------------------------------- */

static void close_conn(struct reader *reader, fl_ms now)
{
    if (reader->retry_ms == 0) reader->retry_ms = READER_RETRY_FIRST_MS;
    reader->retry_at = now + reader->retry_ms;
    reader->retry_ms *= 2;
    if (reader->retry_ms > READER_RETRY_MAX_MS) reader->retry_ms = READER_RETRY_MAX_MS;
    pg_conn_destroy(reader->conn);
    reader->conn = NULL;
    reader->flying = 0; /* all questions are sent again */
    reader->is_answered = false;
}

static void lose_conn(struct reader *reader, const char *why, fl_ms now)
{
    reader->stats.lost++;
    reader->trouble(reader->ctx, why);
    close_conn(reader, now);
}

static void send_asks(struct reader *reader, fl_ms now)
{
    while (reader->flying < READER_FLYING_MAX && reader->flying < reader->questions.len) {
        const struct question *question = reader->questions.at[reader->flying];

        if (!pg_conn_send(reader->conn, question->stmt, question->values) ||
            !pg_conn_sync(reader->conn)) {
            lose_conn(reader, pg_conn_error(reader->conn), now);
            return;
        }
        reader->flying++;
    }
}

/* Whether the failure is not an answer but the end of the connection, by the server or by libpq. */
static bool is_end(const struct pg_failure *failure)
{
    return failure->sqlstate[0] == '\0' || strncmp(failure->sqlstate, "57P", 3) == 0 ||
           strncmp(failure->sqlstate, "08", 2) == 0;
}

static void refused(struct reader *reader, const PGresult *result)
{
    struct pg_failure failure;
    struct fl_err err = {0};

    pg_failure_of(result, &failure);
    if (is_end(&failure)) return; /* a later turn finds the loss and sends the question again */
    reader->is_answered = true;
    fl_fail(&err, pg_failure_code(&failure), "the database: %s", failure.text);
    reader->flying--;
    deliver(reader, 0, NULL, &err);
}

static void read_answers(struct reader *reader)
{
    PGresult *result;

    while (reader->conn && pg_conn_next(reader->conn, &result) == PG_RESULT) {
        switch (PQresultStatus(result)) {
        case PGRES_PIPELINE_SYNC:
            reader->is_answered = false;
            reader->retry_ms = 0; /* the connection works */
            break;
        case PGRES_TUPLES_OK:
            fl_assert(reader->flying > 0 && !reader->is_answered);
            reader->is_answered = true;
            reader->flying--;
            deliver(reader, 0, result, NULL);
            break;
        default:
            if (!reader->is_answered) refused(reader, result);
            break;
        }
        PQclear(result);
    }
}

/* Fails the questions that have waited too long.  If one of them was sent, the connection is
 * dropped. */
static void give_up(struct reader *reader, fl_ms now)
{
    const struct fl_err err = {.code = FL_UNAVAILABLE, .text = "the database does not answer"};

    for (size_t i = 0; i < reader->questions.len; i++) {
        if (reader->questions.at[i]->give_up_at == 0) {
            reader->questions.at[i]->give_up_at = now + READER_WAIT_MS;
        }
    }
    for (size_t i = 0; i < reader->questions.len;) {
        if (reader->questions.at[i]->give_up_at > now) {
            i++;
            continue;
        }
        if (i < reader->flying) lose_conn(reader, "a question was not answered in time", now);
        deliver(reader, i, NULL, &err);
    }
}

void reader_turn(struct reader *reader, fl_ms now)
{
    reader->has_new = false;
    give_up(reader, now);
    if (!reader->conn) {
        if (reader->questions.len == 0 || now < reader->retry_at) return;
        reader->conn =
            pg_conn_create(reader->conninfo, PG_READER, "fairlead front", &reader->waker, now);
    }
    switch (pg_conn_turn(reader->conn, now)) {
    case PG_CONNECTING:
        return;
    case PG_LOST:
        read_answers(reader); /* answers that came before the end */
        if (reader->conn) lose_conn(reader, pg_conn_error(reader->conn), now);
        return;
    case PG_READY:
        break;
    }
    read_answers(reader);
    if (reader->conn) send_asks(reader, now);
}

fl_ms reader_deadline(const struct reader *reader, fl_ms now)
{
    fl_ms due = INT64_MAX;

    if (reader->has_new) return now;
    for (size_t i = 0; i < reader->questions.len; i++) {
        if (reader->questions.at[i]->give_up_at < due) due = reader->questions.at[i]->give_up_at;
    }
    if (reader->conn) {
        fl_ms connect = pg_conn_deadline(reader->conn);

        if (pg_conn_state(reader->conn) == PG_LOST) return now;
        return connect < due ? connect : due;
    }
    return reader->questions.len > 0 && reader->retry_at < due ? reader->retry_at : due;
}

struct reader_stats reader_stats(const struct reader *reader)
{
    struct reader_stats stats = reader->stats;

    stats.waiting = reader->questions.len;
    return stats;
}
