#include "controlplane/logs/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "controlplane/logs/key_filter.h"
#include "controlplane/logs/sealed_row.h"
#include "controlplane/logs/segment.h"
#include "shared/base/alloc.h"
#include "shared/base/hash.h"

#define CHECK_WINDOW_BYTES ((size_t)1 << 16)

/* The crc of the file from 'pos' to 'end', read in windows, so that large tables need no memory. */
static bool crc_of_tables(int fd, uint64_t pos, uint64_t end, uint32_t *ret_crc, struct fl_err *err)
{
    struct fl_buf window;
    uint32_t crc = 0;
    bool is_read = true;

    fl_buf_init(&window, CHECK_WINDOW_BYTES);
    while (is_read && pos < end) {
        size_t len = end - pos < CHECK_WINDOW_BYTES ? (size_t)(end - pos) : CHECK_WINDOW_BYTES;

        fl_buf_clear(&window);
        is_read = log_pread(fd, pos, len, &window, err);
        if (is_read) crc = fl_crc32c(crc, window.at, len);
        pos += len;
    }
    fl_buf_fini(&window);
    *ret_crc = crc;
    return is_read;
}

static bool read_key_bounds(struct log_sealed *sealed, struct fl_err *err)
{
    struct log_sealed_output output;

    if (sealed->outputs_len == 0) return fl_fail(err, FL_TORN, "it has no output");
    if (!log_sealed_output_at(sealed, 0, &output, err)) return false;
    sealed->first = output.key;
    if (!log_sealed_output_at(sealed, sealed->outputs_len - 1, &output, err)) return false;
    sealed->last = output.key;
    return true;
}

static bool read_header(struct log_sealed *sealed, struct fl_err *err)
{
    struct log_sealed_trailer trailer;
    struct stat stat;
    struct fl_buf buf;
    uint64_t tables_end;
    uint32_t crc;
    bool is_good;

    if (fstat(sealed->fd, &stat) != 0) return fl_fail(err, FL_IO, "stat: %s", strerror(errno));
    sealed->bytes = (uint64_t)stat.st_size;
    if (sealed->bytes < LOG_SEALED_HEADER_BYTES + LOG_FILTER_BYTES + LOG_SEALED_TRAILER_BYTES) {
        return fl_fail(err, FL_TORN, "it is too short");
    }
    tables_end = sealed->bytes - LOG_SEALED_TRAILER_BYTES;
    fl_buf_init(&buf, LOG_FILTER_BYTES + LOG_SEALED_TRAILER_BYTES);
    is_good = log_pread(sealed->fd, tables_end - LOG_FILTER_BYTES,
                        LOG_FILTER_BYTES + LOG_SEALED_TRAILER_BYTES, &buf, err);
    if (is_good) memcpy(sealed->filter, buf.at, LOG_FILTER_BYTES);
    is_good = is_good && log_sealed_trailer_get(buf.at + LOG_FILTER_BYTES, &trailer, err);
    fl_buf_fini(&buf);
    if (!is_good) return false;
    if (trailer.tables_pos < LOG_SEALED_HEADER_BYTES || trailer.tables_pos > tables_end ||
        tables_end - trailer.tables_pos !=
            (uint64_t)trailer.outputs_len * LOG_SEALED_OUTPUT_BYTES +
                (uint64_t)trailer.pieces_len * LOG_SEALED_PIECE_BYTES +
                (uint64_t)trailer.blocks_len * LOG_SEALED_FRAME_BYTES + LOG_FILTER_BYTES) {
        return fl_fail(err, FL_TORN, "its tables are not where they should be");
    }
    if (!crc_of_tables(sealed->fd, trailer.tables_pos, tables_end, &crc, err)) return false;
    if (crc != trailer.tables_crc) return fl_fail(err, FL_TORN, "its tables are damaged");
    sealed->header = trailer.header;
    sealed->outputs_len = trailer.outputs_len;
    sealed->pieces_len = trailer.pieces_len;
    sealed->blocks_len = trailer.blocks_len;
    sealed->tables_pos = trailer.tables_pos;
    sealed->raw_bytes = trailer.raw_bytes;
    sealed->job_min = trailer.job_min;
    sealed->job_max = trailer.job_max;
    sealed->sealed_at = trailer.sealed_at != 0
                            ? trailer.sealed_at
                            : (fl_ms)stat.st_mtim.tv_sec * 1000; /* an older file */
    sealed->key_blocks_len = trailer.key_blocks_len;
    if ((uint64_t)sealed->key_blocks_len * LOG_KEY_FILTER_BLOCK_BYTES >
        sealed->tables_pos - LOG_SEALED_HEADER_BYTES) {
        return fl_fail(err, FL_TORN, "its filter of keys is not where it should be");
    }
    return read_key_bounds(sealed, err);
}

