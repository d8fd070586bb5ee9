/* sealed.h - a sealed file: the output of one or more replicas, compressed, with its index.  It is
 * never changed.
 *
 *     header   40 bytes: magic, version, cluster, seq, created_at, crc
 *     blocks   zstd frames (with checksum) of up to about 128 KiB of records; small outputs share
 *              one.  A manifest stands behind each: the rows of what is in it, for the case that
 *              the tables are damaged (manifest.h); files of older versions have none
 *     keys     64 bytes per 32 outputs, each with a crc: which outputs are surely not in the file
 *              (key_filter.h); absent in files of older versions
 *     outputs  a row of 80 bytes per output, by key: its end in this segment, and its pieces
 *     pieces   a row of 48 bytes per piece, by output and offset: a run of records in one block;
 *              reads search by the offset, line and time of its beginning
 *     frames   a row of 16 bytes per block: where the block is
 *     filter   1 KiB: which jobs are surely not in the file
 *     trailer  128 bytes: where the tables are; its crc covers all but header, blocks and keys
 *
 * Only trailer and filter are in memory; the rest is read when it is needed.  A writer is for one
 * thread.  A file is for any thread, and stays readable as long as a reference is held. */
#pragma once

#include <stdatomic.h>

#include "controlplane/logs/entry.h"
#include "shared/base/err.h"

#define LOG_BLOCK_BYTES ((size_t)128 << 10) /* a block ends behind the run that passes it */
#define LOG_BLOCK_BYTES_MAX (LOG_BLOCK_BYTES + FL_LOG_RECORDS_BYTES_MAX)
#define LOG_FILTER_BYTES 1024

struct log_manifest_row;

struct log_sealed {
    struct log_segment_header header;
    char *path;
    int fd;
    atomic_uint refs;
    uint64_t bytes;
    uint32_t outputs_len, pieces_len, blocks_len;
    uint64_t tables_pos;
    uint64_t raw_bytes; /* its records, uncompressed */
    uint64_t job_min, job_max;
    struct log_key first, last; /* the keys of its first and last output */
    uint32_t key_blocks_len;    /* 0: it has no filter of keys */
    fl_ms sealed_at;            /* by the hub's clock; retention counts from it */
    uint8_t filter[LOG_FILTER_BYTES];
    bool is_removed;        /* the last reference removes the file */
    atomic_bool is_damaged; /* a block was found damaged */
    bool is_told;           /* that was logged and counted; the sealer's thread only */
};

struct log_sealed_output {
    struct log_key key;
    struct log_place place; /* at the end of this segment */
    fl_ms last_time;
    uint32_t piece, pieces_len;
    bool is_ended;
};

struct log_sealed_piece {
    uint64_t offset, end, line;
    fl_ms time;
    uint32_t block, pos, len; /* in the block, uncompressed */
};

/* FL_TORN: it is damaged; FL_IO. */
struct log_sealed *log_sealed_open(const char *path, struct fl_err *err);
struct log_sealed *log_sealed_ref(struct log_sealed *sealed);
void log_sealed_unref(struct log_sealed *sealed); /* NULL is fine */

/* Whether it may have an output of the range, by what is in memory. */
bool log_sealed_may_have(const struct log_sealed *sealed, const struct log_key_range *range);

FL_CHECK bool log_sealed_output_at(const struct log_sealed *sealed, uint32_t i,
                                   struct log_sealed_output *ret_output, struct fl_err *err);

/* The first output whose key is not less; outputs_len if all are less. */
FL_CHECK bool log_sealed_lower_bound(const struct log_sealed *sealed, const struct log_key *key,
                                     uint32_t *ret_i, struct fl_err *err);

/* The output of this key, which most often costs one read of 64 bytes if it is not there. */
FL_CHECK bool log_sealed_find(const struct log_sealed *sealed, const struct log_key *key,
                              bool *ret_is_there, struct log_sealed_output *ret_output,
                              struct fl_err *err);

FL_CHECK bool log_sealed_piece_at(const struct log_sealed *sealed, uint32_t i,
                                  struct log_sealed_piece *ret_piece, struct fl_err *err);

/* Appends a block's records to 'out'. */
FL_CHECK bool log_sealed_block(struct log_sealed *sealed, uint32_t block, struct fl_buf *out,
                               struct fl_err *err);

/* ---- writing --------------------------------------------------------------------------------- */

struct log_sealer; /* opaque */

/* Writes to a file beside the final one until it is finished. */
struct log_sealer *log_sealer_create(const char *dir, const struct log_segment_header *header,
                                     fl_ms sealed_at, struct fl_err *err);
void log_sealer_destroy(struct log_sealer *sealer); /* NULL is fine; removes an unfinished file */

/* Call it for each output in order of keys, and after each call add the output's runs in order of
 * their offsets. */
FL_CHECK bool log_sealer_output(struct log_sealer *sealer, const struct log_key *key,
                                const struct log_place *place, bool is_ended, struct fl_err *err);
FL_CHECK bool log_sealer_run(struct log_sealer *sealer, struct fl_str records,
                             const struct log_run *run, uint64_t line, struct fl_err *err);

/* Takes over a block of another file as it is, packed, with the rows of its manifest: in order of
 * keys, and those of one output in order of offsets.  Without bytes: outputs without a record. */
FL_CHECK bool log_sealer_adopt(struct log_sealer *sealer, struct fl_str packed, uint32_t raw_bytes,
                               const struct log_manifest_row *rows, size_t rows_len,
                               struct fl_err *err);

uint32_t log_sealer_outputs(const struct log_sealer *sealer);

/* Returns the file, durable under its final name; it replaces an older file of that name. */
struct log_sealed *log_sealer_finish(struct log_sealer *sealer, struct fl_err *err);
