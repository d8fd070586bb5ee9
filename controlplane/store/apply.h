/* apply.h - turns a batch into the statements that make it durable.
 * It builds only statements that have rows.  If a batch puts, clears or drops a mark, queue,
 * cluster, shape or counter several times, only the newest row counts; among equal specs the oldest
 * counts.  So no statement has a row twice.  Ends come before attempts, and attempts before
 * terminal rows, as the schema's checks want it.
 *
 *   apply_send: builds and sends begin, the chain, ..., commit, sync.  The batch's result is the
 *   first failure, or success if the answer to commit was "COMMIT"
 *
 * Uses pg_conn and the core's rows.  Not thread-safe. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/engine/engine_port.h" /* enum engine_commit */
#include "controlplane/store/pg_conn.h"

struct apply; /* its memory is used again and again, up to APPLY_KEPT_BYTES */

enum { APPLY_KEPT_BYTES = 64 << 20 };

/* An accepted job gets its row in open_job only when the newest job is so many ids ahead of it, if
 * it is still open then: a job that ends before costs no row there.  A takeover writes the rows
 * that are missing (takeover.h), and looks back so many ids for them: so the number may grow from
 * release to release, and shrink never. */
enum { APPLY_LATE_JOBS = 1 << 15 };

/* 'late_jobs': a power of two, APPLY_LATE_JOBS at most. */
struct apply *apply_create(size_t late_jobs);
void apply_destroy(struct apply *apply); /* NULL is fine */

struct apply_stmt {
    enum pg_stmt stmt;
    size_t rows; /* 0 where no arrays are bound */
    struct pg_value values[PG_PARAMS_MAX];
};

struct apply_list {
    struct apply_stmt *at;
    size_t len, cap;
};

/* After a takeover: all open jobs, up to the newest job that there is, have their rows.  After a
 * batch that was not committed nothing but this may follow. */
void apply_restart(struct apply *apply, uint64_t job_newest);

/* The statements of a batch, begin and commit among them; they point into 'apply' and the batch,
 * and live until the next build. */
const struct apply_list *apply_build(struct apply *apply, const struct core_batch *batch,
                                     uint64_t epoch);

/* Builds, sends and syncs.  False: the connection is LOST. */
FL_CHECK bool apply_send(struct apply *apply, struct pg_conn *conn, const struct core_batch *batch,
                         uint64_t epoch);

/* The meaning of a batch's failure:
 *   23502 in column epoch of the journal                     DEPOSED
 *   23502 in column prev of the journal, 23505 on it, 25P02  RELOAD
 *   53100                                                    NO_SPACE
 *   no SQLSTATE, 08xxx, other 53xxx, 57Pxx, 58xxx            UNKNOWN: the server is not well
 *   21xxx, 22xxx, 23xxx, 54xxx: a batch can cause these      POISONED
 *   anything else                                            AWAY: the same requests may pass */
enum engine_commit apply_verdict(const struct pg_failure *failure);

/* The largest id of the jobs that the batch accepts; 0: it accepts none. */
uint64_t apply_job_newest(const struct core_batch *batch);
