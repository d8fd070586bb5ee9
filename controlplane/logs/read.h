/* read.h - reads the output of a job: by line or time, from any place, ended or still being
 * written.  A read selects sources (replicas of attempts) of one job and gives their lines page by
 * page.  Lines of one source keep their order; several sources are merged by the time of what comes
 * next in each, so each line comes once and none is left out.  The work is done on the log store's
 * reader thread, a bounded piece at a time; a page comes back by a callback on the front's loop.
 *
 *     read = log_read_open(front, &query, on_page, ctx, &err);     asks for the first page
 *     on_page: use page->lines; then log_read_more(read) for the next, or log_read_close(read)
 *
 * - A page has at most lines_max lines and about bytes_max bytes (one piece more at most).  The
 *   bytes of a line are as they were written, '\n' included: all pieces of a source one behind the
 *   other are its output.  A line longer than a piece (32 KiB), or one that is not complete yet
 *   when only one source is read, comes in pieces.  With several sources, or has_whole_lines, an
 *   unfinished line waits for its end, its piece to fill or its source to end.
 * - A gap is a line of its own, without bytes.  The number of a line is how many newlines and gaps
 *   stand before it in its source, counted from 0; newlines that were left out since it was stored
 *   count, too.  Where lines are counted (LOG_FROM_LINE, LOG_FROM_TAIL) a gap counts as the lines
 *   that are missing in it; a read that begins at one of them gets the gap, with its number.
 * - Following: when all that is stored was given, the next page waits until there is more, without
 *   bound.  is_over comes when all known sources have ended and log_read_settle said that no other
 *   will appear.  Not following: is_over once all that was stored has been given.
 * - page->cursor goes on behind the page, in any later read of the same job and selection, by any
 *   front, after any restart.  At most LOG_CURSOR_SOURCES_MAX sources fit; beyond it is empty.
 * - A follower costs no memory for what it has not asked for: it reads newest output from the
 *   store's ring, and once it fell behind that, from the files.
 * Not thread-safe: the loop's thread of 'front' calls it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/wire/log_record.h"

#define LOG_PAGE_LINES_MAX 10000
#define LOG_PAGE_BYTES_MAX ((uint32_t)1 << 20)
#define LOG_FOLLOW_BYTES_MAX ((uint32_t)64 << 10) /* of a page of a follower */
#define LOG_VIEW_SOURCES_MAX 4096                 /* of one read */
#define LOG_RANGES_MAX 16
#define LOG_CURSOR_SOURCES_MAX 1024
#define LOG_CURSOR_BYTES_MAX 16384

struct log_front;
struct log_read; /* opaque */

enum log_from {
    LOG_FROM_START,
    /* query.n: the first line of this number; with several sources, of the merged order */
    LOG_FROM_LINE,
    LOG_FROM_TAIL,   /* query.n: the last so many */
    LOG_FROM_CURSOR, /* query.cursor */
};

struct log_query {
    struct fl_tenant tenant;
    struct fl_job job;
    bool has_element, has_attempt; /* else all */
    uint32_t element;
    uint16_t attempt; /* its number */
    struct log_replicas {
        uint32_t first, last;
    } replicas[LOG_RANGES_MAX]; /* in any of these; none: all */
    size_t replicas_len;
    enum log_from from;
    uint64_t n;
    struct fl_str cursor; /* borrowed for the call */
    fl_ms since, until;   /* lines of [since, until) only; 0: no bound */
    uint32_t lines_max;   /* of a page; 0 or too many: LOG_PAGE_LINES_MAX */
    uint32_t bytes_max;   /* of a page; 0 or too many: the maximum */
    bool is_following;
    bool has_whole_lines; /* of a follower of one source, too */
};

struct log_line {
    struct fl_attempt attempt;
    uint32_t replica;
    uint64_t number;
    uint64_t offset;     /* of its first byte here, in the source's output */
    fl_ms time;          /* when it was read from the replica */
    enum fl_log_gap gap; /* not none: gap_bytes are missing here, and there are no bytes */
    uint64_t gap_bytes;
    uint64_t gap_lines; /* of these, how many are counted and have not been given in part */
    struct fl_str bytes;
    bool is_begin,
        /* of its line; a source's last line may have no newline and is an end too */
        is_end;
};

/* Borrowed for the callback. */
struct log_page {
    const struct log_line *lines;
    size_t lines_len;
    struct fl_str cursor;  /* printable, without spaces */
    uint64_t lines_total;  /* stored now, of all selected sources; a gap is one */
    uint32_t sources;      /* selected */
    uint32_t sources_live; /* of these, not ended */
    bool is_over;          /* nothing follows: close the read */
    struct fl_err err;     /* FL_OK, or why there is no page; then is_over too */
};

/* 'page' is called on the front's loop, never from within a call of this header; it may call all of
 * these. */
typedef void log_read_page(void *ctx, struct log_read *read, const struct log_page *page);

/* NULL: FL_INVALID (cursor), FL_FULL (requests_max). */
struct log_read *log_read_open(struct log_front *front, const struct log_query *query,
                               log_read_page *page, void *ctx, struct fl_err *err);
void log_read_more(struct log_read *read);   /* after a page, once */
void log_read_settle(struct log_read *read); /* the job has ended: no further source appears */
void log_read_close(struct log_read *read);  /* no page comes any more; NULL is fine */
