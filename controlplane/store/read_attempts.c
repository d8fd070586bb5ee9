#include "controlplane/store/read_attempts.h"

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
    WORDS,
    USAGE,
    /* with a state: the end of what was looked at, in every row; the rest may be NULL */
    SEEN,
    SEEN_ELEMENT,
};

struct op {
    read_attempts_fn *fn;
    void *ctx;
    struct fl_job job;
    size_t len_max;
    bool has_state;
};

static struct read_attempt attempt_of(const struct op *op, const PGresult *result, int row)
{
    struct read_attempt attempt = {
        .attempt = {.job = op->job,
                    .element = (uint32_t)pg_get_int(result, row, ELEMENT),
                    .n = (uint16_t)pg_get_int(result, row, N),
                    .incarnation = (uint32_t)pg_get_int(result, row, INCARNATION)},
        .cluster = {(uint32_t)pg_get_int(result, row, CLUSTER)},
        .nodes = pg_field(result, row, NODES),
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
    attempt.words = pg_field(result, row, WORDS);
    attempt.usage = fl_usage_read(pg_field(result, row, USAGE));
    return attempt;
}

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_attempts answer = {.err = got->err};
    struct read_attempt *attempts =
        fl_arena_array(got->arena, struct read_attempt, (size_t)got->rows);

    for (int i = 0; i < got->rows; i++) {
        if (reader_is_null(got->result, i, ELEMENT)) continue; /* it only says how much was seen */
        attempts[answer.len++] = attempt_of(op, got->result, i);
    }
    answer.at = attempts;
    if (answer.len == op->len_max) {
        answer.has_more = true;
        answer.element = attempts[answer.len - 1].attempt.element;
        answer.n = attempts[answer.len - 1].attempt.n;
    } else if (op->has_state && got->rows > 0 &&
               pg_get_int(got->result, 0, SEEN) == READ_ENDS_MAX) {
        answer.has_more = true;
        answer.element = (uint32_t)pg_get_int(got->result, 0, SEEN_ELEMENT);
        answer.n = UINT16_MAX;
    }
    op->fn(op->ctx, &answer);
}

uint64_t read_attempts(struct reader *reader, const struct read_attempts_query *query,
                       read_attempts_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, query->job, query->len_max, query->state != 0};
    /* An element has one end: behind an attempt of it there is none. */
    uint32_t behind = op.has_state && query->n == 0 ? query->element - 1 : query->element;

    if (op.len_max == 0 || op.len_max > READ_ATTEMPTS_MAX) op.len_max = READ_ATTEMPTS_MAX;
    return reader_ask_numbers(
        reader, op.has_state ? PG_STMT_attempts_in_state : PG_STMT_attempts_page,
        (const uint64_t[]){query->job.n, behind, op.has_state ? (uint64_t)query->state : query->n,
                           op.len_max, READ_ENDS_MAX},
        answered, &op, sizeof op, err);
}
