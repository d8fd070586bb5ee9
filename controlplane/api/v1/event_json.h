/* event_json.h - what a committed row tells those who follow events.
 * The rows of a batch are numbered; (batch, row) is the event's id in a stream, "17.3", and its
 * place to resume behind.  Live notices and the journal's body are the same bytes, so both end
 * here.
 * Pure, but for the names it looks up. */
#pragma once

#include "controlplane/core/row.h"

struct directory;
struct fl_buf;

struct event_place {
    uint64_t batch;
    uint32_t row;
};

#define EVENT_PLACE_TEXT_MAX 32
void event_place_print(struct event_place place, char out[EVENT_PLACE_TEXT_MAX]);
/* False for all that print never writes. */
bool event_place_parse(struct fl_str text, struct event_place *ret_place);

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
