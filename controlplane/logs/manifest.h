/* manifest.h - the rows of the outputs and pieces in a block, behind each block of a sealed file.
 * The tables at the file's end have the same rows and are what reads use.  Manifests are read only
 * if the tables are damaged (rebuild.h): then each block still says whose output it holds.
 * A manifest is a zstd frame of the kind that is skipped, with its own checksum; its rows are
 * packed.  docs/log-format.md has the layout.  No I/O. */
#pragma once

#include "controlplane/logs/sealed.h"
#include "controlplane/logs/sealed_row.h"
#include "shared/base/buf.h"

#define LOG_MANIFEST_HEAD_BYTES 72
#define LOG_MANIFEST_ROW_BYTES (LOG_SEALED_OUTPUT_BYTES + LOG_SEALED_PIECE_BYTES)
#define LOG_MANIFEST_ROWS_MAX 2048 /* a block with so many pieces ends */

struct log_manifest {
    struct log_segment_header header; /* the file's */
    fl_ms sealed_at;
    uint32_t number;               /* manifests before it */
    struct log_sealed_frame frame; /* its block, which ends where it begins; bytes 0: no block */
    uint32_t rows_len;
    uint32_t packed_bytes; /* behind the head */
};

/* A piece in the block.  Its 'output' is as it was known then: its end is right, and the number of
 * its pieces counts up to this one.  len 0: the output has no piece at all. */
struct log_manifest_row {
    struct log_sealed_output output;
    struct log_sealed_piece piece;
};

void log_manifest_row_put(struct fl_buf *out, const struct log_manifest_row *row);

/* Appends head and rows, which log_manifest_row_put wrote; fills in rows_len and packed_bytes. */
void log_manifest_put(struct fl_buf *out, struct log_manifest *manifest, const struct fl_buf *rows);

/* The head of one, whose checksum also covers the rows; log_manifest_rows looks at it. */
FL_CHECK bool log_manifest_head_get(struct fl_str bytes, struct log_manifest *ret_manifest);

/* 'bytes' are head and packed rows.  False: they are damaged. */
FL_CHECK bool log_manifest_rows(struct fl_str bytes, const struct log_manifest *manifest,
                                struct log_manifest_row ret_rows[LOG_MANIFEST_ROWS_MAX]);

/* Where the next head may begin in 'bytes'; bytes.len: nowhere. */
size_t log_manifest_search(struct fl_str bytes);
