/* read_events.h - what happened, from the journal.
 * An event is a row of a batch, in the order decided; its place is (batch, n), n counting the
 * batch's rows from 0, and the same in every read: a reader that has seen a place asks for the rows
 * after it.
 *   read_events_since   all rows behind a batch, or those of one job: a few batches an answer
 *   read_events_of_job  what the tables know of a job leads to its batches: cheap however long it
 *                       ran; a phase of a replica that shares its batch with nothing durable is not
 *                       among them
 * Answers come from reader_turn; their contents live as long as the call.
 * Uses reader.h and the core's rows. */
#pragma once

#include "controlplane/core/row.h"
#include "controlplane/store/reader.h"

enum {
    READ_EVENTS_BATCHES_MAX = 16, /* decoded in one answer */
    READ_EVENTS_ROWS_MAX = 2000,  /* rows of tables looked at for a job's batches, each */
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
    uint64_t batch; /* go on behind this one: the newest that was looked at */
    bool has_more;  /* there was more when this was read */
    size_t unknown; /* rows that a newer program wrote, of a kind or with fields unknown here: those
                       of a kind are ROW_unknown in 'at' where all rows were asked for */
};

typedef void read_events_fn(void *ctx, const struct read_events *events);

/* After 'batch'; job 0: of all jobs.  The number of the question; 0: FL_FULL. */
uint64_t read_events_since(struct reader *reader, uint64_t batch, struct fl_job job,
                           read_events_fn *fn, void *ctx, struct fl_err *err);
uint64_t read_events_of_job(struct reader *reader, struct fl_job job, uint64_t batch,
                            read_events_fn *fn, void *ctx, struct fl_err *err);

/* The newest batch: 'batch' of an answer without events. */
uint64_t read_events_newest(struct reader *reader, read_events_fn *fn, void *ctx,
                            struct fl_err *err);
