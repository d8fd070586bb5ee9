/* row_columns.h - rows of rows.def as rows of tables: the names of their columns, their types in
 * Postgres, and their values in both directions.  A 'place' is where rows are kept: the number of a
 * kind of row, or ROW_OPEN_JOB for the part of job_new that open_job keeps.  Uses the core's rows
 * and pg_array. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/pg_array.h"

#define ROW_OPEN_JOB ROW_KINDS_LEN
#define ROW_PLACES_LEN (ROW_KINDS_LEN + 1)

enum { ROW_COLUMNS_MAX = 20 };

enum row_fold {
    ROW_FOLD_JOURNAL,
    ROW_FOLD_APPEND,
    ROW_FOLD_NEXT,
    ROW_FOLD_FIRST,
    ROW_FOLD_LAST,
    ROW_FOLD_REMOVE,
};

struct row_column {
    const char *name; /* the field's; row_column_name gives Postgres's name */
    Oid type;
    bool is_key;
    bool is_count; /* it numbers the rows of a batch, and is no field of the row */
};

struct row_table {
    const char *name;
    enum row_fold fold;
    struct row_column columns[ROW_COLUMNS_MAX];
    size_t len;
};

const struct row_table *row_table(unsigned place);
const char *row_column_name(unsigned place, size_t column);
const char *row_stamps(unsigned place); /* the columns that no row carries: ", batch", ", at" */

/* Appends the row's values to the columns; 'count': how many rows of the kind the batch had before
 * it. */
void row_bind(const struct row *row, struct pg_array *columns, uint32_t count);
void row_bind_open_job(const struct row *job_new, struct pg_array *columns);

/* Reads a row from binary values, one for each column but a count; NULL is 0 or empty.  False: a
 * value has a length that its type does not have, or is a number that its field cannot hold. */
FL_CHECK bool row_read(unsigned place, const struct fl_str *columns, struct row *ret_row);
