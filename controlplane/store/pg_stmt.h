/* pg_stmt.h - the statements of stmts.def as they are sent to Postgres.
 * The text of a statement on rows is made from their columns (row_columns.h).  In it
 *   {table}                  is the rows' table
 *   {columns} {u.columns}    are its columns; the same with u. before each, or j.: {j.columns}
 *   {keys} {key}             are the columns of the key; the first of them
 *   {s.keys=u.keys}          is "s.a = u.a and ..."
 *   {sets} {u.sets}          are "a = excluded.a, ..." and "a = u.a, ..." for all columns outside
 *                            the key
 *   {stamps} {$stamps}       are the columns that no row has, each behind a comma; their parameters
 *   {unnests} {arrays}       are the parameters, an array a column: "unnest($1) a, ..."; "$1, ...";
 *                            a column of one value has no array: it is a parameter in {u.columns}
 *   {array}                  is the first array
 *   {lo} {hi}                are further parameters: the smallest and largest job of the rows
 * Uses the core's rows and Postgres's type numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controlplane/store/pg_type.h"

enum pg_role { PG_WRITER, PG_READER, PG_PLAIN, PG_LOADER, PG_LEDGER };

enum pg_stmt {
#define STMT(name, role, types, sql) PG_STMT_##name,
#define ROW_STMT(name, role, place, without, types, sql) PG_STMT_##name,
#define EDIT_STMT(name, edits, sql) PG_STMT_##name,
#define ALIKE_STMT(name, stmt, with, without) PG_STMT_##name,
#include "controlplane/store/stmts.def"
    PG_STMTS_LEN
};

enum { PG_PARAMS_MAX = 32, PG_SQL_MAX = 4096 };

/* The source of a parameter in a statement on rows: a column's number, for its array, or one of
 * these; from PG_OF_ONE on stand the columns that are one value. */
enum pg_source { PG_OF_BATCH = 100, PG_OF_AT, PG_OF_LO, PG_OF_HI, PG_OF_ONE };

enum pg_edits { PG_EDITS_NONE, PG_EDITS_JOB, PG_EDITS_OPEN_JOB };

struct pg_stmt_info {
    const char *name;
    enum pg_role role;
    unsigned place;      /* see row_columns.h; 0: the statement is not on rows */
    enum pg_edits edits; /* the edited row; columns that it does not have are left out */
    const char *without, *sql;
    Oid types[PG_PARAMS_MAX]; /* the types that the statement lists */
    int params;
    bool alike; /* it is the statement 'of' where columns are one value, see stmts.def */
    enum pg_stmt of;
    const char *with; /* those that are texts; 'without' are those that are not */
};

extern const struct pg_stmt_info pg_stmts[PG_STMTS_LEN];

struct pg_stmt_text {
    char sql[PG_SQL_MAX];
    Oid types[PG_PARAMS_MAX];
    uint8_t sources[PG_PARAMS_MAX]; /* enum pg_source, or a column */
    int params;
};

void pg_stmt_text(enum pg_stmt stmt, struct pg_stmt_text *ret_text);
