/* sealer_thread.h - the thread that seals segments and removes what is over.
 * - seal: a segment that is not written any more becomes a sealed file: outputs by key, each one's
 *   records in order, compressed.  Forgotten jobs do not go along, nor the middle of outputs that
 *   are over their share of the limit of their attempt (budget.h).
 * - retention: a sealed file whose newest record is older than retention_ms is removed.
 * - forgotten jobs, and middles that grew since, are dropped by writing a file anew without them,
 *   once they are forgotten, or are half of it.
 * A failed step is tried again a minute later; nothing is lost meanwhile, since the older file goes
 * last. */
#pragma once

#include "controlplane/logs/index.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct log_sealer_thread; /* opaque */

struct log_sealer_thread_config {
    const char *dir; /* borrowed */
    uint64_t attempt_bytes_max;
    fl_ms retention_ms;
};

struct log_sealer_thread_stats {
    uint64_t segments_sealed, segments_removed, segments_damaged, files_trimmed, bytes_in,
        bytes_out;
};

struct log_sealer_thread *log_sealer_thread_create(const struct log_sealer_thread_config *config,
                                                   struct log_index *index);
void log_sealer_thread_run(struct log_sealer_thread *sealer);
void log_sealer_thread_stop(
    struct log_sealer_thread *sealer); /* waiting segments are sealed at the next start */
void log_sealer_thread_destroy(struct log_sealer_thread *sealer);

/* Nothing is appended to it any more.  Takes over the reference.  Any thread. */
void log_sealer_thread_seal(struct log_sealer_thread *sealer, struct log_segment *segment);

/* Durable when it returns true; the bytes go soon.  Any thread. */
FL_CHECK bool log_sealer_thread_forget(struct log_sealer_thread *sealer, struct fl_job job,
                                       struct fl_err *err);

/* At the start, before it runs: reads the forgotten jobs whose output may still be there. */
FL_CHECK bool log_sealer_thread_load(struct log_sealer_thread *sealer, struct fl_err *err);

struct log_sealer_thread_stats
log_sealer_thread_stats(struct log_sealer_thread *sealer); /* any thread */
