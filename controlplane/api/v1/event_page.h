/* event_page.h - a page of the journal that is kept until the queues of its jobs are known.
 * A reader's answer lives as long as its call, and the queues are read after it.  So a page takes a
 * copy, names the jobs whose queue its rows do not tell, and then gives row by row the queue in
 * which that row's job was.  Only rows that are events are kept.
 * At most READ_EVENTS_MAX rows and EVENT_PAGE_BYTES_MAX; rows beyond are left to the next page.
 * Uses the store's read_events.h and the core's rows. */
#pragma once

#include "controlplane/store/read_events.h"
#include "shared/base/buf.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum { EVENT_PAGE_BYTES_MAX = 2 * 1024 * 1024 };

struct event_page_row {
    uint64_t batch;
    uint32_t n;
    fl_ms at;
    size_t from, len; /* its bytes in the page; none: a row of an unknown kind */
    struct row row;   /* once it is given: points into the page */
    uint32_t queue;   /* the same: its job's just before this row, or first; 0: not known */
};

struct event_page {
    struct fl_buf bytes;
    FL_VEC(struct event_page_row) rows;
    size_t rows_pos;
    struct fl_map queues;     /* job -> queue, as of rows_pos */
    FL_VEC(uint64_t) jobs;    /* each once: all of the page's ... */
    FL_VEC(uint64_t) unknown; /* ... and those whose queue must be learnt */
    uint64_t first;           /* the batch of the first row: queues are learnt as of before it */
    uint64_t batch;           /* as struct read_events has both */
    uint32_t row;
};

void event_page_init(struct event_page *page);
void event_page_fini(struct event_page *page);

void event_page_take(struct event_page *page, const struct read_events *events);
void event_page_learn(struct event_page *page, uint64_t job, uint32_t queue);

/* The next row; NULL: there is none. */
const struct event_page_row *event_page_next(struct event_page *page);

/* The job's queue behind the rows given so far; 0: not known, or the job has ended. */
uint32_t event_page_queue(const struct event_page *page, uint64_t job);
