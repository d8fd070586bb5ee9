#include "controlplane/store/read_failures.h"

#include <endian.h>

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

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    struct read_failures answer = {.err = err};
    int rows = result ? PQntuples(result) : 0;
    struct read_failure *at = fl_arena_array(arena, struct read_failure, (size_t)rows);

    (void)reader;
    for (int i = 0; i < rows; i++) {
        if (!reader_is_null(result, i, ELEMENT)) at[answer.len++] = failure_of(result, i);
    }
    answer.at = at;
    if (answer.len == READ_FAILURES_MAX) {
        answer.has_more = true;
        answer.next = at[answer.len - 1].element + 1;
    } else if (rows > 0 && pg_get_int(result, 0, SEEN) == READ_FAILURE_ENDS_MAX) {
        answer.has_more = true;
        answer.next = (uint32_t)pg_get_int(result, 0, SEEN_ELEMENT) + 1;
    }
    op->fn(op->ctx, &answer);
}

uint64_t read_failures(struct reader *reader, struct fl_job job, uint32_t from,
                       read_failures_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx};
    uint32_t from_be = htobe32(from), state_be = htobe32(JOB_failed);
    int64_t job_be, len_be, ends_be;
    struct pg_value values[5] = {
        pg_i64(&job_be, job.n),
        {&from_be, sizeof from_be},
        {&state_be, sizeof state_be},
        pg_i64(&len_be, READ_FAILURES_MAX),
        pg_i64(&ends_be, READ_FAILURE_ENDS_MAX),
    };

    return reader_ask(reader, PG_STMT_failures_page, values, answered, &op, sizeof op, err);
}
