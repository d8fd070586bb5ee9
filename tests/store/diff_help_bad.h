/* diff_help_bad.h - batches that Postgres must or may refuse, to compare a real one with the fake.
 * A bad batch conflicts with rows that are found in the fake.  Invented ids begin at DIFF_JOBS. */
#pragma once

#include "controlplane/core/core_command.h"
#include "tests/sim/fake_pg.h"

struct fl_prng;

enum {
    DIFF_JOBS = 3999997, /* the simulator's ids stay below; random ones are in two partitions */
    DIFF_ROOM = 5000000, /* no partition holds an id or batch from here on */
};

/* Some row of the table; false: it is empty. */
bool diff_any(const struct fake_pg *fake, struct fl_prng *prng, enum row_table table,
              struct row *ret_row);

struct diff_bad {
    const char *name;
    bool (*add)(const struct fake_pg *fake, struct fl_prng *prng, struct core_batch *batch);
    /* Instead of 'add': an attempt behind some row of this table, so far ahead of its number. */
    enum row_table follows;
    uint16_t ahead;
    enum row_table repeats; /* instead of both: some row of this table once more */
};

extern const struct diff_bad diff_bads[];
extern const size_t diff_bads_len;

/* Adds what must be refused as poison; false: there is nothing yet to do that with. */
bool diff_add_bad(const struct diff_bad *bad, const struct fake_pg *fake, struct fl_prng *prng,
                  struct core_batch *batch);

/* Adds a row with ids from a tiny range, so that rows often conflict; some of them are refused. */
void diff_add_random_row(struct fl_prng *prng, struct core_batch *batch);
