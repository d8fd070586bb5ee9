#include "controlplane/store/read_failures.h"

#include "controlplane/store/reader_ask.h"

/* The first two are in every row; the rest is NULL where no end is a failure. */
enum column { SEEN, SEEN_ELEMENT, ELEMENT, N, REASON, EXIT, FIRST_REPLICA, WORDS };

struct op {
    read_failures_fn *fn;
    void *ctx;
};

static struct read_failure failure_of(const PGresult *result, int row)
{
    return (struct read_failure){
        .element = (uint32_t)pg_get_int(result, row, ELEMENT),
        .attempt = (uint16_t)pg_get_int(result, row, N),
        .reason = (enum reason)pg_get_int(result, row, REASON),
        .exit_code = (int32_t)pg_get_int(result, row, EXIT),
        .first_replica = (uint32_t)pg_get_int(result, row, FIRST_REPLICA),
        .words = pg_field(result, row, WORDS),
    };
}

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_failures answer = {.err = got->err};
    struct read_failure *at = fl_arena_array(got->arena, struct read_failure, (size_t)got->rows);

    for (int i = 0; i < got->rows; i++) {
        if (!reader_is_null(got->result, i, ELEMENT)) at[answer.len++] = failure_of(got->result, i);
    }
    answer.at = at;
    if (answer.len == READ_FAILURES_MAX) {
        answer.has_more = true;
        answer.next = at[answer.len - 1].element + 1;
    } else if (got->rows > 0 && pg_get_int(got->result, 0, SEEN) == READ_FAILURE_ENDS_MAX) {
        answer.has_more = true;
        answer.next = (uint32_t)pg_get_int(got->result, 0, SEEN_ELEMENT) + 1;
    }
    op->fn(op->ctx, &answer);
}

uint64_t read_failures(struct reader *reader, struct fl_job job, uint32_t from,
                       read_failures_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx};

    return reader_ask_numbers(
        reader, PG_STMT_failures_page,
        (const uint64_t[]){job.n, from, JOB_failed, READ_FAILURES_MAX, READ_FAILURE_ENDS_MAX},
        answered, &op, sizeof op, err);
}
