#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "controlplane/logs/key_filter.h"
#include "controlplane/logs/manifest.h"
#include "controlplane/logs/row_spill.h"
#include "controlplane/logs/sealed.h"
#include "controlplane/logs/sealed_row.h"
#include "controlplane/logs/segment.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define LEVEL 3
#define FILTER_PART_BLOCKS 8192u /* the filter of keys is made in parts of 512 KiB */

struct log_sealer {
    char *dir, *path, *part_path;
    int fd;
    struct log_segment_header header;
    ZSTD_CCtx *zstd;
    struct fl_buf block; /* uncompressed, being filled */
    uint8_t *packed;
    size_t packed_bytes;
    uint64_t bytes, raw_bytes;
    struct log_sealed_output output; /* the last; its row is not written yet, as piece's */
    struct log_sealed_piece piece;
    bool is_noted;               /* the last piece is in 'manifest_rows' */
    struct fl_buf manifest_rows; /* those of the next manifest */
    uint32_t manifests_len;
    uint32_t outputs_len, pieces_len, frames_len;
    uint64_t job_first;
    struct row_spill outputs, pieces, frames;
    uint64_t next_line; /* behind the last run */
    uint8_t filter[LOG_FILTER_BYTES];
    fl_ms last_time, sealed_at;
};

static bool write_all(struct log_sealer *sealer, const uint8_t *at, size_t len, struct fl_err *err)
{
    while (len > 0) {
        ssize_t n = pwrite(sealer->fd, at, len, (off_t)sealer->bytes);

        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            return fl_fail(err, errno == ENOSPC || errno == EDQUOT ? FL_NO_SPACE : FL_IO,
                           "write %s: %s", sealer->part_path, strerror(errno));
        }
        at += n;
        len -= (size_t)n;
        sealer->bytes += (uint64_t)n;
    }
    return true;
}

