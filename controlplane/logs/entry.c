#include "controlplane/logs/entry.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define VERSION 1

static const char magic[8] = "FLLOGSEG";

/* A buffer over the caller's memory, which must be large enough. */
static struct fl_buf over(uint8_t *at, size_t bytes)
{
    return (struct fl_buf){.at = at, .cap = bytes, .max = bytes};
}

void log_segment_header_put(uint8_t ret_bytes[LOG_SEGMENT_HEADER_BYTES],
                            const struct log_segment_header *header)
{
    struct fl_buf buf = over(ret_bytes, LOG_SEGMENT_HEADER_BYTES);

    fl_buf_put(&buf, magic, sizeof(magic));
    fl_buf_put_u32(&buf, VERSION);
    fl_buf_put_u32(&buf, header->cluster.n);
    fl_buf_put_u64(&buf, header->seq);
    fl_buf_put_i64(&buf, header->created_at);
    fl_buf_put_u32(&buf, 0);
    fl_buf_put_u32(&buf, fl_crc32c(0, ret_bytes, buf.len));
    fl_assert(buf.len == LOG_SEGMENT_HEADER_BYTES);
}

bool log_segment_header_get(struct fl_str bytes, struct log_segment_header *ret_header)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct fl_str found = fl_read_raw(&reader, sizeof(magic));
    uint32_t version = fl_read_u32(&reader);
    struct log_segment_header header = {.cluster = {fl_read_u32(&reader)}};
    uint32_t reserved, crc;

    header.seq = fl_read_u64(&reader);
    header.created_at = fl_read_i64(&reader);
    reserved = fl_read_u32(&reader);
    crc = fl_read_u32(&reader);
    if (!fl_reader_is_done(&reader) || reserved != 0) return false;
    if (crc != fl_crc32c(0, bytes.at, LOG_SEGMENT_HEADER_BYTES - 4)) return false;
    if (memcmp(found.at, magic, sizeof(magic)) != 0 || version != VERSION) return false;
    *ret_header = header;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes the header; its crc also covers the first covered_bytes behind it, which must be there. */
static void put_header(uint8_t *at, uint32_t body_bytes, uint32_t number, enum log_entry_kind kind,
                       size_t covered_bytes)
{
    struct fl_buf buf = over(at, LOG_ENTRY_HEADER_BYTES);
    uint32_t crc;

    fl_buf_put_u32(&buf, body_bytes);
    fl_buf_put_u32(&buf, number);
    fl_buf_put_u32(&buf, kind);
    crc = fl_crc32c(0, at, buf.len);
    fl_buf_put_u32(&buf, fl_crc32c(crc, at + LOG_ENTRY_HEADER_BYTES, covered_bytes));
}

void log_entry_put_source(uint8_t ret_bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES],
                          uint32_t number, const struct log_key *key, const struct log_place *place)
{
    struct fl_buf buf = over(ret_bytes + LOG_ENTRY_HEADER_BYTES, LOG_ENTRY_SOURCE_BYTES);

    log_key_put(buf.at, key);
    buf.len = LOG_KEY_BYTES;
    fl_buf_put_u64(&buf, place->offset);
    fl_buf_put_u32(&buf, place->chain);
    fl_buf_put_u64(&buf, place->lines);
    fl_buf_put_u8(&buf, place->is_mid);
    put_header(ret_bytes, LOG_ENTRY_SOURCE_BYTES, number, LOG_ENTRY_SOURCE, LOG_ENTRY_SOURCE_BYTES);
}

void log_entry_put_records(uint8_t ret_bytes[LOG_ENTRY_HEADER_BYTES], uint32_t number,
                           uint32_t records_bytes)
{
    fl_assert(records_bytes > 0 && records_bytes <= FL_LOG_RECORDS_BYTES_MAX);
    put_header(ret_bytes, records_bytes, number, LOG_ENTRY_RECORDS, 0);
}

