/* load.h - reads the rows that a fresh core is loaded from, in the order of core.h.
 * It reads queues, clusters, tokens, shapes, counters, open_job and open_mark whole.  From attempt,
 * attempt_end and element_end it reads only the rows of open jobs, by primary key and partition.
 * It reads no row of an ended job, only two index entries for each part: the first and last job
 * that has a row there.
 *
 * The reads are cut into parts; two connections stream them in COPY BINARY, one part each at a
 * time, and the rows come out in the order of the parts.  Each turn hands out LOAD_TURN_ROWS at
 * most, so that the lease is renewed meanwhile; a part that is ahead of its turn is read up to
 * LOAD_AHEAD_ROWS and LOAD_AHEAD_BYTES.
 *
 * job_new rows have only the fields that open_job keeps (K and L in rows.def).  The counter
 * job_next is always among the counters: the greater of its stored value and 1 + the newest job.
 * Uses pg_conn.  Not thread-safe. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/pg_waker.h"
#include "shared/base/types.h"

enum {
    LOAD_CONNS = 2,
    LOAD_TURN_ROWS = 4000,
    LOAD_AHEAD_ROWS = 100000,
    LOAD_AHEAD_BYTES = 16 << 20,
    LOAD_QUIET_MS = 30000, /* the load fails after this time without a byte */
};

struct load;

enum load_state { LOAD_GOES_ON, LOAD_DONE, LOAD_FAILED };

typedef void load_row_fn(void *ctx, const struct row *row); /* the row is borrowed for the call */

struct load *load_create(const char *conninfo, const struct pg_waker *waker, load_row_fn *row,
                         void *ctx, fl_ms now);
void load_destroy(struct load *load); /* NULL is fine */

fl_ms load_deadline(const struct load *load);

/* Calls 'row'.  LOAD_FAILED: 'load_error' says why. */
enum load_state load_turn(struct load *load, fl_ms now);
const char *load_error(const struct load *load);

/* The SELECT of each part, for the test that reads their plans; NULL past the last.  Valid once
 * LOAD_DONE. */
const char *load_part_sql(const struct load *load, size_t i);
