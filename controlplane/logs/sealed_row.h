/* sealed_row.h - the rows of a sealed file's tables, its filter and its trailer, as bytes.
 * Numbers are little endian.  All rows of a table have the same size, so that the n-th is found
 * without a search.  docs/log-format.md has the layouts.  No I/O. */
#pragma once

#include "controlplane/logs/sealed.h"

#define LOG_SEALED_HEADER_BYTES LOG_SEGMENT_HEADER_BYTES
#define LOG_SEALED_OUTPUT_BYTES 80
#define LOG_SEALED_PIECE_BYTES 48
#define LOG_SEALED_FRAME_BYTES 16
#define LOG_SEALED_TRAILER_BYTES 128

struct log_sealed_frame {
    uint64_t pos;
    uint32_t bytes, raw_bytes;
};

struct log_sealed_trailer {
    struct log_segment_header header;
    uint32_t outputs_len, pieces_len, blocks_len;
    uint32_t tables_crc;
    uint64_t tables_pos, raw_bytes, job_min, job_max;
    fl_ms last_time;
    fl_ms sealed_at;         /* 0: an older file */
    uint32_t key_blocks_len; /* key_filter.h, before the tables; 0: an older file */
};

void log_sealed_output_put(struct fl_buf *out, const struct log_sealed_output *output);
void log_sealed_output_get(const uint8_t bytes[LOG_SEALED_OUTPUT_BYTES],
                           struct log_sealed_output *ret_output);
void log_sealed_piece_put(struct fl_buf *out, const struct log_sealed_piece *piece);
void log_sealed_piece_get(const uint8_t bytes[LOG_SEALED_PIECE_BYTES],
                          struct log_sealed_piece *ret_piece);
void log_sealed_frame_put(struct fl_buf *out, const struct log_sealed_frame *frame);
void log_sealed_frame_get(const uint8_t bytes[LOG_SEALED_FRAME_BYTES],
                          struct log_sealed_frame *ret_frame);

void log_sealed_trailer_put(struct fl_buf *out, const struct log_sealed_trailer *trailer);
FL_CHECK bool log_sealed_trailer_get(const uint8_t bytes[LOG_SEALED_TRAILER_BYTES],
                                     struct log_sealed_trailer *ret_trailer, struct fl_err *err);

/* Two bits a job. */
void log_filter_add(uint8_t filter[LOG_FILTER_BYTES], struct fl_job job);
bool log_filter_has(const uint8_t filter[LOG_FILTER_BYTES], struct fl_job job);
