/* Bytes that agents, browsers and rows bring: the records of a visit, the offers and taints of a
 * node, usage, chosen elements, jobs to wait for.
 * Property: a value that is read is written as the very same bytes, so it has one form; records
 * that come a byte at a time are those that come at once; a replica's usage keeps its limits, and
 * no sum of usage is negative where it is stored.
 * The planted bug (planted/agent_bytes.patch) takes a number of offers with zeros in front.
 *
 *     tests/fuzz/planted.sh agent_bytes */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/dependency.h"
#include "shared/base/element_set.h"
#include "shared/base/taint.h"
#include "shared/base/usage.h"
#include "shared/wire/named_resources.h"
#include "shared/wire/visit.h"

enum { INPUT_BYTES_MAX = 128 << 10 };

static struct fl_visit_reader at_once, by_byte; /* 32 KiB each */

static void demand_same(struct fl_buf *again, struct fl_str bytes)
{
    fl_assert(again->len == bytes.len);
    if (bytes.len > 0) fl_assert(memcmp(again->at, bytes.at, bytes.len) == 0);
    fl_buf_fini(again);
}

/* ---- a visit --------------------------------------------------------------------------------- */

/* The record's bytes as a body of each kind, which is written as the same record. */
static void read_bodies(struct fl_str bytes)
{
    struct fl_str words[FL_VISIT_WORDS_MAX];
    struct fl_visit_open open;
    struct fl_visit_status status;
    struct fl_visit_size size;
    struct fl_err err = {0};
    struct fl_buf again;

    fl_buf_init(&again, INPUT_BYTES_MAX);
    if (fl_visit_read_open(bytes, words, &open, &err)) {
        fl_assert(open.words_len <= FL_VISIT_WORDS_MAX);
        fl_assert(fl_visit_put_open(&again, &open));
    } else if (fl_visit_read_status(bytes, &status, &err)) {
        fl_assert(fl_visit_put_status(&again, &status));
    } else if (fl_visit_read_size(bytes, &size, &err)) {
        fl_assert(fl_visit_put_size(&again, size));
    } else {
        fl_assert(err.code == FL_INVALID);
        fl_buf_fini(&again);
        return;
    }
    fl_assert(again.len == FL_VISIT_HEADER_BYTES + bytes.len);
    fl_assert(memcmp(again.at + FL_VISIT_HEADER_BYTES, bytes.at, bytes.len) == 0);
    fl_buf_fini(&again);
}

static bool put_again(void *ctx, const struct fl_visit_record *record, struct fl_err *err)
{
    (void)err;
    fl_assert(fl_visit_put(ctx, record->channel, record->bytes));
    return true;
}

static bool put_and_look(void *ctx, const struct fl_visit_record *record, struct fl_err *err)
{
    read_bodies(record->bytes);
    return put_again(ctx, record, err);
}

static void read_visit(struct fl_str bytes)
{
    struct fl_err err = {0}, slow_err = {0};
    struct fl_buf records, slow;
    bool is_good, is_slow_good = true;

    at_once.len = by_byte.len = 0;
    fl_buf_init(&records, INPUT_BYTES_MAX);
    fl_buf_init(&slow, INPUT_BYTES_MAX);
    is_good = fl_visit_each(&at_once, bytes, put_and_look, &records, &err);
    for (size_t i = 0; i < bytes.len && is_slow_good; i++) {
        is_slow_good =
            fl_visit_each(&by_byte, (struct fl_str){bytes.at + i, 1}, put_again, &slow, &slow_err);
    }
    fl_assert(is_good == is_slow_good && err.code == slow_err.code);
    fl_assert(records.len <= bytes.len);
    if (is_good) fl_assert(records.len + at_once.len == bytes.len);
    if (records.len > 0) fl_assert(memcmp(records.at, bytes.at, records.len) == 0);
    demand_same(&slow, (struct fl_str){(char *)records.at, records.len});
    fl_buf_fini(&records);
}

/* ---- a node, a replica ----------------------------------------------------------------------- */

