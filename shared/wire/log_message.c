#include "shared/wire/log_message.h"

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"
#include "shared/wire/log_record.h"

/* Which fields follow kind and source. */
enum fields {
    HAS_ATTEMPT = 1,
    HAS_OFFSET = 2,
    HAS_CHAIN = 4,
    HAS_CODE = 8,
    HAS_RECORDS = 16,
    IS_UNKNOWN = 32,
};

#define ATTEMPT_BYTES (8 + 4 + 2 + 4 + 4) /* with the replica */

static enum fields fields_of(enum fl_log_message_kind kind)
{
    switch (kind) {
    case FL_LOG_open:
        return HAS_ATTEMPT;
    case FL_LOG_records:
        return HAS_RECORDS;
    case FL_LOG_end:
    case FL_LOG_cursor:
    case FL_LOG_resume:
        return HAS_OFFSET | HAS_CHAIN;
    case FL_LOG_ack:
        return HAS_OFFSET;
    case FL_LOG_pause:
    case FL_LOG_refuse:
        return HAS_CODE;
    case FL_LOG_close:
    case FL_LOG_end_ack:
        return 0;
    }
    return IS_UNKNOWN;
}

FL_ENUM_NAMES(fl_log_message_name, enum fl_log_message_kind, FL_LOG_MESSAGES(FL_NAME_NUMBERED))

size_t fl_log_message_bytes(const struct fl_log_message *message)
{
    enum fields fields = fields_of(message->kind);
    size_t bytes = FL_LOG_MESSAGE_HEADER_BYTES;

    if (fields & HAS_ATTEMPT) bytes += ATTEMPT_BYTES;
    if (fields & HAS_OFFSET) bytes += 8;
    if (fields & HAS_CHAIN) bytes += 4;
    if (fields & HAS_CODE) bytes += 2;
    if (fields & HAS_RECORDS) bytes += 4 + message->records.len;
    return bytes;
}

bool fl_log_message_put(struct fl_buf *out, const struct fl_log_message *message)
{
    enum fields fields = fields_of(message->kind);
    size_t len = out->len;

    fl_assert(!(fields & IS_UNKNOWN) && message->source != 0);
    fl_buf_put_u8(out, (uint8_t)message->kind);
    fl_buf_put_u32(out, message->source);
    if (fields & HAS_ATTEMPT) {
        fl_buf_put_u64(out, message->attempt.job.n);
        fl_buf_put_u32(out, message->attempt.element);
        fl_buf_put_u16(out, message->attempt.n);
        fl_buf_put_u32(out, message->attempt.incarnation);
        fl_buf_put_u32(out, message->replica);
    }
    if (fields & HAS_OFFSET) fl_buf_put_u64(out, message->offset);
    if (fields & HAS_CHAIN) fl_buf_put_u32(out, message->chain);
    if (fields & HAS_CODE) fl_buf_put_u16(out, message->code);
    if (fields & HAS_RECORDS) {
        fl_assert(message->records.len > 0 && message->records.len <= FL_LOG_RECORDS_BYTES_MAX);
        fl_buf_put_u32(out, (uint32_t)message->records.len);
        fl_buf_put(out, message->records.at, message->records.len);
    }
    if (!out->is_over) return true;
    fl_buf_truncate(out, len);
    return false;
}

bool fl_log_records_begin(struct fl_buf *out, uint32_t source, size_t *ret_at)
{
    size_t len = out->len;

    fl_assert(source != 0);
    fl_buf_put_u8(out, FL_LOG_records);
    fl_buf_put_u32(out, source);
    if (fl_buf_put_u32(out, 0)) {
        *ret_at = len;
        return true;
    }
    fl_buf_truncate(out, len);
    return false;
}

void fl_log_records_end(struct fl_buf *out, size_t at)
{
    size_t bytes = out->len - at - FL_LOG_RECORDS_HEADER_BYTES;

    fl_assert(bytes > 0 && bytes <= FL_LOG_RECORDS_BYTES_MAX);
    fl_buf_patch_u32(out, at + FL_LOG_MESSAGE_HEADER_BYTES, (uint32_t)bytes);
}

bool fl_log_records_sum(struct fl_str records, uint32_t chain, uint64_t *ret_offset,
                        uint64_t *ret_end, uint32_t *ret_chain)
{
    struct fl_log_record record;
    uint64_t first = 0;
    uint64_t next = 0;
    bool has_any = false;

    while (records.len > 0) {
        if (fl_log_record_next(&records, &record) != FL_LOG_READY) return false;
        if (has_any && record.offset != next) return false;
        if (!has_any) first = record.offset;
        has_any = true;
        next = fl_log_record_end(&record);
        chain = fl_log_chain(chain, &record);
    }
    if (!has_any) return false;
    *ret_offset = first;
    *ret_end = next;
    *ret_chain = chain;
    return true;
}

bool fl_log_message_next(struct fl_reader *reader, struct fl_log_message *ret_message,
                         struct fl_err *err)
{
    struct fl_log_message message = {.kind = fl_read_u8(reader), .source = fl_read_u32(reader)};
    enum fields fields = fields_of(message.kind);

    if (reader->is_bad) return fl_fail(err, FL_TORN, "a log message is cut");
    if (fields & IS_UNKNOWN) {
        return fl_fail(err, FL_INVALID, "log message %u is unknown", (unsigned)message.kind);
    }
    if (message.source == 0) return fl_fail(err, FL_INVALID, "a log message of source 0");
    if (fields & HAS_ATTEMPT) {
        message.attempt.job.n = fl_read_u64(reader);
        message.attempt.element = fl_read_u32(reader);
        message.attempt.n = fl_read_u16(reader);
        message.attempt.incarnation = fl_read_u32(reader);
        message.replica = fl_read_u32(reader);
        if (!reader->is_bad && message.attempt.job.n == 0) {
            return fl_fail(err, FL_INVALID, "a log source of job 0");
        }
    }
    if (fields & HAS_OFFSET) message.offset = fl_read_u64(reader);
    if (fields & HAS_CHAIN) message.chain = fl_read_u32(reader);
    if (fields & HAS_CODE) message.code = fl_read_u16(reader);
    if (fields & HAS_RECORDS) {
        uint32_t bytes = fl_read_u32(reader);
        uint64_t offset;
        uint64_t end;
        uint32_t chain;

        if (bytes > FL_LOG_RECORDS_BYTES_MAX) {
            return fl_fail(err, FL_INVALID, "%u bytes of log records at once", bytes);
        }
        message.records = fl_read_raw(reader, bytes);
        if (!reader->is_bad && !fl_log_records_sum(message.records, 0, &offset, &end, &chain)) {
            return fl_fail(err, FL_INVALID, "log records are damaged or have a hole");
        }
    }
    if (reader->is_bad) {
        return fl_fail(err, FL_TORN, "log message %s is cut", fl_log_message_name(message.kind));
    }
    *ret_message = message;
    return true;
}
