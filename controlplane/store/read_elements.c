#include "controlplane/store/read_elements.h"

#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

enum column { JOB, SUCCEEDED, FAILED, CANCELLED };

struct op {
    read_element_counts_fn *fn;
    void *ctx;
};

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    size_t len = result ? (size_t)PQntuples(result) : 0;
    struct read_element_count *counts = fl_arena_array(arena, struct read_element_count, len);

    (void)reader;
    for (size_t i = 0; i < len; i++) {
        counts[i] = (struct read_element_count){
            .job = {(uint64_t)pg_get_int(result, (int)i, JOB)},
            .succeeded = (uint32_t)pg_get_int(result, (int)i, SUCCEEDED),
            .failed = (uint32_t)pg_get_int(result, (int)i, FAILED),
            .cancelled = (uint32_t)pg_get_int(result, (int)i, CANCELLED)};
    }
    op->fn(op->ctx, &(struct read_element_counts){.err = err, .at = counts, .len = len});
}

uint64_t read_element_counts(struct reader *reader, const struct fl_job *jobs, size_t len,
                             read_element_counts_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx};
    struct pg_array ids = {0};
    struct pg_value values[2];
    int64_t limit_be;
    uint64_t ask;

    fl_assert(len <= READ_ELEMENTS_JOBS_MAX);
    pg_array_start(&ids);
    for (size_t i = 0; i < len; i++) {
        pg_array_put_i64(&ids, jobs[i].n);
    }
    values[0] = pg_array_value(&ids, PG_INT8);
    values[1] = pg_i64(&limit_be, READ_ELEMENTS_MAX);
    ask = reader_ask(reader, PG_STMT_element_counts, values, answered, &op, sizeof op, err);
    pg_array_fini(&ids);
    return ask;
}
