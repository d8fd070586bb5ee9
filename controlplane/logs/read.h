/* read.h - reads the output of a job: by line or time, from any place, ended or still being
 * written.  A read selects sources (replicas of attempts) of one job and gives their lines page by
 * page.  Lines of one source keep their order; several sources are merged by the times of their
 * next records, so each line comes once.  The log store's reader thread does the work, a bounded
 * piece at a time; a page comes back by a callback on the front's loop.
 *
 *     read = log_read_open(front, &query, on_page, ctx, &err);     asks for the first page
 *     on_page: use page->lines; then log_read_more(read) for the next, or log_read_close(read)
 *
 * - A page has at most lines_max lines and about bytes_max bytes (one piece more at most).  The
 *   bytes of a line are as they were written, with '\n': a source's pieces in order are its output.
 *   A line longer than a piece (32 KiB), or one that is not complete yet when only one source is
 *   read, comes in pieces.  With several sources, or has_whole_lines, an unfinished line waits
 *   until it ends, fills its piece, or its source ends.
 * - A gap is a line of its own, without bytes.  The number of a line is how many newlines and gaps
 *   stand before it in its source, from 0; newlines that were dropped after they were stored count,
 *   too.  For LOG_FROM_LINE and LOG_FROM_TAIL a gap counts as the lines that are missing in it; a
 *   read that begins at one of them gets the gap, with its number.
 * - A job that has ended is settled with its attempts: then it is known which outputs are still to
 *   come (log_output_state.h).  An output whose end is not known, and of which nothing more comes,
 *   ends with a gap 'lost' of unknown size, which is made here and not stored.
 * - Following: after the last stored line the next page waits for new output, without bound.
 *   is_over comes when the read is settled and no output is awaited.  Not following: is_over comes
 *   after the last line that was stored.
 * - A settled follower that has all that is stored gets a page without lines that says how many
 *   outputs are awaited, and another one when that changes.
 * - page->cursor lets a later read of the same job and selection go on behind the page, from any
 *   front and after any restart.  It holds at most LOG_CURSOR_SOURCES_MAX sources; with more it is
 *   empty.  A search's has at most LOG_SEARCH_CURSOR_BYTES_MAX bytes, and with many sources says
 *   only how far the search has come by time (view_cursor.h).
 * - With a pattern, or with levels, a page has the lines that match, those that are undecided, and
 *   all gaps: the missing bytes might have matched.  A line longer than a piece is looked at piece
 *   by piece, and only its first piece has a level.  The reader's thread looks through the lines, a
 *   bounded time in a row.  If it finds none for LOG_SEARCH_TELL_MS, a read that does not follow
 *   gets a page without lines.
 * - A follower holds no memory for output that it has not asked for: it reads the newest output
 *   from the store's ring, and once it fell behind, from the files.
 * Not thread-safe: the loop's thread of 'front' calls it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/logs/pattern.h"
#include "shared/base/err.h"
#include "shared/base/line_level.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/wire/log_record.h"

#define LOG_PAGE_LINES_MAX 10000
#define LOG_PAGE_BYTES_MAX ((uint32_t)1 << 20)
#define LOG_FOLLOW_BYTES_MAX ((uint32_t)64 << 10) /* a follower's page */
#define LOG_VIEW_SOURCES_MAX 4096                 /* in one read */
#define LOG_RANGES_MAX 16
#define LOG_CURSOR_SOURCES_MAX 1024
#define LOG_CURSOR_BYTES_MAX 16384
#define LOG_SEARCH_CURSOR_BYTES_MAX 512 /* it goes into the target of a request */
#define LOG_SEARCH_TELL_MS 200

struct log_front;
struct log_read; /* opaque */

enum log_from {
    LOG_FROM_START,
    /* query.n: the number of the first line; with several sources it counts in the merged order */
    LOG_FROM_LINE,
    LOG_FROM_TAIL,   /* query.n: how many lines, the last ones */
    LOG_FROM_CURSOR, /* query.cursor */
};

