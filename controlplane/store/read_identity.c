#include "controlplane/store/read_identity.h"

#include <string.h>

#include "controlplane/core/core_event.h" /* CORE_TOKEN_ID_MAX */
#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

/* Reads table after table, page after page; each page begins behind the last key of the page
 * before. */

static const struct step {
    enum pg_stmt stmt;
    size_t key_bytes; /* the bytes of a number as key; 0: the key is a text */
} steps[] = {
    {PG_STMT_queues_page, 4},
    {PG_STMT_clusters_page, 4},
    {PG_STMT_join_tokens_page, 0},
    {PG_STMT_tokens_page, 0},
};

enum { STEPS_LEN = sizeof steps / sizeof *steps, NEWEST = -1 };

struct op {
    int step;
    read_identity_row_fn *row;
    read_identity_done_fn *done;
    void *ctx;
    uint64_t batch;
    char key[CORE_TOKEN_ID_MAX]; /* the last row's, as Postgres has it */
    size_t key_len;
};

static void answered(void *data, const struct reader_answer *got);

bool read_identity_is(const struct row *row)
{
    for (size_t i = 0; i < STEPS_LEN; i++) {
        enum row_kind kind = (enum row_kind)pg_stmts[steps[i].stmt].place;

        if (row_info(kind).table == row_info(row->kind).table) return true;
    }
    return false;
}

static void ask(struct reader *reader, struct op *op)
{
    int64_t limit_be;
    struct pg_value values[2] = {{op->key, op->key_len}, pg_i64(&limit_be, READ_IDENTITY_PAGE)};

    reader_ask_on(reader, steps[op->step].stmt, values, answered, op, sizeof *op);
}

static void next_step(struct op *op)
{
    op->step++;
    memset(op->key, 0, sizeof op->key);
    if (op->step < STEPS_LEN) op->key_len = steps[op->step].key_bytes;
}

/* Hands out a row and notes its key, behind which the next page begins. */
static bool tell_row(struct op *op, const PGresult *result, int i)
{
    unsigned place = pg_stmts[steps[op->step].stmt].place;
    struct row_columns columns = row_columns(place);
    struct fl_str key = {0};
    struct row row;

    for (size_t c = 0; c < columns.len; c++) {
        if (columns.at[c]->is_key) key = pg_field(result, i, (int)c);
    }
    if (!key.at || key.len > sizeof op->key || !reader_row(result, i, 0, place, &row)) return false;
    op->key_len = key.len;
    memcpy(op->key, key.at, key.len);
    op->row(op->ctx, &row);
    return true;
}

static void answered(void *data, const struct reader_answer *got)
{
    struct op *op = data;
    int rows = got->rows;
    struct fl_err bad = {0};

    if (!got->result) {
        op->done(op->ctx, got->err, op->batch);
        return;
    }
    if (op->step == NEWEST) {
        if (rows > 0) op->batch = (uint64_t)pg_get_int(got->result, 0, 0);
        rows = 0;
    }
    for (int i = 0; i < rows; i++) {
        if (tell_row(op, got->result, i)) continue;
        fl_fail(&bad, FL_TORN, "a row of %s cannot be read", pg_stmts[steps[op->step].stmt].name);
        op->done(op->ctx, &bad, op->batch);
        return;
    }
    if (rows < READ_IDENTITY_PAGE) next_step(op);
    if (op->step == STEPS_LEN) {
        op->done(op->ctx, NULL, op->batch);
    } else {
        ask(got->reader, op);
    }
}

uint64_t read_identity(struct reader *reader, read_identity_row_fn *row,
                       read_identity_done_fn *done, void *ctx, struct fl_err *err)
{
    struct op op = {.step = NEWEST, .row = row, .done = done, .ctx = ctx};

    return reader_ask(reader, PG_STMT_journal_newest, NULL, answered, &op, sizeof op, err);
}
