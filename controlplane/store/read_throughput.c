#include "controlplane/store/read_throughput.h"

#include <endian.h>
#include <string.h>

#include "controlplane/store/reader_ask.h"
#include "shared/base/assert.h"

enum column {
    COUNTED_AT,
    COUNTED_FROM,
    IS_BEHIND,
    HOUR,
    WAITS,
    WAIT_LONGEST,
    RUNS,
    RUN_LONGEST,
    COUNTS
};

struct op {
    read_throughput_fn *fn;
    void *ctx;
    uint32_t hours;
    int32_t from;
    size_t len;
};

static uint32_t word_at(struct fl_str field, size_t at)
{
    uint32_t word = 0;

    if (at + sizeof word <= field.len) memcpy(&word, field.at + at, sizeof word);
    return be32toh(word);
}

/* From an array of bigint, as Postgres sends it: dimensions, has NULLs, type, length, first index,
 * and each number behind its bytes. */
static void take_histogram(struct fl_str field, fl_ms longest, struct fl_histogram *ret)
{
    enum { LEN_AT = 12, HEADER = 20, ITEM = 12 };
    size_t len = word_at(field, 0) == 1 ? word_at(field, LEN_AT) : 0;
    uint64_t count;

    *ret = (struct fl_histogram){.longest = longest};
    for (size_t i = 0; i < len && i < FL_HISTOGRAM_BUCKETS; i++) {
        size_t at = HEADER + i * ITEM;

        if (at + ITEM > field.len || word_at(field, at) != sizeof count) return;
        memcpy(&count, field.at + at + 4, sizeof count);
        ret->counts[i] = be64toh(count);
    }
}

static void add(struct read_throughput_step *total, const struct read_throughput_step *step)
{
    for (size_t i = 0; i < THROUGHPUT_COUNTS_LEN; i++) {
        total->counts[i] += step->counts[i];
    }
    fl_histogram_merge(&total->waits, &step->waits);
    fl_histogram_merge(&total->runs, &step->runs);
}

static void answered(void *data, const struct reader_answer *got)
{
    const struct op *op = data;
    struct read_throughput answer = {.err = got->err, .len = op->len};
    struct read_throughput_step *steps =
        fl_arena_array(got->arena, struct read_throughput_step, op->len);

    for (int i = 0; i < got->rows; i++) {
        size_t place = (size_t)(pg_get_int(got->result, i, HOUR) - op->from) / op->hours;
        struct read_throughput_step *step;

        answer.counted_at = pg_get_int(got->result, i, COUNTED_AT);
        answer.counted_from = pg_get_int(got->result, i, COUNTED_FROM);
        answer.is_whole = pg_get_int(got->result, i, IS_BEHIND) == 0;
        if (PQgetisnull(got->result, i, HOUR) || place >= op->len) continue; /* there is no step */
        step = &steps[place];
        take_histogram(pg_field(got->result, i, WAITS), pg_get_int(got->result, i, WAIT_LONGEST),
                       &step->waits);
        take_histogram(pg_field(got->result, i, RUNS), pg_get_int(got->result, i, RUN_LONGEST),
                       &step->runs);
        for (int count = 0; count < THROUGHPUT_COUNTS_LEN; count++) {
            step->counts[count] = (uint64_t)pg_get_int(got->result, i, COUNTS + count);
        }
        add(&answer.total, step);
    }
    answer.at = steps;
    op->fn(op->ctx, &answer);
}

uint64_t read_throughput(struct reader *reader, const struct read_throughput_query *query,
                         read_throughput_fn *fn, void *ctx, struct fl_err *err)
{
    struct op op = {fn, ctx, query->hours, query->from, 0};

    fl_assert(query->hours > 0 && query->from <= query->to);
    op.len = (size_t)(query->to - query->from) / query->hours + 1;
    fl_assert(op.len <= READ_THROUGHPUT_MAX);
    return reader_ask_numbers(reader, PG_STMT_throughput,
                              (const uint64_t[]){query->hours, (uint64_t)query->from,
                                                 (uint64_t)query->to, query->tenant.n,
                                                 query->queue.n},
                              answered, &op, sizeof op, err);
}
