#include "controlplane/api/v1/event_page.h"

#include <string.h>

#include "controlplane/api/v1/event_json.h"
#include "shared/base/assert.h"

static const uint64_t ended = (uint64_t)1 << 32; /* beside the number of a queue */

void event_page_init(struct event_page *page)
{
    *page = (struct event_page){0};
    fl_buf_init(&page->bytes, EVENT_PAGE_BYTES_MAX);
}

void event_page_fini(struct event_page *page)
{
    fl_buf_fini(&page->bytes);
    fl_vec_fini(&page->rows);
    fl_vec_fini(&page->jobs);
    fl_vec_fini(&page->unknown);
    fl_map_fini(&page->queues);
}

static bool find(const struct event_page *page, uint64_t job, uint64_t *ret_queue)
{
    return fl_map_find(&page->queues, &job, sizeof job, ret_queue);
}

void event_page_learn(struct event_page *page, uint64_t job, uint32_t queue)
{
    fl_map_put(&page->queues, &job, sizeof job, queue);
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* The first row of the page about this job. */
static void note_job(struct event_page *page, const struct row *row)
{
    uint64_t job = row_job(row), queue;
    bool is_told = row->kind == ROW_job_new || find(page, job, &queue);

    for (size_t i = 0; i < page->jobs.len; i++) {
        if (page->jobs.at[i] == job) return;
    }
    fl_vec_push(&page->jobs, job);
    if (!is_told) fl_vec_push(&page->unknown, job);
}

/* False: no room. */
static bool take_row(struct event_page *page, const struct read_event *event)
{
    struct event_page_row row = {
        .batch = event->batch, .n = event->n, .at = event->at, .from = page->bytes.len};

    if (event->row.kind == ROW_unknown) {
        row.row = event->row;
    } else if (!row_encode(&page->bytes, &event->row)) {
        fl_buf_truncate(&page->bytes, row.from);
        return false;
    }
    row.len = page->bytes.len - row.from;
    fl_vec_push(&page->rows, row);
    return true;
}

void event_page_take(struct event_page *page, const struct read_events *events)
{
    page->batch = events->batch;
    page->row = events->row;
    page->first = events->len > 0 ? events->at[0].batch : 0;
    for (size_t i = 0; i < events->edits_len; i++) {
        event_page_learn(page, events->edits[i].job, events->edits[i].queue);
    }
    for (size_t i = 0; i < events->len; i++) {
        const struct read_event *event = &events->at[i];

        if (!event_tells(&event->row)) continue;
        if (!take_row(page, event)) {
            fl_assert(page->rows.len > 0); /* a row has room in an empty page */
            page->batch = event->batch - 1;
            page->row = event->n;
            return;
        }
        if (row_job(&event->row) != 0) note_job(page, &event->row);
    }
}

/* ---- giving ---------------------------------------------------------------------------------- */

static void read_queue(struct event_page *page, struct event_page_row *row)
{
    uint64_t job = row_job(&row->row), queue = 0;

    if (job == 0) return;
    if (!find(page, job, &queue)) queue = 0;
    if (row->row.kind == ROW_job_new) queue = row->row.job_new.queue;
    if (row->row.kind == ROW_job_edit && queue == 0) queue = row->row.job_edit.queue_was;
    row->queue = (uint32_t)queue;
    if (row->row.kind == ROW_job_edit) queue = row->row.job_edit.queue;
    if (row->row.kind == ROW_job_end) queue |= ended;
    fl_map_put(&page->queues, &job, sizeof job, queue);
}

const struct event_page_row *event_page_next(struct event_page *page)
{
    struct event_page_row *row;
    struct fl_reader reader;
    struct fl_err err = {0};

    if (page->rows_pos == page->rows.len) return NULL;
    row = &page->rows.at[page->rows_pos++];
    if (row->len > 0) {
        reader = fl_reader(page->bytes.at + row->from, row->len);
        if (!row_decode(&reader, &row->row, &err)) fl_unreachable("the page wrote it");
        read_queue(page, row);
    }
    return row;
}

uint32_t event_page_queue(const struct event_page *page, uint64_t job)
{
    uint64_t queue = 0;

    return find(page, job, &queue) && queue < ended ? (uint32_t)queue : 0;
}
