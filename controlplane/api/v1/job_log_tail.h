/* job_log_tail.h - one answer with output: in one piece (job_log_answer.c), one that goes on
 * (job_logs.c), or the hits of a search (job_log_search.c, job_log_hits.c).  For these alone. */
#pragma once

#include "controlplane/api/api_state.h"
#include "controlplane/api/line_range.h"
#include "controlplane/api/stream.h"
#include "controlplane/api/v1/job_outputs.h"
#include "controlplane/api/v1/log_selection.h"
#include "controlplane/logs/read.h"

/* The objects of a search until now. */
struct log_found {
    uint64_t objects_max; /* in the stream; 0: no limit */
    uint64_t hits, undecided, gaps;
    bool is_at_limit; /* it stopped there */
};

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
    bool is_search;
    struct log_found found; /* is_search */
    bool is_text, is_events, is_at_end;
    bool has_end;        /* its last object is a LogEnd */
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

/* The lines of a page, rendered. */
void job_log_write(struct log_tail *tail, const struct log_page *page);

/* Whether the selected outputs are all there, as they were when the page was made: "more",
 * "complete" or "incomplete"; and as a header of the call's answer. */
const char *job_log_extent(const struct log_page *page);
void job_log_add_extent(struct log_tail *tail, const struct log_page *page);

/* Answers the call with 'count' whole lines, or a range, once enough pages are there: the tail is
 * gone then. */
void job_log_answer(struct log_tail *tail, const struct log_page *page);

/* The bytes of an object of a line, without its end; its members are LOG_LINE_FIELDS. */
void job_log_open_line(struct fl_json_out *json, const struct log_line *line);
/* The lines before the data of an event: its id, if it has one. */
void job_log_begin_event(struct fl_buf *out, struct fl_str id);

#define LOG_LINE_FIELDS                                                                            \
    API_MUST("element", "integer", "the element's number"),                                        \
        API_MUST("attempt", "integer", "the attempt's number"),                                    \
        API_MUST("replica", "integer", "the replica's number"),                                    \
        API_MUST("line", "integer", "its number, from 0"),                                         \
        API_MUST("offset", "integer", "its first byte in the replica's output"),                   \
        API_MUST("time", "string or null", "when it was written", .format = API_FORMAT_time),      \
        API_MAY("text", "string", "its bytes, or a piece of a long line"),                         \
        API_MAY("gap", "string", "in place of the text: why bytes are missing"),                   \
        API_MAY("bytes", "integer", "the gap's size, where it is known"),                          \
        API_MAY("undecided", "boolean",                                                            \
                "true: whether it matches would take too long to find out")

/* ---- job_logs.c ------------------------------------------------------------------------------ */

struct log_tail *job_log_create(struct api_call *call, const struct log_query *query,
                                const char *content_type);
/* Asks for the first page; the tail is gone once it is answered or its peer left. */
void job_log_start(struct log_tail *tail, bool has_ended);

/* ---- job_log_hits.c -------------------------------------------------------------------------- */

enum { LOG_HITS_LINES_MAX = 1000 }; /* in a page: short lines are long objects */

/* The hits of a page, rendered, and behind the last page the summary; sets tail->is_at_end. */
void job_log_hits_write(struct log_tail *tail, const struct log_page *page);
