/* job_log_tail.h - one answer with output: in one piece (job_log_answer.c), or one that goes on
 * (job_logs.c).  For these two files alone. */
#pragma once

#include "controlplane/api/api_state.h"
#include "controlplane/api/line_range.h"
#include "controlplane/api/stream.h"
#include "controlplane/api/v1/job_outputs.h"
#include "controlplane/api/v1/log_selection.h"
#include "controlplane/logs/read.h"

/* An answer in one piece ('count' lines, or a Range), or one that goes on. */
struct log_tail {
    struct api_stream stream; /* first */
    struct api_call *call;    /* its call, until the answer begins; then NULL */
    struct fl_job job;
    struct log_query query;
    const char *content_type;
    struct log_read *read;
    struct job_outputs *outputs; /* once the job has ended */
    struct fl_timer look;        /* a settled follower's */
    uint64_t count;              /* in one piece, 'cut' tells what is in it; 0: one that goes on */
    bool is_range;               /* the peer said Range */
    bool is_begun, is_numbered;
    uint64_t from; /* is_numbered: the first line's number */
    struct line_cut cut;
    struct log_grep grep;
    bool is_text, is_events, is_at_end;
    bool wants_more;     /* the next page is read once all of 'ready' is sent */
    struct fl_buf ready; /* rendered; its first 'sent' bytes are sent */
    size_t sent;

    /* A follower that has all that is stored waits for these. */
    uint32_t awaited; /* outputs; 0: it does not wait */
    struct fl_attempt awaited_first;
    uint32_t awaited_replica;
    fl_ms awaited_from;
    bool is_wait_told;
};

/* ---- job_log_answer.c ------------------------------------------------------------------------ */

/* Frees it; its call or stream is answered, or gone. */
void job_log_free(struct log_tail *tail);

/* The lines of a page that hold the text that is searched for, rendered. */
void job_log_write(struct log_tail *tail, const struct log_page *page);

/* Whether the selected outputs are all there, as they were when the page was made: "more",
 * "complete" or "incomplete"; and as a header of the call's answer. */
const char *job_log_extent(const struct log_page *page);
void job_log_add_extent(struct log_tail *tail, const struct log_page *page);

/* Answers the call with 'count' whole lines, or a range, once enough pages are there: the tail is
 * gone then. */
void job_log_answer(struct log_tail *tail, const struct log_page *page);
