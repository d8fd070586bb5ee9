/* log_record.h - replica output as records.  The supervisor's files, the LOG stream and the log
 * store hold the same records byte for byte, so that no part has to cut the output again.
 * A record is a header of 24 bytes, numbers little endian, and its bytes:
 *
 *     0  offset   u64   of its first byte in all that the replica wrote, from 0
 *     8  time     i64   when it was read, Unix milliseconds
 *    16  length   u32   number of bytes, 1 .. 32768; bit 31: the record is a gap
 *    20  crc      u32   CRC-32C of the 20 bytes before and of the bytes
 *
 * The bytes of a gap are u64 how many are missing (at least 1) and u8 why.  A record knows nothing
 * of lines: it ends wherever a read ended.  One source's records follow each other without a hole:
 * a gap record stands for missing bytes.
 * Its chain is a CRC-32C over the crc fields of all its records so far, 0 at first: two ends that
 * agree on offset and chain hold the same output, and neither had to read it twice.
 * A file that was being written when its machine died ends anywhere: fl_log_scan finds the last
 * good record.  Zeroed blocks are not records.  Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_LOG_RECORD_HEADER_BYTES 24
#define FL_LOG_RECORD_DATA_MAX 32768
#define FL_LOG_RECORD_BYTES_MAX (FL_LOG_RECORD_HEADER_BYTES + FL_LOG_RECORD_DATA_MAX)
#define FL_LOG_GAP_BYTES (FL_LOG_RECORD_HEADER_BYTES + 9)

/* name, number, meaning.  Numbers are stored: never reused. */
#define FL_LOG_GAPS(X)                                                                             \
    X(none, 0, "no gap: the record has bytes")                                                     \
    X(limit, 1, "the output passed its limit, and the middle was given up")                        \
    X(disk_full, 2, "the disk was full where it was written")                                      \
    X(rotated, 3, "removed where it was written before it could be read")                          \
    X(damaged, 4, "stored bytes did not match their checksum")                                     \
    X(lost, 5,                                                                                     \
      "its end is not known, and no agent has more of it; made for readers, never stored")         \
    X(unknown, 6, "some may be missing, from the time before it to its own; counts as one byte")

enum fl_log_gap {
#define FL_LOG_GAP_ENUM(name, number, meaning) FL_LOG_GAP_##name = (number),
    FL_LOG_GAPS(FL_LOG_GAP_ENUM)
#undef FL_LOG_GAP_ENUM
        FL_LOG_GAPS_LEN
};

const char *fl_log_gap_name(enum fl_log_gap gap); /* "?" for a number from outside */
const char *fl_log_gap_meaning(enum fl_log_gap gap);

struct fl_log_record {
    uint64_t offset;
    fl_ms time;
    enum fl_log_gap gap;
    uint64_t gap_bytes;  /* how many bytes a gap stands for; else 0 */
    struct fl_str bytes; /* empty in a gap; else 1..FL_LOG_RECORD_DATA_MAX */
    uint32_t crc;        /* as it was read; set by the writers too */
};

/* Where the next record of this source begins. */
uint64_t fl_log_record_end(const struct fl_log_record *record);

uint32_t fl_log_chain(uint32_t chain, const struct fl_log_record *record);

/* ---- writing --------------------------------------------------------------------------------- */

/* The header to write before record->bytes, for a caller that writes both with one writev.  The
 * record is not a gap. */
void fl_log_record_header(uint8_t ret_header[FL_LOG_RECORD_HEADER_BYTES],
                          struct fl_log_record *record);

/* A whole gap record. */
void fl_log_record_gap(uint8_t ret_gap[FL_LOG_GAP_BYTES], struct fl_log_record *record);

/* Appends a record of either kind to 'out'.  False: it does not fit, nothing is written. */
FL_CHECK bool fl_log_record_put(struct fl_buf *out, struct fl_log_record *record);

/* ---- reading --------------------------------------------------------------------------------- */

enum fl_log_answer {
    FL_LOG_MORE,  /* the bytes begin a record, or the input is empty */
    FL_LOG_READY, /* a record was taken off the front */
    FL_LOG_BAD,   /* the bytes are not a record */
};

/* Takes one record off *bytes; its bytes are a view.  MORE and BAD take nothing. */
enum fl_log_answer fl_log_record_next(struct fl_str *bytes, struct fl_log_record *ret_record);

/* The same for bytes that were checked before in this process: their crc is believed. */
enum fl_log_answer fl_log_record_again(struct fl_str *bytes, struct fl_log_record *ret_record);

/* A walk through the file of one source from its beginning, however it is cut into reads. */
struct fl_log_scan {
    uint64_t good_bytes;  /* the file up to the end of its last good record: cut it here */
    uint64_t next_offset; /* the offset that the next record must have */
    uint64_t records;
    uint32_t chain; /* over the records seen; the caller may set its first value */
    bool is_bad; /* the bytes at good_bytes are not a record: nothing after them can be trusted */
    struct fl_buf part;
};

/* The first record must begin at 'offset'. */
void fl_log_scan_init(struct fl_log_scan *scan, uint64_t offset);
void fl_log_scan_fini(struct fl_log_scan *scan); /* NULL is fine */

/* Takes bytes off the front of *bytes and gives record by record until MORE (all is taken) or BAD,
 * which stays.  A record that does not follow the one before it is BAD.  At the end of the file
 * MORE means that bytes behind good_bytes, if any, are torn.  The record is valid until the next
 * call, as long as *bytes is. */
enum fl_log_answer fl_log_scan_next(struct fl_log_scan *scan, struct fl_str *bytes,
                                    struct fl_log_record *ret_record);
