#include "controlplane/logs/view.h"

#include <string.h>

#include "controlplane/logs/log_output_state.h"
#include "controlplane/logs/output_window.h"
#include "controlplane/logs/view_cursor.h"
#include "controlplane/logs/view_pass.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"

#define LOOK_OUTPUTS_MAX (4 * (size_t)LOG_VIEW_SOURCES_MAX) /* from which a read selects */
#define PAGE_SLACK (2 * LOG_PIECE_BYTES_MAX)
#define WINDOWS_BYTES_MAX ((size_t)64 << 20) /* all windows; above it they are dropped and reread */

void log_view_set_lines_max(struct log_view *view, uint32_t lines_max)
{
    bool is_in_range = lines_max > 0 && lines_max <= LOG_PAGE_LINES_MAX;

    view->query.lines_max = is_in_range ? lines_max : LOG_PAGE_LINES_MAX;
}

bool log_view_init(struct log_view *view, const struct log_query *query, struct fl_err *err)
{
    *view = (struct log_view){.query = *query};
    view->query.cursor = (struct fl_str){0};
    view->query.attempts = NULL;
    view->query.pattern = NULL;
    if (query->from == LOG_FROM_CURSOR && !log_view_take_cursor(view, query, err)) {
        log_view_fini(view);
        return false;
    }
    log_view_set_lines_max(view, query->lines_max);
    {
        uint32_t most = query->is_following ? LOG_FOLLOW_BYTES_MAX : LOG_PAGE_BYTES_MAX;

        if (view->query.bytes_max == 0 || view->query.bytes_max > most) {
            view->query.bytes_max = most;
        }
    }
    fl_buf_init(&view->bytes, (size_t)LOG_PAGE_BYTES_MAX + PAGE_SLACK);
    fl_buf_init(&view->cursor,
                query->is_search ? LOG_SEARCH_CURSOR_BYTES_MAX : LOG_CURSOR_BYTES_MAX);
    if (query->attempts) log_view_settle(view, log_ended_outputs_create(query, query->attempts));
    view->query.pattern = query->pattern;
    return true;
}

void log_view_settle(struct log_view *view, struct log_ended_outputs *ended_outputs)
{
    log_ended_outputs_destroy(view->ended_outputs);
    view->ended_outputs = ended_outputs;
    view->is_changed = true;
}

