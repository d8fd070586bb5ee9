/* The manifests in a sealed file of the log store, which are read when its tables are damaged.
 * Input: the bytes that the search walks over.  Each head is read as it stands and once more with
 * its checksum made good, since random bytes have no right one.
 * Property: the search stops at each place that a walk byte by byte finds, and nowhere else; rows
 * that are read lie within their block; written again, they are read as the same bytes, and with
 * any other byte they are refused.
 * The corpus was made by the writer.
 * The planted bug (planted/log_manifest.patch) takes a piece that ends behind its block.
 *
 *     tests/fuzz/planted.sh log_manifest */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "controlplane/logs/manifest.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

enum { INPUT_BYTES_MAX = 64 << 10, HEADS_MAX = 16, CRC_AT = LOG_MANIFEST_HEAD_BYTES - 4 };
enum { ROWS_BYTES_MAX = LOG_MANIFEST_ROWS_MAX * LOG_MANIFEST_ROW_BYTES };

static struct log_manifest_row rows[LOG_MANIFEST_ROWS_MAX], rows_again[LOG_MANIFEST_ROWS_MAX];

static size_t walk(struct fl_str bytes)
{
    for (size_t i = 8; i + 8 <= bytes.len; i++) {
        if (memcmp(bytes.at + i, "FLLOGMAN", 8) == 0) return i - 8;
    }
    return bytes.len;
}

static void put_rows(struct fl_buf *out, const struct log_manifest_row *from, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        log_manifest_row_put(out, &from[i]);
    }
}

static void check_rows(const struct log_manifest *manifest)
{
    for (uint32_t i = 0; i < manifest->rows_len; i++) {
        const struct log_sealed_piece *piece = &rows[i].piece;

        if (piece->len == 0) continue;
        fl_assert(piece->end > piece->offset && piece->pos <= manifest->frame.raw_bytes);
        fl_assert(piece->len <= manifest->frame.raw_bytes - piece->pos);
    }
}

static void write_again(const struct log_manifest *manifest)
{
    struct log_manifest again = *manifest, read = {0};
    struct fl_buf packed, raw, raw_again;
    struct fl_str bytes;

    fl_buf_init(&raw, ROWS_BYTES_MAX);
    fl_buf_init(&raw_again, ROWS_BYTES_MAX);
    fl_buf_init(&packed, 2 * ROWS_BYTES_MAX);
    put_rows(&raw, rows, manifest->rows_len);
    log_manifest_put(&packed, &again, &raw);
    bytes = (struct fl_str){(const char *)packed.at, packed.len};
    fl_assert(log_manifest_head_get(bytes, &read));
    fl_assert(read.rows_len == manifest->rows_len && read.number == manifest->number);
    fl_assert(read.header.seq == manifest->header.seq && read.frame.pos == manifest->frame.pos);
    fl_assert(log_manifest_rows(bytes, &read, rows_again));
    put_rows(&raw_again, rows_again, read.rows_len);
    fl_assert(raw.len == raw_again.len);
    if (raw.len > 0) fl_assert(memcmp(raw.at, raw_again.at, raw.len) == 0);
    packed.at[LOG_MANIFEST_HEAD_BYTES + raw.len % again.packed_bytes] ^= 4;
    fl_assert(!log_manifest_rows(bytes, &read, rows_again));
    fl_buf_fini(&raw);
    fl_buf_fini(&raw_again);
    fl_buf_fini(&packed);
}

static void make_checksum_good(uint8_t *head, uint32_t packed_bytes)
{
    uint32_t crc =
        fl_crc32c(fl_crc32c(0, head, CRC_AT), head + LOG_MANIFEST_HEAD_BYTES, packed_bytes);

    for (int i = 0; i < 4; i++) {
        head[CRC_AT + i] = (uint8_t)(crc >> (8 * i));
    }
}

static void read_one(uint8_t *at, size_t len)
{
    struct log_manifest manifest;
    struct fl_str bytes = {(const char *)at, len};

    if (!log_manifest_head_get(bytes, &manifest)) return;
    fl_assert(manifest.rows_len <= LOG_MANIFEST_ROWS_MAX);
    bytes.len = LOG_MANIFEST_HEAD_BYTES + (size_t)manifest.packed_bytes;
    if (bytes.len > len) return;
    if (!log_manifest_rows(bytes, &manifest, rows)) {
        make_checksum_good(at, manifest.packed_bytes);
        if (!log_manifest_rows(bytes, &manifest, rows)) return;
    }
    check_rows(&manifest);
    write_again(&manifest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes;
    size_t at = 0;

    if (size > INPUT_BYTES_MAX) return 0;
    bytes = fl_realloc_array(NULL, uint8_t, size + 1);
    if (size > 0) memcpy(bytes, data, size);
    for (int heads = 0; heads < HEADS_MAX && at < size; heads++) {
        struct fl_str rest = {(const char *)bytes + at, size - at};
        size_t next = log_manifest_search(rest);

        fl_assert(next == walk(rest));
        at += next;
        if (at == size) break;
        read_one(bytes + at, size - at);
        at++;
    }
    fl_free(bytes);
    return 0;
}
