#include "agent/streams/log_source.h"

#include "shared/wire/log_record.h"

#define RECORDS_BYTES_MAX ((size_t)LOG_PUMP_TURN_BYTES + FL_LOG_RECORD_BYTES_MAX)

void log_source_init(struct log_source *source, struct runtime runtime)
{
    *source = (struct log_source){.runtime = runtime};
    fl_buf_init(&source->records, RECORDS_BYTES_MAX);
}

void log_source_fini(struct log_source *source)
{
    fl_buf_fini(&source->records);
}

static bool put_gap(struct fl_buf *out, uint64_t offset, uint64_t end, fl_ms time)
{
    struct fl_log_record gap = {
        .offset = offset, .time = time, .gap = FL_LOG_GAP_limit, .gap_bytes = end - offset};

    return fl_log_record_put(out, &gap);
}

/* Cuts off what stands before 'offset'; false: all of it does. */
static bool cut(struct fl_log_record *record, uint64_t offset)
{
    uint64_t skipped;

    if (record->offset >= offset) return true;
    if (fl_log_record_end(record) <= offset) return false;
    skipped = offset - record->offset;
    record->offset = offset;
    if (record->gap) {
        record->gap_bytes -= skipped;
    } else {
        record->bytes.at += skipped;
        record->bytes.len -= (size_t)skipped;
    }
    return true;
}

static bool read_records(void *ctx, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                         size_t bytes_max, struct fl_buf *out, bool *ret_is_more,
                         bool *ret_is_ended, struct fl_err *err)
{
    struct log_source *source = ctx;
    struct runtime_output output = {0};
    struct fl_log_record record;
    struct fl_str records;
    fl_ms time = 0;

    fl_buf_clear(&source->records);
    if (!source->runtime.ops->read_output(source->runtime.self, attempt, replica, offset, bytes_max,
                                          &source->records, &output, err)) {
        return false;
    }
    *ret_is_more = true; /* unless all fits */
    *ret_is_ended = false;
    records = (struct fl_str){(const char *)source->records.at, source->records.len};
    while (records.len > 0) {
        if (fl_log_record_next(&records, &record) != FL_LOG_READY) {
            return fl_fail(err, FL_TORN, "the output of a replica is damaged");
        }
        time = record.time;
        if (!cut(&record, offset)) continue;
        if (record.offset > offset) {
            if (!put_gap(out, offset, record.offset, record.time)) goto full;
        }
        if (!fl_log_record_put(out, &record)) goto full;
        offset = fl_log_record_end(&record);
    }
    if (output.is_ended && !output.is_more && output.end_offset > offset) {
        if (!put_gap(out, offset, output.end_offset, time)) goto full;
    }
    *ret_is_more = output.is_more;
    *ret_is_ended = output.is_ended;
    return true;
full: /* the rest comes in its next turn */
    fl_buf_truncate(out, out->len);
    return true;
}

static void taken(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct log_source *source = ctx;

    source->runtime.ops->output_taken(source->runtime.self, attempt, replica);
}

struct log_pump_port log_source_port(struct log_source *source)
{
    return (struct log_pump_port){.ctx = source, .read = read_records, .taken = taken};
}