void log_view_fini(struct log_view *view)
{
    if (!view) return;
    log_ended_outputs_destroy(view->ended_outputs);
    for (size_t i = 0; i < view->outputs.len; i++) {
        fl_buf_fini(&view->outputs.at[i].window);
    }
    fl_vec_fini(&view->outputs);
    fl_vec_fini(&view->order);
    fl_vec_fini(&view->lines);
    fl_vec_fini(&view->spans);
    fl_buf_fini(&view->bytes);
    fl_buf_fini(&view->cursor);
    log_pattern_destroy(view->query.pattern);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static enum log_output_state fate_of(const struct log_view *view,
                                     const struct log_view_output *output)
{
    if (!view->ended_outputs) {
        return output->is_ended ? LOG_OUTPUT_STATE_ended : LOG_OUTPUT_STATE_awaited;
    }
    return log_output_state(output->letter, output->end.offset > 0, output->is_ended,
                            output->is_given_up);
}

enum take {
    TAKEN, /* a line or a piece of one */
    HELD,  /* it is not complete, and waits */
    DRY,   /* no more is stored, or an error */
};

static enum log_verdict look_at(struct log_view *view, const struct log_subject *subject)
{
    enum log_verdict verdict = view->verdict;

    if (!view->query.pattern) return LOG_HIT;
    if (!view->has_verdict) verdict = log_pattern_match(view->query.pattern, subject);
    view->has_verdict = false;
    return verdict;
}

/* Whether the line has a level that is asked for.  Those that match are counted in any case. */
static bool has_level(struct log_view *view, struct log_line *line)
{
    line->level = line->is_begin ? fl_line_level_guess(line->bytes) : FL_LINE_LEVEL_none;
    if (!line->is_undecided) view->by_level[line->level]++;
    return view->query.levels == 0 || (view->query.levels & 1U << line->level) != 0;
}

static void find_spans(struct log_view *view, const struct log_subject *subject,
                       struct log_line *line)
{
    struct log_spans spans;

    log_pattern_spans(view->query.pattern, subject, &spans);
    for (size_t i = 0; i < spans.len; i++) {
        fl_vec_push(&view->spans, spans.at[i]);
    }
    line->spans_len = spans.len;
}

/* Not every line is given. */
static bool is_looking(const struct log_view *view)
{
    return view->query.pattern || view->query.is_search;
}

/* Whether the line is given.  A gap always is. */
static bool is_hit(struct log_view *view, struct log_line *line)
{
    struct log_subject subject = {line->bytes, line->is_begin, line->is_end};
    enum log_verdict verdict;

    if (line->gap != FL_LOG_GAP_none) return true;
    view->lines_seen += line->is_begin;
    if (!is_looking(view)) return true;
    verdict = look_at(view, &subject);
    view->lines_untimed++;
    line->is_undecided = verdict == LOG_UNDECIDED;
    if (verdict == LOG_MISS) return false;
    if (!view->query.is_search) return true;
    if (!has_level(view, line)) return false;
    if (verdict == LOG_HIT && view->query.pattern) find_spans(view, &subject, line);
    return true;
}

static void add_line(struct log_view *view, struct log_view_output *output,
                     const struct log_line *line, size_t begin)
{
    struct log_line full = *line;

    full.attempt = output->key.attempt;
    full.replica = output->key.replica;
    full.bytes = (struct fl_str){(const char *)view->bytes.at + begin, view->bytes.len - begin};
    if (line->is_begin) { /* is_hidden then holds for all pieces of the line */
        uint64_t lines = line->gap != FL_LOG_GAP_none ? line->gap_lines : 1;
        uint64_t skipped = view->skip < lines ? view->skip : lines;

        if (line->time >= output->resume_time) output->resume_time = 0;
        output->is_hidden = (view->skip > 0 && skipped == lines) ||
                            line->time < view->query.since || output->resume_time != 0;
        view->skip -= skipped;
        if (full.gap_lines > 0) full.gap_lines -= skipped;
    }
    if (output->is_hidden || !is_hit(view, &full)) {
        fl_buf_truncate(&view->bytes, begin);
        return;
    }
    fl_vec_push(&view->lines, full);
}

/* The number of the line at output->offset, which stands behind a gap. */
static uint64_t line_behind_gap(struct log_view_output *output, struct log_load *load)
{
    struct fl_log_record record;

    return output_window_peek(output, load, &record) ? output->line : output->end.lines;
}

/* Gives a gap.  It counts as the lines that are missing in it; a line that it cuts has counted at
 * its beginning. */
static void take_gap(struct log_view *view, struct log_view_output *output,
                     const struct fl_log_record *record, struct log_load *load)
{
    struct log_line line = {.number = output->line,
                            .offset = output->offset,
                            .time = record->time,
                            .gap = record->gap,
                            .gap_bytes = fl_log_record_end(record) - output->offset,
                            .is_begin = true,
                            .is_end = true};
    uint64_t first = output->line + (output->is_mid ? 1 : 0);
    uint64_t behind;

    output->offset = fl_log_record_end(record);
    output->line++;
    output->is_mid = false;
    behind = line_behind_gap(output, load);
    line.gap_lines = behind > first ? behind - first : 0;
    add_line(view, output, &line, view->bytes.len);
}

/* The next line of an output, or a piece of it. */
static enum take take_line(struct log_view *view, struct log_view_output *output, bool may_hold,
                           struct log_load *load)
{
    struct log_line line = {
        .number = output->line, .offset = output->offset, .is_begin = !output->is_mid};
    uint64_t offset = output->offset;
    size_t begin = view->bytes.len;
    struct fl_log_record record;
    bool is_over = false;

    while (!is_over && output_window_peek(output, load, &record)) {
        size_t room = LOG_PIECE_BYTES_MAX - (view->bytes.len - begin);
        const char *newline;
        size_t len;

        if (output->offset == offset) {
            line.number = output->line; /* peek may have corrected it */
            line.time = record.time;
            if (view->query.until != 0 && record.time >= view->query.until) {
                output->is_over = true;
                return DRY;
            }
        }
        if (record.gap) {
            if (view->bytes.len == begin) {
                take_gap(view, output, &record, load);
                return TAKEN;
            }
            line.is_end = true;
            break;
        }
        len = record.bytes.len < room ? record.bytes.len : room;
        newline = memchr(record.bytes.at, '\n', len);
        if (newline) len = (size_t)(newline - record.bytes.at) + 1;
        if (!fl_buf_put(&view->bytes, record.bytes.at, len)) break; /* never: a page has room */
        output->offset += len;
        line.is_end = newline != NULL;
        is_over = newline || view->bytes.len - begin == LOG_PIECE_BYTES_MAX;
    }
    if (load->err.code != FL_OK) return DRY;
    if (view->bytes.len == begin) return DRY;
    if (!is_over && !line.is_end) {
        if (fate_of(view, output) != LOG_OUTPUT_STATE_awaited) {
            line.is_end = true;
        } else if (may_hold) {
            fl_buf_truncate(&view->bytes, begin);
            output->offset = offset;
            output_window_drop(output);
            return HELD;
        }
    }
    output->is_mid = view->bytes.at[view->bytes.len - 1] != '\n';
    if (!output->is_mid) output->line++;
    add_line(view, output, &line, begin);
    return TAKEN;
}

/* ---- where to begin -------------------------------------------------------------------------- */

static uint64_t lines_of(const struct log_view_output *output)
{
    return output->end.lines + (output->end.is_mid ? 1 : 0);
}

/* Moves past a gap.  If line n is in it, stays at the gap and returns false: the reader learns that
 * the line is missing. */
static bool seek_past_gap(struct log_view_output *output, const struct fl_log_record *record,
                          uint64_t n, struct log_load *load)
{
    uint64_t offset = output->offset;

    output->offset = fl_log_record_end(record);
    output->line++;
    if (line_behind_gap(output, load) <= n) return true;
    output_window_drop(output);
    output->offset = offset;
    output->line = n;
    return false;
}

/* Moves to the beginning of line n, to the gap that hides it, or to the end. */
static void seek_line(struct log_view_output *output, uint64_t n, struct log_load *load)
{
    struct log_part part;
    struct fl_log_record record;

    output->offset = output->line = 0;
    output->is_mid = false;
    output_window_drop(output);
    if (n == 0) return;
    /* Searches for n - 1, since a part that begins in line n may begin behind the line's start. */
    if (!log_index_part(load->index, &output->key, LOG_BY_LINE, n - 1, &part, &load->err)) {
        if (load->err.code == FL_ABSENT) load->err = (struct fl_err){0};
        return;
    }
    output->offset = part.offset;
    output->line = part.line;
    log_part_fini(&part);
    while (output->line < n && output_window_peek(output, load, &record)) {
        const char *newline;

        if (record.gap) {
            if (!seek_past_gap(output, &record, n, load)) return;
            continue;
        }
        newline = memchr(record.bytes.at, '\n', record.bytes.len);
        output->offset += newline ? (size_t)(newline - record.bytes.at) + 1 : record.bytes.len;
        if (newline) output->line++;
    }
}

/* Moves to the first line that began at 'time' or later, or a little before it; add_line hides the
 * earlier ones. */
static void seek_time(struct log_view_output *output, fl_ms time, struct log_load *load)
{
    struct log_part part;
    bool is_before; /* else all that is stored is of that time, or later */

    if (!log_index_part(load->index, &output->key, LOG_BY_TIME, (uint64_t)(time - 1), &part,
                        &load->err)) {
        if (load->err.code == FL_ABSENT) load->err = (struct fl_err){0};
        return;
    }
    is_before = part.time < time;
    if (is_before) {
        output->offset = part.offset;
        output->line = part.line;
    }
    log_part_fini(&part);
    if (is_before && output->offset > 0) seek_line(output, output->line + 1, load);
}

static void begin_output(struct log_view *view, struct log_view_output *output,
                         struct log_load *load)
{
    const struct log_query *query = &view->query;
    uint64_t lines = lines_of(output);

    switch (query->from) {
    case LOG_FROM_START:
        break;
    case LOG_FROM_LINE:
        if (view->outputs.len == 1) seek_line(output, query->n, load);
        break;
    case LOG_FROM_TAIL:
        if (lines > query->n) seek_line(output, lines - query->n, load);
        break;
    case LOG_FROM_CURSOR:
        output->resume_time = log_view_resume_time(view, output);
        if (output->resume_time != 0) seek_time(output, output->resume_time, load);
        return;
    }
    if (query->since != 0 && query->from == LOG_FROM_START) {
        seek_time(output, query->since, load);
    }
}

static void begin(struct log_view *view, struct log_load *load)
{
    uint64_t candidates = 0;

    for (size_t i = 0; i < view->outputs.len && load->err.code == FL_OK; i++) {
        struct log_view_output *output = &view->outputs.at[i];
        uint64_t lines = lines_of(output);

        candidates += lines < view->query.n ? lines : view->query.n;
        begin_output(view, output, load);
    }
    if (view->query.from == LOG_FROM_LINE && view->outputs.len != 1) view->skip = view->query.n;
    if (view->query.from == LOG_FROM_TAIL && candidates > view->query.n) {
        view->skip = candidates - view->query.n;
    }
}

/* ---- which outputs --------------------------------------------------------------------------- */

/* The output of this key, made if it is not there. */
static struct log_view_output *need_output(struct log_view *view, const struct log_key *key)
{
    size_t i = 0;
    size_t high = view->outputs.len;

    while (i < high) {
        size_t middle = i + (high - i) / 2;

        if (log_key_cmp(&view->outputs.at[middle].key, key) < 0) {
            i = middle + 1;
        } else {
            high = middle;
        }
    }
    if (i == view->outputs.len || log_key_cmp(&view->outputs.at[i].key, key) != 0) {
        fl_vec_insert(&view->outputs, i, (struct log_view_output){.key = *key});
    }
    return &view->outputs.at[i];
}

static void check_sources(size_t selected, struct log_load *load)
{
    if (selected <= LOG_VIEW_SOURCES_MAX) return;
    fl_fail(&load->err, FL_TOO_LARGE,
            "%zu outputs are selected, at most %d are read at once: name an element or a replica",
            selected, LOG_VIEW_SOURCES_MAX);
}

static bool look_for_outputs(struct log_view *view, struct log_load *load)
{
    const struct log_query *query = &view->query;
    struct log_key_range range = query->has_element
                                     ? log_key_range_of_element(query->job, query->element)
                                     : log_key_range_of_job(query->job);
    struct log_known_list known;
    size_t selected = 0;

    if (!log_index_known(load->index, &range, LOOK_OUTPUTS_MAX, &known, &load->err)) return false;
    for (size_t i = 0; i < known.len; i++) {
        selected += log_query_has(query, &known.at[i].key);
    }
    check_sources(selected, load);
    for (size_t i = 0; i < known.len && load->err.code == FL_OK; i++) {
        struct log_view_output *output;

        if (!log_query_has(query, &known.at[i].key)) continue;
        output = need_output(view, &known.at[i].key);
        output->end = known.at[i].place;
        output->is_ended = known.at[i].is_ended;
    }
    fl_vec_fini(&known);
    view->is_changed = true;
    return load->err.code == FL_OK;
}

/* Compares the outputs with those of the job's rows, once the job has ended. */
static void compare(struct log_view *view, struct log_load *load)
{
    if (!view->ended_outputs || !view->is_changed) return;
    view->is_changed = false;
    check_sources(view->ended_outputs->outputs.len, load);
    for (size_t i = 0; i < view->ended_outputs->outputs.len && load->err.code == FL_OK; i++) {
        (void)need_output(view, &view->ended_outputs->outputs.at[i].key);
    }
    for (size_t i = 0; i < view->outputs.len; i++) {
        struct log_view_output *output = &view->outputs.at[i];
        const struct log_ended_output *found =
            log_ended_outputs_find(view->ended_outputs, &output->key);

        output->letter = found ? found->letter : CORE_OUTPUT_none;
        output->is_given_up = !found || found->is_given_up; /* no row knows of it: nor of its end */
    }
}

/* Updates the ends of the outputs, and looks for new outputs. */
static bool refresh(struct log_view *view, struct log_load *load)
{
    uint64_t births;

    log_index_lock(load->index);
    births = load->index->births;
    for (size_t i = 0; births == view->births && i < view->outputs.len; i++) {
        struct log_view_output *output = &view->outputs.at[i];
        const struct log_output *found = log_index_find(load->index, &output->key);

        if (!found) continue; /* it is sealed as a whole, so its end does not change */
        output->end = found->place;
        output->is_ended = found->is_ended;
    }
    log_index_unlock(load->index);
    if (births == view->births && view->has_begun) return true;
    if (!look_for_outputs(view, load)) return false;
    view->births = births;
    return true;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* The pieces of a line follow each other: a search that goes on by time has one line at most to end
 * (view_cursor.h). */
static bool is_before(const struct log_view *view, uint32_t a, uint32_t b)
{
    bool is_line_open = view->outputs.at[a].is_mid;
    fl_ms x = view->outputs.at[a].time;
    fl_ms y = view->outputs.at[b].time;

    if (view->query.is_search && is_line_open != view->outputs.at[b].is_mid) return is_line_open;
    return x != y ? x < y : a < b;
}

static void sift_down(struct log_view *view, size_t i)
{
    uint32_t *at = view->order.at;
    size_t len = view->order.len;

    for (;;) {
        size_t least = i;
        uint32_t swapped;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < len; child++) {
            if (is_before(view, at[child], at[least])) least = child;
        }
        if (least == i) return;
        swapped = at[i];
        at[i] = at[least];
        at[least] = swapped;
        i = least;
    }
}

static void make_order(struct log_view *view, struct log_load *load)
{
    fl_vec_clear(&view->order);
    for (size_t i = 0; i < view->outputs.len && load->err.code == FL_OK; i++) {
        struct log_view_output *output = &view->outputs.at[i];

        if (output->is_over || output->offset >= output->end.offset) continue;
        if (output->window_pos == output->window.len && view->outputs.len > 1) {
            struct log_part part;

            if (log_index_part(load->index, &output->key, LOG_BY_OFFSET, output->offset, &part,
                               &load->err)) {
                output->time = part.time;
                log_part_fini(&part);
            } else if (load->err.code == FL_ABSENT) {
                load->err = (struct fl_err){0};
            }
        }
        fl_vec_push(&view->order, (uint32_t)i);
    }
    for (size_t i = view->order.len; i > 0; i--) {
        sift_down(view, i - 1);
    }
}

static void pop(struct log_view *view)
{
    view->order.at[0] = view->order.at[view->order.len - 1];
    view->order.len--;
    sift_down(view, 0);
}

static bool is_full(const struct log_view *view)
{
    return view->lines.len >= view->query.lines_max || view->bytes.len >= view->query.bytes_max;
}

/* The first output of the order has moved. */
static void move_on(struct log_view *view, struct log_view_output *output, struct log_load *load)
{
    struct fl_log_record record;

    if (output->offset >= output->end.offset) {
        pop(view);
    } else if (output_window_peek(output, load, &record)) {
        sift_down(view, 0);
    }
}

/* To look through lines may take long: the clock is read behind each line where the pattern is a
 * costly one, else now and then. */
static bool is_late(struct log_view *view)
{
    if (view->lines_untimed == 0) return false;
    if (view->lines_untimed < LOG_PASSED_MAX &&
        !(view->query.pattern && log_pattern_is_costly(view->query.pattern))) {
        return false;
    }
    view->lines_untimed = 0;
    return fl_clock_mono_us() >= view->step_end_us;
}

/* Takes lines until the page is full, no line is left, or the step has done enough. */
static bool fill(struct log_view *view, struct log_load *load)
{
    bool may_hold =
        view->query.is_following && (view->outputs.len > 1 || view->query.has_whole_lines);

    if (is_looking(view)) view->step_end_us = fl_clock_mono_us() + LOG_VIEW_STEP_US;
    while (view->order.len > 0 && !is_full(view) && load->bytes < LOG_VIEW_STEP_BYTES &&
           !is_late(view)) {
        struct log_view_output *output = &view->outputs.at[view->order.at[0]];
        struct fl_log_record record;
        fl_ms time = output->time;
        bool has_record;

        has_record = output_window_peek(output, load, &record);
        if (has_record && record.time > time && view->order.len > 1) {
            sift_down(view, 0); /* its record is later than its key in the heap */
            if (&view->outputs.at[view->order.at[0]] != output) continue;
        }
        if (load->err.code != FL_OK) return false;
        if (has_record && !output->is_mid) log_view_note_walk(view, output, record.time);
        if (has_record && log_view_pass(view, output, &record)) {
            move_on(view, output, load);
            continue;
        }
        switch (take_line(view, output, may_hold, load)) {
        case TAKEN:
            move_on(view, output, load);
            break;
        case HELD:
        case DRY:
            pop(view);
            break;
        }
        if (load->err.code != FL_OK) return false;
    }
    return true;
}

/* All that is stored of it was given, and its end is not known. */
static bool wants_lost_gap(const struct log_view *view, const struct log_view_output *output)
{
    return fate_of(view, output) == LOG_OUTPUT_STATE_lost && !output->has_lost_gap &&
           !output->is_over && output->offset >= output->end.offset;
}

static void put_lost_gaps(struct log_view *view)
{
    /* A cursor does not tell which of them were given: those of a search come last, in one page. */
    bool is_search = is_looking(view) && !view->query.is_following;

    if (is_search && view->order.len > 0) return;
    for (size_t i = 0; i < view->outputs.len && (is_search || !is_full(view)); i++) {
        struct log_view_output *output = &view->outputs.at[i];
        struct log_line line = {.attempt = output->key.attempt,
                                .replica = output->key.replica,
                                .number = output->line,
                                .offset = output->offset,
                                .time = output->time,
                                .gap = FL_LOG_GAP_lost,
                                .is_begin = true,
                                .is_end = true};

        if (!wants_lost_gap(view, output)) continue;
        output->has_lost_gap = true;
        fl_vec_push(&view->lines, line);
    }
}

static void finish_page(struct log_view *view, const struct log_load *load)
{
    const char *at = (const char *)view->bytes.at;
    const struct log_span *spans = view->spans.at;
    struct log_page *page = &view->page;

    for (size_t i = 0; i < view->lines.len; i++) {
        struct log_line *line = &view->lines.at[i];

        line->bytes.at = at;
        if (at) at += line->bytes.len;
        line->spans = spans;
        if (spans) spans += line->spans_len;
    }
    page->lines_seen = view->lines_seen;
    memcpy(page->by_level, view->by_level, sizeof page->by_level);
    if (is_looking(view)) view->told_us = fl_clock_mono_us();
    log_view_print_cursor(view);
    page->lines = view->lines.at;
    page->lines_len = view->lines.len;
    page->cursor = (struct fl_str){(const char *)view->cursor.at, view->cursor.len};
    page->err = load->err;
    page->is_over = page->is_over || load->err.code != FL_OK;
}

static void drop_windows(struct log_view *view)
{
    size_t bytes = 0;

    for (size_t i = 0; i < view->outputs.len; i++) {
        bytes += view->outputs.at[i].window.cap;
    }
    if (bytes <= WINDOWS_BYTES_MAX) return;
    for (size_t i = 0; i < view->outputs.len; i++) {
        output_window_drop(&view->outputs.at[i]);
    }
}

/* Fills view->page but for its lines.  True: all stored lines were given. */
static bool count_up(struct log_view *view)
{
    struct log_page page = {.sources = (uint32_t)view->outputs.len};
    bool is_done = true;

    for (size_t i = 0; i < view->outputs.len; i++) {
        const struct log_view_output *output = &view->outputs.at[i];

        page.lines_total += lines_of(output);
        is_done = is_done && (output->is_over || output->offset >= output->end.offset) &&
                  !wants_lost_gap(view, output);
        switch (fate_of(view, output)) {
        case LOG_OUTPUT_STATE_awaited:
            if (page.sources_live++ > 0) break;
            page.awaited = output->key.attempt;
            page.awaited_replica = output->key.replica;
            break;
        case LOG_OUTPUT_STATE_lost:
            page.sources_lost++;
            break;
        case LOG_OUTPUT_STATE_none:
        case LOG_OUTPUT_STATE_ended:
            break;
        }
    }
    page.is_settled = view->ended_outputs != NULL;
    view->page = page;
    return is_done;
}

/* A settled follower learns once what it waits for. */
static bool is_news(struct log_view *view)
{
    if (!view->ended_outputs || view->told_live == view->page.sources_live) return false;
    view->told_live = view->page.sources_live;
    return true;
}

/* A page without lines tells that the search goes on. */
static bool is_tell_due(const struct log_view *view)
{
    return is_looking(view) && !view->query.is_following &&
           fl_clock_mono_us() >= view->told_us + LOG_SEARCH_TELL_MS * 1000;
}

enum log_view_answer log_view_step(struct log_view *view, struct log_index *index)
{
    struct log_load load = {.index = index};
    bool is_done;

    fl_vec_clear(&view->lines);
    fl_vec_clear(&view->spans);
    fl_buf_clear(&view->bytes);
    if (refresh(view, &load)) compare(view, &load);
    load.is_short = view->outputs.len > 1;
    if (load.err.code == FL_OK) {
        if (!view->has_begun) begin(view, &load);
        view->has_begun = true;
        make_order(view, &load);
        if (load.err.code == FL_OK && fill(view, &load)) put_lost_gaps(view);
    }
    is_done = count_up(view);
    drop_windows(view);
    if (load.err.code == FL_OK && is_done) {
        view->page.is_over =
            !view->query.is_following || (view->ended_outputs && view->page.sources_live == 0);
    }
    if (view->lines.len == 0 && load.err.code == FL_OK && !view->page.is_over &&
        !is_tell_due(view)) {
        if (!is_done && view->order.len > 0) return LOG_VIEW_AGAIN;
        if (view->query.is_following) {
            if (!is_done || !is_news(view)) return LOG_VIEW_WAIT;
        } else {
            view->page.is_over = true; /* 'fill' holds lines back for followers only */
        }
    }
    finish_page(view, &load);
    return LOG_VIEW_PAGE;
}
