/* reader_ask.h - the calls of a reader for the read_*.c files alone.
 * A question is a statement of stmts.def with its values; 'op' is copied for its answer.  Uses
 * pg_conn. */
#pragma once

#include "controlplane/store/pg_array.h"
#include "controlplane/store/pg_conn.h"
#include "controlplane/store/reader.h"
#include "controlplane/store/row_columns.h"
#include "shared/base/arena.h"

enum { READER_OP_BYTES_MAX = 8192 };

struct reader_answer {
    struct reader *reader;
    const PGresult *result; /* NULL: the read failed, 'err' says why */
    int rows;
    const struct fl_err *err;
    struct fl_arena *arena; /* lives as long as the call */
};

typedef void reader_answer_fn(void *op, const struct reader_answer *answer);

/* Returns the question's number; 0: FL_FULL, nothing was asked. */
uint64_t reader_ask(struct reader *reader, enum pg_stmt stmt, const struct pg_value *values,
                    reader_answer_fn *answer, const void *op, size_t op_bytes, struct fl_err *err);

/* The same where each value is a number: as the statement's types have it. */
uint64_t reader_ask_numbers(struct reader *reader, enum pg_stmt stmt, const uint64_t *numbers,
                            reader_answer_fn *answer, const void *op, size_t op_bytes,
                            struct fl_err *err);

/* The same where the values are the jobs' ids, and how many rows to read. */
uint64_t reader_ask_jobs(struct reader *reader, enum pg_stmt stmt, const struct fl_job *jobs,
                         size_t len, uint64_t rows_max, reader_answer_fn *answer, const void *op,
                         size_t op_bytes, struct fl_err *err);

/* Asks a further question from within an answer.  It has the first question's number, so that
 * reader_forget drops it, and the first question's deadline. */
void reader_ask_on(struct reader *reader, enum pg_stmt stmt, const struct pg_value *values,
                   reader_answer_fn *answer, const void *op, size_t op_bytes);

/* For the log: something in an answer that was left out. */
void reader_note(const struct reader *reader, const char *text);

/* Fields of an answer; NULL and absent are empty. */
bool reader_is_null(const PGresult *result, int row, int column);

/* A row of a place (row_columns.h); its columns stand there from 'column' on.  False: it cannot be
 * read. */
FL_CHECK bool reader_row(const PGresult *result, int i, int column, unsigned place,
                         struct row *ret_row);
