#include "controlplane/store/read_specs.h"

#include <endian.h>

#include "controlplane/core/row.h" /* ROW_JOB_RANGE */
#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

_Static_assert(ROW_JOB_RANGE == 1000000, "as specs_of_newest has it");

struct op {
    read_specs_fn *fn;
    void *ctx;
    size_t len;
};

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct fl_str *bodies = fl_arena_array(got->arena, struct fl_str, op->len);
    struct read_specs answer = {.err = got->err, .bodies = bodies, .len = op->len};

    for (int i = 0; i < got->rows; i++) {
        size_t which = (size_t)pg_get_int(got->result, i, 0);

        if (which < op->len) bodies[which] = pg_field(got->result, i, 1);
    }
    op->fn(op->ctx, &answer);
}

uint64_t read_specs(struct reader *reader, const struct read_spec *specs, size_t len,
                    read_specs_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, len};
    struct pg_array index = {0}, jobs = {0}, digests = {0};
    struct pg_value values[3];
    uint64_t ask;

    fl_assert(len <= READ_SPECS_MAX);
    pg_array_start(&index);
    pg_array_start(&jobs);
    pg_array_start(&digests);
    for (size_t i = 0; i < len; i++) {
        pg_array_put_i32(&index, (uint32_t)i);
        pg_array_put_i64(&jobs, specs[i].job.n / ROW_JOB_RANGE * ROW_JOB_RANGE);
        pg_array_put_bytes(&digests, specs[i].digest.at, sizeof specs[i].digest.at);
    }
    values[0] = pg_array_value(&index, PG_INT4);
    values[1] = pg_array_value(&jobs, PG_INT8);
    values[2] = pg_array_value(&digests, PG_BYTEA);
    ask = reader_ask(reader, PG_STMT_specs_by_digest, values, answered, &op, sizeof op, err);
    pg_array_fini(&index);
    pg_array_fini(&jobs);
    pg_array_fini(&digests);
    return ask;
}

uint64_t read_specs_of_newest(struct reader *reader, struct fl_tenant tenant,
                              struct fl_queue_id queue, const struct fl_digest *digests, size_t len,
                              read_specs_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, len};
    struct pg_array index = {0}, keys = {0};
    uint32_t tenant_be = htobe32(tenant.n), queue_be = htobe32(queue.n);
    int64_t before_be, walk_be;
    struct pg_value values[6];
    uint64_t ask;

    fl_assert(len <= READ_NEWEST_SPECS_MAX);
    pg_array_start(&index);
    pg_array_start(&keys);
    for (size_t i = 0; i < len; i++) {
        pg_array_put_i32(&index, (uint32_t)i);
        pg_array_put_bytes(&keys, digests[i].at, sizeof digests[i].at);
    }
    values[0] = pg_array_value(&index, PG_INT4);
    values[1] = pg_array_value(&keys, PG_BYTEA);
    values[2] = pg_i64(&before_be, INT64_MAX);
    values[3] = pg_i64(&walk_be, READ_NEWEST_WALK_MAX);
    values[4] = (struct pg_value){&tenant_be, sizeof tenant_be};
    values[5] = (struct pg_value){&queue_be, sizeof queue_be};
    ask = reader_ask(reader, PG_STMT_specs_of_newest, values, answered, &op, sizeof op, err);
    pg_array_fini(&index);
    pg_array_fini(&keys);
    return ask;
}