void log_entry_put_end(uint8_t ret_bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES],
                       uint32_t number, const struct log_place *place)
{
    struct fl_buf buf = over(ret_bytes + LOG_ENTRY_HEADER_BYTES, LOG_ENTRY_END_BYTES);

    fl_buf_put_u64(&buf, place->offset);
    fl_buf_put_u32(&buf, place->chain);
    put_header(ret_bytes, LOG_ENTRY_END_BYTES, number, LOG_ENTRY_END, LOG_ENTRY_END_BYTES);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static uint64_t newlines(struct fl_str bytes)
{
    const char *at = bytes.at;
    const char *end = bytes.at + bytes.len;
    uint64_t n = 0;

    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        n++;
    }
    return n;
}

bool log_run_sum(struct fl_str records, bool is_checked, struct log_run *ret_run)
{
    struct log_run run = {0};
    struct fl_log_record record;

    while (records.len > 0) {
        enum fl_log_answer answer = is_checked ? fl_log_record_again(&records, &record)
                                               : fl_log_record_next(&records, &record);

        if (answer != FL_LOG_READY) return false;
        if (run.records > 0 && record.offset != run.end) return false;
        if (run.records == 0) {
            run.offset = record.offset;
            run.time = record.time;
        }
        run.records++;
        run.end = fl_log_record_end(&record);
        run.last_time = record.time;
        run.lines += record.gap ? 1 : newlines(record.bytes);
        run.is_mid = !record.gap && record.bytes.at[record.bytes.len - 1] != '\n';
    }
    *ret_run = run;
    return run.records > 0;
}

void log_place_advance(struct log_place *place, struct fl_str records, const struct log_run *run)
{
    struct fl_log_record record;

    fl_assert(place->offset == run->offset);
    while (records.len > 0) {
        enum fl_log_answer answer = fl_log_record_again(&records, &record);

        fl_assert(answer == FL_LOG_READY);
        place->chain = fl_log_chain(place->chain, &record);
    }
    place->offset = run->end;
    place->lines += run->lines;
    place->is_mid = run->is_mid;
}

/* ---- the walk -------------------------------------------------------------------------------- */

void log_scan_init(struct log_scan *scan)
{
    *scan = (struct log_scan){0};
}

void log_scan_fini(struct log_scan *scan)
{
    if (scan) fl_vec_fini(&scan->sources);
}

static bool read_source(struct log_scan *scan, struct fl_str body, struct log_entry *entry)
{
    struct fl_reader reader = fl_reader(body.at, body.len);
    struct fl_str key = fl_read_raw(&reader, LOG_KEY_BYTES);
    uint8_t is_mid;

    entry->place.offset = fl_read_u64(&reader);
    entry->place.chain = fl_read_u32(&reader);
    entry->place.lines = fl_read_u64(&reader);
    is_mid = fl_read_u8(&reader);
    if (!fl_reader_is_done(&reader) || is_mid > 1) return false;
    if (entry->number != scan->sources.len || entry->number >= LOG_SEGMENT_SOURCES_MAX) {
        return false;
    }
    entry->place.is_mid = is_mid == 1;
    entry->key = log_key_get((const uint8_t *)key.at);
    fl_vec_push(&scan->sources, (struct log_scan_source){.key = entry->key, .place = entry->place});
    return true;
}

static bool read_records(struct log_scan *scan, struct fl_str body, struct log_entry *entry)
{
    struct log_scan_source *source = &scan->sources.at[entry->number];

    if (source->is_ended || !log_run_sum(body, false, &entry->run)) return false;
    if (entry->run.offset != source->place.offset) return false;
    entry->key = source->key;
    entry->place = source->place;
    entry->records = body;
    log_place_advance(&source->place, body, &entry->run);
    return true;
}

