/* row_table.h - rows.def as data: which table keeps a kind of row, by which fold, and its fields,
 * to be walked.
 * Encoder and decoder in row.c need speed, and expand rows.def instead; all others walk.
 * Uses row.h.  Constant. */
#pragma once

#include "controlplane/core/row.h"

struct fl_arena;

/* The tables.  JOURNAL rows have none; open_job keeps a part of job_new. */
enum row_table {
    ROW_TABLE_none,
#define ROW_TABLE_OF_APPEND(table) ROW_TABLE_##table,
#define ROW_TABLE_OF_NEXT ROW_TABLE_OF_APPEND
#define ROW_TABLE_OF_FIRST ROW_TABLE_OF_APPEND
#define ROW_TABLE_OF_LAST ROW_TABLE_OF_APPEND
#define ROW_TABLE_OF_REMOVE(table)
#define ROW_TABLE_OF_JOURNAL(table)
#define F(type, name)
#define B(type, name, max)
#define ROW(name, number, fold, table, fields) ROW_TABLE_OF_##fold(table)
#include "controlplane/core/rows.def"
    ROW_TABLE_open_job,
    ROW_TABLES_LEN
};

enum row_fold {
    ROW_FOLD_JOURNAL,
    ROW_FOLD_APPEND,
    ROW_FOLD_NEXT,
    ROW_FOLD_FIRST,
    ROW_FOLD_LAST,
    ROW_FOLD_REMOVE,
};

enum row_type {
    ROW_TYPE_job,
    ROW_TYPE_u8,
    ROW_TYPE_flag,
    ROW_TYPE_u16,
    ROW_TYPE_code,
    ROW_TYPE_u32,
    ROW_TYPE_i32,
    ROW_TYPE_u64,
    ROW_TYPE_some_u64,
    ROW_TYPE_i64,
    ROW_TYPE_digest,
    ROW_TYPE_text,
    ROW_TYPE_some_text,
    ROW_TYPE_bytes,
    ROW_TYPE_some_bytes,
    /* Columns that no row carries. */
    ROW_TYPE_COUNT,
    ROW_TYPE_BATCH,
    ROW_TYPE_AT,
};

struct row_field {
    const char *name;
    uint32_t max; /* bytes, at most */
    uint16_t at;  /* in struct row */
    uint8_t type; /* enum row_type */
    bool is_key, is_in_table, is_in_open_job;
};

struct row_info {
    enum row_table table;
    enum row_fold fold;
    const struct row_field *fields;
    size_t len;
};

/* ROW_unknown has no fields. */
struct row_info row_info(enum row_kind kind);

const char *row_table_name(enum row_table table);
/* The kind of row that is kept there; job_new for open_job.  Not for 'none'. */
enum row_kind row_table_kind(enum row_table table);

/* A field is a number of so many bytes; 0: it is a digest or a string. */
size_t row_number_bytes(const struct row_field *field);
int64_t row_number(const struct row *row, const struct row_field *field);
void row_set_number(struct row *row, const struct row_field *field, uint64_t v);

/* A digest or a string, which is borrowed. */
struct fl_str row_bytes(const struct row *row, const struct row_field *field);
/* False: these are not as many as a digest has. */
FL_CHECK bool row_set_bytes(struct row *row, const struct row_field *field, struct fl_str bytes);

/* The row's strings become copies in the arena. */
void row_keep(struct row *row, struct fl_arena *arena);

/* NULL: rows of this kind have no field of this name. */
const struct row_field *row_field_named(enum row_kind kind, const char *name);

/* The job_new row takes each value of a job_edit row that it has a field for, but its key. */
void row_edit(struct row *job, const struct row *edit);

/* A row's key in bytes whose order is that of the fields: numbers are big endian.  Empty for a row
 * without one. */
enum { ROW_KEY_BYTES_MAX = 4 + 128 };

struct row_key {
    uint32_t len;
    uint8_t at[ROW_KEY_BYTES_MAX];
};

void row_key(const struct row *row, struct row_key *ret_key);
int row_key_cmp(const struct row_key *a, const struct row_key *b);
