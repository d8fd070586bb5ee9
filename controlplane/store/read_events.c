#include "controlplane/store/read_events.h"

#include <stdlib.h>
#include <string.h>

#include "controlplane/core/row_deed.h"
#include "controlplane/store/journal.h"
#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/job_name.h"
#include "shared/base/vec.h"

struct op {
    read_events_fn *fn;
    void *ctx;
    struct fl_job job; /* 0: all rows */
    uint64_t batch;
    uint32_t row;   /* the first of the next batch that is wanted */
    uint64_t limit; /* how many batches; for journal_of: the newest batch asked for */
    bool has_more;  /* for journal_of: the job has more batches */
};

struct event_list {
    struct read_event *at;
    size_t len, cap;
};

struct edit_list {
    struct row_job_edit *at;
    size_t len, cap;
};

static bool is_about(const struct row *row, struct fl_job job)
{
    return row_job(row) == job.n || row_deed(row).job.n == job.n;
}

/* A row before the first that is wanted: those behind it do not say this again. */
static void pass(const struct op *op, const struct row *row, struct fl_arena *arena,
                 struct edit_list *edits, struct read_events *answer)
{
    if (op->job.n && !is_about(row, op->job)) return;
    if (row->kind == ROW_job_edit) fl_arena_push(arena, edits, row->job_edit);
    if (row_deed(row).job.n != 0) answer->deed = *row;
}

/* Adds the events of one journal row, from op->row on if it is the batch behind op->batch; those
 * for which there is no room are left to the next answer.  False: the stored bytes are damaged. */
static bool decode(const struct op *op, const PGresult *result, int i, struct fl_arena *arena,
                   struct event_list *list, struct edit_list *edits, struct read_events *answer,
                   size_t *bytes, struct fl_err *err)
{
    struct read_event event = {.batch = (uint64_t)pg_get_int(result, i, 0),
                               .at = pg_get_int(result, i, 1)};
    uint32_t first = event.batch == op->batch + 1 ? op->row : 0;
    struct fl_reader reader;
    struct fl_str rows;

    if (!journal_unpack(pg_field(result, i, 2), arena, &rows, err)) {
        return fl_err_wrap(err, "batch %llu of the journal", (unsigned long long)event.batch);
    }
    *bytes += rows.len;
    reader = fl_reader(rows.at, rows.len);
    for (; reader.pos < reader.len; event.n++) {
        if (!row_decode(&reader, &event.row, err)) {
            return fl_err_wrap(err, "batch %llu of the journal", (unsigned long long)event.batch);
        }
        if (event.n < first) {
            pass(op, &event.row, arena, edits, answer);
            continue;
        }
        if (list->len == READ_EVENTS_MAX) {
            answer->row = event.n;
            return true;
        }
        if (event.row.kind == ROW_unknown || event.row.skipped > 0) answer->unknown++;
        if (op->job.n && !is_about(&event.row, op->job)) continue;
        fl_arena_push(arena, list, event);
    }
    answer->batch = event.batch;
    return true;
}

/* The numbers of the rows in the order of their batches. */
static void in_order(const PGresult *result, int rows, int order[READ_EVENTS_BATCHES_MAX])
{
    for (int i = 0; i < rows; i++) {
        int to = i;

        for (; to > 0 && pg_get_int(result, order[to - 1], 0) > pg_get_int(result, i, 0); to--) {
            order[to] = order[to - 1];
        }
        order[to] = i;
    }
}

