/* read_events.h - reads events from the journal.
 * An event is a row of a batch.  Its place is (batch, n), where n counts the batch's rows from 0;
 * it is the same in every read, so that a reader asks for the rows behind the last place it has.
 *   read_events_since   all rows behind a batch, or those of one job: a few batches an answer
 *   read_events_of_job  finds the job's batches by its rows in the tables, which is cheap however
 *                       long the job ran; it misses a batch whose only row for the job is a phase
 *                       of a replica, or a mark that no person made.  A job with
 *                       READ_EVENTS_ROWS_MAX rows has more batches than can be found so: the
 *                       answer is must_walk without events, and the rest is read by
 *                       read_events_since, which misses nothing
 * Those of one job are its rows, and the records of the audit about it (row_deed.h).
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and the core's rows. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/reader.h"

enum {
    READ_EVENTS_BATCHES_MAX = 16,       /* decoded in one answer ... */
    READ_EVENTS_BYTES_MAX = 512 * 1024, /* ... none behind so many bytes of rows ... */
    READ_EVENTS_MAX = 1000,             /* ... and events; the last batch may be there in part */
    READ_EVENTS_ROWS_MAX = 2000,        /* rows of a job whose batches are found by its tables */
};

struct read_event {
    uint64_t batch;
    uint32_t n;
    fl_ms at;
    struct row row;
};

struct read_events {
    const struct fl_err *err; /* NULL: all went well */
    const struct read_event *at;
    size_t len;
    uint64_t first; /* the oldest batch that was read, even if no row of it is wanted; 0: none */
    uint64_t batch; /* the newest batch that was read whole: ask again behind it ... */
    uint32_t row;   /* ... from this row of the next batch on */
    bool has_more;  /* there was more when this was read */
    /* From the next batch, before the asked 'row': its edits, and the newest record of the audit
     * about a job, or a row of another kind. */
    const struct row_job_edit *edits;
    size_t edits_len;
    struct row deed;
    bool must_walk; /* the job has too many rows: go on behind 'batch' with read_events_since */
    /* Rows of a newer program, of an unknown kind or with unknown fields.  Those of an unknown kind
     * are ROW_unknown in 'at' if all rows were asked for. */
    size_t unknown;
};

typedef void read_events_fn(void *ctx, const struct read_events *events);

/* Events behind 'batch', without the first 'row' of the next one; job 0 means all jobs.  Returns
 * the question's number; 0: FL_FULL. */
uint64_t read_events_since(struct reader *reader, uint64_t batch, uint32_t row, struct fl_job job,
                           read_events_fn *fn, void *ctx, struct fl_err *err);
uint64_t read_events_of_job(struct reader *reader, struct fl_job job, uint64_t batch, uint32_t row,
                            read_events_fn *fn, void *ctx, struct fl_err *err);

/* Answers with the newest batch in 'batch', without events. */
uint64_t read_events_newest(struct reader *reader, read_events_fn *fn, void *ctx,
                            struct fl_err *err);
