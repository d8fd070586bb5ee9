#include "controlplane/store/read_outputs.h"

#include "controlplane/store/reader_ask.h"

enum column { ELEMENT, N, INCARNATION, CLUSTER, LETTERS, AT };

struct op {
    read_outputs_fn *fn;
    void *ctx;
    struct fl_job job;
};

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_outputs answer = {.err = got->err};
    struct read_output *outputs = fl_arena_array(got->arena, struct read_output, (size_t)got->rows);

    for (int i = 0; i < got->rows; i++) {
        outputs[answer.len++] = (struct read_output){
            .attempt = {.job = op->job,
                        .element = (uint32_t)pg_get_int(got->result, i, ELEMENT),
                        .n = (uint16_t)pg_get_int(got->result, i, N),
                        .incarnation = (uint32_t)pg_get_int(got->result, i, INCARNATION)},
            .cluster = {(uint32_t)pg_get_int(got->result, i, CLUSTER)},
            .letters = pg_field(got->result, i, LETTERS),
            .ended_at = pg_get_int(got->result, i, AT)};
    }
    answer.at = outputs;
    answer.has_more = answer.len == READ_OUTPUTS_MAX;
    op->fn(op->ctx, &answer);
}

uint64_t read_outputs(struct reader *reader, struct fl_job job, uint32_t first, uint16_t n,
                      uint32_t last, read_outputs_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, job};

    return reader_ask_numbers(reader, PG_STMT_outputs_page,
                              (const uint64_t[]){job.n, first, n, last, READ_OUTPUTS_MAX}, answered,
                              &op, sizeof op, err);
}
