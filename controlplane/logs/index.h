/* index.h - the state that the three threads of the log store share, under one lock.
 * - outputs: those with a session, or with records that are not sealed yet; where their records are
 *   (marks) and where they end.  Only the worker changes places.  An output that is sealed and has
 *   no session is dropped.
 * - sealed files: all of them, each with its range of jobs.  They hold the outputs that are not in
 *   the table.
 * - the ring: the newest records in memory, for followers; bounded in bytes, the oldest go first.
 * - forgotten jobs.
 * The lock is held briefly: no file is read or written under it.  Chunks, segments and sealed files
 * that are used after it are held by references.  Each function's comment says which thread may
 * call it; 'locked' means that the caller holds index->lock.  index.c changes the state,
 * index_look_ups.c has the look-ups. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "controlplane/logs/entry.h"
#include "controlplane/logs/output_tree.h"
#include "controlplane/logs/sealed.h"
#include "controlplane/logs/segment.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/spec/job_spec.h" /* FL_JOB_REPLICAS_MAX */

struct log_output;

/* Records as they came, checked; the worker, the ring and readers share them. */
struct log_chunk {
    atomic_uint refs;
    struct log_run run;
    uint64_t line;             /* lines before it; valid once it is stored */
    struct log_output *output; /* its output while it is in the ring; NULL once that is dropped */
    struct log_chunk *ring_next, *output_next, *output_prev;
    uint32_t len;
    char records[];
};

struct log_chunk *log_chunk_create(struct fl_str records, const struct log_run *run);
void log_chunk_unref(struct log_chunk *chunk); /* NULL is fine */

/* Where some records are in an open segment; len 0: they are damaged, and a gap. */
struct log_mark {
    uint64_t offset, end, line;
    fl_ms time;
    struct log_segment *segment; /* a reference */
    uint64_t pos;
    uint32_t len;
};

/* The session that gets an output's answers. */
struct log_peer {
    void *front; /* the front's log_answer_box; NULL: no session */
    uint64_t connection;
    uint32_t number; /* the source's, in the session */
};

struct log_output {
    struct log_output_node node; /* first; has the key */
    struct fl_cluster cluster;
    struct log_place place;
    struct log_place durable; /* for the worker only, as all below until is_ended */
    struct log_place queued;  /* with the entries that are being written */
    uint64_t segment_seq;     /* the segment in which it has 'segment_number' */
    uint32_t segment_number;
    struct log_peer peer;
    bool is_unacked, is_paused;
    /* A CURSOR was sent; records that do not begin there are dropped. */
    bool is_set_back;
    bool is_end_queued;    /* END was asked for and is not durable */
    bool is_ended;         /* shared again, as all below */
    bool has_hole;         /* a mark is a gap */
    struct log_place hole; /* where the first one begins; its agent may still have the bytes */
    uint64_t unsealed_seq; /* the last segment with its entries, until that is sealed; 0: none */
    FL_VEC(struct log_mark) marks;
    struct log_chunk *ring_first, *ring_last;
};

struct log_index {
    pthread_mutex_t lock;
    struct log_output_tree outputs;
    size_t outputs_len;
    FL_VEC(struct log_sealed *) sealed; /* by cluster and seq */
    struct fl_map forgotten;
    uint64_t births; /* grows when an output or a sealed file appears, so that views look again */
    struct log_chunk *ring_head, *ring_tail;
    uint64_t ring_bytes, ring_bytes_max;
    uint64_t marks_len;
    /* References to segments that are sealed; the worker drops their marks, and then the outputs
     * that no one needs in the table. */
    FL_VEC(struct log_segment *) done;
};

void log_index_init(struct log_index *index, uint64_t ring_bytes_max);
void log_index_fini(struct log_index *index);
void log_index_lock(struct log_index *index);
void log_index_unlock(struct log_index *index);

/* ---- outputs: locked ------------------------------------------------------------------------- */

struct log_output *log_index_find(const struct log_index *index, const struct log_key *key);
/* The first output in the range; the one behind 'output' in it.  NULL: none is left. */
struct log_output *log_index_first(const struct log_index *index,
                                   const struct log_key_range *range);
struct log_output *log_index_next(const struct log_index *index, const struct log_key_range *range,
                                  const struct log_output *output);
struct log_output *log_index_add(struct log_index *index, const struct log_key *key,
                                 struct fl_cluster cluster, const struct log_place *place);

/* Removes the output from the table and frees it. */
void log_index_remove(struct log_index *index, struct log_output *output);

