#include "shared/link/blob.h"

#include <inttypes.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/map.h"

struct kept {
    struct fl_digest digest;
    uint32_t length;
    char *bytes; /* NULL: not kept */
};

struct fl_blobs {
    struct kept at[FL_BLOBS_MAX]; /* a ring: number n is at n % FL_BLOBS_MAX */
    uint64_t first, next;         /* the blobs that are here have the numbers [first, next) */
    uint64_t bytes;
    struct fl_map numbers; /* by digest */
    bool keeps_bytes;
};

/* ---- the memory ------------------------------------------------------------------------------ */

struct fl_blobs *fl_blobs_create(bool keeps_bytes)
{
    struct fl_blobs *blobs = fl_new(struct fl_blobs);

    blobs->keeps_bytes = keeps_bytes;
    return blobs;
}

static void drop_oldest(struct fl_blobs *blobs)
{
    struct kept *oldest = &blobs->at[blobs->first % FL_BLOBS_MAX];
    bool was_there = fl_map_remove(&blobs->numbers, oldest->digest.at, sizeof oldest->digest.at);

    fl_assert(was_there);
    blobs->bytes -= oldest->length;
    fl_free(oldest->bytes);
    oldest->bytes = NULL;
    blobs->first++;
}

void fl_blobs_destroy(struct fl_blobs *blobs)
{
    if (!blobs) return;
    while (blobs->first < blobs->next) {
        drop_oldest(blobs);
    }
    fl_map_fini(&blobs->numbers);
    fl_free(blobs);
}

bool fl_blobs_find(const struct fl_blobs *blobs, struct fl_digest digest, struct fl_str *ret_bytes)
{
    uint64_t number;
    const struct kept *kept;

    if (!fl_map_find(&blobs->numbers, digest.at, sizeof digest.at, &number)) return false;
    kept = &blobs->at[number % FL_BLOBS_MAX];
    if (ret_bytes) *ret_bytes = (struct fl_str){kept->bytes, kept->bytes ? kept->length : 0};
    return true;
}

void fl_blobs_add(struct fl_blobs *blobs, struct fl_digest digest, struct fl_str bytes)
{
    struct kept *kept;

    fl_assert(bytes.len <= FL_BLOB_BYTES_MAX);
    if (fl_blobs_find(blobs, digest, NULL)) return;
    while (blobs->next - blobs->first == FL_BLOBS_MAX ||
           (blobs->first < blobs->next && blobs->bytes + bytes.len > FL_BLOBS_BYTES_MAX)) {
        drop_oldest(blobs);
    }
    kept = &blobs->at[blobs->next % FL_BLOBS_MAX];
    kept->digest = digest;
    kept->length = (uint32_t)bytes.len;
    if (blobs->keeps_bytes) {
        kept->bytes = fl_alloc(bytes.len + 1);
        if (bytes.len) memcpy(kept->bytes, bytes.at, bytes.len);
    }
    blobs->bytes += bytes.len;
    fl_map_put(&blobs->numbers, digest.at, sizeof digest.at, blobs->next);
    blobs->next++;
}

/* ---- the stream ------------------------------------------------------------------------------ */

void fl_blob_header(struct fl_digest digest, uint32_t length,
                    uint8_t ret_header[FL_BLOB_HEADER_BYTES])
{
    memcpy(ret_header, digest.at, sizeof digest.at);
    for (size_t i = 0; i < 4; i++) {
        ret_header[sizeof digest.at + i] = (uint8_t)(length >> 8 * i);
    }
}

void fl_blob_reader_init(struct fl_blob_reader *reader)
{
    *reader = (struct fl_blob_reader){0};
    fl_buf_init(&reader->bytes, FL_BLOB_BYTES_MAX);
}

void fl_blob_reader_fini(struct fl_blob_reader *reader)
{
    if (!reader) return;
    fl_buf_fini(&reader->bytes);
}

static struct fl_str take(struct fl_str *bytes, size_t len_max)
{
    struct fl_str taken = {bytes->at, bytes->len < len_max ? bytes->len : len_max};

    if (taken.len) bytes->at += taken.len; /* nothing may be added to NULL, not even 0 */
    bytes->len -= taken.len;
    return taken;
}

enum fl_blob_answer fl_blob_reader_next(struct fl_blob_reader *reader, struct fl_str *bytes,
                                        struct fl_digest *ret_digest, struct fl_str *ret_bytes,
                                        struct fl_err *err)
{
    bool is_kept;
    struct fl_str part;

    if (reader->header_len < FL_BLOB_HEADER_BYTES) {
        struct fl_reader fields = fl_reader(reader->header, FL_BLOB_HEADER_BYTES);

        part = take(bytes, FL_BLOB_HEADER_BYTES - reader->header_len);
        if (part.len) memcpy(reader->header + reader->header_len, part.at, part.len);
        reader->header_len += part.len;
        if (reader->header_len < FL_BLOB_HEADER_BYTES) return FL_BLOB_MORE;
        memcpy(reader->digest.at, fl_read_raw(&fields, sizeof reader->digest.at).at,
               sizeof reader->digest.at);
        reader->length = fl_read_u32(&fields);
        fl_buf_clear(&reader->bytes);
    }
    if (reader->length > FL_BLOB_BYTES_MAX) {
        fl_fail(err, FL_TOO_LARGE, "a blob of %" PRIu32 " bytes; at most %" PRIu32, reader->length,
                FL_BLOB_BYTES_MAX);
        return FL_BLOB_BAD; /* every later call too, since the header stays */
    }
    part = take(bytes, reader->length - reader->bytes.len);
    is_kept = fl_buf_put(&reader->bytes, part.at, part.len);
    fl_assert(is_kept);
    if (reader->bytes.len < reader->length) return FL_BLOB_MORE;
    reader->header_len = 0;
    *ret_digest = reader->digest;
    *ret_bytes = (struct fl_str){(const char *)reader->bytes.at, reader->bytes.len};
    return FL_BLOB_READY;
}
