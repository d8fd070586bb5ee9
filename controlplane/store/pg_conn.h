/* pg_conn.h - one connection to Postgres that never waits.
 * It connects, sets what its role needs, prepares the statements of its role (stmts.def), and is
 * then READY.  WRITER, READER and LEDGER are in pipeline mode: many statements are sent before the
 * first is answered.  PLAIN sends one text at a time and may COPY.
 *
 *   pg_conn_create -> pg_conn_turn until READY -> pg_conn_send ..., pg_conn_sync, pg_conn_next ...
 *
 * It watches its own socket on its owner's loop and calls the owner's 'wake' when a turn is due;
 * the owner then calls pg_conn_turn, and does so at pg_conn_deadline at the latest.  LOST is for
 * good: destroy it.  One step does wait: libpq looks up a host name (not an address, not a socket's
 * folder) while it connects.
 * Uses libpq and shared/io/loop.  Not thread-safe. */
#pragma once

#include <libpq-fe.h>

#include "controlplane/store/pg_stmt.h"
#include "controlplane/store/pg_waker.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

enum pg_state { PG_CONNECTING, PG_READY, PG_LOST };

enum { PG_CONNECT_MS = 5000 }; /* connecting and preparing together */

struct pg_conn;

/* Never NULL; every failure shows as LOST.  pg_stat_activity shows 'purpose'. */
struct pg_conn *pg_conn_create(const char *conninfo, enum pg_role role, const char *purpose,
                               const struct pg_waker *waker, fl_ms now);
void pg_conn_destroy(struct pg_conn *conn); /* NULL is fine; closes at once */

/* A held connection does not watch its socket, so that the server waits. */
void pg_conn_hold(struct pg_conn *conn, bool is_held);
fl_ms pg_conn_deadline(const struct pg_conn *conn); /* when a turn is due without input */

/* Reads and writes without waiting.  When LOST it may still hold results that came before the end:
 * take them with pg_conn_next. */
enum pg_state pg_conn_turn(struct pg_conn *conn, fl_ms now);
enum pg_state pg_conn_state(const struct pg_conn *conn);
const char *pg_conn_error(const struct pg_conn *conn); /* one line, why it is LOST */

/* READY only.  False: it is LOST now. */
FL_CHECK bool pg_conn_send(struct pg_conn *conn, enum pg_stmt stmt, const struct pg_value *values);
FL_CHECK bool pg_conn_send_text(struct pg_conn *conn, const char *sql, int params,
                                const char *const *texts); /* values as text, result as text */
FL_CHECK bool pg_conn_sync(struct pg_conn *conn);

enum pg_next {
    PG_NOTHING, /* wait for input */
    PG_RESULT,  /* PQclear it */
    PG_DONE,    /* PLAIN: the text is answered completely, send the next */
};
enum pg_next pg_conn_next(struct pg_conn *conn, PGresult **ret_result);

/* For COPY. */
PGconn *pg_conn_raw(struct pg_conn *conn);

/* How a statement failed. */
struct pg_failure {
    char sqlstate[6]; /* "" when the connection was lost */
    char table[64], column[64];
    char text[200];
};
void pg_failure_of(const PGresult *result, struct pg_failure *ret_failure);

/* The error code for a failure, but for a batch's (apply_verdict).  FL_BUG: the statement is wrong,
 * and would fail again. */
enum fl_code pg_failure_code(const struct pg_failure *failure);

/* Big-endian fields of a binary result; NULL and absent are 0. */
int64_t pg_get_int(const PGresult *result, int row, int column);
/* NULL and absent are empty. */
struct fl_str pg_field(const PGresult *result, int row, int column);

/* A number as a value of a statement; lives in the caller's 'be'. */
struct pg_value pg_i64(int64_t *be, uint64_t v);
