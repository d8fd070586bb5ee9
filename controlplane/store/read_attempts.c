#include "controlplane/store/read_attempts.h"

#include <endian.h>

#include "controlplane/store/reader_ask.h"

enum column {
    ELEMENT,
    N,
    INCARNATION,
    CLUSTER,
    NODES,
    BEGAN_AT,
    END_REASON,
    END_EXIT,
    END_FIRST_REPLICA,
    END_AT,
    LAST_STATE,
    LAST_REASON,
    LAST_EXIT,
    LAST_FIRST_REPLICA,
    LAST_AT,
};

struct op {
    read_attempts_fn *fn;
    void *ctx;
    struct fl_job job;
    size_t len_max;
};

static struct read_attempt attempt_of(const struct op *op, const PGresult *result, int row)
{
    struct read_attempt attempt = {
        .attempt = {.job = op->job,
                    .element = (uint32_t)pg_get_int(result, row, ELEMENT),
                    .n = (uint16_t)pg_get_int(result, row, N),
                    .incarnation = (uint32_t)pg_get_int(result, row, INCARNATION)},
        .cluster = {(uint32_t)pg_get_int(result, row, CLUSTER)},
        .nodes = reader_field(result, row, NODES),
        .began_at = pg_get_int(result, row, BEGAN_AT),
        .is_last = !reader_is_null(result, row, LAST_STATE)};
    int end = attempt.is_last ? LAST_REASON : END_REASON;

    attempt.is_ended = !reader_is_null(result, row, end);
    if (!attempt.is_ended) return attempt;
    if (attempt.is_last) attempt.state = (enum job_state)pg_get_int(result, row, LAST_STATE);
    attempt.reason = (enum reason)pg_get_int(result, row, end);
    attempt.exit_code = (int32_t)pg_get_int(result, row, end + 1);
    attempt.first_replica = (uint32_t)pg_get_int(result, row, end + 2);
    attempt.ended_at = pg_get_int(result, row, end + 3);
    return attempt;
}

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    struct read_attempts answer = {.err = err};
    int rows = result ? PQntuples(result) : 0;
    struct read_attempt *attempts = fl_arena_array(arena, struct read_attempt, (size_t)rows);

    (void)reader;
    for (int i = 0; i < rows; i++) {
        attempts[answer.len++] = attempt_of(op, result, i);
    }
    answer.at = attempts;
    answer.has_more = answer.len == op->len_max;
    op->fn(op->ctx, &answer);
}

uint64_t read_attempts(struct reader *reader, struct fl_job job, uint32_t element, uint16_t n,
                       size_t len_max, read_attempts_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, job, len_max};
    uint32_t element_be = htobe32(element), n_be = htobe32(n);
    int64_t job_be, len_be;
    struct pg_value values[4];

    if (len_max == 0 || len_max > READ_ATTEMPTS_MAX) op.len_max = READ_ATTEMPTS_MAX;
    values[0] = reader_i64(&job_be, job.n);
    values[1] = (struct pg_value){&element_be, sizeof element_be};
    values[2] = (struct pg_value){&n_be, sizeof n_be};
    values[3] = reader_i64(&len_be, op.len_max);
    return reader_ask(reader, PG_STMT_attempts_page, values, answered, &op, sizeof op, err);
}
