/* kube_log_cursor.h - how far a container's log was taken, and where to go on in the next answer.
 * The kubelet serves lines "TIME text\n" and knows no offsets: it can only leave out what is older
 * than a whole second.  So each new answer begins some seconds before the last line that was taken,
 * and the reader drops what it finds there again.
 *
 *   the last line is found   reading goes on behind it: nothing twice, nothing missing
 *   it is not found          its file was rotated away: a gap of unknown size, then all newer lines
 *   the log begins late      its container had started long before: the same gap
 *   a pause in the lines     the kubelet passes over files when two rotations overtake it, and does
 *                            not say so.  So behind a pause that is long enough for that, after
 *                            lines that came late or were many, nothing is taken: the caller asks
 *                            again, and the last line is found in the same file, or it is not
 *
 * A line counts as found when its time, and the number and checksum of all bytes that were taken
 * with exactly this time, agree.  So lines that share a time, lines whose times are out of order, a
 * line that was cut in its middle and a clock that went back are no trouble.  Only lines of the
 * same bytes and nanosecond, with lines of another time between them, are taken for each other.
 * A text without a time is the kubelet's own complaint and no output: see 'complaint'.
 *
 *     kube_log_reader_begin(&reader, now)                 an answer begins
 *     while (kube_log_reader_next(&reader, &bytes, now, &piece)) { ... }
 *
 * After each piece 'cursor' stands behind it.  Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/time_text.h"
#include "shared/base/types.h"

enum {
    KUBE_LOG_BEFORE_MS = 5000, /* an answer begins so long before the last line */
    KUBE_LOG_ORDER_MS = 2000,  /* times of neighbours are not further out of order than this */
    /* A kubelet rotates a log at most every 3 s, and so passes over a file only if the lines have a
     * pause of this length, behind a file of this size or lines that are this late. */
    KUBE_LOG_PAUSE_MS = 2000,
    KUBE_LOG_ROTATED_BYTES_MIN = 64 << 10,
    KUBE_LOG_HELD_BYTES_MAX = 256 << 10,
    KUBE_LOG_COMPLAINT_BYTES_MAX = 160,
    KUBE_LOG_STAMP_BYTES_MAX = 40,
    KUBE_LOG_CURSOR_BYTES = 40, /* encoded */
};

struct kube_log_cursor {
    int64_t at_ns;    /* time of the last line that was taken; 0: none yet */
    uint64_t bytes;   /* how many bytes of lines with exactly this time */
    uint32_t crc;     /* over those bytes */
    fl_ms started_at; /* the container did; 0: not known */
    uint64_t pod;     /* the caller's: which pod and container this is of */
};

void kube_log_cursor_encode(const struct kube_log_cursor *cursor,
                            uint8_t ret_bytes[KUBE_LOG_CURSOR_BYTES]);
FL_CHECK bool kube_log_cursor_decode(struct fl_str bytes, struct kube_log_cursor *ret_cursor);

/* The time to ask for, "2026-01-02T03:04:05.000Z"; empty: from the beginning. */
void kube_log_cursor_since(const struct kube_log_cursor *cursor, char ret_time[FL_TIME_TEXT_MAX]);

enum kube_log_piece_kind {
    KUBE_LOG_NONE,  /* all bytes are consumed */
    KUBE_LOG_BYTES, /* output; until the next call, and as long as the bytes */
    KUBE_LOG_GAP,   /* an unknown number of bytes may be missing here, up to 'time' */
};

struct kube_log_piece {
    enum kube_log_piece_kind kind;
    fl_ms time; /* the line's; behind a gap, the first line's */
    struct fl_str bytes;
};

struct kube_log_reader {
    struct kube_log_cursor cursor;
    fl_ms begun_at;
    int state; /* enum line_state, in the source */
    char stamp[KUBE_LOG_STAMP_BYTES_MAX];
    size_t stamp_len;
    int64_t line_ns;     /* the line under way has this time */
    int64_t previous_ns; /* the line before it in this answer; 0: none */
    fl_ms previous_at;   /* when that line came */
    uint64_t taken;      /* bytes in this answer */
    int64_t doubted_ns;  /* the pause behind this line was doubted, and is not again */
    bool is_searching;   /* for the cursor's line */
    uint64_t run_bytes;  /* while searching: in lines with the cursor's time */
    uint32_t run_crc;
    bool is_run;
    struct fl_buf held; /* while searching: lines that are new if the search fails */
    size_t held_at;     /* while they are given: how far */
    int64_t held_ns;
    bool is_releasing, is_gap_due;
    int64_t gap_ns;
    char complaint[KUBE_LOG_COMPLAINT_BYTES_MAX + 1]; /* the kubelet's in this answer, or empty */
    size_t complaint_len;
};

void kube_log_reader_init(struct kube_log_reader *reader, const struct kube_log_cursor *cursor);
void kube_log_reader_fini(struct kube_log_reader *reader);

void kube_log_reader_begin(struct kube_log_reader *reader, fl_ms now);

/* Takes bytes from the front of '*bytes' up to the end of the next piece.  False: there is none,
 * and all bytes are consumed. */
bool kube_log_reader_next(struct kube_log_reader *reader, struct fl_str *bytes, fl_ms now,
                          struct kube_log_piece *ret_piece);

/* The rest of this answer is not taken, since it may not be what follows: begin another at once. */
bool kube_log_reader_is_doubtful(const struct kube_log_reader *reader);

/* The answer has ended well, or brought nothing for KUBE_LOG_ORDER_MS: lines that are held count as
 * new.  Not behind a cut: the cursor's line may have been under way.
 * Call kube_log_reader_next, without bytes, for them. */
void kube_log_reader_settle(struct kube_log_reader *reader);
