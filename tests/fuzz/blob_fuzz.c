/* Job specs on their way from hub to agent: the bytes of a BLOB stream.
 * Input: the bytes.
 * Property: blobs that come a byte at a time are those that come at once; written again, they are
 * the very bytes of the stream; none is longer than allowed; nothing is read once it is bad.
 * The planted bug (planted/blob.patch) puts each part of a header at its beginning.
 *
 *     tests/fuzz/planted.sh blob */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/link/blob.h"

enum { INPUT_BYTES_MAX = 64 << 10 };

/* Appends the blobs of 'bytes' to 'out', as a stream has them. */
static bool read_some(struct fl_blob_reader *reader, struct fl_str bytes, struct fl_buf *out)
{
    for (;;) {
        uint8_t header[FL_BLOB_HEADER_BYTES];
        struct fl_digest digest;
        struct fl_err err = {0};
        struct fl_str blob;
        size_t before = bytes.len;

        switch (fl_blob_reader_next(reader, &bytes, &digest, &blob, &err)) {
        case FL_BLOB_MORE:
            fl_assert(bytes.len == 0);
            return true;
        case FL_BLOB_BAD:
            fl_assert(err.code != FL_OK);
            return false;
        case FL_BLOB_READY:
            break;
        }
        fl_assert(blob.len <= FL_BLOB_BYTES_MAX && bytes.len <= before);
        fl_blob_header(digest, (uint32_t)blob.len, header);
        fl_buf_put(out, header, sizeof header);
        fl_buf_put(out, blob.at, blob.len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fl_blob_reader at_once, by_byte;
    struct fl_buf blobs, slow;
    bool is_good, is_slow_good = true;

    if (size > INPUT_BYTES_MAX) return 0;
    fl_blob_reader_init(&at_once);
    fl_blob_reader_init(&by_byte);
    fl_buf_init(&blobs, INPUT_BYTES_MAX);
    fl_buf_init(&slow, INPUT_BYTES_MAX);
    is_good = read_some(&at_once, (struct fl_str){(const char *)data, size}, &blobs);
    for (size_t i = 0; i < size && is_slow_good; i++) {
        is_slow_good = read_some(&by_byte, (struct fl_str){(const char *)data + i, 1}, &slow);
    }
    fl_assert(is_good == is_slow_good && !blobs.is_over && blobs.len <= size);
    fl_assert(blobs.len == slow.len);
    if (blobs.len > 0) fl_assert(memcmp(blobs.at, slow.at, blobs.len) == 0);
    if (blobs.len > 0) fl_assert(memcmp(blobs.at, data, blobs.len) == 0);
    fl_buf_fini(&blobs);
    fl_buf_fini(&slow);
    fl_blob_reader_fini(&at_once);
    fl_blob_reader_fini(&by_byte);
    return 0;
}
