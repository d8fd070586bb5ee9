/* diff_help_bad.h - batches that Postgres must refuse, or may, for who compares a real one with the
 * fake.  What a bad one offends against is looked up in the fake.  Ids that are made up begin at
 * DIFF_JOBS. */
#pragma once

#include "controlplane/core/core_command.h"
#include "tests/sim/fake_pg.h"

struct fl_prng;

enum {
    DIFF_JOBS = 3999997, /* the simulator's ids stay below; random ones are in two partitions */
    DIFF_ROOM = 5000000, /* no partition holds an id or batch from here on */
};

/* Some row of the table; false: it is empty. */
bool diff_any(const struct fake_pg *fake, struct fl_prng *prng, enum fake_pg_table table,
              struct row *ret_row);

struct diff_bad {
    const char *name;
    /* Adds what must be refused as poison; false: there is nothing yet to do that with. */
    bool (*add)(const struct fake_pg *fake, struct fl_prng *prng, struct core_batch *batch);
};

extern const struct diff_bad diff_bads[];
extern const size_t diff_bads_len;

/* A row of a tiny space of ids, so that such rows often meet; some are refused, who knows which. */
void diff_add_random_row(struct fl_prng *prng, struct core_batch *batch);
