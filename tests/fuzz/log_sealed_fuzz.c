/* A sealed file of the log store, as a bad disk or another program might have left it.
 * Input: the bytes of the file.  Random bytes have no right checksum, so a file that is refused is
 * read once more with its two checksums made good.
 * Property: a row that is read is the one that stands at its place; the search finds what a walk
 * over all rows finds, and nothing else; a block is as long as its row says, or nothing was added.
 * In a file that is taken as it is, any other byte from its tables on is noticed.
 * The corpus was made by the writer, and cut and damaged.
 * The planted bug (planted/log_sealed.patch) looks at no checksum of the tables.
 *
 *     tests/fuzz/planted.sh log_sealed */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "controlplane/logs/sealed_row.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

enum {
    FILE_BYTES_MAX = 64 << 10,
    ROWS_MAX = 128, /* so many rows of a table are looked at */
    TABLES_CRC_AT = 44,
    TABLES_POS_AT = 48,
    CRC_AT = LOG_SEALED_TRAILER_BYTES - 4,
};

static struct log_sealed *open_bytes(const uint8_t *bytes, size_t len, struct fl_err *err)
{
    struct log_sealed *sealed;
    char path[40];
    int fd = memfd_create("sealed", MFD_CLOEXEC);

    fl_assert(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    sealed = log_sealed_open(path, err);
    close(fd);
    return sealed;
}

/* ---- its rows, against the bytes ------------------------------------------------------------- */

static uint32_t at_most(uint32_t len)
{
    return len < ROWS_MAX ? len : ROWS_MAX;
}

static bool may_read(bool is_read, const struct fl_err *err)
{
    if (!is_read) fl_assert(err->code == FL_TORN || err->code == FL_IO);
    return is_read;
}

/* The walk: the first row whose key is not less.  The rows are in the order of their keys. */
static uint32_t walk(const struct log_sealed_output *outputs, uint32_t len,
                     const struct log_key *key)
{
    uint32_t i = 0;

    while (i < len && log_key_cmp(&outputs[i].key, key) < 0) {
        i++;
    }
    return i;
}

static void look_up(const struct log_sealed *sealed, const struct log_sealed_output *outputs,
                    uint32_t len, struct log_key key)
{
    struct log_sealed_output found;
    struct fl_err err = {0};
    bool is_there;
    uint32_t i;

    fl_assert(log_sealed_lower_bound(sealed, &key, &i, &err));
    fl_assert(i == walk(outputs, len, &key));
    if (!may_read(log_sealed_find(sealed, &key, &is_there, &found, &err), &err)) return;
    if (!is_there) return; /* the filters may be wrong */
    fl_assert(i < len && log_key_cmp(&found.key, &key) == 0 && found.piece == outputs[i].piece);
}

static void read_outputs(const struct log_sealed *sealed, const uint8_t *bytes)
{
    struct log_sealed_output outputs[ROWS_MAX], same;
    uint32_t len = at_most(sealed->outputs_len);
    bool is_sorted = len == sealed->outputs_len;
    struct fl_err err = {0};

    for (uint32_t i = 0; i < len; i++) {
        if (!may_read(log_sealed_output_at(sealed, i, &outputs[i], &err), &err)) return;
        log_sealed_output_get(bytes + sealed->tables_pos + (size_t)i * LOG_SEALED_OUTPUT_BYTES,
                              &same);
        fl_assert(log_key_cmp(&outputs[i].key, &same.key) == 0);
        fl_assert((uint64_t)same.piece + same.pieces_len <= sealed->pieces_len);
        if (i > 0 && log_key_cmp(&outputs[i - 1].key, &same.key) >= 0) is_sorted = false;
    }
    fl_assert(!log_sealed_output_at(sealed, sealed->outputs_len, &same, &err));
    for (uint32_t i = 0; is_sorted && i < len; i++) {
        struct log_key next = outputs[i].key;

        next.replica++;
        look_up(sealed, outputs, len, outputs[i].key);
        look_up(sealed, outputs, len, next);
    }
}

static void read_pieces(const struct log_sealed *sealed, const uint8_t *bytes)
{
    const uint8_t *rows =
        bytes + sealed->tables_pos + (size_t)sealed->outputs_len * LOG_SEALED_OUTPUT_BYTES;
    struct log_sealed_piece piece;
    struct fl_err err = {0};
    struct fl_buf again;

    fl_buf_init(&again, LOG_SEALED_PIECE_BYTES);
    for (uint32_t i = 0; i < at_most(sealed->pieces_len); i++) {
        fl_assert(log_sealed_piece_at(sealed, i, &piece, &err));
        fl_buf_clear(&again);
        log_sealed_piece_put(&again, &piece);
        fl_assert(memcmp(again.at, rows + (size_t)i * LOG_SEALED_PIECE_BYTES, again.len - 4) == 0);
    }
    fl_assert(!log_sealed_piece_at(sealed, sealed->pieces_len, &piece, &err));
    fl_buf_fini(&again);
}

/* The block, unpacked from the bytes themselves; false: it is damaged, or not in the file. */
static bool unpack(const struct log_sealed *sealed, const uint8_t *bytes, uint32_t i,
                   uint8_t *ret_raw, uint32_t *ret_len)
{
    struct log_sealed_frame frame;
    uint64_t pos = sealed->tables_pos + (uint64_t)sealed->outputs_len * LOG_SEALED_OUTPUT_BYTES +
                   (uint64_t)sealed->pieces_len * LOG_SEALED_PIECE_BYTES;

    log_sealed_frame_get(bytes + pos + (size_t)i * LOG_SEALED_FRAME_BYTES, &frame);
    *ret_len = frame.raw_bytes;
    if (frame.raw_bytes == 0 || frame.raw_bytes > LOG_BLOCK_BYTES_MAX) return false;
    if (frame.pos > sealed->bytes || frame.bytes > sealed->bytes - frame.pos) return false;
    return frame.bytes <= ZSTD_compressBound(frame.raw_bytes) &&
           ZSTD_decompress(ret_raw, frame.raw_bytes, bytes + frame.pos, frame.bytes) ==
               frame.raw_bytes;
}

static void read_blocks(struct log_sealed *sealed, const uint8_t *bytes)
{
    static uint8_t raw[LOG_BLOCK_BYTES_MAX];
    struct fl_err err = {0};
    struct fl_buf block;

    fl_buf_init(&block, LOG_BLOCK_BYTES_MAX + 1);
    for (uint32_t i = 0; i < at_most(sealed->blocks_len); i++) {
        bool is_read, is_good;
        uint32_t len = 0;

        fl_buf_clear(&block);
        fl_buf_put_u8(&block, 7); /* stays in front */
        is_read = may_read(log_sealed_block(sealed, i, &block, &err), &err);
        is_good = unpack(sealed, bytes, i, raw, &len);
        fl_assert(is_read == is_good);
        fl_assert(block.len == 1 + (is_read ? (size_t)len : 0) && block.at[0] == 7);
        if (is_read) fl_assert(memcmp(block.at + 1, raw, len) == 0);
    }
    fl_assert(!log_sealed_block(sealed, sealed->blocks_len, &block, &err));
    fl_buf_fini(&block);
}

static bool read_file(const uint8_t *bytes, size_t len)
{
    struct fl_err err = {0};
    struct log_sealed *sealed = open_bytes(bytes, len, &err);

    if (!sealed) {
        fl_assert(err.code == FL_TORN || err.code == FL_UNSUPPORTED);
        return false;
    }
    fl_assert(sealed->bytes == len && sealed->outputs_len > 0);
    read_outputs(sealed, bytes);
    read_pieces(sealed, bytes);
    read_blocks(sealed, bytes);
    log_sealed_unref(sealed);
    return true;
}

/* ---- other bytes ----------------------------------------------------------------------------- */

static uint64_t number_at(const uint8_t *at, size_t bytes)
{
    uint64_t n = 0;

    for (size_t i = bytes; i > 0; i--) {
        n = n << 8 | at[i - 1];
    }
    return n;
}

static void put_crc(uint8_t *at, uint32_t crc)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(crc >> (8 * i));
    }
}

