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
};

/* Appends one event of a stream ("id: ...\nevent: ...\ndata: {...}\n\n").  False: this row tells
 * nothing to that filter, and nothing was written. */
bool event_write(struct fl_buf *out, struct event_place place, fl_ms at, const struct row *row,
                 const struct event_filter *filter, struct directory *directory);

/* This row is the last word on that job. */
bool event_is_end(const struct row *row, struct fl_job job);
