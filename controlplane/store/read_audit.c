#include "controlplane/store/read_audit.h"

#include "controlplane/store/reader_ask.h"

/* From ROW on come the columns of the row. */
enum column { BATCH, N, AT, ROW };

struct op {
    read_audit_fn *fn;
    void *ctx;
    struct fl_tenant tenant;
    size_t len_max;
};

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_audit answer = {.err = got->err};
    struct read_audit_row *at =
        fl_arena_array(got->arena, struct read_audit_row, (size_t)got->rows);
    struct fl_err bad = {0};

    for (int i = 0; i < got->rows; i++) {
        struct row row;

        if (!reader_row(got->result, i, ROW, ROW_audit, &row)) {
            fl_fail(&bad, FL_TORN, "a row of the audit cannot be read");
            answer.err = &bad;
            break;
        }
        answer.batch = (uint64_t)pg_get_int(got->result, i, BATCH);
        answer.n = (uint32_t)pg_get_int(got->result, i, N);
        if (row.audit.tenant != 0 && row.audit.tenant != op->tenant.n) continue;
        at[answer.len++] = (struct read_audit_row){answer.batch, answer.n,
                                                   pg_get_int(got->result, i, AT), row.audit};
    }
    answer.at = at;
    answer.has_more = (size_t)got->rows == op->len_max;
    op->fn(op->ctx, &answer);
}

uint64_t read_audit(struct reader *reader, struct fl_tenant tenant, uint64_t batch, uint32_t n,
                    size_t len_max, read_audit_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, tenant, len_max};

    if (len_max == 0 || len_max > READ_AUDIT_MAX) op.len_max = READ_AUDIT_MAX;
    return reader_ask_numbers(reader, PG_STMT_audit_page,
                              (const uint64_t[]){batch ? batch : INT64_MAX, n, op.len_max},
                              answered, &op, sizeof op, err);
}
