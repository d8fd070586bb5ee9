/* diff_fold.h - which table each kind of row goes to, and what it does there, written down a second
 * time.  rows.def says it to the store and to the fake Postgres alike, so that an error there would
 * be in both: this says it again, by hand, and reads no fold of rows.def.
 * Uses tables of the fake Postgres to hold rows. */
#pragma once

#include "tests/sim/fake_pg.h"
#include "tests/sim/pg_table.h"

/* The rows of a batch, in the order decided.  False: FL_CONFLICT, the journal has a row that its
 * table must have refused. */
FL_CHECK bool diff_fold_batch(struct pg_table tables[ROW_TABLES_LEN], uint64_t batch,
                              struct fl_str rows, struct fl_err *err);
