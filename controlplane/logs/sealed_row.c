#include "controlplane/logs/sealed_row.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define VERSION 1

enum { IS_MID = 1, IS_ENDED = 2 };

static const char magic[8] = "FLLOGEND";

static void put_zeros(struct fl_buf *out, size_t len)
{
    static const uint8_t zeros[LOG_SEALED_TRAILER_BYTES];

    fl_buf_put(out, zeros, len);
}

void log_sealed_output_put(struct fl_buf *out, const struct log_sealed_output *output)
{
    uint8_t key[LOG_KEY_BYTES];
    size_t begin = out->len;

    log_key_put(key, &output->key);
    fl_buf_put(out, key, sizeof(key));
    fl_buf_put_u16(
        out, (uint16_t)((output->place.is_mid ? IS_MID : 0) | (output->is_ended ? IS_ENDED : 0)));
    fl_buf_put_u32(out, output->place.chain);
    fl_buf_put_u64(out, output->place.offset);
    fl_buf_put_u64(out, output->place.lines);
    fl_buf_put_i64(out, output->last_time);
    fl_buf_put_u32(out, output->piece);
    fl_buf_put_u32(out, output->pieces_len);
    put_zeros(out, LOG_SEALED_OUTPUT_BYTES - (out->len - begin));
}

void log_sealed_output_get(const uint8_t bytes[LOG_SEALED_OUTPUT_BYTES],
                           struct log_sealed_output *ret_output)
{
    struct fl_reader reader = fl_reader(bytes, LOG_SEALED_OUTPUT_BYTES);
    struct log_sealed_output output = {0};
    uint16_t flags;

    output.key = log_key_get((const uint8_t *)fl_read_raw(&reader, LOG_KEY_BYTES).at);
    flags = fl_read_u16(&reader);
    output.place.is_mid = flags & IS_MID;
    output.is_ended = flags & IS_ENDED;
    output.place.chain = fl_read_u32(&reader);
    output.place.offset = fl_read_u64(&reader);
    output.place.lines = fl_read_u64(&reader);
    output.last_time = fl_read_i64(&reader);
    output.piece = fl_read_u32(&reader);
    output.pieces_len = fl_read_u32(&reader);
    *ret_output = output;
}

void log_sealed_piece_put(struct fl_buf *out, const struct log_sealed_piece *piece)
{
    fl_buf_put_u64(out, piece->offset);
    fl_buf_put_u64(out, piece->end);
    fl_buf_put_u64(out, piece->line);
    fl_buf_put_i64(out, piece->time);
    fl_buf_put_u32(out, piece->block);
    fl_buf_put_u32(out, piece->pos);
    fl_buf_put_u32(out, piece->len);
    fl_buf_put_u32(out, 0);
}

void log_sealed_piece_get(const uint8_t bytes[LOG_SEALED_PIECE_BYTES],
                          struct log_sealed_piece *ret_piece)
{
    struct fl_reader reader = fl_reader(bytes, LOG_SEALED_PIECE_BYTES);

    ret_piece->offset = fl_read_u64(&reader);
    ret_piece->end = fl_read_u64(&reader);
    ret_piece->line = fl_read_u64(&reader);
    ret_piece->time = fl_read_i64(&reader);
    ret_piece->block = fl_read_u32(&reader);
    ret_piece->pos = fl_read_u32(&reader);
    ret_piece->len = fl_read_u32(&reader);
}

void log_sealed_frame_put(struct fl_buf *out, const struct log_sealed_frame *frame)
{
    fl_buf_put_u64(out, frame->pos);
    fl_buf_put_u32(out, frame->bytes);
    fl_buf_put_u32(out, frame->raw_bytes);
}

void log_sealed_frame_get(const uint8_t bytes[LOG_SEALED_FRAME_BYTES],
                          struct log_sealed_frame *ret_frame)
{
    struct fl_reader reader = fl_reader(bytes, LOG_SEALED_FRAME_BYTES);

    ret_frame->pos = fl_read_u64(&reader);
    ret_frame->bytes = fl_read_u32(&reader);
    ret_frame->raw_bytes = fl_read_u32(&reader);
}