/* An attempt of an ended job that has letters. */
struct log_attempt {
    struct fl_attempt attempt;
    struct fl_str letters; /* its replicas', see controlplane/core/replica_output.h */
    bool is_given_up;      /* its cluster was removed, or its agent has had its time */
};

struct log_attempts {
    const struct log_attempt *at;
    size_t len;
};

struct log_query {
    struct fl_tenant tenant;
    struct fl_job job;
    bool has_element, has_attempt; /* else all */
    uint32_t element;
    uint16_t attempt; /* its number */
    struct log_replicas {
        uint32_t first, last;
    } replicas[LOG_RANGES_MAX]; /* both ends included; no range: all replicas */
    size_t replicas_len;
    enum log_from from;
    uint64_t n;
    struct fl_str cursor; /* borrowed for the call */
    fl_ms since, until;   /* lines of [since, until) only; 0: no bound */
    uint32_t lines_max;   /* a page's; 0 or too many: LOG_PAGE_LINES_MAX */
    uint32_t bytes_max;   /* a page's; 0 or too many: the maximum */
    bool is_following;
    bool has_whole_lines;                /* a follower of one source also waits for whole lines */
    const struct log_attempts *attempts; /* settles it at once, as log_read_settle; NULL: not yet */
    struct log_pattern *pattern; /* lines that match it; NULL: all lines.  The read adopts it */
    /* The lines that match tell where, and their levels, which the pages count; gaps 'lost' come
     * last, all in one page. */
    bool is_search;
    /* is_search: only lines with one of these bits, see fl_line_levels_parse; 0: all. */
    uint32_t levels;
};

struct log_line {
    struct fl_attempt attempt;
    uint32_t replica;
    uint64_t number;
    uint64_t offset;     /* where its bytes begin in the source's output */
    fl_ms time;          /* when it was read from the replica */
    enum fl_log_gap gap; /* not none: gap_bytes are missing here, and there are no bytes */
    uint64_t gap_bytes;
    uint64_t gap_lines; /* missing lines, without one whose beginning was given */
    struct fl_str bytes;
    bool is_begin;     /* the piece begins its line */
    bool is_end;       /* the piece ends its line, by a newline or since the source has ended */
    bool is_undecided; /* whether it matches would take too long to find out */
    enum fl_line_level level;     /* is_search */
    const struct log_span *spans; /* is_search: where it matches, the first LOG_SPANS_MAX */
    size_t spans_len;
};

/* Borrowed for the callback. */
struct log_page {
    const struct log_line *lines;
    size_t lines_len;
    struct fl_str cursor; /* printable, without spaces */
    uint64_t lines_total; /* lines stored now in all selected sources; a gap counts as one */
    uint64_t lines_seen;  /* how many the read has looked at until now */
    /* is_search: those of them that match, also of levels that are not asked for. */
    uint64_t by_level[FL_LINE_LEVELS_LEN];
    uint32_t sources;      /* how many are selected */
    uint32_t sources_live; /* how many of them may have more to come */
    uint32_t sources_lost; /* how many ended with a gap 'lost' */
    bool is_settled;
    struct fl_attempt awaited; /* with sources_live: the first that may have more to come ... */
    uint32_t awaited_replica;  /* ... and its replica */
    bool is_over;              /* no page follows: close the read */
    struct fl_err err;         /* FL_OK, or why there is no page; then is_over too */
};

/* Called on the front's loop, never from within a call of this header; it may call all of these. */
typedef void log_read_page(void *ctx, struct log_read *read, const struct log_page *page);

/* NULL: FL_INVALID (cursor), FL_FULL (requests_max).  query->pattern is freed then. */
struct log_read *log_read_open(struct log_front *front, const struct log_query *query,
                               log_read_page *page, void *ctx, struct fl_err *err);
void log_read_more(struct log_read *read); /* after a page, once */
/* From the next page on; before log_read_more. */
void log_read_set_lines_max(struct log_read *read, uint32_t lines_max);
/* The job has ended with these attempts; copied.  Again, when one of them is given up. */
void log_read_settle(struct log_read *read, const struct log_attempts *attempts);
void log_read_close(struct log_read *read); /* no page comes any more; NULL is fine */
