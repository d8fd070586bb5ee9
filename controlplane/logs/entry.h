/* entry.h - the bytes of an open segment: its header and its entries.
 * A segment begins with a header of 40 bytes, and entries follow without a space between them.
 * Numbers are little endian; docs/log-format.md shows both layouts.  An entry belongs to one source
 * and names it by the number that a SOURCE entry of this segment gave it (0, 1, 2 ...):
 *
 *   SOURCE   key, offset of its next record, chain and lines so far
 *   RECORDS  records of shared/wire/log_record.h, each with its own checksum
 *   END      no record follows: key, offset and chain
 *
 * log_scan walks the bytes of a segment that may end anywhere.  An entry is bad if its checksum is
 * wrong, its number unknown, if its records do not begin where their source ended, or if it names
 * another key than its SOURCE entry.  The walk can go on behind it: it then takes records that
 * begin later, too, and gives the records of a lost SOURCE entry once an END names their key.
 * Uses shared/base and shared/wire; no I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/logs/key.h"
#include "shared/base/buf.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/vec.h"
#include "shared/wire/log_message.h"
#include "shared/wire/log_record.h"

#define LOG_SEGMENT_HEADER_BYTES 40
#define LOG_ENTRY_HEADER_BYTES 16
#define LOG_ENTRY_SOURCE_BYTES (LOG_KEY_BYTES + 8 + 4 + 8 + 1)
#define LOG_ENTRY_END_BYTES (LOG_KEY_BYTES + 8 + 4)
#define LOG_ENTRY_BYTES_MAX (LOG_ENTRY_HEADER_BYTES + FL_LOG_RECORDS_BYTES_MAX)
#define LOG_SEGMENT_SOURCES_MAX ((uint32_t)1 << 20)

enum log_entry_kind {
    LOG_ENTRY_SOURCE = 1,
    LOG_ENTRY_RECORDS = 2,
    LOG_ENTRY_END = 3,
};

struct log_segment_header {
    struct fl_cluster cluster;
    uint64_t seq; /* the store numbers its segments in the order it makes them */
    fl_ms created_at;
};

/* The end of a source, or of a part of it. */
struct log_place {
    uint64_t offset; /* all bytes before it are stored, or in a gap */
    uint64_t lines;  /* newlines and gaps before it */
    uint32_t chain;
    bool is_mid; /* the last byte is no newline */
};

/* The summary of a run of records; the front computes it once, when it checks them. */
struct log_run {
    uint64_t offset, end;
    uint64_t lines;
    fl_ms time, last_time; /* the first and the last record's */
    uint32_t records;
    bool is_mid;
};

void log_segment_header_put(uint8_t ret_bytes[LOG_SEGMENT_HEADER_BYTES],
                            const struct log_segment_header *header);
FL_CHECK bool log_segment_header_get(struct fl_str bytes, struct log_segment_header *ret_header);

/* Each writes an entry; for RECORDS only the header, before the records. */
void log_entry_put_source(uint8_t ret_bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_SOURCE_BYTES],
                          uint32_t number, const struct log_key *key,
                          const struct log_place *place);
void log_entry_put_records(uint8_t ret_bytes[LOG_ENTRY_HEADER_BYTES], uint32_t number,
                           uint32_t records_bytes);
void log_entry_put_end(uint8_t ret_bytes[LOG_ENTRY_HEADER_BYTES + LOG_ENTRY_END_BYTES],
                       uint32_t number, const struct log_key *key, const struct log_place *place);

/* Sums up records that must be whole and without a hole (as fl_log_message_next checks); with
 * 'is_checked' it does not check their crc.  False: they are not. */
FL_CHECK bool log_run_sum(struct fl_str records, bool is_checked, struct log_run *ret_run);

/* The place behind 'records', which begin at place->offset and are checked. */
void log_place_advance(struct log_place *place, struct fl_str records, const struct log_run *run);

struct log_entry {
    enum log_entry_kind kind;
    uint32_t number;
    uint64_t pos;           /* where the records, or else the entry, begin in the segment */
    uint32_t len;           /* RECORDS: how many bytes they have */
    struct log_key key;     /* the source's, in all kinds */
    struct log_place place; /* RECORDS: the source's before them; else the entry's */
    struct log_place after; /* the source's behind the entry */
    struct log_run run;     /* RECORDS */
};

struct log_scan_source {
    struct log_key key;
    struct log_place place;
    bool is_known, is_ended;
};

/* Records whose SOURCE entry is lost. */
struct log_scan_orphan {
    uint32_t number, len;
    uint64_t pos;
    struct log_run run;
};

struct log_scan {
    struct log_segment_header header; /* zero if it is bad */
    uint64_t pos;                     /* the next entry is looked for there */
    uint64_t good_bytes;              /* where the last good entry ends */
    bool is_damaged;                  /* log_scan_skip was called */
    uint64_t damaged_at;              /* the first bad byte that is not behind all good entries */
    uint64_t damaged_bytes;           /* how many are not; 0: none */
    FL_VEC(struct log_scan_source) sources;
    FL_VEC(struct log_scan_orphan) orphans;
    uint32_t given_of; /* orphans of this source, from 'given' on, are the next entries */
    size_t given;      /* orphans.len: none */
};

void log_scan_init(struct log_scan *scan);
void log_scan_fini(struct log_scan *scan); /* NULL is fine */

/* 'bytes' are the segment's from scan->pos on: LOG_ENTRY_BYTES_MAX or more, or all that are left.
 * READY: *ret_entry is the next entry, and pos stands behind it.  MORE: the entry is not whole in
 * 'bytes'.  BAD: log_scan_skip goes on behind it. */
enum fl_log_answer log_scan_next(struct log_scan *scan, struct fl_str bytes,
                                 struct log_entry *ret_entry);

/* Moves pos behind a bad entry if its length can be believed, else one byte on, so that the next
 * good entry is found.  After BAD, or MORE at the end of the file; 'bytes' is not empty. */
void log_scan_skip(struct log_scan *scan, struct fl_str bytes);
