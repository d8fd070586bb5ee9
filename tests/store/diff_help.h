/* diff_help.h - what a real Postgres holds, compared with what the fake one does.
 * The comparisons say where the first difference is; that they can, a test shows.
 * Uses the fake Postgres of the simulator and libpq. */
#pragma once

#include <libpq-fe.h>

#include "controlplane/core/core_command.h"
#include "tests/sim/fake_pg.h"
#include "tests/store/store_help.h"

/* How much is wanted: FL_TEST_MODE is fast (so it is when unset), full or long. */
uint64_t diff_by_mode(uint64_t fast, uint64_t full, uint64_t longer);

/* A new database with the schema, on a server of this test alone whose files are in memory where
 * that has room: hundred thousands of commits would mostly wait for a disk, and what a disk is
 * needed for, a machine that loses power, is not tested.  Else, and with FL_TEST_DISK set, on the
 * server of all tests.  fsync is on in either.  Free it with fl_free. */
char *diff_database(void);

/* A store that is driven by hand, and on which nothing depends on how fast that is: its lease
 * lasts, and what is old by Postgres's clock stays.  The lease is the caller's to release or to let
 * expire by SQL. */
#define DIFF_TTL_MS ((uint32_t)24 * 3600 * 1000)
struct help *diff_help(const char *conninfo, const char *instance, uint64_t partitions_ahead);

void diff_taken(const struct engine_taken *real,
                const struct engine_taken *fake); /* must be equal */

/* The schema as it is after migrate; epoch 0 and a free lease. */
void diff_reset(PGconn *pg);
void diff_run(PGconn *pg, const char *sql); /* each must pass */
uint64_t diff_number(PGconn *pg, const char *sql);

/* Every table but the journal, row by row, in the order of keys. */
FL_CHECK bool diff_tables(PGconn *pg, const struct fake_pg *fake, struct fl_err *err);

/* The journal's keys, times and bodies; its epochs too, 'with_epochs'. */
FL_CHECK bool diff_journal(PGconn *pg, const struct fake_pg *fake, bool with_epochs,
                           struct fl_err *err);

/* A fake one that was given nothing but what the real one's journal says. */
struct fake_pg *diff_fold_journal(PGconn *pg);

/* Are the tables what the journal says, by the rules of diff_fold.h? */
FL_CHECK bool diff_fold(PGconn *pg, struct fl_err *err);

/* Two runs of encoded rows. */
FL_CHECK bool diff_rows(struct fl_str real, struct fl_str fake, struct fl_err *err);

/* The rows that fake_pg_load gives, encoded. */
void diff_fake_load(const struct fake_pg *fake, struct fl_buf *out);

void diff_add_rows(struct core_batch *batch, struct fl_str body);

/* That the comparisons can fail: changes a row of each table, and of the journal, in a transaction
 * that is rolled back.  NULL: each was noticed; else the change that was not. */
const char *diff_blind_spot(PGconn *pg, const struct fake_pg *fake);
