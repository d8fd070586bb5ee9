#include "controlplane/store/read_elements.h"

#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

enum column { JOB, SUCCEEDED, FAILED, CANCELLED };

struct op {
    read_element_counts_fn *fn;
    void *ctx;
};

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    size_t len = got->result ? (size_t)got->rows : 0;
    struct read_element_count *counts = fl_arena_array(got->arena, struct read_element_count, len);

    for (size_t i = 0; i < len; i++) {
        counts[i] = (struct read_element_count){
            .job = {(uint64_t)pg_get_int(got->result, (int)i, JOB)},
            .succeeded = (uint32_t)pg_get_int(got->result, (int)i, SUCCEEDED),
            .failed = (uint32_t)pg_get_int(got->result, (int)i, FAILED),
            .cancelled = (uint32_t)pg_get_int(got->result, (int)i, CANCELLED)};
    }
    op->fn(op->ctx, &(struct read_element_counts){.err = got->err, .at = counts, .len = len});
}

uint64_t read_element_counts(struct reader *reader, const struct fl_job *jobs, size_t len,
                             read_element_counts_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx};

    fl_assert(len <= READ_ELEMENTS_JOBS_MAX);
    return reader_ask_jobs(reader, PG_STMT_element_counts, jobs, len, READ_ELEMENTS_MAX, answered,
                           &op, sizeof op, err);
}
