/* partition.h - makes partitions before they are needed and removes them when all in them is old.
 * Two workers while their owner leads, each on a connection of its own, one statement at a time:
 * the MAKER sees to the room, the REMOVER to what is old; a removal may wait for as long as
 * somebody reads, and room must not wait for that.  The writer waits for neither: attaching and
 * detaching take no lock that a batch needs. Work that a crash leaves half done (a detach that was
 * not finished, a table that was detached and not dropped) is finished first.  The remover also
 * deletes old idempotency keys, a chunk at a time.  Uses libpq through pg_conn.  Not
 * thread-safe. */
#pragma once

#include "controlplane/store/partition_plan.h"
#include "controlplane/store/pg_waker.h"

struct partition; /* one worker */

enum partition_role { PARTITION_MAKER, PARTITION_REMOVER };

struct partition_config {
    uint64_t job_span, batch_span; /* numbers in one partition, at least; for jobs: ROW_JOB_RANGE */
    uint64_t ahead;                /* so many spans beyond the newest number */
    int64_t retention_ms;          /* after the last end in it */
    int64_t journal_retention_ms;
    int64_t audit_retention_ms;
    int64_t idempotency_retention_ms;
    uint32_t check_ms; /* between looks at what is old */
};

struct partition_config partition_config_default(void);

struct partition_hooks {
    void *ctx;
    /* Numbers below these may be used; from the MAKER. */
    void (*room)(void *ctx, uint64_t job_below, uint64_t batch_below);
    /* Something failed and is tried again later; for the log. */
    void (*trouble)(void *ctx, const char *what, const char *text);
};

struct partition *partition_create(const char *conninfo, enum partition_role role,
                                   const struct partition_config *config,
                                   const struct partition_hooks *hooks,
                                   const struct pg_waker *waker);
void partition_destroy(struct partition *partition); /* NULL is fine */

void partition_start(struct partition *partition, fl_ms now);
void partition_stop(struct partition *partition); /* closes the connection in any state */

/* The newest numbers in use, as batches are committed; makes more at once when the room gets
 * short. */
void partition_used(struct partition *partition, uint64_t job, uint64_t batch, fl_ms now);

/* Look for what is old now; for tests and administrators. */
void partition_check(struct partition *partition, fl_ms now);

fl_ms partition_deadline(const struct partition *partition);
void partition_turn(struct partition *partition, fl_ms now);

struct partition_stats {
    uint64_t made, removed, keys_deleted;
    size_t attached_max; /* of one table */
    bool is_idle;        /* nothing to do until the deadline */
};

struct partition_stats partition_stats(const struct partition *partition);
