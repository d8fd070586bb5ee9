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
                       uint32_t number, const struct log_key *key, const struct log_place *place)
{
    struct fl_buf buf = over(ret_bytes + LOG_ENTRY_HEADER_BYTES, LOG_ENTRY_END_BYTES);

    log_key_put(buf.at, key);
    buf.len = LOG_KEY_BYTES;
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

#define OLD_END_BYTES (8 + 4) /* without the key */

void log_scan_init(struct log_scan *scan)
{
    *scan = (struct log_scan){0};
}

void log_scan_fini(struct log_scan *scan)
{
    if (!scan) return;
    fl_vec_fini(&scan->sources);
    fl_vec_fini(&scan->orphans);
}

/* The header of an entry, which may be bad. */
struct head {
    uint32_t length, number, kind, crc, own_crc;
};

static struct head head_of(struct fl_str bytes)
{
    struct fl_reader reader = fl_reader(bytes.at, LOG_ENTRY_HEADER_BYTES);
    struct head head = {.length = fl_read_u32(&reader)};

    head.number = fl_read_u32(&reader);
    head.kind = fl_read_u32(&reader);
    head.crc = fl_read_u32(&reader);
    head.own_crc = fl_crc32c(0, bytes.at, LOG_ENTRY_HEADER_BYTES - 4);
    return head;
}

static bool has_length(const struct head *head)
{
    switch (head->kind) {
    case LOG_ENTRY_SOURCE:
        return head->length == LOG_ENTRY_SOURCE_BYTES;
    case LOG_ENTRY_RECORDS:
        return head->length > 0 && head->length <= FL_LOG_RECORDS_BYTES_MAX;
    case LOG_ENTRY_END:
        return head->length == LOG_ENTRY_END_BYTES || head->length == OLD_END_BYTES;
    default:
        return false;
    }
}

/* Whether the header's checksum is right; but for RECORDS it covers the body, which is there. */
static bool is_head_good(const struct head *head, struct fl_str bytes)
{
    if (!has_length(head)) return false;
    if (head->kind == LOG_ENTRY_RECORDS) return head->crc == head->own_crc;
    return bytes.len >= LOG_ENTRY_HEADER_BYTES + head->length &&
           head->crc == fl_crc32c(head->own_crc, bytes.at + LOG_ENTRY_HEADER_BYTES, head->length);
}

/* The source of this number; NULL: its SOURCE entry was not seen. */
static struct log_scan_source *source_of(struct log_scan *scan, uint32_t number)
{
    if (number >= scan->sources.len || !scan->sources.at[number].is_known) return NULL;
    return &scan->sources.at[number];
}

/* False: the number is taken, or it is not the next one although none was lost. */
static bool add_source(struct log_scan *scan, uint32_t number, const struct log_key *key,
                       const struct log_place *place)
{
    if (source_of(scan, number) || number >= LOG_SEGMENT_SOURCES_MAX) return false;
    if (!scan->is_damaged && number != scan->sources.len) return false;
    while (scan->sources.len <= number) {
        fl_vec_push(&scan->sources, (struct log_scan_source){0});
    }
    scan->sources.at[number] =
        (struct log_scan_source){.key = *key, .place = *place, .is_known = true};
    return true;
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
    entry->place.is_mid = is_mid == 1;
    entry->after = entry->place;
    entry->key = log_key_get((const uint8_t *)key.at);
    return add_source(scan, entry->number, &entry->key, &entry->place);
}

/* Moves a source to an offset behind a hole, which counts as a line. */
static void pass_hole(struct log_scan_source *source, uint64_t offset)
{
    if (offset == source->place.offset) return;
    source->place.offset = offset;
    source->place.lines++;
    source->place.is_mid = false;
}

static bool read_records(struct log_scan *scan, struct fl_str body, struct log_entry *entry,
                         bool *ret_is_orphan)
{
    struct log_scan_source *source = source_of(scan, entry->number);
    struct log_run *run = &entry->run;

    if (!log_run_sum(body, false, run)) return false;
    if (!source && scan->is_damaged) {
        fl_vec_push(&scan->orphans,
                    (struct log_scan_orphan){entry->number, (uint32_t)body.len, entry->pos, *run});
        scan->given = scan->orphans.len;
        *ret_is_orphan = true;
        return true;
    }
    if (!source || source->is_ended || run->offset < source->place.offset) return false;
    if (run->offset > source->place.offset && !scan->is_damaged) return false;
    pass_hole(source, run->offset);
    entry->key = source->key;
    entry->place = source->place;
    log_place_advance(&source->place, body, run);
    entry->after = source->place;
    return true;
}

static bool is_key_of(const struct log_scan_source *source, struct fl_str bytes)
{
    struct log_key key = log_key_get((const uint8_t *)bytes.at);

    return log_key_cmp(&source->key, &key) == 0 && source->key.tenant.n == key.tenant.n;
}

static bool read_end(struct log_scan *scan, struct fl_str body, struct log_entry *entry,
                     bool *ret_is_orphan)
{
    bool has_key = body.len == LOG_ENTRY_END_BYTES;
    struct fl_reader reader = fl_reader(body.at, body.len);
    struct fl_str key = fl_read_raw(&reader, has_key ? LOG_KEY_BYTES : 0);
    struct log_place place = {.offset = fl_read_u64(&reader), .chain = fl_read_u32(&reader)};
    struct log_scan_source *source = source_of(scan, entry->number);

    if (!fl_reader_is_done(&reader)) return false;
    if (!source) {
        if (!scan->is_damaged || !has_key) return false;
        entry->key = log_key_get((const uint8_t *)key.at);
        if (!add_source(scan, entry->number, &entry->key, &(struct log_place){0})) return false;
        scan->given_of = entry->number;
        scan->given = 0;
        *ret_is_orphan = true; /* the orphans go first, and the END is read again */
        return true;
    }
    if (source->is_ended || place.offset < source->place.offset) return false;
    if (has_key && !is_key_of(source, key)) return false;
    if (place.offset > source->place.offset || place.chain != source->place.chain) {
        if (!scan->is_damaged) return false;
        pass_hole(source, place.offset);
        source->place.chain = place.chain;
    }
    source->is_ended = true;
    entry->key = source->key;
    entry->place = entry->after = source->place;
    return true;
}

/* The next orphan of the source whose END was found.  False: none is left. */
static bool give_orphan(struct log_scan *scan, struct log_entry *ret_entry)
{
    struct log_scan_source *source;

    for (; scan->given < scan->orphans.len; scan->given++) {
        const struct log_scan_orphan *orphan = &scan->orphans.at[scan->given];

        source = &scan->sources.at[scan->given_of];
        if (orphan->number != scan->given_of || orphan->run.offset < source->place.offset) continue;
        scan->given++;
        if (orphan->run.offset > 0) pass_hole(source, orphan->run.offset);
        *ret_entry = (struct log_entry){.kind = LOG_ENTRY_RECORDS,
                                        .number = orphan->number,
                                        .pos = orphan->pos,
                                        .len = orphan->len,
                                        .key = source->key,
                                        .place = source->place,
                                        .run = orphan->run};
        source->place.offset = orphan->run.end;
        source->place.lines += orphan->run.lines;
        source->place.is_mid = orphan->run.is_mid;
        ret_entry->after = source->place;
        return true;
    }
    return false;
}

/* Reads the body of an entry whose header is good.  '*ret_is_orphan': there is no entry to give. */
static bool read_body(struct log_scan *scan, struct fl_str body, struct log_entry *entry,
                      bool *ret_is_orphan)
{
    *ret_is_orphan = false;
    switch (entry->kind) {
    case LOG_ENTRY_SOURCE:
        return read_source(scan, body, entry);
    case LOG_ENTRY_RECORDS:
        return read_records(scan, body, entry, ret_is_orphan);
    case LOG_ENTRY_END:
        return read_end(scan, body, entry, ret_is_orphan);
    }
    return false;
}

/* Moves behind a good entry. */
static void pass(struct log_scan *scan, uint64_t bytes)
{
    if (scan->pos > scan->good_bytes) {
        if (scan->damaged_bytes == 0) scan->damaged_at = scan->good_bytes;
        scan->damaged_bytes += scan->pos - scan->good_bytes;
    }
    scan->pos += bytes;
    scan->good_bytes = scan->pos;
}

enum fl_log_answer log_scan_next(struct log_scan *scan, struct fl_str bytes,
                                 struct log_entry *ret_entry)
{
    if (scan->pos == 0) {
        if (bytes.len < LOG_SEGMENT_HEADER_BYTES) return FL_LOG_MORE;
        if (!log_segment_header_get((struct fl_str){bytes.at, LOG_SEGMENT_HEADER_BYTES},
                                    &scan->header)) {
            return FL_LOG_BAD;
        }
        pass(scan, LOG_SEGMENT_HEADER_BYTES);
        bytes.at += LOG_SEGMENT_HEADER_BYTES;
        bytes.len -= LOG_SEGMENT_HEADER_BYTES;
    }
    for (;;) {
        struct log_entry entry = {0};
        struct head head;
        size_t whole;
        bool is_orphan;

        if (give_orphan(scan, ret_entry)) return FL_LOG_READY;
        if (bytes.len < LOG_ENTRY_HEADER_BYTES) return FL_LOG_MORE;
        head = head_of(bytes);
        whole = (size_t)LOG_ENTRY_HEADER_BYTES + head.length;
        if (!has_length(&head)) return FL_LOG_BAD;
        if (head.kind == LOG_ENTRY_RECORDS && head.crc != head.own_crc) return FL_LOG_BAD;
        if (bytes.len < whole) return FL_LOG_MORE;
        if (!is_head_good(&head, bytes)) return FL_LOG_BAD;
        entry.kind = (enum log_entry_kind)head.kind;
        entry.number = head.number;
        entry.pos = scan->pos + (head.kind == LOG_ENTRY_RECORDS ? LOG_ENTRY_HEADER_BYTES : 0);
        entry.len = head.kind == LOG_ENTRY_RECORDS ? head.length : 0;
        if (!read_body(scan, (struct fl_str){bytes.at + LOG_ENTRY_HEADER_BYTES, head.length},
                       &entry, &is_orphan)) {
            return FL_LOG_BAD;
        }
        if (is_orphan && head.kind == LOG_ENTRY_END) continue;
        pass(scan, whole);
        if (!is_orphan) {
            *ret_entry = entry;
            return FL_LOG_READY;
        }
        bytes.at += whole;
        bytes.len -= whole;
    }
}

void log_scan_skip(struct log_scan *scan, struct fl_str bytes)
{
    size_t whole;
    struct head head;

    fl_assert(bytes.len > 0);
    scan->is_damaged = true;
    if (scan->pos == 0) { /* the file's header */
        scan->pos = bytes.len < LOG_SEGMENT_HEADER_BYTES ? bytes.len : LOG_SEGMENT_HEADER_BYTES;
        return;
    }
    scan->pos++;
    if (bytes.len < LOG_ENTRY_HEADER_BYTES) return;
    head = head_of(bytes);
    whole = (size_t)LOG_ENTRY_HEADER_BYTES + head.length;
    if (!has_length(&head) || bytes.len < whole) return;
    if (head.kind != LOG_ENTRY_RECORDS || head.crc != head.own_crc) {
        struct fl_str next = {bytes.at + whole, bytes.len - whole};
        struct head next_head;

        if (next.len < LOG_ENTRY_HEADER_BYTES) return;
        next_head = head_of(next);
        if (!is_head_good(&next_head, next)) return;
    }
    scan->pos += whole - 1;
}
