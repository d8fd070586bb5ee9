/* view.h - where one read is, and its next page.
 * A view is a list of outputs of one job, each with a position; a page takes lines from the front
 * of the one whose next record is the oldest.  Work is done in pieces of LOG_VIEW_STEP_BYTES of
 * records: a step that found nothing to give yet (lines before 'since', lines skipped) is gone on
 * with later.
 * One thread at a time; reads the index and the files. */
#pragma once

#include "controlplane/logs/index.h"
#include "controlplane/logs/read.h"

#define LOG_VIEW_STEP_BYTES ((uint32_t)4 << 20)
#define LOG_PIECE_BYTES_MAX ((uint32_t)32 << 10)

struct log_view_output {
    struct log_key key;
    struct log_place end; /* as far as it was stored when the page began */
    bool is_ended;
    uint64_t offset, line; /* of what comes next */
    bool is_hidden;        /* its present line is before 'since', or skipped */
    bool is_mid;           /* in the middle of its line */
    bool is_over;          /* nothing of it will come: past 'until' */
    fl_ms time;            /* not later than its next record; for merging */
    struct fl_buf window;  /* records from 'window_pos' on are the next; empty: to be loaded */
    size_t window_pos;
};

struct log_view {
    struct log_query query; /* its cursor is not kept */
    bool has_begun;
    uint64_t births;                        /* of the index, when it looked for outputs */
    uint64_t skip;                          /* lines of the merged order that are not given */
    FL_VEC(struct log_view_output) outputs; /* by key */
    FL_VEC(uint32_t) order;                 /* a heap of those that have something, by time */

    /* The page. */
    FL_VEC(struct log_line) lines;
    struct fl_buf bytes;
    struct fl_buf cursor;
    struct log_page page;
};

enum log_view_answer {
    LOG_VIEW_PAGE,  /* view->page has lines, or is over */
    LOG_VIEW_AGAIN, /* nothing yet, there is more to look through */
    LOG_VIEW_WAIT,  /* nothing until something is appended; only for who follows */
};

/* False: FL_INVALID, the cursor. */
FL_CHECK bool log_view_init(struct log_view *view, const struct log_query *query,
                            struct fl_err *err);
void log_view_fini(struct log_view *view); /* NULL is fine */

/* 'is_settled': no further output of the job will appear. */
enum log_view_answer log_view_step(struct log_view *view, struct log_index *index, bool is_settled);
