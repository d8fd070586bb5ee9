/* sealer_thread.h - the thread that seals segments and removes old or unwanted output.
 * - seal: a segment that is not written any more becomes a sealed file: outputs by key, each
 *   output's records in order, compressed.  It leaves out forgotten jobs, and the middle of outputs
 *   that are over their share of their attempt's limit (budget.h).
 * - retention: a file that was sealed longer ago than retention_ms is removed.  The hub's clock
 *   counts, not the records' times, which are the agents'.
 * - small files of a cluster are merged (merge_plan.h).
 * - a file is rewritten if it has a forgotten job, or if half of it is middle by now.
 * A failed step is tried again a minute later; no output is lost meanwhile, since the older file is
 * removed last. */
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
    uint64_t segments_sealed, segments_removed, files_trimmed, files_merged, bytes_in, bytes_out;
    uint64_t damaged;
};

struct log_sealer_thread *log_sealer_thread_create(const struct log_sealer_thread_config *config,
                                                   struct log_index *index);
void log_sealer_thread_run(struct log_sealer_thread *sealer);
/* Leaves segments that wait; the next start seals them. */
void log_sealer_thread_stop(struct log_sealer_thread *sealer);
void log_sealer_thread_destroy(struct log_sealer_thread *sealer);

/* Seals a segment to which no one appends any more.  Takes over the reference.  Any thread. */
void log_sealer_thread_seal(struct log_sealer_thread *sealer, struct log_segment *segment);

/* A segment that is given to 'seal' only later, although newer ones come before it.  At the start,
 * before 'run'. */
void log_sealer_thread_hold(struct log_sealer_thread *sealer,
                            const struct log_segment_header *segment);

/* When it returns true, the job is durably on the list of forgotten jobs; its bytes go soon.  Any
 * thread. */
FL_CHECK bool log_sealer_thread_forget(struct log_sealer_thread *sealer, struct fl_job job,
                                       struct fl_err *err);

/* At the start, before 'run': reads the list of forgotten jobs. */
FL_CHECK bool log_sealer_thread_load(struct log_sealer_thread *sealer, struct fl_err *err);

/* Counts damaged entries that a start found.  Any thread. */
void log_sealer_thread_note_damage(struct log_sealer_thread *sealer, uint64_t damaged);

/* Any thread. */
struct log_sealer_thread_stats log_sealer_thread_stats(struct log_sealer_thread *sealer);
