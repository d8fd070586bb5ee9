#include "agent/kube/kube_log_cursor.h"

#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/hash.h"

#define MS_NS INT64_C(1000000)
#define SECOND_NS INT64_C(1000000000)

enum { CURSOR_VERSION = 1, SECONDS_LEN = 19 /* "2026-01-02T03:04:05" */ };

enum line_state {
    LINE_STAMP,     /* its time is being gathered */
    LINE_TEXT,      /* behind the time */
    LINE_COMPLAINT, /* it has no time */
    LINE_DOUBTED,   /* all that follows is asked for again */
};

/* ---- the cursor ------------------------------------------------------------------------------ */

void kube_log_cursor_encode(const struct kube_log_cursor *cursor,
                            uint8_t ret_bytes[KUBE_LOG_CURSOR_BYTES])
{
    struct fl_buf out;
    bool is_put;

    fl_buf_init(&out, KUBE_LOG_CURSOR_BYTES);
    is_put = fl_buf_put_u32(&out, CURSOR_VERSION) && fl_buf_put_i64(&out, cursor->at_ns) &&
             fl_buf_put_u64(&out, cursor->bytes) && fl_buf_put_u32(&out, cursor->crc) &&
             fl_buf_put_i64(&out, cursor->started_at) && fl_buf_put_u64(&out, cursor->pod);
    fl_assert(is_put && out.len == KUBE_LOG_CURSOR_BYTES);
    memcpy(ret_bytes, out.at, KUBE_LOG_CURSOR_BYTES);
    fl_buf_fini(&out);
}

bool kube_log_cursor_decode(struct fl_str bytes, struct kube_log_cursor *ret_cursor)
{
    struct fl_reader reader = fl_reader(bytes.at, bytes.len);
    bool is_known = fl_read_u32(&reader) == CURSOR_VERSION;
    struct kube_log_cursor cursor = {.at_ns = fl_read_i64(&reader)};

    cursor.bytes = fl_read_u64(&reader);
    cursor.crc = fl_read_u32(&reader);
    cursor.started_at = fl_read_i64(&reader);
    cursor.pod = fl_read_u64(&reader);
    if (!is_known || !fl_reader_is_done(&reader) || cursor.at_ns < 0 ||
        (cursor.at_ns > 0) != (cursor.bytes > 0)) {
        return false;
    }
    *ret_cursor = cursor;
    return true;
}

