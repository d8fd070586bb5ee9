/* worker_state.h - the worker's state, for its three files: worker.c is the loop, worker_output.c
 * has outputs, their sessions and answers, cluster_writer.c writes and syncs. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "controlplane/logs/inbox.h"
#include "controlplane/logs/index.h"
#include "controlplane/logs/worker.h"
#include "shared/base/buf.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

#define LOG_WORKER_RETRY_MS ((fl_ms)500) /* how soon to try a full disk again, at first */
#define LOG_WORKER_RETRY_MS_MAX                                                                    \
    ((fl_ms)30000) /* after a minute that went well it is at first again */

/* One entry to write into a segment. */
struct log_cluster_writer_entry {
    struct log_output *output;
    struct log_chunk *chunk; /* RECORDS: a reference; NULL: END */
    struct log_place before, after;
    size_t header_at; /* in writer->headers; its SOURCE entry, if it needs one, stands before it */
    uint32_t header_bytes;
};

/* A source that is not in the table yet. */
struct log_waiting {
    struct log_request request; /* its OPEN */
    uint64_t ticket;            /* worker->waiting_of has another one if it was closed meanwhile */
};

/* Writes one cluster's output. */
struct log_cluster_writer {
    struct fl_cluster cluster;
    struct log_segment *segment; /* NULL: the next append makes one */
    FL_VEC(struct log_cluster_writer_entry) entries;
    struct fl_buf headers;
    size_t sources_before; /* segment->sources.len when this batch began */
    bool is_dirty;         /* written bytes are not synced */
    fl_ms dirty_since;
    bool is_listed; /* in worker->dirty_first, perhaps no longer dirty */
    struct log_cluster_writer *dirty_next;
    uint64_t entries_len; /* in the segment */
    uint64_t ended_len;   /* outputs that ended in the segment */
    FL_VEC(struct log_output *) unacked;
    FL_VEC(struct log_waiting) waiting; /* in order; those before waiting_pos are done */
    size_t waiting_pos;
};

struct log_worker {
    struct log_worker_config config;
    struct log_index *index;
    struct log_reader *reader;
    struct log_sealer_thread *sealer;
    struct log_inbox *inbox;
    FL_VEC(struct log_answer_box *) leaving; /* fronts with a LEAVE and requests before it */
    uint64_t seq;
    FL_VEC(struct log_cluster_writer *) writers;
    struct fl_map writer_of; /* cluster -> place in writers */
    struct fl_map output_of; /* (connection, number) -> struct log_output * */
    /* Sources that wait for room in the table, in the lists of their clusters' writers. */
    struct fl_map waiting_of; /* (connection, number) -> ticket */
    uint64_t waiting_len, tickets;
    size_t turn; /* the writer whose turn it is to get room */
    fl_ms admit_at;
    uint64_t ended_len;                /* the sum of the writers' */
    FL_VEC(struct log_segment *) held; /* damaged ones; they are sealed at held_until */
    fl_ms held_until;
    struct log_segment *sealed; /* a reference: the outputs before sealed_pos are let go */
    size_t sealed_pos;
    FL_VEC(struct log_answer_box *) boxes; /* those with answers that wait */
    FL_VEC(struct fl_job) woken;
    FL_VEC(struct log_output *) paused;
    struct log_cluster_writer *dirty_first, *dirty_last; /* in the order they became dirty */
    fl_ms sync_at; /* a worker that is not busy begins no sync before */
    fl_ms retry_at, retry_ms, aged_at;
    fl_ms full_until;     /* when the disk last had room again */
    size_t refused_bytes; /* the batch that had no room */
    bool is_full;
    pthread_t thread;
    bool is_running;
    atomic_bool is_stopping;
    pthread_mutex_t stats_lock;
    struct log_worker_stats stats;
    struct log_worker_stats stats_shown; /* a copy, under the lock */
};

/* ---- worker_output.c ------------------------------------------------------------------------- */

void log_worker_answer(struct log_worker *worker, struct log_answer_box *box,
                       const struct log_answer *answer);
void log_worker_tell(struct log_worker *worker, const struct log_output *output,
                     enum fl_log_message_kind kind, enum fl_code code);
/* Sends its agent a CURSOR, once. */
void log_worker_set_back(struct log_worker *worker, struct log_output *output);
/* Sends letters to the fronts that have read their last one; the others get theirs later. */
void log_worker_post(struct log_worker *worker);

struct log_output *log_worker_by_peer(const struct log_worker *worker, uint64_t connection,
                                      uint32_t number);
/* The cluster's, made if it is not there. */
struct log_cluster_writer *log_worker_writer_of(struct log_worker *worker,
                                                struct fl_cluster cluster);
/* Gives the source a place in the table, or has it wait for one. */
void log_worker_open(struct log_worker *worker, const struct log_request *request);
void log_worker_close(struct log_worker *worker, const struct log_request *request);
/* Opens sources that wait while the table has room: one of each cluster in turn. */
void log_worker_admit(struct log_worker *worker, fl_ms now);
void log_worker_pause(struct log_worker *worker, struct log_output *output, enum fl_code code);
void log_worker_detach(struct log_worker *worker, struct log_output *output);
/* All of the output is sealed and it has no session: files hold its end.  The index is locked. */
bool log_worker_is_idle(const struct log_output *output);
void log_worker_evict(struct log_worker *worker, struct log_output *output); /* if it is idle */
/* Wakes the job's followers at the end of the turn. */
void log_worker_wake_later(struct log_worker *worker, struct fl_job job);

/* ---- cluster_writer.c ------------------------------------------------------------------------ */

/* Adds the records to their writer's batch if they begin where the output ends; else drops them and
 * sends a CURSOR. */
void log_cluster_writer_append(struct log_worker *worker, struct log_request *request);
void log_cluster_writer_end(struct log_worker *worker, const struct log_request *request);
/* Writes the batch to the segment and makes it visible to readers. */
void log_cluster_writer_write(struct log_worker *worker, struct log_cluster_writer *writer);
/* Both sync and acknowledge.  'due' takes the writers that have waited for sync_ms, and stops
 * after a few milliseconds, since requests wait meanwhile.  If the worker is not 'busy', it takes
 * the others, too, but one in SYNC_EVERY_MS at most: later entries share the next sync. */
void log_cluster_writer_sync_all(struct log_worker *worker);
void log_cluster_writer_sync_due(struct log_worker *worker, bool is_busy);
/* How soon a sync is due if no request comes; INT64_MAX: nothing is to be synced. */
fl_ms log_cluster_writer_sync_in(struct log_worker *worker, fl_ms now);
bool log_cluster_writer_is_over(const struct log_worker *worker,
                                const struct log_cluster_writer *writer);
void log_cluster_writer_close(struct log_worker *worker, struct log_cluster_writer *writer);
/* Tries whether a full disk has room again. */
void log_cluster_writer_try_again(struct log_worker *worker);
