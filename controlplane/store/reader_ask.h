/* reader_ask.h - the calls of a reader for the read_*.c files alone.
 * A question is a statement of stmts.def with its values; 'op' is copied for its answer.  Uses
 * pg_conn. */
#pragma once

#include "controlplane/store/pg_array.h"
#include "controlplane/store/pg_conn.h"
#include "controlplane/store/reader.h"
#include "shared/base/arena.h"

enum { READER_OP_BYTES_MAX = 8192 };

/* 'result' is NULL if the read failed, and 'err' says why.  'arena' lives as long as the call. */
typedef void reader_answer_fn(struct reader *reader, void *op, const PGresult *result,
                              const struct fl_err *err, struct fl_arena *arena);

/* Returns the question's number; 0: FL_FULL, nothing was asked. */
uint64_t reader_ask(struct reader *reader, enum pg_stmt stmt, const struct pg_value *values,
                    reader_answer_fn *answer, const void *op, size_t op_bytes, struct fl_err *err);

/* Asks a further question from within an answer.  It has the first question's number, so that
 * reader_forget drops it, and the first question's deadline. */
void reader_ask_on(struct reader *reader, enum pg_stmt stmt, const struct pg_value *values,
                   reader_answer_fn *answer, const void *op, size_t op_bytes);

/* Fields of an answer; NULL and absent are empty. */
bool reader_is_null(const PGresult *result, int row, int column);
struct fl_digest reader_digest(const PGresult *result, int row, int column);
