/* partition.h - makes partitions before they are needed and removes them when all their rows are
 * old.  Two workers run while their owner leads, each on a connection of its own, one statement at
 * a time.  The MAKER makes new ones and the REMOVER removes old ones: a removal may have to wait
 * for a reader, and new partitions must not wait for that.  The writer waits for neither: attaching
 * and detaching take no lock that a batch needs.  A worker first finishes work that a crash left
 * half done (a detach that was not finished, a table that was detached and not dropped).  The
 * remover also deletes old idempotency keys, a chunk at a time, and the old jobs of a partition
 * that an open job keeps (partition_sweep.h).  Uses libpq through pg_conn.  Not thread-safe. */
#pragma once

#include "controlplane/store/partition_plan.h"
#include "controlplane/store/pg_waker.h"

struct partition; /* one worker */

enum partition_role { PARTITION_MAKER, PARTITION_REMOVER };

struct partition_config {
    uint64_t job_span, batch_span; /* least numbers in a partition; for jobs: ROW_JOB_RANGE */
    uint32_t late_jobs;            /* see apply.h; APPLY_LATE_JOBS, but in tests */
    uint64_t ahead;                /* how many spans to keep ready beyond the newest number */
    int64_t retention_ms;          /* how long a JOBS partition stays after the last end in it, and
                                    * a job in one that stays after its own */
    int64_t journal_retention_ms;
    int64_t audit_retention_ms;
    int64_t idempotency_retention_ms;
    uint32_t check_ms; /* the time between two looks for old partitions */
};

struct partition_config partition_config_default(void);

struct partition_hooks {
    void *ctx;
    /* The MAKER calls it: numbers below these may be used. */
    void (*room)(void *ctx, uint64_t job_below, uint64_t batch_below);
    /* For the log: a step failed and will be tried again. */
    void (*trouble)(void *ctx, const char *what, const char *text);
};

struct partition *partition_create(const char *conninfo, enum partition_role role,
                                   const struct partition_config *config,
                                   const struct partition_hooks *hooks,
                                   const struct pg_waker *waker);
void partition_destroy(struct partition *partition); /* NULL is fine */

/* Ages are counted in the core's time, 'core_ahead_ms' ahead of the times that are passed here: no
 * step of a clock removes anything early.  A second start sets only that. */
void partition_start(struct partition *partition, fl_ms core_ahead_ms, fl_ms now);
void partition_stop(struct partition *partition); /* closes the connection in any state */

/* The newest numbers in use, as batches are sent.  The MAKER makes partitions at once when they
 * get short. */
void partition_used(struct partition *partition, uint64_t job, uint64_t batch, fl_ms now);

/* Looks for old partitions at the next turn; for tests and administrators. */
void partition_check(struct partition *partition, fl_ms now);

fl_ms partition_deadline(const struct partition *partition);
void partition_turn(struct partition *partition, fl_ms now);

struct partition_stats {
    uint64_t made, removed, keys_deleted, jobs_deleted;
    size_t attached_max; /* partitions of the table that has most */
    bool is_idle;        /* no work until the deadline */
};

struct partition_stats partition_stats(const struct partition *partition);