struct log_sealer *log_sealer_create(const char *dir, const struct log_segment_header *header,
                                     fl_ms sealed_at, struct fl_err *err)
{
    struct log_sealer *sealer = fl_new(struct log_sealer);
    uint8_t bytes[LOG_SEALED_HEADER_BYTES];

    sealer->dir = fl_alloc(strlen(dir) + 1);
    memcpy(sealer->dir, dir, strlen(dir));
    sealer->path = log_file_path(dir, header, "sealed");
    sealer->part_path = log_file_path(dir, header, "part");
    sealer->header = *header;
    row_spill_init(&sealer->outputs, log_file_path(dir, header, "outputs.part"));
    row_spill_init(&sealer->pieces, log_file_path(dir, header, "pieces.part"));
    row_spill_init(&sealer->frames, log_file_path(dir, header, "frames.part"));
    sealer->last_time = header->created_at;
    sealer->sealed_at = sealed_at;
    sealer->packed_bytes = ZSTD_compressBound(LOG_BLOCK_BYTES_MAX);
    sealer->packed = fl_realloc_array(NULL, uint8_t, sealer->packed_bytes);
    fl_buf_init(&sealer->block, LOG_BLOCK_BYTES_MAX);
    fl_buf_init(&sealer->manifest_rows, SIZE_MAX); /* LOG_MANIFEST_ROWS_MAX of them */
    sealer->zstd = ZSTD_createCCtx();
    fl_assert(sealer->zstd);
    ZSTD_CCtx_setParameter(sealer->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(sealer->zstd, ZSTD_c_checksumFlag, 1);
    sealer->fd = open(sealer->part_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (sealer->fd < 0) {
        fl_fail(err, errno == ENOSPC ? FL_NO_SPACE : FL_IO, "create %s: %s", sealer->part_path,
                strerror(errno));
        log_sealer_destroy(sealer);
        return NULL;
    }
    log_segment_header_put(bytes, header);
    if (write_all(sealer, bytes, sizeof(bytes), err)) return sealer;
    log_sealer_destroy(sealer);
    return NULL;
}

void log_sealer_destroy(struct log_sealer *sealer)
{
    if (!sealer) return;
    if (sealer->fd >= 0) {
        close(sealer->fd);
        unlink(sealer->part_path);
    }
    ZSTD_freeCCtx(sealer->zstd);
    fl_buf_fini(&sealer->block);
    fl_buf_fini(&sealer->manifest_rows);
    fl_free(sealer->packed);
    row_spill_fini(&sealer->outputs);
    row_spill_fini(&sealer->pieces);
    row_spill_fini(&sealer->frames);
    fl_free(sealer->dir);
    fl_free(sealer->path);
    fl_free(sealer->part_path);
    fl_free(sealer);
}

/* Puts the last output with its last piece, or with none, into the manifest that comes next. */
static void note(struct log_sealer *sealer)
{
    struct log_manifest_row row = {.output = sealer->output};

    if (sealer->output.pieces_len > 0) row.piece = sealer->piece;
    log_manifest_row_put(&sealer->manifest_rows, &row);
    sealer->is_noted = true;
}

/* Writes the manifest of what was noted since the last one.  Its block, if it has one, was written
 * before it. */
static bool put_manifest(struct log_sealer *sealer, const struct log_sealed_frame *frame,
                         struct fl_err *err)
{
    struct log_manifest manifest = {.header = sealer->header,
                                    .sealed_at = sealer->sealed_at,
                                    .number = sealer->manifests_len++,
                                    .frame = *frame};
    struct fl_buf bytes;
    bool is_written;

    fl_buf_init(&bytes, SIZE_MAX);
    log_manifest_put(&bytes, &manifest, &sealer->manifest_rows);
    fl_buf_clear(&sealer->manifest_rows);
    is_written = write_all(sealer, bytes.at, bytes.len, err);
    fl_buf_fini(&bytes);
    return is_written;
}

/* Ends a block: its row, its bytes and its manifest. */
static bool put_block(struct log_sealer *sealer, const uint8_t *packed, uint32_t bytes,
                      uint32_t raw_bytes, struct fl_err *err)
{
    struct log_sealed_frame frame = {.pos = sealer->bytes, .bytes = bytes, .raw_bytes = raw_bytes};

    if (sealer->output.pieces_len > 0 && !sealer->is_noted) note(sealer);
    log_sealed_frame_put(&sealer->frames.rows, &frame);
    sealer->frames_len++;
    return row_spill_check(&sealer->frames, err) && write_all(sealer, packed, bytes, err) &&
           put_manifest(sealer, &frame, err);
}

/* Ends the block that is being filled. */
static bool flush_block(struct log_sealer *sealer, struct fl_err *err)
{
    uint32_t raw_bytes = (uint32_t)sealer->block.len;
    size_t packed;

    if (raw_bytes == 0 && sealer->manifest_rows.len == 0) return true;
    if (raw_bytes == 0) { /* outputs without a record */
        return put_manifest(sealer, &(struct log_sealed_frame){.pos = sealer->bytes}, err);
    }
    packed = ZSTD_compress2(sealer->zstd, sealer->packed, sealer->packed_bytes, sealer->block.at,
                            raw_bytes);
    fl_assert(!ZSTD_isError(packed)); /* 'packed' has room for the worst case */
    fl_buf_clear(&sealer->block);
    return put_block(sealer, sealer->packed, (uint32_t)packed, raw_bytes, err);
}

static bool is_block_full(const struct log_sealer *sealer)
{
    return sealer->block.len >= LOG_BLOCK_BYTES ||
           sealer->manifest_rows.len >=
               (size_t)(LOG_MANIFEST_ROWS_MAX - 1) * LOG_MANIFEST_ROW_BYTES;
}

/* Writes the last piece's row. */
static bool put_piece(struct log_sealer *sealer, struct fl_err *err)
{
    if (sealer->output.pieces_len == 0) return true;
    if (!sealer->is_noted) note(sealer);
    log_sealed_piece_put(&sealer->pieces.rows, &sealer->piece);
    return row_spill_check(&sealer->pieces, err);
}

/* Writes the last output's row. */
static bool put_output(struct log_sealer *sealer, struct fl_err *err)
{
    if (sealer->outputs_len == 0) return true;
    if (!put_piece(sealer, err)) return false;
    if (!sealer->is_noted) note(sealer); /* it has no piece */
    log_sealed_output_put(&sealer->outputs.rows, &sealer->output);
    return row_spill_check(&sealer->outputs, err);
}

static bool begin_output(struct log_sealer *sealer, const struct log_key *key,
                         const struct log_place *place, bool is_ended, struct fl_err *err)
{
    fl_assert(sealer->outputs_len == 0 || log_key_cmp(&sealer->output.key, key) < 0);
    if (!put_output(sealer, err)) return false;
    sealer->is_noted = false;
    sealer->output = (struct log_sealed_output){.key = *key,
                                                .place = *place,
                                                .is_ended = is_ended,
                                                .last_time = sealer->header.created_at,
                                                .piece = sealer->pieces_len};
    if (sealer->outputs_len == 0) sealer->job_first = key->attempt.job.n;
    sealer->outputs_len++;
    log_filter_add(sealer->filter, key->attempt.job);
    return true;
}

bool log_sealer_output(struct log_sealer *sealer, const struct log_key *key,
                       const struct log_place *place, bool is_ended, struct fl_err *err)
{
    return begin_output(sealer, key, place, is_ended, err) &&
           (!is_block_full(sealer) || flush_block(sealer, err));
}

/* Goes to the next piece of the last output. */
static bool begin_piece(struct log_sealer *sealer, const struct log_sealed_piece *piece,
                        struct fl_err *err)
{
    if (!put_piece(sealer, err)) return false;
    sealer->is_noted = false;
    sealer->piece = *piece;
    sealer->output.pieces_len++;
    sealer->pieces_len++;
    return true;
}

static void note_time(struct log_sealer *sealer, fl_ms last_time)
{
    sealer->output.last_time = last_time;
    if (last_time > sealer->last_time) sealer->last_time = last_time;
}

bool log_sealer_run(struct log_sealer *sealer, struct fl_str records, const struct log_run *run,
                    uint64_t line, struct fl_err *err)
{
    struct log_sealed_output *output = &sealer->output;
    struct log_sealed_piece *last = output->pieces_len > 0 ? &sealer->piece : NULL;
    uint32_t block = sealer->frames_len;
    uint32_t pos = (uint32_t)sealer->block.len;
    bool is_put;

    fl_assert(records.len <= FL_LOG_RECORDS_BYTES_MAX);
    if (last && last->block == block && last->pos + last->len == pos && last->end == run->offset &&
        line == sealer->next_line) { /* behind damage it is not */
        last->end = run->end;
        last->len += (uint32_t)records.len;
    } else {
        struct log_sealed_piece piece = {.offset = run->offset,
                                         .end = run->end,
                                         .line = line,
                                         .time = run->time,
                                         .block = block,
                                         .pos = pos,
                                         .len = (uint32_t)records.len};

        if (!begin_piece(sealer, &piece, err)) return false;
    }
    sealer->next_line = line + run->lines;
    note_time(sealer, run->last_time);
    sealer->raw_bytes += records.len;
    is_put = fl_buf_put(&sealer->block, records.at, records.len);
    fl_assert(is_put);
    return !is_block_full(sealer) || flush_block(sealer, err);
}

static bool adopt_row(struct log_sealer *sealer, const struct log_manifest_row *row,
                      struct fl_err *err)
{
    const struct log_sealed_output *output = &row->output;
    bool is_next = sealer->outputs_len == 0 || log_key_cmp(&sealer->output.key, &output->key) != 0;
    struct log_sealed_piece piece = row->piece;

    if (is_next && !begin_output(sealer, &output->key, &output->place, output->is_ended, err)) {
        return false;
    }
    note_time(sealer, output->last_time);
    if (piece.len == 0) return true;
    piece.block = sealer->frames_len;
    sealer->raw_bytes += piece.len;
    return begin_piece(sealer, &piece, err);
}

bool log_sealer_adopt(struct log_sealer *sealer, struct fl_str packed, uint32_t raw_bytes,
                      const struct log_manifest_row *rows, size_t rows_len, struct fl_err *err)
{
    if (!flush_block(sealer, err)) return false;
    for (size_t i = 0; i < rows_len; i++) {
        if (!adopt_row(sealer, &rows[i], err)) return false;
    }
    if (packed.len == 0) {
        if (!sealer->is_noted) note(sealer);
        return flush_block(sealer, err);
    }
    return put_block(sealer, (const uint8_t *)packed.at, (uint32_t)packed.len, raw_bytes, err);
}

uint32_t log_sealer_outputs(const struct log_sealer *sealer)
{
    return sealer->outputs_len;
}

/* ---- the end of the file --------------------------------------------------------------------- */

/* The filter's blocks from 'first' on, which are made together. */
struct filter_part {
    uint8_t *blocks;
    uint32_t first, len, all_len;
};

static bool add_keys(void *ctx, const uint8_t *at, size_t len, struct fl_err *err)
{
    const struct filter_part *part = ctx;

    (void)err;
    for (size_t i = 0; i < len; i += LOG_SEALED_OUTPUT_BYTES) {
        struct log_sealed_output output;
        uint64_t hash;
        uint32_t block;

        log_sealed_output_get(at + i, &output);
        hash = log_key_filter_hash(&output.key);
        block = log_key_filter_block(hash, part->all_len);
        if (block < part->first || block - part->first >= part->len) continue;
        log_key_filter_add(
            part->blocks + (size_t)(block - part->first) * LOG_KEY_FILTER_BLOCK_BYTES, hash);
    }
    return true;
}

/* Makes the filter of keys a part at a time, so that its memory does not grow with the outputs. */
static bool write_key_filter(struct log_sealer *sealer, struct fl_err *err)
{
    uint32_t all_len = log_key_filter_blocks(sealer->outputs_len);
    bool is_written = true;

    for (uint32_t first = 0; is_written && first < all_len; first += FILTER_PART_BLOCKS) {
        uint32_t left = all_len - first;
        uint32_t len = left < FILTER_PART_BLOCKS ? left : FILTER_PART_BLOCKS;
        size_t bytes = (size_t)len * LOG_KEY_FILTER_BLOCK_BYTES;
        struct filter_part part = {fl_new_array(uint8_t, bytes), first, len, all_len};

        is_written =
            row_spill_each(&sealer->outputs, LOG_SEALED_OUTPUT_BYTES, add_keys, &part, err);
        log_key_filter_seal(part.blocks, len);
        is_written = is_written && write_all(sealer, part.blocks, bytes, err);
        fl_free(part.blocks);
    }
    return is_written;
}

struct table {
    struct log_sealer *sealer;
    uint32_t crc; /* over all tables so far */
};

static bool write_rows(void *ctx, const uint8_t *at, size_t len, struct fl_err *err)
{
    struct table *table = ctx;

    table->crc = fl_crc32c(table->crc, at, len);
    return write_all(table->sealer, at, len, err);
}

static bool write_tables(struct log_sealer *sealer, struct fl_err *err)
{
    struct log_sealed_trailer trailer = {
        .header = sealer->header,
        .outputs_len = sealer->outputs_len,
        .pieces_len = sealer->pieces_len,
        .blocks_len = sealer->frames_len,
        .tables_pos = sealer->bytes,
        .raw_bytes = sealer->raw_bytes,
        .last_time = sealer->last_time,
        .sealed_at = sealer->sealed_at,
        .key_blocks_len = log_key_filter_blocks(sealer->outputs_len),
        .job_min = sealer->job_first,
        .job_max = sealer->output.key.attempt.job.n,
    };
    struct table table = {.sealer = sealer};
    struct fl_buf buf;
    bool is_written =
        row_spill_each(&sealer->outputs, LOG_SEALED_OUTPUT_BYTES, write_rows, &table, err) &&
        row_spill_each(&sealer->pieces, LOG_SEALED_PIECE_BYTES, write_rows, &table, err) &&
        row_spill_each(&sealer->frames, LOG_SEALED_FRAME_BYTES, write_rows, &table, err) &&
        write_rows(&table, sealer->filter, LOG_FILTER_BYTES, err);

    trailer.tables_crc = table.crc;
    fl_buf_init(&buf, LOG_SEALED_TRAILER_BYTES);
    log_sealed_trailer_put(&buf, &trailer);
    is_written = is_written && write_all(sealer, buf.at, buf.len, err);
    fl_buf_fini(&buf);
    return is_written;
}

struct log_sealed *log_sealer_finish(struct log_sealer *sealer, struct fl_err *err)
{
    if (!put_output(sealer, err) || !flush_block(sealer, err) || !write_key_filter(sealer, err) ||
        !write_tables(sealer, err)) {
        return NULL;
    }
    if (fsync(sealer->fd) != 0 || rename(sealer->part_path, sealer->path) != 0) {
        fl_fail(err, FL_IO, "finish %s: %s", sealer->path, strerror(errno));
        return NULL;
    }
    close(sealer->fd);
    sealer->fd = -1;
    if (!log_dir_sync(sealer->dir, err)) return NULL;
    return log_sealed_open(sealer->path, err);
}
