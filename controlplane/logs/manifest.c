#include "controlplane/logs/manifest.h"

#include <string.h>
#include <zstd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define SKIPPED 0x184d2a5bu /* zstd passes a frame that begins with this and its length */
#define SKIPPED_BYTES 8
#define CRC_AT (LOG_MANIFEST_HEAD_BYTES - 4)
#define LEVEL 1
#define PACKED_BYTES_MAX ((uint32_t)LOG_MANIFEST_ROWS_MAX * LOG_MANIFEST_ROW_BYTES + 4096)

static const char magic[8] = "FLLOGMAN";

void log_manifest_row_put(struct fl_buf *out, const struct log_manifest_row *row)
{
    log_sealed_output_put(out, &row->output);
    log_sealed_piece_put(out, &row->piece);
}

/* Covers the head before its crc, and the rows. */
static uint32_t crc_of(const uint8_t *head, uint32_t packed_bytes)
{
    return fl_crc32c(fl_crc32c(0, head, CRC_AT), head + LOG_MANIFEST_HEAD_BYTES, packed_bytes);
}

static void put_head(struct fl_buf *out, const struct log_manifest *manifest)
{
    size_t begin = out->len;

    fl_buf_put_u32(out, SKIPPED);
    fl_buf_put_u32(out, LOG_MANIFEST_HEAD_BYTES - SKIPPED_BYTES + manifest->packed_bytes);
    fl_buf_put(out, magic, sizeof(magic));
    fl_buf_put_u32(out, manifest->header.cluster.n);
    fl_buf_put_u32(out, manifest->number);
    fl_buf_put_u64(out, manifest->header.seq);
    fl_buf_put_i64(out, manifest->header.created_at);
    fl_buf_put_i64(out, manifest->sealed_at);
    log_sealed_frame_put(out, &manifest->frame);
    fl_buf_put_u32(out, manifest->rows_len);
    fl_buf_put_u32(out, 0); /* the crc */
    fl_assert(out->len - begin == LOG_MANIFEST_HEAD_BYTES);
}

void log_manifest_put(struct fl_buf *out, struct log_manifest *manifest, const struct fl_buf *rows)
{
    size_t begin = out->len;
    size_t packed_max = ZSTD_compressBound(rows->len);
    uint8_t *packed = fl_realloc_array(NULL, uint8_t, packed_max);
    size_t bytes = ZSTD_compress(packed, packed_max, rows->at, rows->len, LEVEL);

    fl_assert(!ZSTD_isError(bytes)); /* 'packed' has room for the worst case */
    manifest->rows_len = (uint32_t)(rows->len / LOG_MANIFEST_ROW_BYTES);
    manifest->packed_bytes = (uint32_t)bytes;
    put_head(out, manifest);
    fl_buf_put(out, packed, bytes);
    fl_free(packed);
    fl_assert(!out->is_over);
    fl_buf_patch_u32(out, begin + CRC_AT, crc_of(out->at + begin, manifest->packed_bytes));
}

bool log_manifest_head_get(struct fl_str bytes, struct log_manifest *ret_manifest)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    struct log_manifest manifest = {0};
    uint32_t length;

    if (bytes.len < LOG_MANIFEST_HEAD_BYTES || fl_read_u32(&reader) != SKIPPED) return false;
    length = fl_read_u32(&reader);
    if (memcmp(fl_read_raw(&reader, sizeof(magic)).at, magic, sizeof(magic)) != 0) return false;
    manifest.header.cluster.n = fl_read_u32(&reader);
    manifest.number = fl_read_u32(&reader);
    manifest.header.seq = fl_read_u64(&reader);
    manifest.header.created_at = fl_read_i64(&reader);
    manifest.sealed_at = fl_read_i64(&reader);
    log_sealed_frame_get((const uint8_t *)fl_read_raw(&reader, LOG_SEALED_FRAME_BYTES).at,
                         &manifest.frame);
    manifest.rows_len = fl_read_u32(&reader);
    manifest.packed_bytes = length - (LOG_MANIFEST_HEAD_BYTES - SKIPPED_BYTES);
    if (length < LOG_MANIFEST_HEAD_BYTES - SKIPPED_BYTES) return false;
    if (manifest.packed_bytes > PACKED_BYTES_MAX) return false;
    if (manifest.rows_len > LOG_MANIFEST_ROWS_MAX) return false;
    *ret_manifest = manifest;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_plausible(const struct log_manifest *manifest, const struct log_manifest_row *row)
{
    const struct log_sealed_piece *piece = &row->piece;

    if (piece->len == 0) return true;
    return piece->end > piece->offset &&
           (uint64_t)piece->pos + piece->len <= manifest->frame.raw_bytes;
}

bool log_manifest_rows(struct fl_str bytes, const struct log_manifest *manifest,
                       struct log_manifest_row ret_rows[LOG_MANIFEST_ROWS_MAX])
{
    size_t raw_bytes = (size_t)manifest->rows_len * LOG_MANIFEST_ROW_BYTES;
    const uint8_t *head = (const uint8_t *)bytes.at;
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    uint8_t *raw;
    bool is_good;

    reader.pos = CRC_AT;
    if (bytes.len != (size_t)LOG_MANIFEST_HEAD_BYTES + manifest->packed_bytes ||
        fl_read_u32(&reader) != crc_of(head, manifest->packed_bytes)) {
        return false;
    }
    raw = fl_realloc_array(NULL, uint8_t, raw_bytes + 1);
    is_good = ZSTD_decompress(raw, raw_bytes, head + LOG_MANIFEST_HEAD_BYTES,
                              manifest->packed_bytes) == raw_bytes;
    for (uint32_t i = 0; is_good && i < manifest->rows_len; i++) {
        const uint8_t *row = raw + (size_t)i * LOG_MANIFEST_ROW_BYTES;

        log_sealed_output_get(row, &ret_rows[i].output);
        log_sealed_piece_get(row + LOG_SEALED_OUTPUT_BYTES, &ret_rows[i].piece);
        is_good = is_plausible(manifest, &ret_rows[i]);
    }
    fl_free(raw);
    return is_good;
}

size_t log_manifest_search(struct fl_str bytes)
{
    const char *found = memmem(bytes.at, bytes.len, magic, sizeof(magic));

    while (found && found - bytes.at < SKIPPED_BYTES) {
        size_t rest = bytes.len - (size_t)(found + 1 - bytes.at);

        found = memmem(found + 1, rest, magic, sizeof(magic));
    }
    return found ? (size_t)(found - bytes.at) - SKIPPED_BYTES : bytes.len;
}
