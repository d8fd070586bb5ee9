/* fake_pg_state.h - the tables of the fake Postgres, for fake_pg.c, which changes them, and
 * fake_pg_read.c, which reads them. */
#pragma once

#include "shared/base/vec.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/pg_table.h"

/* The rows to put back when the open transaction does not commit, newest last. */
struct undo {
    enum row_table table;
    struct pg_entry old; /* row_len 0: there was none */
};

struct backend {
    uint32_t id;
    bool is_aborted; /* a statement failed: all that follows says 25P02 */
    bool has_batch;  /* begun, not committed; holds the leader row's share lock */
    struct fake_pg_journal batch;
    char *body;
};

struct fake_pg {
    struct pg_table tables[ROW_TABLES_LEN];
    FL_VEC(struct fake_pg_journal) journal;
    FL_VEC(struct backend) backends; /* live ones, by id */
    FL_VEC(struct undo) undo;
    uint32_t backend_next;
    struct fake_pg_faults faults;
    uint64_t job_below, batch_below;
    /* the leader row */
    uint64_t epoch;
    uint32_t incarnation;
    uint32_t writer;
    /* the lease row */
    char lease_instance[64];
    fl_ms lease_expires_at;
    struct time_mark lease_mark;
    /* rows of removed partitions: for the checks, and no statement finds them */
    struct pg_table gone[ROW_TABLES_LEN];
    uint64_t gone_below; /* ids */
};

/* For a row with these numbers as its key, or a shorter one. */
struct row_key fake_pg_key(enum row_table table, uint64_t a, uint64_t b, uint64_t c);
