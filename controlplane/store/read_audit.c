#include "controlplane/store/read_audit.h"

#include <endian.h>

#include "controlplane/store/reader_ask.h"

struct op {
    read_audit_fn *fn;
    void *ctx;
    struct fl_tenant tenant;
    size_t len_max;
};

static void answered(struct reader *reader, void *data, const PGresult *result,
                     const struct fl_err *err, struct fl_arena *arena)
{
    const struct op *op = data;
    struct read_audit answer = {.err = err};
    int rows = result ? PQntuples(result) : 0;
    struct read_audit_row *at = fl_arena_array(arena, struct read_audit_row, (size_t)rows);

    (void)reader;
    for (int i = 0; i < rows; i++) {
        uint32_t tenant = (uint32_t)pg_get_int(result, i, 3);

        answer.batch = (uint64_t)pg_get_int(result, i, 0);
        answer.n = (uint32_t)pg_get_int(result, i, 1);
        if (tenant != 0 && tenant != op->tenant.n) continue;
        at[answer.len++] = (struct read_audit_row){.batch = answer.batch,
                                                   .n = answer.n,
                                                   .at = pg_get_int(result, i, 2),
                                                   .actor = pg_field(result, i, 4),
                                                   .body = pg_field(result, i, 5),
                                                   .outcome = pg_field(result, i, 6),
                                                   .peer = pg_field(result, i, 7),
                                                   .trace = pg_field(result, i, 8)};
    }
    answer.at = at;
    answer.has_more = (size_t)rows == op->len_max;
    op->fn(op->ctx, &answer);
}

uint64_t read_audit(struct reader *reader, struct fl_tenant tenant, uint64_t batch, uint32_t n,
                    size_t len_max, read_audit_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, tenant, len_max};
    uint32_t n_be = htobe32(n);
    int64_t batch_be, len_be;
    struct pg_value values[3];

    if (len_max == 0 || len_max > READ_AUDIT_MAX) op.len_max = READ_AUDIT_MAX;
    values[0] = pg_i64(&batch_be, batch ? batch : INT64_MAX);
    values[1] = (struct pg_value){&n_be, sizeof n_be};
    values[2] = pg_i64(&len_be, op.len_max);
    return reader_ask(reader, PG_STMT_audit_page, values, answered, &op, sizeof op, err);
}
