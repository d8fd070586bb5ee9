#include "controlplane/store/read_usage.h"

#include <endian.h>

#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

enum column { COUNTED_AT, IS_BEHIND, DAY, QUEUE, OWNER, LABEL, SUMS };

struct op {
    read_usage_fn *fn;
    void *ctx;
    size_t len_max;
};

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_usage answer = {.err = got->err};
    struct read_usage_group *at =
        fl_arena_array(got->arena, struct read_usage_group, got->rows > 0 ? (size_t)got->rows : 1);

    for (int i = 0; i < got->rows; i++) {
        struct read_usage_group *group = &at[answer.len];

        answer.counted_at = pg_get_int(got->result, i, COUNTED_AT);
        answer.is_whole = pg_get_int(got->result, i, IS_BEHIND) == 0;
        if (PQgetisnull(got->result, i, SUMS)) continue; /* there is no group */
        if (answer.len == op->len_max) {
            answer.has_more = true;
            break;
        }
        group->day = (int32_t)pg_get_int(got->result, i, DAY);
        group->queue.n = (uint32_t)pg_get_int(got->result, i, QUEUE);
        group->owner = pg_field(got->result, i, OWNER);
        group->label = pg_field(got->result, i, LABEL);
        group->has_label = !PQgetisnull(got->result, i, LABEL);
        for (int sum = 0; sum < USAGE_SUMS_LEN; sum++) {
            group->sums[sum] = (uint64_t)pg_get_int(got->result, i, SUMS + sum);
        }
        answer.len++;
    }
    answer.at = at;
    op->fn(op->ctx, &answer);
}

static struct pg_value text(struct fl_str s)
{
    return (struct pg_value){s.at ? s.at : "", s.len};
}

uint64_t read_usage(struct reader *reader, const struct read_usage_query *query, read_usage_fn *fn,
                    void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, query->len_max};
    uint32_t from = htobe32((uint32_t)query->from), to = htobe32((uint32_t)query->to);
    uint32_t tenant = htobe32(query->tenant.n), queue = htobe32(query->queue.n);
    uint32_t by = htobe32(query->by);
    int64_t len;
    struct pg_value values[10] = {{&from, sizeof from},     {&to, sizeof to},
                                  {&tenant, sizeof tenant}, {&queue, sizeof queue},
                                  text(query->owner),       text(query->label),
                                  text(query->value),       pg_i64(&len, query->len_max + 1),
                                  {&by, sizeof by},         text(query->by_label)};

    fl_assert(query->len_max > 0 && query->len_max <= READ_USAGE_MAX);
    return reader_ask(reader, PG_STMT_usage_sums, values, answered, &op, sizeof op, err);
}
