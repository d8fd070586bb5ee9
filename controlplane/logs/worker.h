/* worker.h - the thread that appends, syncs and acknowledges; log_store.h has its guarantees.
 * Only it moves the end of an output.  It writes a batch of requests with one call per cluster,
 * which makes them visible to readers.  It syncs one cluster after the other, none later than
 * sync_ms (cluster_writer.c), and then acknowledges. */
#pragma once

#include "controlplane/logs/index.h"
#include "controlplane/logs/log_requests.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct log_sealer_thread;
struct log_reader;
struct log_worker; /* opaque */

struct log_worker_config {
    const char *dir; /* borrowed */
    const struct log_disk *disk;
    uint32_t segment_bytes;
    fl_ms segment_age_ms, damaged_wait_ms;
    uint32_t sources_max, ended_max;
    fl_ms sync_ms;
    uint32_t inbox_bytes_max;
};

struct log_worker_stats {
    uint64_t bytes_appended, records_appended, appends_refused, syncs, syncs_failed, sync_us_max;
    uint64_t segments_open, inbox_bytes, sources_waiting, chains_differ;
    bool is_full;
};

/* 'seq' is the number of the next segment. */
struct log_worker *log_worker_create(const struct log_worker_config *config,
                                     struct log_index *index, struct log_reader *reader,
                                     struct log_sealer_thread *sealer, uint64_t seq);

/* Before 'run': goes on with a cluster's newest segment, which was recovered.  Takes over the
 * reference. */
void log_worker_resume(struct log_worker *worker, struct log_segment *segment);

/* Before 'run': seals a damaged segment once agents had the time to open its outputs again, so that
 * those that still have them send them from the damage on.  Takes over the reference. */
void log_worker_hold(struct log_worker *worker, struct log_segment *segment);

void log_worker_run(struct log_worker *worker);  /* starts the thread */
void log_worker_stop(struct log_worker *worker); /* after it has done and synced its inbox */
void log_worker_destroy(struct log_worker *worker);

/* Any thread.  False: the inbox has no room for this cluster, the request stays the caller's. */
FL_CHECK bool log_worker_put(struct log_worker *worker, struct log_request *request);

struct log_worker_stats log_worker_stats(struct log_worker *worker); /* any thread */
