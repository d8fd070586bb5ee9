/* partition_sweep.h - the statements that delete old jobs from a partition that has to stay, since
 * a job of it is open.  A sweep walks the partition once by id.  It deletes the jobs that ended at
 * 'before' or earlier, in chunks: rows of attempts first, the rows that say that the job ended last
 * and together with the job, so that a sweep that was cut goes on with the next one.  Then it
 * deletes the specs that no job left there has, and gives the space of the files back.
 * The caller sends one statement at a time, each outside a transaction.  It sweeps no partition in
 * which an open job may lack its row in open_job (apply.h).
 * Uses libpq's results.  Not thread-safe. */
#pragma once

#include <libpq-fe.h>

#include "controlplane/store/partition_plan.h"

enum {
    PARTITION_SWEEP_JOBS = 1000,  /* the most jobs that one statement looks at */
    PARTITION_SWEEP_ROWS = 10000, /* the most rows that one statement deletes of a job's table */
    PARTITION_SWEEP_SQL_BYTES = 32768,
};

struct partition_sweep {
    struct partition_range range;
    fl_ms before;
    uint64_t next; /* the walk goes on with this id */
    uint64_t jobs; /* deleted so far */
    unsigned step, table;
    char ids[PARTITION_SWEEP_SQL_BYTES / 3]; /* the old jobs of this chunk, "1,2,3" */
    size_t ids_len, ids_count;
};

void partition_sweep_begin(struct partition_sweep *sweep, struct partition_range range,
                           fl_ms before);
/* Writes the next statement, a C string of PARTITION_SWEEP_SQL_BYTES at most; false: the sweep has
 * ended. */
bool partition_sweep_sql(const struct partition_sweep *sweep, char *out, size_t out_bytes);
/* Takes its result.  False: the statement failed, and the sweep cannot go on without it. */
FL_CHECK bool partition_sweep_take(struct partition_sweep *sweep, const PGresult *result);