/* A list is what its taints are written as. */
static void read_taints(struct fl_str lines)
{
    char text[FL_TAINT_TEXT_BYTES_MAX];
    struct fl_taint taint;

    if (!fl_taints_are_list(lines)) return;
    while (lines.len > 0) {
        struct fl_str rest = lines, line = fl_str_cut(&rest, '\n');

        fl_assert(fl_taint_take(&lines, &taint) && lines.len == rest.len);
        fl_assert(fl_str_eq(line, (struct fl_str){text, fl_taint_write(&taint, text)}));
    }
}

static void read_offers(struct fl_str text, struct fl_arena *arena)
{
    const struct fl_named_resource *offers;
    struct fl_err err = {0};
    struct fl_buf again;
    size_t len;

    if (!fl_named_resources_read(text, arena, &offers, &len, &err)) {
        fl_assert(err.code == FL_INVALID || err.code == FL_TOO_LARGE);
        return;
    }
    fl_assert(len <= FL_NAMED_RESOURCES_MAX && text.len <= FL_NAMED_RESOURCES_BYTES_MAX);
    fl_buf_init(&again, FL_NAMED_RESOURCES_BYTES_MAX);
    fl_assert(fl_named_resources_write(&again, offers, len));
    demand_same(&again, text);
}

static void read_usage(struct fl_str bytes)
{
    struct fl_usage sum = fl_usage_read(bytes), one = fl_usage_read_one(bytes);
    uint8_t again[FL_USAGE_BYTES];

    if (sum.meter != FL_METER_none) fl_assert(fl_str_eq(fl_usage_write(&sum, again), bytes));
    if (one.meter != FL_METER_none) {
        fl_assert(fl_str_eq(fl_usage_write(&one, again), bytes));
        fl_assert(one.replicas == 1 && one.cpu_us <= FL_USAGE_MAX);
        fl_assert(one.memory_bytes <= FL_USAGE_MAX && one.read_bytes <= FL_USAGE_MAX);
    }
    fl_usage_add(&sum, &sum);
    fl_assert(sum.cpu_us <= INT64_MAX && sum.memory_bytes <= INT64_MAX);
    fl_assert(sum.read_bytes <= INT64_MAX && sum.written_bytes <= INT64_MAX);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void read_picks(struct fl_str bytes)
{
    struct fl_element_set picks;
    struct fl_err err = {0};
    struct fl_buf again;

    if (!fl_element_set_decode(bytes, &picks, &err)) {
        fl_assert(err.code == FL_TORN || err.code == FL_TOO_LARGE);
        return;
    }
    for (size_t i = 0; i < picks.len; i++) {
        const struct fl_element_set_range *range = &picks.at[i];

        fl_assert(range->first <= range->last);
        if (i > 0) fl_assert(range->first > picks.at[i - 1].last + 1);
        fl_assert(fl_element_set_has(&picks, range->first) &&
                  fl_element_set_has(&picks, range->last));
        fl_assert(fl_element_set_rank(&picks, range->first) == range->before);
        fl_assert(fl_element_set_nth(&picks, range->before) == range->first);
    }
    fl_buf_init(&again, FL_ELEMENT_SET_BYTES_MAX);
    fl_assert(fl_element_set_encode(&again, &picks));
    demand_same(&again, bytes);
    fl_element_set_fini(&picks);
}

static void read_dependencies(struct fl_str bytes, struct fl_arena *arena)
{
    struct fl_dependencies after;
    struct fl_err err = {0};

    if (!fl_dependencies_decode(bytes, arena, &after, &err)) {
        fl_assert(err.code == FL_TORN);
        return;
    }
    fl_assert(after.len <= FL_JOB_AFTER_MAX);
    fl_assert(fl_str_eq(fl_dependencies_encode(after.at, after.len, arena), bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_str bytes = {(const char *)data, size};
    struct fl_arena arena = {0};

    if (size > INPUT_BYTES_MAX) return 0;
    read_visit(bytes);
    read_bodies(bytes);
    read_offers(bytes, &arena);
    read_taints(bytes);
    read_usage(bytes);
    read_picks(bytes);
    read_dependencies(bytes, &arena);
    fl_arena_fini(&arena);
    return 0;
}
