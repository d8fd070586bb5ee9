#include "controlplane/store/read_events.h"

#include <stdlib.h>

#include "controlplane/store/journal.h"
#include "controlplane/store/reader_ask.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"

struct op {
    read_events_fn *fn;
    void *ctx;
    struct fl_job job; /* 0: all rows */
    uint64_t batch;
    uint64_t limit; /* how many batches; for journal_of: the newest batch asked for */
    bool has_more;  /* for journal_of: the job has more batches */
};

struct event_list {
    struct read_event *at;
    size_t len, cap;
};

/* False: the stored bytes are damaged. */
static bool decode(const struct op *op, const PGresult *result, int i, struct fl_arena *arena,
                   struct event_list *list, size_t *unknown, struct fl_err *err)
{
    struct read_event event = {.batch = (uint64_t)pg_get_int(result, i, 0),
                               .at = pg_get_int(result, i, 1)};
    struct fl_reader bytes;
    struct fl_str rows;

    if (!journal_unpack(reader_field(result, i, 2), arena, &rows, err)) {
        return fl_err_wrap(err, "batch %llu of the journal", (unsigned long long)event.batch);
    }
    bytes = fl_reader(rows.at, rows.len);
    for (; bytes.pos < bytes.len; event.n++) {
        if (!row_decode(&bytes, &event.row, err)) {
            return fl_err_wrap(err, "batch %llu of the journal", (unsigned long long)event.batch);
        }
        if (event.row.kind == ROW_unknown || event.row.skipped > 0) (*unknown)++;
        if (op->job.n && row_job(&event.row) != op->job.n) continue;
        fl_arena_push(arena, list, event);
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct read_event *left = a, *right = b;

    if (left->batch != right->batch) return left->batch < right->batch ? -1 : 1;
    return left->n < right->n ? -1 : left->n > right->n;
}

/* Answers with the events of some journal rows, in the order of their places. */
static void tell(const struct op *op, const PGresult *result, struct fl_arena *arena,
                 uint64_t batch, bool has_more)
{
    struct read_events answer = {.batch = batch, .has_more = has_more};
    struct event_list list = {0};
    struct fl_err err = {0};

    for (int i = 0; i < PQntuples(result); i++) {
        if (!decode(op, result, i, arena, &list, &answer.unknown, &err)) {
            op->fn(op->ctx, &(struct read_events){.err = &err, .batch = op->batch});
            return;
        }
    }
    if (list.len > 1) qsort(list.at, list.len, sizeof *list.at, by_place);
    answer.at = list.at;
    answer.len = list.len;
    op->fn(op->ctx, &answer);
}

static void fail(const struct op *op, const struct fl_err *err)
{
    op->fn(op->ctx, &(struct read_events){.err = err, .batch = op->batch});
}

/* ---- behind a batch -------------------------------------------------------------------------- */

static void since_answered(struct reader *reader, void *data, const PGresult *result,
                           const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    uint64_t batch = op->batch;
    int rows;

    (void)reader;
    if (!result) {
        fail(op, err);
        return;
    }
    rows = PQntuples(result);
    if (rows > 0) batch = (uint64_t)pg_get_int(result, rows - 1, 0);
    tell(op, result, arena, batch, (uint64_t)rows == op->limit);
}

uint64_t read_events_since(struct reader *reader, uint64_t batch, struct fl_job job,
                           read_events_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {
        .fn = fn, .ctx = ctx, .job = job, .batch = batch, .limit = READ_EVENTS_BATCHES_MAX};
    int64_t batch_be, limit_be;
    struct pg_value values[2];

    values[0] = reader_i64(&batch_be, batch);
    values[1] = reader_i64(&limit_be, op.limit);
    return reader_ask(reader, PG_STMT_journal_since, values, since_answered, &op, sizeof op, err);
}

/* ---- events of a job ------------------------------------------------------------------------- */

static void journal_answered(struct reader *reader, void *data, const PGresult *result,
                             const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;

    (void)reader;
    if (result) {
        tell(op, result, arena, op->limit, op->has_more);
    } else {
        fail(op, err);
    }
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;

    return *left < *right ? -1 : *left > *right;
}

/* Not all rows of the job came; its first batch did, which has the row of the job itself. */
static void walk_instead(const struct op *op, const PGresult *result)
{
    struct read_events answer = {.batch = op->batch, .has_more = true, .must_walk = true};
    uint64_t first = UINT64_MAX;

    for (int i = 0; i < PQntuples(result); i++) {
        uint64_t batch = (uint64_t)pg_get_int(result, i, 0);

        if (batch < first) first = batch;
    }
    if (first - 1 > answer.batch) answer.batch = first - 1;
    op->fn(op->ctx, &answer);
}

/* Picks the first few different batches behind op->batch and asks for them. */
static void batches_answered(struct reader *reader, void *data, const PGresult *result,
                             const struct fl_err *err, struct fl_arena *arena)
{
    struct op *op = data;
    struct pg_array asked = {0};
    struct pg_value value;
    uint64_t *batches;
    size_t len = 0;

    if (!result) {
        fail(op, err);
        return;
    }
    batches = fl_arena_array(arena, uint64_t, (size_t)PQntuples(result));
    for (int i = 0; i < PQntuples(result); i++) {
        uint64_t batch = (uint64_t)pg_get_int(result, i, 0);

        if (batch > op->batch) batches[len++] = batch;
    }
    if (PQntuples(result) >= READ_EVENTS_ROWS_MAX) {
        walk_instead(op, result);
        return;
    }
    if (len > 1) qsort(batches, len, sizeof *batches, by_number);
    pg_array_start(&asked);
    op->limit = op->batch;
    for (size_t i = 0; i < len; i++) {
        if (batches[i] == op->limit) continue;
        if (asked.items == READ_EVENTS_BATCHES_MAX) {
            op->has_more = true;
            break;
        }
        pg_array_put_i64(&asked, batches[i]);
        op->limit = batches[i];
    }
    if (asked.items == 0) {
        op->fn(op->ctx, &(struct read_events){.batch = op->batch});
    } else {
        value = pg_array_value(&asked, PG_INT8);
        reader_ask_on(reader, PG_STMT_journal_of, &value, journal_answered, op, sizeof *op);
    }
    pg_array_fini(&asked);
}

uint64_t read_events_of_job(struct reader *reader, struct fl_job job, uint64_t batch,
                            read_events_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {.fn = fn, .ctx = ctx, .job = job, .batch = batch};
    int64_t job_be, limit_be;
    struct pg_value values[2];

    values[0] = reader_i64(&job_be, job.n);
    values[1] = reader_i64(&limit_be, READ_EVENTS_ROWS_MAX);
    return reader_ask(reader, PG_STMT_job_batches, values, batches_answered, &op, sizeof op, err);
}

/* ---- where to begin -------------------------------------------------------------------------- */

static void newest_answered(struct reader *reader, void *data, const PGresult *result,
                            const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    struct read_events answer = {.err = err};

    (void)reader;
    (void)arena;
    if (result && PQntuples(result) > 0) answer.batch = (uint64_t)pg_get_int(result, 0, 0);
    op->fn(op->ctx, &answer);
}

uint64_t read_events_newest(struct reader *reader, read_events_fn *fn, void *ctx,
                            struct fl_err *err)
{
    struct op op = {.fn = fn, .ctx = ctx};

    return reader_ask(reader, PG_STMT_journal_newest, NULL, newest_answered, &op, sizeof op, err);
}
