/* The file of one source, as a machine that died might have left it, and messages of a LOG stream.
 * Input: a byte that decides how it is cut into reads, then the bytes.
 * Property: however they are cut, the scan finds the same last good record; the records it took
 * encode to the very bytes they were read from, so nothing behind good_bytes counts and nothing
 * before it is left out; records have no hole.  Read as messages of a LOG stream, each encodes to
 * the bytes it was read from.
 * The corpus was made by the encoder: records and gaps, torn, damaged, with a hole; messages of all
 * kinds.  The planted bug (planted/log_record.patch) lets a record follow one that it does not
 * follow.
 *
 *     tests/fuzz/planted.sh log_record */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/prng.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

enum { INPUT_BYTES_MAX = 1 << 18 };

static void scan(const uint8_t *data, size_t size, uint64_t seed, size_t piece_max,
                 struct fl_buf *ret_records, struct fl_log_scan *scan)
{
    enum fl_log_answer answer = FL_LOG_MORE;
    struct fl_prng prng;
    size_t pos = 0;
    uint64_t next = 0;

    fl_prng_seed(&prng, seed);
    fl_log_scan_init(scan, 0);
    while (pos < size && answer != FL_LOG_BAD) {
        size_t len = 1 + fl_prng_below(&prng, piece_max);
        struct fl_log_record record;
        struct fl_str bytes;
        char *piece;

        if (len > size - pos) len = size - pos;
        piece = fl_realloc_array(NULL, char, len);
        memcpy(piece, data + pos, len);
        bytes = (struct fl_str){piece, len};
        while ((answer = fl_log_scan_next(scan, &bytes, &record)) == FL_LOG_READY) {
            fl_assert(record.offset == next);
            next = fl_log_record_end(&record);
            fl_assert(fl_log_record_put(ret_records, &record));
        }
        fl_assert(answer == FL_LOG_BAD || bytes.len == 0);
        fl_free(piece);
        pos += len;
    }
    fl_assert(scan->next_offset == next);
    fl_assert(scan->good_bytes == ret_records->len);
}

static void messages(const uint8_t *data, size_t size)
{
    struct fl_reader reader = fl_reader(data, size);
    struct fl_err err = {0};
    struct fl_buf again;

    fl_buf_init(&again, INPUT_BYTES_MAX);
    while (reader.pos < reader.len) {
        struct fl_log_message message;

        if (!fl_log_message_next(&reader, &message, &err)) break;
        fl_assert(fl_log_message_put(&again, &message));
        fl_assert(again.len == reader.pos && memcmp(again.at, data, again.len) == 0);
    }
    fl_buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_log_scan whole_scan, cut_scan;
    struct fl_buf whole, cut;

    if (size < 1 || size > INPUT_BYTES_MAX) return 0;
    fl_buf_init(&whole, INPUT_BYTES_MAX);
    fl_buf_init(&cut, INPUT_BYTES_MAX);
    scan(data + 1, size - 1, 0, (size_t)1 << 40, &whole, &whole_scan);
    fl_assert(whole.len == 0 || memcmp(whole.at, data + 1, whole.len) == 0);
    scan(data + 1, size - 1, data[0], 1 + (size_t)data[0], &cut, &cut_scan);
    fl_assert(cut.len == whole.len && cut_scan.is_bad == whole_scan.is_bad);
    fl_assert(cut_scan.chain == whole_scan.chain);
    messages(data + 1, size - 1);
    fl_log_scan_fini(&whole_scan);
    fl_log_scan_fini(&cut_scan);
    fl_buf_fini(&whole);
    fl_buf_fini(&cut);
    return 0;
}
