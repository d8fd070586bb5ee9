#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "controlplane/logs/key_filter.h"
#include "controlplane/logs/sealed.h"
#include "controlplane/logs/sealed_row.h"
#include "controlplane/logs/segment.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/vec.h"

#define LEVEL 3
#define TABLES_BYTES_MAX ((size_t)1 << 30)

struct log_sealer {
    char *dir, *path, *part_path;
    int fd;
    struct log_segment_header header;
    ZSTD_CCtx *zstd;
    struct fl_buf block; /* uncompressed, being filled */
    uint8_t *packed;
    size_t packed_bytes;
    uint64_t bytes, raw_bytes;
    FL_VEC(struct log_sealed_output) outputs;
    FL_VEC(struct log_sealed_piece) pieces;
    FL_VEC(struct log_sealed_frame) frames;
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
    fl_vec_fini(&sealer->outputs);
    fl_vec_fini(&sealer->pieces);
    fl_vec_fini(&sealer->frames);
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
    fl_vec_push(&sealer->frames, frame);
    fl_buf_clear(&sealer->block);
    return write_all(sealer, sealer->packed, packed, err);
}

void log_sealer_output(struct log_sealer *sealer, const struct log_key *key,
                       const struct log_place *place, bool is_ended)
{
    struct log_sealed_output output = {.key = *key,
                                       .place = *place,
                                       .is_ended = is_ended,
                                       .last_time = sealer->header.created_at,
                                       .piece = (uint32_t)sealer->pieces.len};

    fl_assert(sealer->outputs.len == 0 ||
              log_key_cmp(&sealer->outputs.at[sealer->outputs.len - 1].key, key) < 0);
    fl_vec_push(&sealer->outputs, output);
    log_filter_add(sealer->filter, key->attempt.job);
}

bool log_sealer_run(struct log_sealer *sealer, struct fl_str records, const struct log_run *run,
                    uint64_t line, struct fl_err *err)
{
    struct log_sealed_output *output = &sealer->outputs.at[sealer->outputs.len - 1];
    struct log_sealed_piece *last =
        output->pieces_len > 0 ? &sealer->pieces.at[sealer->pieces.len - 1] : NULL;
    uint32_t block = (uint32_t)sealer->frames.len;
    uint32_t pos = (uint32_t)sealer->block.len;
    bool is_put;

    fl_assert(records.len <= FL_LOG_RECORDS_BYTES_MAX);
    fl_assert(sealer->pieces.at || sealer->pieces.len == sealer->pieces.cap);
    if (last && last->block == block && last->pos + last->len == pos && last->end == run->offset &&
        line == sealer->next_line) { /* behind damage it is not */
        last->end = run->end;
        last->len += (uint32_t)records.len;
    } else {
        fl_vec_push(&sealer->pieces, (struct log_sealed_piece){.offset = run->offset,
                                                               .end = run->end,
                                                               .line = line,
                                                               .time = run->time,
                                                               .block = block,
                                                               .pos = pos,
                                                               .len = (uint32_t)records.len});
        output->pieces_len++;
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
    return (uint32_t)sealer->outputs.len;
}

static bool write_key_filter(struct log_sealer *sealer, struct fl_err *err)
{
    size_t len = sealer->outputs.len;
    uint64_t *hashes = fl_new_array(uint64_t, len + 1);
    struct fl_buf blocks;
    bool is_written;

    for (size_t i = 0; i < len; i++) {
        hashes[i] = log_key_filter_hash(&sealer->outputs.at[i].key);
    }
    fl_buf_init(&blocks, TABLES_BYTES_MAX);
    log_key_filter_put(&blocks, hashes, len);
    is_written = write_all(sealer, blocks.at, blocks.len, err);
    fl_buf_fini(&blocks);
    fl_free(hashes);
    return is_written;
}

static bool write_tables(struct log_sealer *sealer, struct fl_err *err)
{
    size_t outputs_len = sealer->outputs.len;
    struct log_sealed_trailer trailer = {
        .header = sealer->header,
        .outputs_len = (uint32_t)outputs_len,
        .pieces_len = (uint32_t)sealer->pieces.len,
        .blocks_len = (uint32_t)sealer->frames.len,
        .tables_pos = sealer->bytes,
        .raw_bytes = sealer->raw_bytes,
        .last_time = sealer->last_time,
        .sealed_at = sealer->sealed_at,
        .key_blocks_len = log_key_filter_blocks(outputs_len),
        .job_min = outputs_len > 0 ? sealer->outputs.at[0].key.attempt.job.n : 0,
        .job_max = outputs_len > 0 ? sealer->outputs.at[outputs_len - 1].key.attempt.job.n : 0,
    };
    struct fl_buf tables;
    bool is_written;

    fl_buf_init(&tables, TABLES_BYTES_MAX);
    for (size_t i = 0; i < outputs_len; i++) {
        log_sealed_output_put(&tables, &sealer->outputs.at[i]);
    }
    for (size_t i = 0; i < sealer->pieces.len; i++) {
        log_sealed_piece_put(&tables, &sealer->pieces.at[i]);
    }
    for (size_t i = 0; i < sealer->frames.len; i++) {
        log_sealed_frame_put(&tables, &sealer->frames.at[i]);
    }
    fl_buf_put(&tables, sealer->filter, LOG_FILTER_BYTES);
    trailer.tables_crc = fl_crc32c(0, tables.at, tables.len);
    log_sealed_trailer_put(&tables, &trailer);
    is_written = !tables.is_over || fl_fail(err, FL_TOO_LARGE, "the tables of a sealed file");
    is_written = is_written && write_all(sealer, tables.at, tables.len, err);
    fl_buf_fini(&tables);
    return is_written;
}

struct log_sealed *log_sealer_finish(struct log_sealer *sealer, struct fl_err *err)
{
    if (!flush_block(sealer, err) || !write_key_filter(sealer, err) || !write_tables(sealer, err)) {
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