static void make_checksums_good(uint8_t *bytes, size_t len)
{
    uint8_t *trailer = bytes + len - LOG_SEALED_TRAILER_BYTES;
    uint64_t pos = number_at(trailer + TABLES_POS_AT, 8), end = len - LOG_SEALED_TRAILER_BYTES;

    if (pos <= end) put_crc(trailer + TABLES_CRC_AT, fl_crc32c(0, bytes + pos, end - pos));
    put_crc(trailer + CRC_AT, fl_crc32c(0, trailer, CRC_AT));
}

static void change_a_byte(uint8_t *bytes, size_t len)
{
    uint64_t pos = number_at(bytes + len - LOG_SEALED_TRAILER_BYTES + TABLES_POS_AT, 8);
    uint64_t hash = fl_hash64(0, bytes, len);
    uint8_t *at = bytes + pos + (hash >> 8) % (len - pos);
    struct fl_err err = {0};

    *at ^= (uint8_t)(1 + hash % 255);
    fl_assert(!open_bytes(bytes, len, &err));
    fl_assert(err.code == FL_TORN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes;

    if (size > FILE_BYTES_MAX) return 0;
    bytes = fl_realloc_array(NULL, uint8_t, size + 1);
    if (size > 0) memcpy(bytes, data, size);
    if (read_file(bytes, size)) {
        change_a_byte(bytes, size);
    } else if (size >= LOG_SEALED_TRAILER_BYTES) {
        make_checksums_good(bytes, size);
        (void)read_file(bytes, size);
    }
    fl_free(bytes);
    return 0;
}
