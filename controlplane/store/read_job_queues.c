#include "controlplane/store/read_job_queues.h"

#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

struct op {
    read_job_queues_fn *fn;
    void *ctx;
};

static void answered(void *data, const struct reader_answer *answer)
{
    const struct op *op = data;
    size_t len = (size_t)answer->rows;
    struct read_job_queue *queues = fl_arena_array(answer->arena, struct read_job_queue, len);

    for (int i = 0; i < answer->rows; i++) {
        queues[i].job.n = (uint64_t)pg_get_int(answer->result, i, 0);
        queues[i].queue.n = (uint32_t)pg_get_int(answer->result, i, 1);
    }
    op->fn(op->ctx, &(struct read_job_queues){.err = answer->err, .at = queues, .len = len});
}

uint64_t read_job_queues(struct reader *reader, const uint64_t *jobs, size_t len, uint64_t batch,
                         read_job_queues_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx};
    struct pg_array ids = {0};
    struct pg_value values[2];
    int64_t batch_be;
    uint64_t ask;

    fl_assert(len <= READ_JOB_QUEUES_MAX);
    pg_array_start(&ids);
    for (size_t i = 0; i < len; i++) {
        pg_array_put_i64(&ids, jobs[i]);
    }
    values[0] = pg_array_value(&ids, PG_INT8);
    values[1] = pg_i64(&batch_be, batch);
    ask = reader_ask(reader, PG_STMT_job_queues, values, answered, &op, sizeof op, err);
    pg_array_fini(&ids);
    return ask;
}