/* Answers with the events of some journal rows; 'batch' is the newest that was asked for. */
static void tell(const struct op *op, const PGresult *result, struct fl_arena *arena,
                 uint64_t batch, bool has_more)
{
    struct read_events answer = {.batch = op->batch};
    struct event_list list = {0};
    struct edit_list edits = {0};
    struct fl_err err = {0};
    size_t bytes = 0;
    int order[READ_EVENTS_BATCHES_MAX], i, rows = PQntuples(result);

    fl_assert(rows <= READ_EVENTS_BATCHES_MAX);
    in_order(result, rows, order);
    if (rows > 0) answer.first = (uint64_t)pg_get_int(result, order[0], 0);
    for (i = 0; i < rows && answer.row == 0; i++) {
        if (i > 0 && (bytes >= READ_EVENTS_BYTES_MAX || list.len == READ_EVENTS_MAX)) break;
        if (!decode(op, result, order[i], arena, &list, &edits, &answer, &bytes, &err)) {
            op->fn(op->ctx, &(struct read_events){.err = &err, .batch = op->batch});
            return;
        }
        if (answer.row > 0) answer.batch = (uint64_t)pg_get_int(result, order[i], 0) - 1;
    }
    answer.has_more = has_more || i < rows || answer.row > 0;
    if (i == rows && answer.row == 0) answer.batch = batch;
    answer.at = list.at;
    answer.len = list.len;
    answer.edits = edits.at;
    answer.edits_len = edits.len;
    op->fn(op->ctx, &answer);
}

static void fail(const struct op *op, const struct fl_err *err)
{
    op->fn(op->ctx, &(struct read_events){.err = err, .batch = op->batch});
}

/* ---- behind a batch -------------------------------------------------------------------------- */

static void since_answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    uint64_t batch = op->batch;
    int rows;

    if (!got->result) {
        fail(op, got->err);
        return;
    }
    rows = got->rows;
    if (rows > 0) batch = (uint64_t)pg_get_int(got->result, rows - 1, 0);
    tell(op, got->result, got->arena, batch, (uint64_t)rows == op->limit);
}

uint64_t read_events_since(struct reader *reader, uint64_t batch, uint32_t row, struct fl_job job,
                           read_events_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {.fn = fn,
                    .ctx = ctx,
                    .job = job,
                    .batch = batch,
                    .row = row,
                    .limit = READ_EVENTS_BATCHES_MAX};

    return reader_ask_numbers(reader, PG_STMT_journal_since, (const uint64_t[]){batch, op.limit},
                              since_answered, &op, sizeof op, err);
}

/* ---- events of a job ------------------------------------------------------------------------- */

static void journal_answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;

    if (got->result) {
        tell(op, got->result, got->arena, op->limit, op->has_more);
    } else {
        fail(op, got->err);
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
static void batches_answered(void *data, const struct reader_answer *got)
{
    struct op *op = data;
    struct pg_array asked = {0};
    struct pg_value value;
    uint64_t *batches;
    size_t len = 0;

    if (!got->result) {
        fail(op, got->err);
        return;
    }
    batches = fl_arena_array(got->arena, uint64_t, (size_t)got->rows);
    for (int i = 0; i < got->rows; i++) {
        uint64_t batch = (uint64_t)pg_get_int(got->result, i, 0);

        if (batch > op->batch) batches[len++] = batch;
    }
    if (got->rows >= READ_EVENTS_ROWS_MAX) {
        walk_instead(op, got->result);
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
        reader_ask_on(got->reader, PG_STMT_journal_of, &value, journal_answered, op, sizeof *op);
    }
    pg_array_fini(&asked);
}

uint64_t read_events_of_job(struct reader *reader, struct fl_job job, uint64_t batch, uint32_t row,
                            read_events_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {.fn = fn, .ctx = ctx, .job = job, .batch = batch, .row = row};
    int64_t job_be, limit_be;
    struct pg_value values[3];
    char name[FL_JOB_NAME_MAX];

    fl_job_name(job, name);
    values[0] = pg_i64(&job_be, job.n);
    values[1] = pg_i64(&limit_be, READ_EVENTS_ROWS_MAX);
    values[2] = (struct pg_value){name, strlen(name)};
    return reader_ask(reader, PG_STMT_job_batches, values, batches_answered, &op, sizeof op, err);
}

/* ---- where to begin -------------------------------------------------------------------------- */

static void newest_answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_events answer = {.err = got->err};

    if (got->result && got->rows > 0) answer.batch = (uint64_t)pg_get_int(got->result, 0, 0);
    op->fn(op->ctx, &answer);
}

uint64_t read_events_newest(struct reader *reader, read_events_fn *fn, void *ctx,
                            struct fl_err *err)
{
    struct op op = {.fn = fn, .ctx = ctx};

    return reader_ask(reader, PG_STMT_journal_newest, NULL, newest_answered, &op, sizeof op, err);
}
