/* view.h - one read's place in the outputs of a job, and its next page.
 * A view is a list of outputs of one job, each with a position; a page takes lines from the output
 * whose next record is the oldest.  A step loads about LOG_VIEW_STEP_BYTES of records; if it found
 * no line to give yet (lines before 'since', lines skipped, lines that do not match), a later step
 * goes on.
 * One thread at a time; reads the index and the files. */
#pragma once

#include "controlplane/logs/ended_outputs.h"
#include "controlplane/logs/index.h"
#include "controlplane/logs/read.h"

#define LOG_VIEW_STEP_BYTES ((uint32_t)4 << 20)
#define LOG_VIEW_STEP_US 4000 /* how long a step looks through lines */
#define LOG_PIECE_BYTES_MAX ((uint32_t)32 << 10)

struct log_view_output {
    struct log_key key;
    struct log_place end; /* where it ended when the page began */
    bool is_ended;
    char letter; /* with 'ended_outputs': its own in its attempt's row ... */
    bool is_given_up;
    bool has_lost_gap;     /* ... and whether its gap 'lost' was given */
    uint64_t offset, line; /* the next byte's */
    bool is_hidden;        /* its present line is before 'since', or skipped */
    bool is_mid;           /* the next byte continues a line */
    fl_ms resume_time;     /* lines before the first one of this time were given; 0: none */
    bool is_over;          /* no further line is given: it is past 'until' */
    fl_ms time;            /* not later than its next record's; for merging */
    struct fl_buf window;  /* the next records, from 'window_pos' on; empty: not loaded */
    size_t window_pos;
};

struct log_view {
    struct log_query query; /* its cursor and attempts are not kept */
    bool has_begun;
    struct log_ended_outputs *ended_outputs; /* NULL: the job has not ended yet */
    bool is_changed;    /* 'ended_outputs' or the outputs are new: compare them */
    uint32_t told_live; /* sources_live of the page without lines that was given last */
    uint64_t births;    /* index->births when the view looked for outputs */
    uint64_t skip;      /* how many more lines of the merged order to skip */
    FL_VEC(struct log_view_output) outputs; /* by key */
    FL_VEC(uint32_t) order;                 /* a heap, by time, of the outputs with more to read */

    /* Which output's line was begun last, in the order of times and keys; for the cursor. */
    bool has_walked;
    struct log_key walked;
    fl_ms walked_at; /* that line's time */
    bool is_resumed; /* there, by the time alone */

    uint64_t lines_seen; /* looked at until now */
    uint64_t by_level[FL_LINE_LEVELS_LEN];
    uint64_t lines_untimed; /* since the clock was read */
    bool has_verdict;       /* the next line, which is whole, has been looked at */
    enum log_verdict verdict;
    int64_t step_end_us; /* the step's, where it looks through lines */
    int64_t told_us;     /* when the last page was made */

    /* The page. */
    FL_VEC(struct log_line) lines;
    FL_VEC(struct log_span) spans; /* those of all lines */
    struct fl_buf bytes;
    struct fl_buf cursor;
    struct log_page page;
};

enum log_view_answer {
    LOG_VIEW_PAGE,  /* view->page has lines, or is over, or says what is awaited */
    LOG_VIEW_AGAIN, /* no line yet; more records wait to be read */
    LOG_VIEW_WAIT,  /* no line until output is appended; only when following */
};

/* False: FL_INVALID, the cursor; the pattern is still the caller's. */
FL_CHECK bool log_view_init(struct log_view *view, const struct log_query *query,
                            struct fl_err *err);
void log_view_fini(struct log_view *view);                              /* NULL is fine */
void log_view_set_lines_max(struct log_view *view, uint32_t lines_max); /* as log_query's */

/* No output appears that is not in this list, or stored; the view's now. */
void log_view_settle(struct log_view *view, struct log_ended_outputs *ended_outputs);

enum log_view_answer log_view_step(struct log_view *view, struct log_index *index);
