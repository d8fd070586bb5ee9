#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "controlplane/logs/key_filter.h"
#include "controlplane/logs/row_spill.h"
#include "controlplane/logs/sealed.h"
#include "controlplane/logs/sealed_row.h"
#include "controlplane/logs/segment.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define LEVEL 3

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
    fl_free(sealer->packed);
    row_spill_fini(&sealer->outputs);
    row_spill_fini(&sealer->pieces);
    row_spill_fini(&sealer->frames);
    fl_free(sealer->dir);
    fl_free(sealer->path);
    fl_free(sealer->part_path);
    fl_free(sealer);
}

static bool flush_block(struct log_sealer *sealer, struct fl_err *err)
{
    struct log_sealed_frame frame = {.pos = sealer->bytes,
                                     .raw_bytes = (uint32_t)sealer->block.len};
    size_t packed;

    if (sealer->block.len == 0) return true;
    packed = ZSTD_compress2(sealer->zstd, sealer->packed, sealer->packed_bytes, sealer->block.at,
                            sealer->block.len);
    fl_assert(!ZSTD_isError(packed)); /* 'packed' has room for the worst case */
    frame.bytes = (uint32_t)packed;
    log_sealed_frame_put(&sealer->frames.rows, &frame);
    sealer->frames_len++;
    fl_buf_clear(&sealer->block);
    return row_spill_check(&sealer->frames, err) && write_all(sealer, sealer->packed, packed, err);
}

/* Writes the last piece's row. */
static bool put_piece(struct log_sealer *sealer, struct fl_err *err)
{
    if (sealer->output.pieces_len == 0) return true;
    log_sealed_piece_put(&sealer->pieces.rows, &sealer->piece);
    return row_spill_check(&sealer->pieces, err);
}

/* Writes the last output's row. */
static bool put_output(struct log_sealer *sealer, struct fl_err *err)
{
    if (sealer->outputs_len == 0) return true;
    if (!put_piece(sealer, err)) return false;
    log_sealed_output_put(&sealer->outputs.rows, &sealer->output);
    return row_spill_check(&sealer->outputs, err);
}

bool log_sealer_output(struct log_sealer *sealer, const struct log_key *key,
                       const struct log_place *place, bool is_ended, struct fl_err *err)
{
    fl_assert(sealer->outputs_len == 0 || log_key_cmp(&sealer->output.key, key) < 0);
    if (!put_output(sealer, err)) return false;
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
        if (!put_piece(sealer, err)) return false;
        sealer->piece = (struct log_sealed_piece){.offset = run->offset,
                                                  .end = run->end,
                                                  .line = line,
                                                  .time = run->time,
                                                  .block = block,
                                                  .pos = pos,
                                                  .len = (uint32_t)records.len};
        output->pieces_len++;
        sealer->pieces_len++;
    }
    sealer->next_line = line + run->lines;
    output->last_time = run->last_time;
    if (run->last_time > sealer->last_time) sealer->last_time = run->last_time;
    sealer->raw_bytes += records.len;
    is_put = fl_buf_put(&sealer->block, records.at, records.len);
    fl_assert(is_put);
    return sealer->block.len < LOG_BLOCK_BYTES || flush_block(sealer, err);
}

uint32_t log_sealer_outputs(const struct log_sealer *sealer)
{
    return sealer->outputs_len;
}

/* ---- the end of the file --------------------------------------------------------------------- */

struct key_filter {
    uint8_t *blocks;
    uint32_t blocks_len;
};

static bool add_keys(void *ctx, const uint8_t *at, size_t len, struct fl_err *err)
{
    const struct key_filter *filter = ctx;

    (void)err;
    for (size_t i = 0; i < len; i += LOG_SEALED_OUTPUT_BYTES) {
        struct log_sealed_output output;

        log_sealed_output_get(at + i, &output);
        log_key_filter_add(filter->blocks, filter->blocks_len, log_key_filter_hash(&output.key));
    }
    return true;
}

static bool write_key_filter(struct log_sealer *sealer, struct fl_err *err)
{
    uint32_t blocks_len = log_key_filter_blocks(sealer->outputs_len);
    size_t bytes = (size_t)blocks_len * LOG_KEY_FILTER_BLOCK_BYTES;
    struct key_filter filter = {fl_new_array(uint8_t, bytes), blocks_len};
    bool is_written =
        row_spill_each(&sealer->outputs, LOG_SEALED_OUTPUT_BYTES, add_keys, &filter, err);

    log_key_filter_seal(filter.blocks, blocks_len);
    is_written = is_written && write_all(sealer, filter.blocks, bytes, err);
    fl_free(filter.blocks);
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
    if (!flush_block(sealer, err) || !put_output(sealer, err) || !write_key_filter(sealer, err) ||
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
