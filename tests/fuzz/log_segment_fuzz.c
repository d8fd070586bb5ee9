/* A segment of the log store, as a machine that died or a bad disk might have left it.
 * Input: the bytes of the file.
 * Property: the entries up to the first bad one, written again, are the very prefix they were read
 * from; an output's records go on where it was, and behind damage they never go back; the scan
 * never looks behind the bytes it is given, always moves on, and gives each entry once.
 * The corpus was made by the writer: a segment, torn at places, damaged.
 * The planted bug (planted/log_segment.patch) takes records that do not go on where their output
 * was.
 *
 *     tests/fuzz/planted.sh log_segment */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/logs/entry.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

enum { INPUT_BYTES_MAX = 1 << 18, SOURCES_MAX = 1 << 14 };

static void put_again(struct fl_buf *out, const struct log_entry *entry, const uint8_t *file)
{
    uint8_t bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES];
    bool is_put = false;

    switch (entry->kind) {
    case LOG_ENTRY_SOURCE:
        log_entry_put_source(bytes, entry->number, &entry->key, &entry->place);
        is_put = fl_buf_put(out, bytes, sizeof(bytes));
        break;
    case LOG_ENTRY_RECORDS:
        log_entry_put_records(bytes, entry->number, entry->len);
        is_put = fl_buf_put(out, bytes, LOG_ENTRY_HEADER_BYTES) &&
                 fl_buf_put(out, file + entry->pos, entry->len);
        break;
    case LOG_ENTRY_END:
        log_entry_put_end(bytes, entry->number, &entry->key, &entry->place);
        is_put = fl_buf_put(out, bytes, LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES);
        break;
    }
    fl_assert(is_put);
}

/* An END without a key, as older versions wrote it, is not written again. */
static bool is_old_end(const struct log_scan *scan, const struct log_entry *entry)
{
    return entry->kind == LOG_ENTRY_END &&
           scan->pos - entry->pos != LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES;
}

/* The part of the scan before damage. */
static void check_entry(const struct log_entry *entry, uint64_t *next, size_t size, bool is_damaged)
{
    fl_assert(entry->number < SOURCES_MAX && entry->pos + entry->len <= size);
    if (entry->kind == LOG_ENTRY_SOURCE) next[entry->number] = entry->place.offset;
    fl_assert(entry->place.offset == next[entry->number] ||
              (is_damaged && entry->place.offset > next[entry->number]));
    if (entry->kind == LOG_ENTRY_RECORDS) fl_assert(entry->run.offset == entry->place.offset);
    fl_assert(entry->after.offset >= entry->place.offset);
    next[entry->number] = entry->after.offset;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t *next = fl_new_array(uint64_t, SOURCES_MAX);
    struct log_scan scan;
    struct fl_buf again;
    size_t entries = 0;
    bool is_over = false; /* no more is written again */
    uint8_t *copy;

    if (size > INPUT_BYTES_MAX) {
        fl_free(next);
        return 0;
    }
    copy = fl_realloc_array(NULL, uint8_t, size + (size == 0)); /* ASan sees a byte too far */
    if (size > 0) memcpy(copy, data, size);
    fl_buf_init(&again, INPUT_BYTES_MAX);
    log_scan_init(&scan);
    while (scan.pos < size) {
        struct fl_str rest = {(const char *)copy + scan.pos, size - (size_t)scan.pos};
        struct log_entry entry;
        enum fl_log_answer answer = log_scan_next(&scan, rest, &entry);
        uint8_t header[LOG_SEGMENT_HEADER_BYTES];

        if (again.len == 0 && scan.header.seq != 0 && !scan.is_damaged) {
            log_segment_header_put(header, &scan.header);
            fl_assert(fl_buf_put(&again, header, sizeof(header)));
        }
        fl_assert(scan.pos <= size && scan.good_bytes <= scan.pos);
        if (answer != FL_LOG_READY) {
            if (scan.pos < size) {
                uint64_t pos = scan.pos;

                rest = (struct fl_str){(const char *)copy + pos, size - (size_t)pos};
                log_scan_skip(&scan, rest);
                fl_assert(scan.pos > pos);
            }
            continue;
        }
        fl_assert(++entries <= size / LOG_ENTRY_HEADER_BYTES); /* each once */
        if (entry.number >= SOURCES_MAX) break;
        check_entry(&entry, next, size, scan.is_damaged);
        if (scan.is_damaged || is_old_end(&scan, &entry)) is_over = true;
        if (is_over) continue;
        put_again(&again, &entry, copy);
        fl_assert(again.len == scan.good_bytes);
    }
    fl_assert(scan.good_bytes <= size);
    fl_assert(again.len == 0 || memcmp(again.at, data, again.len) == 0);
    log_scan_fini(&scan);
    fl_buf_fini(&again);
    fl_free(copy);
    fl_free(next);
    return 0;
}
