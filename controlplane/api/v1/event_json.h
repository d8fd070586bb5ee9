/* event_json.h - what a committed row tells those who follow events.
 * Live notices and the journal's body are the same bytes, so both end here.
 * Pure, but for the names it looks up. */
#pragma once

#include "controlplane/api/event_place.h"
#include "controlplane/core/row.h"

struct directory;
struct fl_buf;

struct event_filter {
    struct fl_job job;           /* none: every job, and queues and clusters */
    bool jobs, queues, clusters; /* without a job: which topics */
    bool is_limited;          /* the token sees one queue: jobs and changes of others are left out,
                                    and so are their names */
    bool is_past;             /* with a job: its past is read, also that in other queues */
    struct fl_queue_id queue; /* that one; 0: not known, and its jobs are left out */
};

/* The row of an event lacks this. */
struct event_note {
    struct fl_queue_id queue; /* the job's just before the row; for a limited filter */
    struct fl_str by; /* the actor of a hold, release or stop; empty: not known, or no person */
};

/* Appends one event of a stream ("id: ...\nevent: ...\ndata: {...}\n\n").  False: this row tells
 * nothing to that filter, and nothing was written. */
bool event_write(struct fl_buf *out, struct event_place place, fl_ms at, const struct row *row,
                 const struct event_note *note, const struct event_filter *filter,
                 struct directory *directory);

/* This row is an event for somebody, or says who did the ones behind it. */
bool event_tells(const struct row *row);

/* This row is the last word on the filter's job; for a limited filter a move away is, too. */
bool event_is_end(const struct row *row, const struct event_filter *filter);