struct log_sealed *log_sealed_open(const char *path, struct fl_err *err)
{
    struct log_sealed *sealed = fl_new(struct log_sealed);

    sealed->path = fl_alloc(strlen(path) + 1);
    memcpy(sealed->path, path, strlen(path));
    atomic_init(&sealed->refs, 1);
    sealed->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (sealed->fd < 0) {
        fl_fail(err, FL_IO, "open %s: %s", path, strerror(errno));
    } else if (read_header(sealed, err)) {
        return sealed;
    } else {
        fl_err_wrap(err, "%s", path);
    }
    log_sealed_unref(sealed);
    return NULL;
}

struct log_sealed *log_sealed_ref(struct log_sealed *sealed)
{
    atomic_fetch_add(&sealed->refs, 1);
    return sealed;
}

void log_sealed_unref(struct log_sealed *sealed)
{
    if (!sealed || atomic_fetch_sub(&sealed->refs, 1) > 1) return;
    if (sealed->is_removed) unlink(sealed->path);
    if (sealed->fd >= 0) close(sealed->fd);
    fl_free(sealed->path);
    fl_free(sealed);
}

bool log_sealed_may_have(const struct log_sealed *sealed, const struct log_key_range *range)
{
    struct fl_job job = range->first.attempt.job;

    if (log_key_cmp(&sealed->last, &range->first) < 0) return false;
    if (log_key_cmp(&sealed->first, &range->last) > 0) return false;
    return job.n != range->last.attempt.job.n || log_filter_has(sealed->filter, job);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool row(const struct log_sealed *sealed, uint64_t pos, size_t bytes, uint8_t *ret_row,
                struct fl_err *err)
{
    struct fl_buf buf = {.at = ret_row, .cap = bytes, .max = bytes};

    return log_pread(sealed->fd, pos, bytes, &buf, err);
}

bool log_sealed_output_at(const struct log_sealed *sealed, uint32_t i,
                          struct log_sealed_output *ret_output, struct fl_err *err)
{
    uint8_t bytes[LOG_SEALED_OUTPUT_BYTES];
    uint64_t pos = sealed->tables_pos + (uint64_t)i * LOG_SEALED_OUTPUT_BYTES;

    if (i >= sealed->outputs_len) return fl_fail(err, FL_TORN, "there is no output %u", i);
    if (!row(sealed, pos, sizeof(bytes), bytes, err)) return false;
    log_sealed_output_get(bytes, ret_output);
    if ((uint64_t)ret_output->piece + ret_output->pieces_len > sealed->pieces_len) {
        return fl_fail(err, FL_TORN, "an output has pieces that are not there");
    }
    return true;
}

bool log_sealed_lower_bound(const struct log_sealed *sealed, const struct log_key *key,
                            uint32_t *ret_i, struct fl_err *err)
{
    uint32_t low = 0;
    uint32_t high = sealed->outputs_len;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct log_sealed_output output;

        if (!log_sealed_output_at(sealed, middle, &output, err)) return false;
        if (log_key_cmp(&output.key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *ret_i = low;
    return true;
}

static bool may_have_key(const struct log_sealed *sealed, const struct log_key *key,
                         bool *ret_may_have, struct fl_err *err)
{
    uint64_t filter_pos =
        sealed->tables_pos - (uint64_t)sealed->key_blocks_len * LOG_KEY_FILTER_BLOCK_BYTES;
    uint64_t hash = log_key_filter_hash(key);
    uint8_t block[LOG_KEY_FILTER_BLOCK_BYTES];
    struct log_key_range range = {*key, *key};

    *ret_may_have = log_sealed_may_have(sealed, &range);
    if (!*ret_may_have || sealed->key_blocks_len == 0) return true;
    if (!row(sealed,
             filter_pos + (uint64_t)log_key_filter_block(hash, sealed->key_blocks_len) *
                              LOG_KEY_FILTER_BLOCK_BYTES,
             sizeof(block), block, err)) {
        return false;
    }
    *ret_may_have = log_key_filter_may_have(block, hash);
    return true;
}

bool log_sealed_find(const struct log_sealed *sealed, const struct log_key *key, bool *ret_is_there,
                     struct log_sealed_output *ret_output, struct fl_err *err)
{
    struct log_sealed_output output;
    bool may_have;
    uint32_t i;

    *ret_is_there = false;
    if (!may_have_key(sealed, key, &may_have, err)) return false;
    if (!may_have) return true;
    if (!log_sealed_lower_bound(sealed, key, &i, err)) return false;
    if (i == sealed->outputs_len) return true;
    if (!log_sealed_output_at(sealed, i, &output, err)) return false;
    if (log_key_cmp(&output.key, key) != 0) return true;
    *ret_is_there = true;
    *ret_output = output;
    return true;
}

bool log_sealed_piece_at(const struct log_sealed *sealed, uint32_t i,
                         struct log_sealed_piece *ret_piece, struct fl_err *err)
{
    uint8_t bytes[LOG_SEALED_PIECE_BYTES];
    uint64_t pos = sealed->tables_pos + (uint64_t)sealed->outputs_len * LOG_SEALED_OUTPUT_BYTES +
                   (uint64_t)i * LOG_SEALED_PIECE_BYTES;

    if (i >= sealed->pieces_len) return fl_fail(err, FL_TORN, "there is no piece %u", i);
    if (!row(sealed, pos, sizeof(bytes), bytes, err)) return false;
    log_sealed_piece_get(bytes, ret_piece);
    return true;
}

static bool inflate(const struct fl_buf *frame, size_t raw_bytes, struct fl_buf *out,
                    struct fl_err *err)
{
    size_t before = out->len;
    uint8_t *raw = raw_bytes > 0 ? fl_buf_room(out, raw_bytes) : NULL;

    if (raw && ZSTD_decompress(raw, raw_bytes, frame->at, frame->len) == raw_bytes) return true;
    if (raw) fl_buf_truncate(out, before);
    return fl_fail(err, FL_TORN, "a block of stored output is damaged");
}

bool log_sealed_block(struct log_sealed *sealed, uint32_t block, struct fl_buf *out,
                      struct fl_err *err)
{
    uint8_t bytes[LOG_SEALED_FRAME_BYTES];
    uint64_t pos = sealed->tables_pos + (uint64_t)sealed->outputs_len * LOG_SEALED_OUTPUT_BYTES +
                   (uint64_t)sealed->pieces_len * LOG_SEALED_PIECE_BYTES +
                   (uint64_t)block * LOG_SEALED_FRAME_BYTES;
    struct log_sealed_frame frame;
    struct fl_buf packed;
    bool is_good;

    if (block >= sealed->blocks_len) return fl_fail(err, FL_TORN, "there is no block %u", block);
    if (!row(sealed, pos, sizeof(bytes), bytes, err)) return false;
    log_sealed_frame_get(bytes, &frame);
    if (frame.raw_bytes > LOG_BLOCK_BYTES_MAX ||
        frame.bytes > ZSTD_compressBound(frame.raw_bytes)) {
        return fl_fail(err, FL_TORN, "a block of stored output is too large");
    }
    fl_buf_init(&packed, frame.bytes);
    is_good = log_pread(sealed->fd, frame.pos, frame.bytes, &packed, err) &&
              inflate(&packed, frame.raw_bytes, out, err);
    if (!is_good && err->code == FL_TORN) atomic_store(&sealed->is_damaged, true);
    fl_buf_fini(&packed);
    return is_good;
}
