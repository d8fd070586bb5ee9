/* row_columns.h - rows of rows.def as rows of tables: the names of their columns, their types in
 * Postgres, and their values in both directions.  A 'place' is where rows are kept: the number of a
 * kind of row, or ROW_OPEN_JOB for the part of job_new that open_job keeps.  Uses the core's rows
 * and pg_array. */
#pragma once

#include "controlplane/core/row_table.h"
#include "controlplane/store/pg_array.h"

struct fl_arena;

#define ROW_OPEN_JOB ROW_KINDS_LEN
#define ROW_PLACES_LEN (ROW_KINDS_LEN + 1)

enum { ROW_COLUMNS_MAX = 24 };

/* The columns of a place, in the order of rows.def. */
struct row_columns {
    const char *table;
    size_t len;
    const struct row_field *at[ROW_COLUMNS_MAX]; /* the fields that are columns, and a count */
    bool has_batch, has_at; /* columns that are one value for all rows of a batch */
};

struct row_columns row_columns(unsigned place); /* len 0: nothing is kept there */
size_t row_columns_len(unsigned place);         /* the same 'len', at once */

/* Postgres's name: a key that is named as its table is 'id'. */
const char *row_column_name(const struct row_columns *columns, size_t i);
Oid row_column_type(const struct row_field *field);
/* "a, b, ...": all of them, or those of the key, each behind 'prefix'; in the arena. */
const char *row_column_list(const struct row_columns *columns, const char *prefix, bool is_key,
                            struct fl_arena *arena);

/* Appends a row's values to the arrays of its place's columns; 'count': how many rows of the kind
 * the batch had before it. */
void row_bind(unsigned place, const struct row *row, struct pg_array *arrays, uint32_t count);

/* Reads a row from binary values, one for each column; NULL is 0 or empty.  False: a value has a
 * length that its type does not have, or is a number that its field cannot hold. */
FL_CHECK bool row_read(unsigned place, const struct fl_str *values, struct row *ret_row);
