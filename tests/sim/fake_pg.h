/* fake_pg.h - a Postgres that is not there: the control plane's tables, in memory, in virtual time.
 * It keeps what the real one keeps, as encoded rows under the keys of schema/0001_init.sql, and
 * answers what the store's statements make the real one answer: the chain (stale epoch, missing
 * predecessor, repeated batch), one live attempt, one terminal row, the leader and lease rows, a
 * takeover that ends the old writer, a batch behind a failed one, a disk that is full.  tests/store
 * compares the two.
 *
 * Time is the caller's: a call happens in the server at one instant, and who lets messages travel
 * decides when.  So a batch whose connection was lost at the client's end may still be executed
 * here, later, until its backend is ended.
 * Single-threaded; no clock, no randomness. */
#pragma once

#include "controlplane/core/row_table.h"
#include "controlplane/engine/engine.h"
#include "controlplane/engine/time_rule.h"

struct fake_pg;
struct pg_table;

#define FAKE_PG_POISON "poison" /* a job of this name: its batch is refused, as by a constraint */
#define FAKE_PG_TTL_MS (6 * FL_SECOND_MS)

struct fake_pg_journal {
    uint64_t batch, epoch;
    fl_ms at;
    struct fl_str body; /* its encoded rows */
};

/* An empty schema with the genesis journal row; partitions exist below the two limits. */
struct fake_pg *fake_pg_create(uint64_t job_below, uint64_t batch_below);
void fake_pg_destroy(struct fake_pg *pg);

/* ---- the server's own state ------------------------------------------------------------------ */

uint32_t fake_pg_connect(struct fake_pg *pg); /* a backend, never 0 */
void fake_pg_end(struct fake_pg *pg,
                 uint32_t backend);       /* it is gone, its transaction rolled back */
void fake_pg_end_all(struct fake_pg *pg); /* the server stops; committed rows stay */
bool fake_pg_is_live(const struct fake_pg *pg, uint32_t backend);
/* The server is stopped and goes on as it was when that batch was its newest: a backup is restored.
 * The partitions stay. */
void fake_pg_restore(struct fake_pg *pg, uint64_t batch);

struct fake_pg_faults {
    bool is_full;
    bool is_deaf;      /* pg_terminate_backend does not get through */
    bool is_read_only; /* a renewal gets no answer: it is not written */
};
struct fake_pg_faults *fake_pg_faults(struct fake_pg *pg); /* the caller's to set */

void fake_pg_set_room(struct fake_pg *pg, uint64_t job_below, uint64_t batch_below);

/* Maintenance removes the partitions of ids below: none of these jobs is open, and the newest id is
 * not among them. */
bool fake_pg_may_remove(const struct fake_pg *pg, uint64_t below);
void fake_pg_remove(struct fake_pg *pg, uint64_t below);
bool fake_pg_is_gone(const struct fake_pg *pg, uint64_t job);

/* ---- the store's connections ----------------------------------------------------------------- */

/* The takeover transaction on a new writer connection; 'ret_mark' is what the lease's row keeps of
 * time, and the caller makes taken->at of it.  FL_OK; FL_DEPOSED: the lease is another's;
 * FL_NO_SPACE; FL_UNAVAILABLE: the backend is gone, or nothing may be written; FL_CONFLICT: it
 * waits for a lock, ask again later. */
enum fl_code fake_pg_take(struct fake_pg *pg, uint32_t backend, const char *instance, fl_ms wall,
                          uint64_t batch_from, uint64_t epoch_above, struct engine_taken *ret_taken,
                          struct time_mark *ret_mark);

/* The row keeps 'mark', with 'wall' for Postgres's clock.  False: the lease is not this
 * instance's. */
bool fake_pg_mark(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall,
                  struct time_mark mark);
/* The same, and the lease is good for longer. */
bool fake_pg_renew(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall,
                   struct time_mark mark);
/* Nothing, when this instance has taken over from itself since. */
void fake_pg_release(struct fake_pg *pg, const char *instance, uint64_t epoch, fl_ms wall,
                     struct time_mark mark);

/* One batch: everything up to COMMIT, then COMMIT.  'text' (may be NULL) gets the server's text for
 * a refusal.  ENGINE_UNKNOWN: the backend is gone, and no answer will come. */
enum engine_commit fake_pg_begin(struct fake_pg *pg, uint32_t backend, uint64_t batch, fl_ms at,
                                 uint64_t epoch, struct fl_str body, const char **text);
enum engine_commit fake_pg_commit(struct fake_pg *pg, uint32_t backend, const char **text);
/* In place of fake_pg_commit: a statement of the batch waited too long for somebody's lock. */
enum engine_commit fake_pg_give_up(struct fake_pg *pg, uint32_t backend, const char *why,
                                   const char **text);

/* The rows a fresh core is loaded from, in the order of core.h. */
typedef void fake_pg_emit_fn(void *ctx, const struct row *row);
void fake_pg_load(const struct fake_pg *pg, fake_pg_emit_fn *emit, void *ctx);

/* The remembered answer of an Idempotency-Key; false: none. */
bool fake_pg_lookup(const struct fake_pg *pg, struct fl_tenant tenant, struct fl_str key,
                    struct fl_digest *ret_body_sha, struct fl_str *ret_answer);

/* ---- to look at, for checks ------------------------------------------------------------------ */

uint64_t fake_pg_epoch(const struct fake_pg *pg);
uint64_t fake_pg_newest(const struct fake_pg *pg); /* batch */
fl_ms fake_pg_at(const struct fake_pg *pg);        /* time of the newest batch */
uint64_t fake_pg_newest_job(const struct fake_pg *pg);
uint64_t fake_pg_job_next(const struct fake_pg *pg); /* as a load gives it */
size_t fake_pg_journal_len(const struct fake_pg *pg);
struct fake_pg_journal fake_pg_journal_at(const struct fake_pg *pg, size_t i); /* 0 is genesis */
const struct pg_table *fake_pg_table(const struct fake_pg *pg, enum row_table table);
size_t fake_pg_len(const struct fake_pg *pg, enum row_table table);
struct row fake_pg_row(const struct fake_pg *pg, enum row_table table, size_t i); /* key order */

/* The row whose key is these numbers, or the first of them.  False: not there.  'ret_row' may be
 * NULL; its strings are borrowed until the next change. */
bool fake_pg_find(const struct fake_pg *pg, enum row_table table, uint64_t a, uint64_t b,
                  uint64_t c, struct row *ret_row);

/* The same, also in partitions that were removed. */
bool fake_pg_find_ever(const struct fake_pg *pg, enum row_table table, uint64_t a, uint64_t b,
                       uint64_t c, struct row *ret_row);

/* Are the tables what the journal says, row by row in the order decided?  False: 'err' names a
 * table. */
FL_CHECK bool fake_pg_fold_is_equal(const struct fake_pg *pg, struct fl_err *err);

/* Over all tables but the journal; equal contents, equal hash. */
uint64_t fake_pg_hash(const struct fake_pg *pg);