void log_index_mark(struct log_index *index, struct log_output *output, struct log_segment *segment,
                    uint64_t pos, uint32_t len, const struct log_run *run, uint64_t line);

/* The next records are damaged, up to 'end'. */
void log_index_mark_gap(struct log_index *index, struct log_output *output,
                        struct log_segment *segment, uint64_t end, fl_ms time);

struct log_mark_list {
    struct log_mark *at;
    size_t len, cap;
};

/* An output's marks in this segment, with references; *ret_end is where later segments go on, or
 * UINT64_MAX. */
void log_index_marks_of(const struct log_index *index, const struct log_key *key,
                        const struct log_segment *segment, struct log_mark_list *ret_marks,
                        uint64_t *ret_end);
void log_mark_list_clear(struct log_mark_list *list); /* gives the references back */

/* Drops an output's marks in a sealed segment; drops its marks from 'offset' on.  NULL: the table
 * does not have the output. */
struct log_output *log_index_unmark(struct log_index *index, const struct log_key *key,
                                    const struct log_segment *segment);
void log_index_unmark_from(struct log_index *index, struct log_output *output, uint64_t offset);

/* Takes over the caller's reference. */
void log_index_ring_put(struct log_index *index, struct log_output *output,
                        struct log_chunk *chunk);
void log_index_ring_clear(struct log_index *index);

/* ---- sealed files ---------------------------------------------------------------------------- */

/* Locked; takes over the reference.  Replaces a file of the same cluster and seq. */
void log_index_seal(struct log_index *index, struct log_sealed *sealed);
void log_index_unseal(struct log_index *index, const struct log_segment_header *header);

struct log_sealed_list {
    struct log_sealed **at;
    size_t len, cap;
};

/* References to the files that may have an output of the range.  Takes the lock, unless
 * 'is_locked'. */
struct log_sealed_list log_index_sealed_of(struct log_index *index,
                                           const struct log_key_range *range, bool is_locked);

/* The same of one cluster's files only.  Locked. */
struct log_sealed_list log_index_sealed_of_cluster(struct log_index *index,
                                                   struct fl_cluster cluster,
                                                   const struct log_key_range *range);
void log_sealed_list_fini(struct log_sealed_list *list);

/* ---- look-ups: any thread, not locked -------------------------------------------------------- */

/* The length of each replica's output in an attempt, in the table and in files; 0: no output is
 * known.  Files that cannot be read are left out. */
void log_index_lengths(struct log_index *index, struct fl_attempt attempt,
                       uint64_t ret_lengths[FL_JOB_REPLICAS_MAX]);

/* Whether the table has an output of the attempt. */
bool log_index_has_attempt(struct log_index *index, struct fl_attempt attempt);

/* The end of an output, by the table or by sealed files. */
struct log_known {
    struct log_key key;
    struct log_place place;
    bool is_ended;
};

struct log_known_list {
    struct log_known *at;
    size_t len, cap;
};

/* All outputs of a range in one job, by key.  With more than about outputs_max it stops early:
 * FL_TOO_LARGE. */
FL_CHECK bool log_index_known(struct log_index *index, const struct log_key_range *range,
                              size_t outputs_max, struct log_known_list *ret_list,
                              struct fl_err *err);

/* The end of one output of this cluster in sealed files; offset 0 if they do not have it.  Its cost
 * does not grow with the outputs of its job. */
FL_CHECK bool log_index_sealed_end(struct log_index *index, struct fl_cluster cluster,
                                   const struct log_key *key, struct log_known *ret_known,
                                   struct fl_err *err);

enum log_by { LOG_BY_OFFSET, LOG_BY_LINE, LOG_BY_TIME };

/* A run of records, in memory or in a file. */
struct log_part {
    uint64_t offset, end, line;
    fl_ms time;
    struct log_chunk *chunk; /* one of these three is set: a reference */
    struct log_segment *segment;
    struct log_sealed *sealed;
    uint64_t pos;
    uint32_t block, len;
};

/* The part to begin reading at.  By offset: the part that holds it, else the first behind it.  By
 * line or time: the last part that begins at or before it, else the first.  False with FL_ABSENT:
 * there is no part; any other code: a file could not be read. */
FL_CHECK bool log_index_part(struct log_index *index, const struct log_key *key, enum log_by by,
                             uint64_t value, struct log_part *ret_part, struct fl_err *err);
void log_part_fini(struct log_part *part);
