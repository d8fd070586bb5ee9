#include "controlplane/store/read_outputs.h"

#include <endian.h>

#include "controlplane/store/reader_ask.h"

enum column { ELEMENT, N, INCARNATION, CLUSTER, LETTERS, AT };

struct op {
    read_outputs_fn *fn;
    void *ctx;
    struct fl_job job;
};

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    struct read_outputs answer = {.err = err};
    int rows = result ? PQntuples(result) : 0;
    struct read_output *outputs = fl_arena_array(arena, struct read_output, (size_t)rows);

    (void)reader;
    for (int i = 0; i < rows; i++) {
        outputs[answer.len++] = (struct read_output){
            .attempt = {.job = op->job,
                        .element = (uint32_t)pg_get_int(result, i, ELEMENT),
                        .n = (uint16_t)pg_get_int(result, i, N),
                        .incarnation = (uint32_t)pg_get_int(result, i, INCARNATION)},
            .cluster = {(uint32_t)pg_get_int(result, i, CLUSTER)},
            .letters = pg_field(result, i, LETTERS),
            .ended_at = reader_is_null(result, i, AT) ? 0 : pg_get_int(result, i, AT)};
    }
    answer.at = outputs;
    answer.has_more = answer.len == READ_OUTPUTS_MAX;
    op->fn(op->ctx, &answer);
}

uint64_t read_outputs(struct reader *reader, struct fl_job job, uint32_t first, uint16_t n,
                      uint32_t last, read_outputs_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, job};
    uint32_t first_be = htobe32(first), n_be = htobe32(n), last_be = htobe32(last);
    int64_t job_be, len_be;
    struct pg_value values[5];

    values[0] = pg_i64(&job_be, job.n);
    values[1] = (struct pg_value){&first_be, sizeof first_be};
    values[2] = (struct pg_value){&n_be, sizeof n_be};
    values[3] = (struct pg_value){&last_be, sizeof last_be};
    values[4] = pg_i64(&len_be, READ_OUTPUTS_MAX);
    return reader_ask(reader, PG_STMT_outputs_page, values, answered, &op, sizeof op, err);
}
