/* log_store.h - stores the output of replicas: three threads over one directory.
 * The worker appends to one open segment for each cluster (segment.h).  It syncs a segment once its
 * appends have waited for sync_ms, or sooner while it is not busy: a lone one at once.  Only then
 * does it acknowledge them.
 * The reader answers reads and followers (view.h).  The sealer seals full or old segments (seal.h),
 * removes output that was sealed retention_ms ago or was forgotten, and drops the middle of outputs
 * that are over their share of the limit.
 *
 * - An append names its offset.  One that does not begin where the source ends in the store is
 *   dropped, and its agent gets a CURSOR with the right place: so a source has no hole and no
 *   repetition, however often its connection breaks.
 * - Only the store knows where a source ends.  At the start it cuts a torn tail behind the last
 *   good entry.
 * - A bad entry before that is damage: a gap stands for its records, and all others are kept.  An
 *   agent that still has the output sends it again from the gap on, within damaged_wait_ms.  In a
 *   sealed file, a damaged block is a gap, and damaged tables are made again (rebuild.h).  Damage
 *   is logged and counted, and the file is kept beside the others as FILE.damaged until a person
 *   removes it.
 * - All replicas of an attempt together keep attempt_bytes_max.  An output over its share of that
 *   (limit_share.h) keeps the first and the last half of the share, record by record; a gap stands
 *   for the middle.  The sealer does that when it seals a segment, and again to a file once half of
 *   it is middle.
 * - Output that has ended is known to the table of sources only until its segment is sealed, which
 *   is soon: so the memory does not grow with the number of outputs.  If sources_max are open, a
 *   new one is PAUSEd with FL_FULL until there is room; clusters get that in turn.
 * - Clusters have turns at the worker (inbox.h): one with much output delays only its own.
 * - A full disk: new records are dropped and their source is PAUSEd with FL_NO_SPACE; when there is
 *   room again, all are RESUMEd from where they end.  Acknowledged bytes stay.
 * - After a failed fdatasync the bytes behind the last durable one are unknown: the segment is cut
 *   there and closed, and its sources get a new CURSOR.  If the cut fails too, they are paused.
 * - One process per directory: the caller holds the lock of the state directory.
 *
 * Fronts call from their threads, through log_front.h and read.h; this header is for the code that
 * starts and ends the store. */
#pragma once

#include "controlplane/logs/key.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct log_disk;
struct log_store; /* opaque */

struct log_store_config {
    /* In brackets: log_store_config_default. */
    const char *dir;             /* made if it is absent; no one else may write to it */
    uint32_t segment_bytes;      /* a segment of this size is sealed [64 MiB] */
    fl_ms segment_age_ms;        /* a segment of this age is sealed [1 h] */
    uint64_t attempt_bytes_max;  /* output that all replicas of an attempt keep [256 MiB] */
    uint32_t sources_max;        /* sources that are open or unsealed at once [262,144] */
    uint32_t ended_max;          /* with more ended ones, a segment is sealed [8,192] */
    fl_ms sync_ms;               /* appends wait at most this long for a sync [100] */
    fl_ms retention_ms;          /* 0: for ever [30 days] */
    fl_ms damaged_wait_ms;       /* a damaged segment is sealed after this time [15 min] */
    fl_ms stray_wait_ms;         /* a stray's output is refused after this time [15 min] */
    uint32_t ring_bytes;         /* newest output in memory for followers [16 MiB] */
    uint32_t inbox_bytes_max;    /* bytes on their way to the worker [32 MiB] */
    uint32_t requests_max;       /* reads and followers at once [16,384] */
    const struct log_disk *disk; /* NULL: the system's (segment.h) */
};

struct log_store_config log_store_config_default(const char *dir);

/* Recovers what is there and starts the threads.  NULL: FL_IO, FL_NO_SPACE, FL_INVALID. */
struct log_store *log_store_create(const struct log_store_config *config, struct fl_err *err);

/* Close all fronts and reads before.  Makes appended bytes durable.  NULL is fine. */
void log_store_destroy(struct log_store *store);

/* Forgets a job's output: reads find none from now on, and the bytes are removed soon, if need be
 * after a restart.  Blocks on the disk. */
FL_CHECK bool log_store_forget(struct log_store *store, struct fl_job job, struct fl_err *err);

struct log_store_stats {
    uint64_t bytes_appended, records_appended; /* since the start, as all counts */
    uint64_t appends_refused;                  /* they did not begin where their source ended */
    uint64_t chains_differ; /* outputs whose source says at their end that other bytes were sent */
    uint64_t syncs, syncs_failed;
    uint64_t sync_us_max; /* the longest */
    uint64_t segments_sealed, segments_removed;
    uint64_t damaged; /* entries of segments and blocks of sealed files that were found damaged */
    uint64_t files_merged;  /* small ones, into larger ones */
    uint64_t files_trimmed; /* rewritten without forgotten jobs or middles */
    uint64_t sealed_bytes_in, sealed_bytes_out;
    uint64_t sources, segments_open, files_sealed; /* now */
    uint64_t sources_max;                          /* as set */
    uint64_t sources_waiting;                      /* now: for room among sources_max */
    uint64_t followers;                            /* now */
    uint64_t inbox_bytes;                          /* now */
    bool is_full;                                  /* the disk is full */
};

struct log_store_stats log_store_stats(struct log_store *store); /* any thread */