void kube_log_cursor_since(const struct kube_log_cursor *cursor, char ret_time[FL_TIME_TEXT_MAX])
{
    fl_ms since = cursor->at_ns / MS_NS - KUBE_LOG_BEFORE_MS;

    ret_time[0] = 0;
    if (cursor->at_ns > 0 && since > 0) fl_time_print(since - since % FL_SECOND_MS, ret_time);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* ".5" to ".123456789", or nothing. */
static bool take_fraction(struct fl_str *text, int64_t *ret_ns)
{
    uint64_t n = 0;
    size_t len = 1;

    *ret_ns = 0;
    if (text->len == 0 || text->at[0] != '.') return true;
    while (len < text->len && text->at[len] >= '0' && text->at[len] <= '9') {
        len++;
    }
    if (len > 10 || !fl_str_parse_u64((struct fl_str){text->at + 1, len - 1}, &n)) return false;
    *ret_ns = (int64_t)n;
    for (size_t i = len; i < 10; i++) {
        *ret_ns *= 10;
    }
    text->at += len;
    text->len -= len;
    return true;
}

/* "Z" or "+02:00", and no more: how far the clock is ahead. */
static bool take_zone(struct fl_str text, int64_t *ret_seconds)
{
    uint64_t hours, minutes;
    bool is_ahead;

    *ret_seconds = 0;
    if (fl_str_eq(text, FL_STR("Z"))) return true;
    if (text.len != 6 || (text.at[0] != '+' && text.at[0] != '-') || text.at[3] != ':') {
        return false;
    }
    is_ahead = text.at[0] == '+';
    if (!fl_str_parse_u64((struct fl_str){text.at + 1, 2}, &hours) ||
        !fl_str_parse_u64((struct fl_str){text.at + 4, 2}, &minutes) || hours > 23 ||
        minutes > 59) {
        return false;
    }
    *ret_seconds = (int64_t)(hours * 3600 + minutes * 60);
    if (!is_ahead) *ret_seconds = -*ret_seconds;
    return true;
}

/* As RFC 3339 has it, with up to nanoseconds, in any zone. */
static bool parse_stamp(struct fl_str text, int64_t *ret_ns)
{
    char seconds[SECONDS_LEN + 1];
    int64_t fraction, zone;
    fl_ms at;

    if (text.len <= SECONDS_LEN) return false;
    memcpy(seconds, text.at, SECONDS_LEN);
    seconds[SECONDS_LEN] = 'Z';
    if (!fl_time_parse((struct fl_str){seconds, sizeof seconds}, &at)) return false;
    text.at += SECONDS_LEN;
    text.len -= SECONDS_LEN;
    if (!take_fraction(&text, &fraction) || !take_zone(text, &zone)) return false;
    at = at / FL_SECOND_MS - zone;
    if (at <= 0 || at >= INT64_MAX / SECOND_NS - 1) return false;
    *ret_ns = at * SECOND_NS + fraction;
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void stop_search(struct kube_log_reader *reader)
{
    reader->is_searching = false;
    reader->previous_ns = 0;
}

/* The lines that are held are new: they are read again, behind a gap. */
static void give_up_search(struct kube_log_reader *reader)
{
    stop_search(reader);
    reader->is_gap_due = true;
    reader->gap_ns = reader->held_ns;
    reader->is_releasing = true;
    reader->held_at = 0;
    reader->state = LINE_STAMP;
    reader->stamp_len = 0;
}

static void begin_search(struct kube_log_reader *reader)
{
    reader->is_searching = true;
    reader->is_run = false;
    fl_buf_clear(&reader->held);
}

static void hold(struct kube_log_reader *reader, struct fl_str bytes)
{
    bool is_put = fl_buf_put(&reader->held, bytes.at, bytes.len);

    fl_assert(is_put); /* the caller gives up before it is full */
}

static size_t room_to_hold(const struct kube_log_reader *reader)
{
    return reader->held.max - reader->held.len;
}

static void search_stamp(struct kube_log_reader *reader)
{
    int64_t ns = reader->line_ns;

    if (ns != reader->cursor.at_ns) {
        reader->is_run = false;
    } else if (reader->previous_ns != ns) {
        reader->is_run = true;
        reader->run_bytes = 0;
        reader->run_crc = 0;
    }
    reader->previous_ns = ns;
    if (reader->held.len == 0 && ns <= reader->cursor.at_ns) return;
    if (reader->held.len == 0) reader->held_ns = ns;
    hold(reader, (struct fl_str){reader->stamp, reader->stamp_len});
    hold(reader, FL_STR(" "));
    /* A line that was written since this answer began: the rest of the file is behind us. */
    if (ns / MS_NS - reader->begun_at >= KUBE_LOG_ORDER_MS ||
        room_to_hold(reader) <= KUBE_LOG_STAMP_BYTES_MAX + 1) {
        give_up_search(reader);
    }
}

static void found(struct kube_log_reader *reader, fl_ms now)
{
    stop_search(reader);
    fl_buf_clear(&reader->held);
    reader->previous_ns = reader->cursor.at_ns;
    reader->previous_at = now;
}

/* Returns how many of the bytes it looked at. */
static size_t search_text(struct kube_log_reader *reader, struct fl_str text, fl_ms now)
{
    const struct kube_log_cursor *cursor = &reader->cursor;
    size_t len = text.len;

    if (reader->is_run && len > cursor->bytes - reader->run_bytes) {
        len = (size_t)(cursor->bytes - reader->run_bytes);
    }
    if (reader->held.len > 0 && len > room_to_hold(reader) - KUBE_LOG_STAMP_BYTES_MAX - 1) {
        len = room_to_hold(reader) - KUBE_LOG_STAMP_BYTES_MAX - 1;
    }
    if (reader->held.len > 0) hold(reader, (struct fl_str){text.at, len});
    if (reader->is_run) {
        reader->run_crc = fl_crc32c(reader->run_crc, text.at, len);
        reader->run_bytes += len;
        if (reader->run_bytes == cursor->bytes) {
            reader->is_run = false;
            if (reader->run_crc == cursor->crc) found(reader, now);
        }
    }
    return len;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_late_begin(const struct kube_log_reader *reader)
{
    fl_ms started_at = reader->cursor.started_at;

    return reader->cursor.at_ns == 0 && started_at > 0 &&
           reader->line_ns / MS_NS - started_at >= KUBE_LOG_PAUSE_MS &&
           reader->begun_at - started_at >= KUBE_LOG_PAUSE_MS;
}

/* The kubelet may have passed over files between the line before and this one. */
static bool is_doubtful_pause(const struct kube_log_reader *reader)
{
    fl_ms previous = reader->previous_ns / MS_NS;

    return previous > 0 && reader->previous_ns != reader->doubted_ns &&
           reader->line_ns / MS_NS - previous >= KUBE_LOG_PAUSE_MS &&
           reader->line_ns / MS_NS - reader->begun_at >= KUBE_LOG_PAUSE_MS &&
           (reader->previous_at - previous >= KUBE_LOG_PAUSE_MS ||
            reader->taken >= KUBE_LOG_ROTATED_BYTES_MIN);
}

/* The time of a line is whole. */
static void take_stamp(struct kube_log_reader *reader, fl_ms now)
{
    reader->state = LINE_TEXT;
    if (reader->is_searching) {
        search_stamp(reader);
        return;
    }
    if (is_doubtful_pause(reader)) {
        reader->state = LINE_DOUBTED;
        reader->doubted_ns = reader->previous_ns;
        return;
    }
    if (is_late_begin(reader)) {
        reader->is_gap_due = true;
        reader->gap_ns = reader->line_ns;
    }
    reader->previous_ns = reader->line_ns;
    reader->previous_at = now;
}

static void gather_complaint(struct kube_log_reader *reader, struct fl_str text)
{
    size_t room = KUBE_LOG_COMPLAINT_BYTES_MAX - reader->complaint_len;

    if (text.len > room) text.len = room;
    if (text.len > 0) memcpy(reader->complaint + reader->complaint_len, text.at, text.len);
    reader->complaint_len += text.len;
    reader->complaint[reader->complaint_len] = 0;
}

static void begin_complaint(struct kube_log_reader *reader)
{
    reader->state = LINE_COMPLAINT;
    reader->complaint_len = 0;
    gather_complaint(reader, (struct fl_str){reader->stamp, reader->stamp_len});
}

/* Each of these takes some of the bytes from the front, at least one. */

static void read_stamp(struct kube_log_reader *reader, struct fl_str *bytes, fl_ms now)
{
    while (bytes->len > 0) {
        char c = bytes->at[0];

        if (c == '\n' || reader->stamp_len == sizeof reader->stamp) {
            begin_complaint(reader);
            return;
        }
        bytes->at++;
        bytes->len--;
        if (c == ' ' &&
            parse_stamp((struct fl_str){reader->stamp, reader->stamp_len}, &reader->line_ns)) {
            take_stamp(reader, now);
            return;
        }
        reader->stamp[reader->stamp_len++] = c;
        if (c == ' ') {
            begin_complaint(reader);
            return;
        }
    }
}

static size_t line_len(struct fl_str bytes, bool *ret_ends)
{
    const char *end = memchr(bytes.at, '\n', bytes.len);

    *ret_ends = end;
    return end ? (size_t)(end - bytes.at) + 1 : bytes.len;
}

static void read_complaint(struct kube_log_reader *reader, struct fl_str *bytes)
{
    bool ends;
    size_t len = line_len(*bytes, &ends);

    gather_complaint(reader, (struct fl_str){bytes->at, ends ? len - 1 : len});
    bytes->at += len;
    bytes->len -= len;
    if (ends) {
        reader->state = LINE_STAMP;
        reader->stamp_len = 0;
    }
}

static void move_cursor(struct kube_log_reader *reader, struct fl_str text)
{
    struct kube_log_cursor *cursor = &reader->cursor;

    if (cursor->at_ns != reader->line_ns) {
        cursor->at_ns = reader->line_ns;
        cursor->bytes = 0;
        cursor->crc = 0;
    }
    cursor->bytes += text.len;
    cursor->crc = fl_crc32c(cursor->crc, text.at, text.len);
}

/* True: a piece. */
static bool read_text(struct kube_log_reader *reader, struct fl_str *bytes, fl_ms now,
                      struct kube_log_piece *ret_piece)
{
    bool ends, is_output = !reader->is_searching;
    struct fl_str text = {bytes->at, line_len(*bytes, &ends)};

    if (!is_output) {
        size_t len = search_text(reader, text, now);

        if (len == 0 && reader->is_searching) { /* no more can be held */
            give_up_search(reader);
            return false;
        }
        ends = ends && len == text.len;
        text.len = len;
    }
    bytes->at += text.len;
    bytes->len -= text.len;
    if (ends) {
        reader->state = LINE_STAMP;
        reader->stamp_len = 0;
    }
    if (!is_output) return false;
    move_cursor(reader, text);
    reader->taken += text.len;
    *ret_piece = (struct kube_log_piece){KUBE_LOG_BYTES, reader->line_ns / MS_NS, text};
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

void kube_log_reader_init(struct kube_log_reader *reader, const struct kube_log_cursor *cursor)
{
    *reader = (struct kube_log_reader){.cursor = *cursor};
    fl_buf_init(&reader->held, KUBE_LOG_HELD_BYTES_MAX);
}

void kube_log_reader_fini(struct kube_log_reader *reader)
{
    fl_buf_fini(&reader->held);
}

void kube_log_reader_begin(struct kube_log_reader *reader, fl_ms now)
{
    fl_assert(!reader->is_releasing && !reader->is_gap_due);
    reader->begun_at = now;
    reader->state = LINE_STAMP;
    reader->stamp_len = 0;
    reader->previous_ns = 0;
    reader->taken = 0;
    reader->complaint_len = 0;
    reader->complaint[0] = 0;
    reader->is_searching = false;
    if (reader->cursor.at_ns > 0) begin_search(reader);
}

void kube_log_reader_settle(struct kube_log_reader *reader)
{
    if (reader->is_searching && reader->held.len > 0) give_up_search(reader);
}

/* True: a piece. */
static bool read_some(struct kube_log_reader *reader, struct fl_str *bytes, fl_ms now,
                      struct kube_log_piece *ret_piece)
{
    switch ((enum line_state)reader->state) {
    case LINE_STAMP:
        read_stamp(reader, bytes, now);
        return false;
    case LINE_TEXT:
        return read_text(reader, bytes, now, ret_piece);
    case LINE_COMPLAINT:
        read_complaint(reader, bytes);
        return false;
    case LINE_DOUBTED:
        bytes->at += bytes->len;
        bytes->len = 0;
        return false;
    }
    fl_unreachable("all states are listed");
}

static bool release_some(struct kube_log_reader *reader, fl_ms now,
                         struct kube_log_piece *ret_piece)
{
    size_t len = reader->held.len - reader->held_at;
    struct fl_str rest = {(const char *)reader->held.at + reader->held_at, len};
    bool is_piece = len > 0 && read_some(reader, &rest, now, ret_piece);

    reader->held_at = reader->held.len - rest.len;
    if (len == 0) {
        fl_buf_clear(&reader->held);
        reader->is_releasing = false;
    }
    return is_piece;
}

bool kube_log_reader_is_doubtful(const struct kube_log_reader *reader)
{
    return reader->state == LINE_DOUBTED;
}

bool kube_log_reader_next(struct kube_log_reader *reader, struct fl_str *bytes, fl_ms now,
                          struct kube_log_piece *ret_piece)
{
    *ret_piece = (struct kube_log_piece){0};
    for (;;) {
        if (reader->is_gap_due) {
            reader->is_gap_due = false;
            *ret_piece = (struct kube_log_piece){KUBE_LOG_GAP, reader->gap_ns / MS_NS, {0}};
            return true;
        }
        if (reader->is_releasing) {
            if (release_some(reader, now, ret_piece)) return true;
        } else if (bytes->len == 0) {
            return false;
        } else if (read_some(reader, bytes, now, ret_piece)) {
            return true;
        }
    }
}
