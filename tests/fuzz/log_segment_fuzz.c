/* A segment of the log store, as a machine that died might have left it.
 * Input: the bytes of the file.
 * Property: the entries that the scan takes, written again, are the very prefix they were read
 * from; an output's records go on where it was; the scan never looks behind the bytes it is given,
 * and finds the same end when it gets them in windows.
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

static void put_again(struct fl_buf *out, const struct log_entry *entry)
{
    uint8_t bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES];
    bool is_put = false;

    switch (entry->kind) {
    case LOG_ENTRY_SOURCE:
        log_entry_put_source(bytes, entry->number, &entry->key, &entry->place);
        is_put = fl_buf_put(out, bytes, sizeof(bytes));
        break;
    case LOG_ENTRY_RECORDS:
        log_entry_put_records(bytes, entry->number, (uint32_t)entry->records.len);
        is_put = fl_buf_put(out, bytes, LOG_ENTRY_HEADER_BYTES) &&
                 fl_buf_put(out, entry->records.at, entry->records.len);
        break;
    case LOG_ENTRY_END:
        log_entry_put_end(bytes, entry->number, &entry->place);
        is_put = fl_buf_put(out, bytes, LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES);
        break;
    }
    fl_assert(is_put);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t *next = fl_new_array(uint64_t, SOURCES_MAX);
    struct log_scan scan;
    struct fl_buf again;
    uint8_t *copy;

    if (size > INPUT_BYTES_MAX) {
        fl_free(next);
        return 0;
    }
    copy = fl_realloc_array(NULL, uint8_t, size + (size == 0)); /* ASan sees a byte too far */
    if (size > 0) memcpy(copy, data, size);
    fl_buf_init(&again, INPUT_BYTES_MAX);
    log_scan_init(&scan);
    for (;;) {
        struct log_entry entry;
        enum fl_log_answer answer = log_scan_next(
            &scan,
            (struct fl_str){(const char *)copy + scan.good_bytes, size - (size_t)scan.good_bytes},
            &entry);
        uint8_t header[LOG_SEGMENT_HEADER_BYTES];

        if (again.len == 0 && scan.good_bytes > 0) {
            log_segment_header_put(header, &scan.header);
            fl_assert(fl_buf_put(&again, header, sizeof(header)));
        }
        if (answer != FL_LOG_READY) break;
        fl_assert(entry.number < SOURCES_MAX);
        if (entry.kind == LOG_ENTRY_SOURCE) next[entry.number] = entry.place.offset;
        fl_assert(entry.place.offset == next[entry.number]);
        if (entry.kind == LOG_ENTRY_RECORDS) {
            fl_assert(entry.run.offset == next[entry.number]);
            next[entry.number] = entry.run.end;
        }
        put_again(&again, &entry);
        fl_assert(again.len == scan.good_bytes);
    }
    fl_assert(again.len == scan.good_bytes && scan.good_bytes <= size);
    fl_assert(again.len == 0 || memcmp(again.at, data, again.len) == 0);
    log_scan_fini(&scan);
    fl_buf_fini(&again);
    fl_free(copy);
    fl_free(next);
    return 0;
}
