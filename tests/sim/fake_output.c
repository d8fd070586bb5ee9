#include "tests/sim/fake_output.h"

#include <string.h>

#include "shared/base/assert.h"

enum { LINE_MAX = 200, PAGE_MAX = 4000, BURST_RECORDS_MAX = 12, GAP_BYTES_MAX = 1 << 20 };

uint64_t fake_output_end(const struct fake_output *output)
{
    return output->records.len ? output->records.at[output->records.len - 1].end : 0;
}

/* ---- its bytes ------------------------------------------------------------------------------- */

static uint64_t word(const struct fake_output *output, uint64_t n)
{
    uint64_t x = (output->number ^ n) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static void fill(const struct fake_output *output, uint64_t offset, size_t len, char *at)
{
    size_t i = 0;

    for (; i < len && offset + i < output->first.len; i++) {
        at[i] = output->first.at[offset + i];
    }
    while (i < len) {
        uint64_t bytes = word(output, (offset + i) / 8);
        size_t skip = (offset + i) % 8;
        size_t part = 8 - skip < len - i ? 8 - skip : len - i;

        memcpy(at + i, (const char *)&bytes + skip, part);
        i += part;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static void add(struct fake_output *output, fl_ms now, uint64_t len, enum fl_log_gap gap)
{
    uint64_t offset = fake_output_end(output);

    fl_vec_push(&output->records, ((struct fake_output_record){offset, offset + len, now, gap}));
}

void fake_output_text(struct fake_output *output, fl_ms now, struct fl_str text)
{
    fl_assert(output->records.len == 0 && text.len > 0);
    output->first = text;
    add(output, now, text.len, FL_LOG_GAP_none);
}

void fake_output_write(struct fake_output *output, struct sim *sim)
{
    int64_t dice = sim_between(sim, 1, 1000);

    if (dice <= 5) {
        for (int64_t i = sim_between(sim, 2, BURST_RECORDS_MAX); i > 0; i--) {
            add(output, sim->now, FL_LOG_RECORD_DATA_MAX, FL_LOG_GAP_none);
        }
    } else if (dice <= 25) {
        add(output, sim->now, (uint64_t)sim_between(sim, 1, GAP_BYTES_MAX),
            sim_chance(sim, 500000) ? FL_LOG_GAP_limit : FL_LOG_GAP_disk_full);
    } else {
        int64_t max = dice <= 60 ? FL_LOG_RECORD_DATA_MAX : dice <= 350 ? PAGE_MAX : LINE_MAX;

        add(output, sim->now, (uint64_t)sim_between(sim, 1, max), FL_LOG_GAP_none);
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The record that holds this offset; records.len: none does yet. */
static size_t place_of(const struct fake_output *output, uint64_t offset)
{
    size_t low = 0, end = output->records.len;

    while (low < end) {
        size_t mid = low + (end - low) / 2;

        if (output->records.at[mid].end <= offset) {
            low = mid + 1;
        } else {
            end = mid;
        }
    }
    return low;
}

static bool put(const struct fake_output *output, const struct fake_output_record *from,
                uint64_t offset, struct fl_buf *records)
{
    char bytes[FL_LOG_RECORD_DATA_MAX];
    struct fl_log_record record = {.offset = offset, .time = from->time, .gap = from->gap};
    size_t len = (size_t)(from->end - offset);

    if (from->gap) {
        record.gap_bytes = len;
    } else {
        if (records->max - records->len < FL_LOG_RECORD_HEADER_BYTES + len) return false;
        fill(output, offset, len, bytes);
        record.bytes = (struct fl_str){bytes, len};
    }
    return fl_log_record_put(records, &record);
}

bool fake_output_read(const struct fake_output *output, uint64_t offset, size_t bytes_max,
                      struct fl_buf *records, struct runtime_output *ret_output, struct fl_err *err)
{
    size_t from = records->len;
    size_t i = place_of(output, offset);

    if (offset > fake_output_end(output)) return fl_fail(err, FL_INVALID, "behind its end");
    *ret_output = (struct runtime_output){0};
    for (; i < output->records.len; i++) {
        if (records->len > from && records->len - from >= bytes_max) break;
        if (!put(output, &output->records.at[i], offset, records)) {
            fl_buf_truncate(records, records->len);
            break;
        }
        offset = output->records.at[i].end;
    }
    ret_output->next_offset = offset;
    ret_output->is_more = i < output->records.len;
    ret_output->is_ended = output->is_ended && !ret_output->is_more;
    if (ret_output->is_ended) ret_output->end_offset = offset;
    return true;
}

bool fake_output_has(const struct fake_output *output, const struct fl_log_record *record)
{
    char bytes[FL_LOG_RECORD_DATA_MAX];
    size_t i = place_of(output, record->offset);
    const struct fake_output_record *there;

    if (i == output->records.len) return false;
    there = &output->records.at[i];
    if (there->gap != record->gap || there->time != record->time ||
        there->end < fl_log_record_end(record)) {
        return false;
    }
    if (record->gap) return true;
    fill(output, record->offset, record->bytes.len, bytes);
    return memcmp(bytes, record->bytes.at, record->bytes.len) == 0;
}
