#include "shared/wire/log_record.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"
#include "shared/base/hash.h"

#define IS_GAP ((uint32_t)1 << 31)
#define LENGTH_AT 16
#define CRC_AT 20
#define GAP_DATA_BYTES (FL_LOG_GAP_BYTES - FL_LOG_RECORD_HEADER_BYTES)

FL_ENUM_NAMES(fl_log_gap_name, enum fl_log_gap, FL_LOG_GAPS(FL_NAME_NUMBERED))

FL_ENUM_NAMES(fl_log_gap_meaning, enum fl_log_gap, FL_LOG_GAPS(FL_MEANING_NUMBERED))

uint64_t fl_log_record_end(const struct fl_log_record *record)
{
    return record->offset + (record->gap ? record->gap_bytes : record->bytes.len);
}

static void store32(uint8_t *at, uint32_t v)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(v >> 8 * i);
    }
}

static void store64(uint8_t *at, uint64_t v)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(v >> 8 * i);
    }
}

static uint32_t load32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t load64(const uint8_t *at)
{
    return load32(at) | (uint64_t)load32(at + 4) << 32;
}

uint32_t fl_log_chain(uint32_t chain, const struct fl_log_record *record)
{
    uint8_t crc[4];

    store32(crc, record->crc);
    return fl_crc32c(chain, crc, sizeof(crc));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_header(uint8_t *header, struct fl_log_record *record, uint32_t length,
                       const void *data, size_t data_len)
{
    store64(header, record->offset);
    store64(header + 8, (uint64_t)record->time);
    store32(header + LENGTH_AT, length);
    record->crc = fl_crc32c(fl_crc32c(0, header, CRC_AT), data, data_len);
    store32(header + CRC_AT, record->crc);
}

void fl_log_record_header(uint8_t ret_header[FL_LOG_RECORD_HEADER_BYTES],
                          struct fl_log_record *record)
{
    size_t len = record->bytes.len;

    fl_assert(!record->gap && len > 0 && len <= FL_LOG_RECORD_DATA_MAX);
    fl_assert(record->offset <= UINT64_MAX - len);
    put_header(ret_header, record, (uint32_t)len, record->bytes.at, len);
}

void fl_log_record_gap(uint8_t ret_gap[FL_LOG_GAP_BYTES], struct fl_log_record *record)
{
    uint8_t *data = ret_gap + FL_LOG_RECORD_HEADER_BYTES;

    fl_assert(record->gap > FL_LOG_GAP_none && record->gap < FL_LOG_GAPS_LEN);
    fl_assert(record->gap_bytes > 0 && record->offset <= UINT64_MAX - record->gap_bytes);
    store64(data, record->gap_bytes);
    data[8] = (uint8_t)record->gap;
    put_header(ret_gap, record, IS_GAP | GAP_DATA_BYTES, data, GAP_DATA_BYTES);
}

bool fl_log_record_put(struct fl_buf *out, struct fl_log_record *record)
{
    size_t len = out->len;
    uint8_t head[FL_LOG_GAP_BYTES];

    if (record->gap) {
        fl_log_record_gap(head, record);
        if (fl_buf_put(out, head, FL_LOG_GAP_BYTES)) return true;
    } else {
        fl_log_record_header(head, record);
        if (fl_buf_put(out, head, FL_LOG_RECORD_HEADER_BYTES) &&
            fl_buf_put(out, record->bytes.at, record->bytes.len)) {
            return true;
        }
    }
    fl_buf_truncate(out, len);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads the length from the header; false: no record has this header. */
static bool data_len(const uint8_t *header, size_t *ret_len)
{
    uint32_t length = load32(header + LENGTH_AT);

    if (length & IS_GAP) {
        *ret_len = GAP_DATA_BYTES;
        return length == (IS_GAP | GAP_DATA_BYTES);
    }
    *ret_len = length;
    return length > 0 && length <= FL_LOG_RECORD_DATA_MAX;
}

static enum fl_log_answer next(struct fl_str *bytes, bool is_checked,
                               struct fl_log_record *ret_record)
{
    const uint8_t *header = (const uint8_t *)bytes->at;
    const uint8_t *data;
    struct fl_log_record record = {0};
    size_t len;

    if (bytes->len < FL_LOG_RECORD_HEADER_BYTES) return FL_LOG_MORE;
    if (!data_len(header, &len)) return FL_LOG_BAD;
    if (bytes->len - FL_LOG_RECORD_HEADER_BYTES < len) return FL_LOG_MORE;
    data = header + FL_LOG_RECORD_HEADER_BYTES;
    record.offset = load64(header);
    record.time = (fl_ms)load64(header + 8);
    record.crc = load32(header + CRC_AT);
    if (!is_checked && record.crc != fl_crc32c(fl_crc32c(0, header, CRC_AT), data, len)) {
        return FL_LOG_BAD;
    }
    if (load32(header + LENGTH_AT) & IS_GAP) {
        record.gap_bytes = load64(data);
        if (data[8] == FL_LOG_GAP_none || data[8] >= FL_LOG_GAPS_LEN) return FL_LOG_BAD;
        record.gap = data[8];
        if (record.gap_bytes == 0) return FL_LOG_BAD;
    } else {
        record.bytes = (struct fl_str){(const char *)data, len};
    }
    if (fl_log_record_end(&record) < record.offset) return FL_LOG_BAD;
    bytes->at += FL_LOG_RECORD_HEADER_BYTES + len;
    bytes->len -= FL_LOG_RECORD_HEADER_BYTES + len;
    *ret_record = record;
    return FL_LOG_READY;
}

enum fl_log_answer fl_log_record_next(struct fl_str *bytes, struct fl_log_record *ret_record)
{
    return next(bytes, false, ret_record);
}

enum fl_log_answer fl_log_record_again(struct fl_str *bytes, struct fl_log_record *ret_record)
{
    return next(bytes, true, ret_record);
}

void fl_log_scan_init(struct fl_log_scan *scan, uint64_t offset)
{
    *scan = (struct fl_log_scan){.next_offset = offset};
    fl_buf_init(&scan->part, FL_LOG_RECORD_BYTES_MAX);
}

void fl_log_scan_fini(struct fl_log_scan *scan)
{
    if (scan) fl_buf_fini(&scan->part);
}

static void keep(struct fl_log_scan *scan, struct fl_str *bytes, size_t len)
{
    bool is_kept;

    if (len > bytes->len) len = bytes->len;
    is_kept = fl_buf_put(&scan->part, bytes->at, len);
    fl_assert(is_kept); /* at most a record, which fits */
    bytes->at += len;
    bytes->len -= len;
}

/* The next record, from what was kept of it and what has come. */
static enum fl_log_answer assemble(struct fl_log_scan *scan, struct fl_str *bytes,
                                   struct fl_log_record *ret_record)
{
    struct fl_str whole;
    size_t len;

    if (scan->part.len == 0) {
        enum fl_log_answer answer = fl_log_record_next(bytes, ret_record);

        if (answer == FL_LOG_MORE) keep(scan, bytes, bytes->len);
        return answer;
    }
    if (scan->part.len < FL_LOG_RECORD_HEADER_BYTES) {
        keep(scan, bytes, FL_LOG_RECORD_HEADER_BYTES - scan->part.len);
        if (scan->part.len < FL_LOG_RECORD_HEADER_BYTES) return FL_LOG_MORE;
    }
    if (!data_len(scan->part.at, &len)) return FL_LOG_BAD;
    len += FL_LOG_RECORD_HEADER_BYTES;
    if (scan->part.len < len) keep(scan, bytes, len - scan->part.len);
    whole = (struct fl_str){(const char *)scan->part.at, scan->part.len};
    return fl_log_record_next(&whole, ret_record);
}

enum fl_log_answer fl_log_scan_next(struct fl_log_scan *scan, struct fl_str *bytes,
                                    struct fl_log_record *ret_record)
{
    struct fl_log_record record;
    enum fl_log_answer answer;

    if (scan->is_bad) return FL_LOG_BAD;
    answer = assemble(scan, bytes, &record);
    if (answer == FL_LOG_MORE) return answer;
    if (answer == FL_LOG_BAD || record.offset != scan->next_offset) {
        scan->is_bad = true;
        return FL_LOG_BAD;
    }
    scan->part.len = 0; /* the bytes stay where they are until the next call */
    scan->good_bytes +=
        record.gap ? FL_LOG_GAP_BYTES : FL_LOG_RECORD_HEADER_BYTES + record.bytes.len;
    scan->next_offset = fl_log_record_end(&record);
    scan->chain = fl_log_chain(scan->chain, &record);
    scan->records++;
    *ret_record = record;
    return FL_LOG_READY;
}