static bool read_end(struct log_scan *scan, struct fl_str body, struct log_entry *entry)
{
    struct log_scan_source *source = &scan->sources.at[entry->number];
    struct fl_reader reader = fl_reader(body.at, body.len);
    uint64_t offset = fl_read_u64(&reader);
    uint32_t chain = fl_read_u32(&reader);

    if (!fl_reader_is_done(&reader) || source->is_ended) return false;
    if (offset != source->place.offset || chain != source->place.chain) return false;
    source->is_ended = true;
    entry->key = source->key;
    entry->place = source->place;
    return true;
}

/* Reads the body of an entry; its header was read before. */
static bool read_body(struct log_scan *scan, struct fl_str body, struct log_entry *entry)
{
    if (entry->kind != LOG_ENTRY_SOURCE && entry->number >= scan->sources.len) return false;
    switch (entry->kind) {
    case LOG_ENTRY_SOURCE:
        return read_source(scan, body, entry);
    case LOG_ENTRY_RECORDS:
        return read_records(scan, body, entry);
    case LOG_ENTRY_END:
        return read_end(scan, body, entry);
    }
    return false;
}

static size_t body_bytes_max(uint32_t kind)
{
    switch (kind) {
    case LOG_ENTRY_SOURCE:
        return LOG_ENTRY_SOURCE_BYTES;
    case LOG_ENTRY_RECORDS:
        return FL_LOG_RECORDS_BYTES_MAX;
    case LOG_ENTRY_END:
        return LOG_ENTRY_END_BYTES;
    default:
        return 0;
    }
}

static enum fl_log_answer bad(struct log_scan *scan)
{
    scan->is_bad = true;
    return FL_LOG_BAD;
}

enum fl_log_answer log_scan_next(struct log_scan *scan, struct fl_str bytes,
                                 struct log_entry *ret_entry)
{
    struct log_entry entry = {0};
    struct fl_str body;
    uint64_t pos = scan->good_bytes;
    uint32_t length;
    uint32_t kind;
    uint32_t crc;

    if (scan->is_bad) return FL_LOG_BAD;
    if (pos == 0) {
        if (bytes.len < LOG_SEGMENT_HEADER_BYTES) return FL_LOG_MORE;
        bytes.len -= LOG_SEGMENT_HEADER_BYTES;
        if (!log_segment_header_get((struct fl_str){bytes.at, LOG_SEGMENT_HEADER_BYTES},
                                    &scan->header)) {
            return bad(scan);
        }
        bytes.at += LOG_SEGMENT_HEADER_BYTES;
        pos = scan->good_bytes = LOG_SEGMENT_HEADER_BYTES;
    }
    if (bytes.len < LOG_ENTRY_HEADER_BYTES) return FL_LOG_MORE;
    {
        struct fl_reader reader = fl_reader(bytes.at, LOG_ENTRY_HEADER_BYTES);

        length = fl_read_u32(&reader);
        entry.number = fl_read_u32(&reader);
        kind = fl_read_u32(&reader);
        crc = fl_read_u32(&reader);
    }
    if (length == 0 || length > body_bytes_max(kind)) return bad(scan);
    if (bytes.len - LOG_ENTRY_HEADER_BYTES < length) return FL_LOG_MORE;
    body = (struct fl_str){bytes.at + LOG_ENTRY_HEADER_BYTES, length};
    if (crc != fl_crc32c(fl_crc32c(0, bytes.at, LOG_ENTRY_HEADER_BYTES - 4), body.at,
                         kind == LOG_ENTRY_RECORDS ? 0 : length)) {
        return bad(scan);
    }
    entry.kind = (enum log_entry_kind)kind;
    entry.pos = kind == LOG_ENTRY_RECORDS ? pos + LOG_ENTRY_HEADER_BYTES : pos;
    if (!read_body(scan, body, &entry)) return bad(scan);
    scan->good_bytes = pos + LOG_ENTRY_HEADER_BYTES + length;
    *ret_entry = entry;
    return FL_LOG_READY;
}