void log_sealed_trailer_put(struct fl_buf *out, const struct log_sealed_trailer *trailer)
{
    size_t begin = out->len;

    fl_buf_put(out, magic, sizeof(magic));
    fl_buf_put_u32(out, VERSION);
    fl_buf_put_u32(out, trailer->header.cluster.n);
    fl_buf_put_u64(out, trailer->header.seq);
    fl_buf_put_i64(out, trailer->header.created_at);
    fl_buf_put_u32(out, trailer->outputs_len);
    fl_buf_put_u32(out, trailer->pieces_len);
    fl_buf_put_u32(out, trailer->blocks_len);
    fl_buf_put_u32(out, trailer->tables_crc);
    fl_buf_put_u64(out, trailer->tables_pos);
    fl_buf_put_u64(out, trailer->raw_bytes);
    fl_buf_put_u64(out, trailer->job_min);
    fl_buf_put_u64(out, trailer->job_max);
    fl_buf_put_i64(out, trailer->last_time);
    fl_buf_put_u32(out, trailer->key_blocks_len);
    fl_buf_put_i64(out, trailer->sealed_at);
    put_zeros(out, LOG_SEALED_TRAILER_BYTES - 4 - (out->len - begin));
    fl_buf_put_u32(out, fl_crc32c(0, out->at + begin, LOG_SEALED_TRAILER_BYTES - 4));
    fl_assert(out->is_over || out->len - begin == LOG_SEALED_TRAILER_BYTES);
}

bool log_sealed_trailer_get(const uint8_t bytes[LOG_SEALED_TRAILER_BYTES],
                            struct log_sealed_trailer *ret_trailer, struct fl_err *err)
{
    struct fl_reader reader = fl_reader(bytes, LOG_SEALED_TRAILER_BYTES);
    struct log_sealed_trailer trailer = {0};
    uint32_t version;

    if (memcmp(fl_read_raw(&reader, sizeof(magic)).at, magic, sizeof(magic)) != 0) {
        return fl_fail(err, FL_TORN, "it has no trailer");
    }
    version = fl_read_u32(&reader);
    trailer.header.cluster.n = fl_read_u32(&reader);
    trailer.header.seq = fl_read_u64(&reader);
    trailer.header.created_at = fl_read_i64(&reader);
    trailer.outputs_len = fl_read_u32(&reader);
    trailer.pieces_len = fl_read_u32(&reader);
    trailer.blocks_len = fl_read_u32(&reader);
    trailer.tables_crc = fl_read_u32(&reader);
    trailer.tables_pos = fl_read_u64(&reader);
    trailer.raw_bytes = fl_read_u64(&reader);
    trailer.job_min = fl_read_u64(&reader);
    trailer.job_max = fl_read_u64(&reader);
    trailer.last_time = fl_read_i64(&reader);
    trailer.key_blocks_len = fl_read_u32(&reader);
    trailer.sealed_at = fl_read_i64(&reader);
    reader.pos = LOG_SEALED_TRAILER_BYTES - 4;
    if (fl_read_u32(&reader) != fl_crc32c(0, bytes, LOG_SEALED_TRAILER_BYTES - 4)) {
        return fl_fail(err, FL_TORN, "its trailer is damaged");
    }
    if (version != VERSION) return fl_fail(err, FL_UNSUPPORTED, "a newer version");
    *ret_trailer = trailer;
    return true;
}

/* ---- the filter ------------------------------------------------------------------------------ */

static void bits(struct fl_job job, uint32_t ret_bits[2])
{
    uint64_t hash = fl_hash_u64(0, job.n);

    ret_bits[0] = (uint32_t)hash % (LOG_FILTER_BYTES * 8);
    ret_bits[1] = (uint32_t)(hash >> 32) % (LOG_FILTER_BYTES * 8);
}

void log_filter_add(uint8_t filter[LOG_FILTER_BYTES], struct fl_job job)
{
    uint32_t bit[2];

    bits(job, bit);
    for (int i = 0; i < 2; i++) {
        filter[bit[i] / 8] |= (uint8_t)(1u << bit[i] % 8);
    }
}

bool log_filter_has(const uint8_t filter[LOG_FILTER_BYTES], struct fl_job job)
{
    uint32_t bit[2];

    bits(job, bit);
    return (filter[bit[0] / 8] >> bit[0] % 8 & 1) && (filter[bit[1] / 8] >> bit[1] % 8 & 1);
}
