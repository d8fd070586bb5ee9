/* row.h - one durable fact, as rows.def lists them: its struct, its name, its bytes.
 * The journal of a batch is a run of encoded rows.  Each row carries its length, so that programs
 * of different age read each other's: a field that an older program did not write is 0 or empty,
 * and the fields that only a newer one knows are skipped and counted.  Decoding is total: any bytes
 * are either a row or refused.  Uses shared/base only. */
#pragma once

#include "shared/base/api_limits.h"
#include "shared/base/err.h"
#include "shared/base/job_limits.h"
#include "shared/base/replica.h"
#include "shared/base/resource_name.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/usage.h"

struct fl_buf;
struct fl_reader;

/* Tables keyed by job are cut at multiples of this; a spec is stored once per range. */
#define ROW_JOB_RANGE ((uint64_t)1000000)

/* An audit row: by whom, from where, under which trace, with which outcome. */
enum {
    ROW_ACTOR_BYTES_MAX = 128,
    ROW_PEER_BYTES_MAX = 64,
    ROW_TRACE_BYTES_MAX = 32,
    ROW_OUTCOME_BYTES_MAX = 32
};

#define ROW_FIELD_job uint64_t
#define ROW_FIELD_u8 uint8_t
#define ROW_FIELD_flag uint8_t
#define ROW_FIELD_u16 uint16_t
#define ROW_FIELD_code uint16_t
#define ROW_FIELD_u32 uint32_t
#define ROW_FIELD_u64 uint64_t
#define ROW_FIELD_some_u64 uint64_t
#define ROW_FIELD_i32 int32_t
#define ROW_FIELD_i64 int64_t
#define ROW_FIELD_digest struct fl_digest
#define F(type, name) ROW_FIELD_##type name;
#define B(type, name, max) struct fl_str name;
#define ROW(name, number, fold, table, fields)                                                     \
    struct row_##name {                                                                            \
        fields                                                                                     \
    };
#include "controlplane/core/rows.def"

/* A kind that this program does not know. */
struct row_unknown {
    uint8_t number;
};

#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) char name[(number) + 1];
union row_numbers { /* as large as the greatest number, and one more */
#include "controlplane/core/rows.def"
};

enum row_kind {
    ROW_unknown = 0,
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) ROW_##name = (number),
#include "controlplane/core/rows.def"
};

/* A case of a switch over row->kind: the includer's K, F, B, ... are applied to the fields of 'r'.
 * Use: #define ROW ROW_CASE, then include rows.def within the switch. */
#define ROW_CASE(name_, number, fold, table, fields)                                               \
    case ROW_##name_: {                                                                            \
        const struct row_##name_ *r = &row->name_;                                                 \
        (void)r;                                                                                   \
        fields                                                                                     \
    } break;

#define ROW_KINDS_LEN ((unsigned)sizeof(union row_numbers))

struct row {
    enum row_kind kind;
    uint32_t skipped; /* bytes of it that only a newer program knows; an encoded row has none */
    union {
        struct row_unknown unknown;
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) struct row_##name name;
#include "controlplane/core/rows.def"
    };
};

/* The marks that open_mark keeps for an open job. */
enum core_mark {
    CORE_MARK_held = 1,        /* value 1 */
    CORE_MARK_cancel = 2,      /* value: enum reason */
    CORE_MARK_first_start = 3, /* value: fl_ms, a replica first ran; jobs with a deadline only */
    CORE_MARK_picked = 4, /* value: their count; body: the chosen elements, see element_set.h */
    CORE_MARK_after =
        5, /* value: their count; body: the jobs that it still waits for, see dependency.h.
                                  These jobs are open, or CORE_MARK_cancel is set too */
    CORE_MARK_edited = 6,    /* value: how many times */
    CORE_MARK_singleton = 7, /* value 1; body: its key, see singleton_table.h */
    CORE_MARK_each = 9,      /* value: the array for whose elements its own wait */
};

/* Numbers that must survive although no row carries them. */
enum core_counter {
    CORE_COUNTER_job_next = 1, /* the next id; raised past what an agent has seen of a lost history.
                                  A load gives the greater of this and 1 + the newest job. */
    CORE_COUNTER_job_lost_from = 2, /* ids of the lost history, both ends included */
    CORE_COUNTER_job_lost_to = 3,
    CORE_COUNTER_jobs_skipped = 4, /* ids that no job of this database has, below job_next */
    CORE_COUNTER_incarnations = 5, /* come on top of the leader row's incarnation */
    /* A later history than this database's that an agent has seen; all 0: none is known. */
    CORE_COUNTER_seen_incarnation = 7,
    CORE_COUNTER_seen_batch = 8,
    CORE_COUNTER_seen_job_below = 9,
    CORE_COUNTER_leader_incarnation = 10,   /* the leader row's, when batch_known was last noted */
    CORE_COUNTER_incarnation_known = 11,    /* the highest when a person last accepted a restore */
    CORE_COUNTER_incarnation_accepted = 12, /* the one that began then */
    CORE_COUNTER_batch_known = 6, /* no older incarnation had a batch beyond it, as far as known */
};

/* All kinds, in the order of rows.def. */
extern const enum row_kind row_kinds[];
extern const size_t row_kinds_len;

const char *row_kind_name(enum row_kind kind);

/* Whether rows of this kind can end an attempt. */
bool row_kind_ends_attempts(enum row_kind kind);

/* The job that a row is about; 0: none. */
uint64_t row_job(const struct row *row);

/* Appends the encoding of a known row.  False past out->max; the caller bounds its rows, so that
 * is for the fuzzers. */
FL_CHECK bool row_encode(struct fl_buf *out, const struct row *row);

/* The same, and the row's strings point into the encoding from then on. */
FL_CHECK bool row_move(struct fl_buf *out, struct row *row);
/* After a move of the bytes: points the strings into the encoding, which begins at 'at' now; gives
 * its end. */
const uint8_t *row_point(struct row *row, const uint8_t *at);

/* Takes the next row.  Its strings point into the reader's bytes. */
FL_CHECK bool row_decode(struct fl_reader *reader, struct row *ret_row, struct fl_err *err);

/* The same without a look inside: its kind (ROW_unknown: only a newer program knows it), and a
 * reader of its bytes, for row_decode. */
FL_CHECK bool row_cut(struct fl_reader *reader, enum row_kind *ret_kind, struct fl_reader *ret_row,
                      struct fl_err *err);

/* The next row as release 0001 wrote it: without its length.  For the store, which reads old
 * journals. */
FL_CHECK bool row_decode_0001(struct fl_reader *reader, struct row *ret_row, struct fl_err *err);

/* One line for people: "attempt_new job=7 element=0 n=1 ...".  Always terminated. */
void row_print(const struct row *row, char *out, size_t out_bytes);
