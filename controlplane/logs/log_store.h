/* log_store.h - keeps what replicas wrote: three threads over one directory.
 * The worker appends to one open segment per cluster (segment.h), makes what it appended durable
 * together at least every sync_ms, at once when nothing more waits, and only then acknowledges.
 * The reader answers reads and followers (view.h).  The sealer seals full or old segments (seal.h),
 * removes what is older than retention_ms or was forgotten, and drops the middle of outputs that
 * are over their share of the limit.
 *
 * - An append says where it begins.  One that does not begin where the source ends in the store is
 *   dropped and answered by the right place, so that repeats and losses of a connection come out
 *   exact.
 * - Where a source ends is derived from the store: nothing else knows it.  At the start a torn tail
 *   is cut at the last good record.
 * - All replicas of an attempt together keep attempt_bytes_max.  An output over its share of that
 *   (limit_share.h) keeps the first and the last half of the share, record by record; a gap stands
 *   for the middle.  That is done when a segment is sealed, and later to files of which it is half.
 * - A full disk: new records are dropped and their source is PAUSEd with FL_NO_SPACE; when there is
 *   room again, all are RESUMEd from where they end.  Nothing that was acknowledged is touched.
 * - After a failed fdatasync the bytes on the disk after the last good one are unknown: the
 *   segment is cut there and closed, its sources get their CURSOR anew.  If even that fails they
 *   are paused.
 * - One process per directory: the caller holds the lock of the state directory.
 *
 * Fronts call from their threads, through log_front.h and read.h; this header is for who starts and
 * ends it. */
#pragma once

#include "controlplane/logs/key.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct log_disk;
struct log_store; /* opaque */

struct log_store_config {
    const char *dir;             /* made if it is not there; ours alone */
    uint32_t segment_bytes;      /* sealed from this size on: 64 MiB */
    fl_ms segment_age_ms;        /* or this age: 1 h */
    uint64_t attempt_bytes_max;  /* kept of what the replicas of an attempt wrote: 256 MiB */
    uint32_t sources_max;        /* known at once because they are open or unsealed: 262,144 */
    fl_ms sync_ms;               /* 100 */
    fl_ms retention_ms;          /* 30 days; 0: for ever */
    uint32_t ring_bytes;         /* newest output kept in memory for followers: 16 MiB */
    uint32_t inbox_bytes_max;    /* on its way to the worker: 32 MiB */
    uint32_t requests_max;       /* reads and followers at once: 16,384 */
    const struct log_disk *disk; /* NULL: the system's (segment.h) */
};

struct log_store_config log_store_config_default(const char *dir);

/* Recovers what is there and starts the threads.  NULL: FL_IO, FL_NO_SPACE, FL_INVALID. */
struct log_store *log_store_create(const struct log_store_config *config, struct fl_err *err);

/* All fronts and reads are closed before.  Makes appended bytes durable.  NULL is fine. */
void log_store_destroy(struct log_store *store);

/* The output of this job goes: reads find nothing from now on, the bytes are removed soon, also if
 * the process ends before that.  Blocks on the disk. */
FL_CHECK bool log_store_forget(struct log_store *store, struct fl_job job, struct fl_err *err);

struct log_store_stats {
    uint64_t bytes_appended, records_appended; /* since the start, as all counts */
    uint64_t appends_refused;                  /* did not begin where their source ended */
    uint64_t syncs, syncs_failed;
    uint64_t sync_us_max; /* the longest */
    uint64_t segments_sealed, segments_removed, segments_damaged;
    uint64_t files_trimmed; /* written again without what is not kept */
    uint64_t sealed_bytes_in, sealed_bytes_out;
    uint64_t sources, segments_open, files_sealed; /* now */
    uint64_t followers;                            /* now */
    uint64_t inbox_bytes;                          /* now */
    bool is_full;                                  /* the disk is */
};

struct log_store_stats log_store_stats(struct log_store *store); /* any thread */
