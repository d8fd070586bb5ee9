#include "controlplane/api/v1/job_log_tail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    RANGE_BYTES = 1 << 20,         /* with so many an answer to Range reads no further page ... */
    RANGE_LINE_BYTES_MAX = 8 << 20 /* ... or with so many, while no line of it is whole */
};

void job_log_free(struct log_tail *tail)
{
    struct api *api = tail->stream.api;

    for (size_t i = 0; i < api->tails.len; i++) {
        if (api->tails.at[i] != tail) continue;
        api->tails.at[i] = api->tails.at[api->tails.len - 1];
        api->tails.len--;
        break;
    }
    log_read_close(tail->read);
    job_outputs_destroy(tail->outputs);
    fl_timer_off(&tail->look);
    line_cut_fini(&tail->cut);
    log_pattern_destroy(tail->query.pattern);
    fl_buf_fini(&tail->ready);
    fl_free(tail);
}

/* ---- lines ----------------------------------------------------------------------------------- */

void job_log_open_line(struct fl_json_out *json, const struct log_line *line)
{
    fl_json_open(json, NULL, '{');
    fl_json_put_u64(json, "element", line->attempt.element);
    fl_json_put_u64(json, "attempt", line->attempt.n);
    fl_json_put_u64(json, "replica", line->replica);
    fl_json_put_u64(json, "line", line->number);
    fl_json_put_u64(json, "offset", line->offset);
    fl_json_put_time(json, "time", line->time);
    if (line->gap != FL_LOG_GAP_none) {
        fl_json_put_cstr(json, "gap", fl_log_gap_name(line->gap));
        if (line->gap_bytes > 0 && line->gap != FL_LOG_GAP_unknown) {
            fl_json_put_u64(json, "bytes", line->gap_bytes);
        }
    } else {
        fl_json_put_str(json, "text", line->bytes);
    }
    if (line->is_undecided) fl_json_put_bool(json, "undecided", true);
}

void job_log_begin_event(struct fl_buf *out, struct fl_str id)
{
    if (id.len > 0) {
        fl_buf_put(out, "id: ", 4);
        fl_buf_put(out, id.at, id.len);
        fl_buf_put(out, "\n", 1);
    }
    fl_buf_put(out, "data: ", 6);
}

static void write_line(struct log_tail *tail, struct fl_buf *out, const struct log_line *line,
                       struct fl_str id)
{
    struct fl_json_out json = fl_json_out(out);

    if (tail->is_text) {
        fl_buf_put(out, line->bytes.at, line->bytes.len);
        return;
    }
    if (tail->is_events) job_log_begin_event(out, id);
    job_log_open_line(&json, line);
    fl_json_close(&json, '}');
    fl_buf_put(out, "\n\n", tail->is_events ? 2 : 1);
}

/* The last line that goes out tells the place behind the page. */
void job_log_write(struct log_tail *tail, const struct log_page *page)
{
    for (size_t i = 0; i < page->lines_len; i++) {
        bool is_last = i + 1 == page->lines_len;

        write_line(tail, &tail->ready, &page->lines[i],
                   is_last ? page->cursor : (struct fl_str){0});
    }
}

/* ---- how much of the output it is ------------------------------------------------------------ */

const char *job_log_extent(const struct log_page *page)
{
    if (!page->is_settled || page->sources_live > 0) return "more";
    return page->sources_lost > 0 ? "incomplete" : "complete";
}

void job_log_add_extent(struct log_tail *tail, const struct log_page *page)
{
    api_header_add(tail->call, "X-Fairlead-Output", fl_str_c(job_log_extent(page)));
}

/* ---- in one piece ---------------------------------------------------------------------------- */

/* The number of the first line.  Between two times it is known of a single output only. */
static void number_first(struct log_tail *tail, const struct log_page *page)
{
    const struct log_query *query = &tail->query;

    tail->is_begun = tail->is_numbered = true;
    if (query->since != 0 || query->until != 0) {
        tail->is_numbered = page->lines_len == 0 || page->sources == 1;
        tail->from = page->lines_len > 0 ? page->lines[0].number : 0;
    } else if (query->from == LOG_FROM_LINE) {
        tail->from = query->n;
    } else if (query->from == LOG_FROM_TAIL) {
        tail->from = page->lines_total > query->n ? page->lines_total - query->n : 0;
    }
}

static void refuse(struct log_tail *tail, const struct log_page *page)
{
    struct api_call *call = tail->call;
    bool is_beyond = page->is_over;

    if (is_beyond) {
        api_header_add(
            call, "Content-Range",
            fl_str_c(fl_arena_printf(&call->arena, "lines */%" PRIu64, page->lines_total)));
    }
    api_fail_status(call, is_beyond ? 416 : 413, is_beyond ? FL_INVALID : FL_TOO_LARGE,
                    is_beyond ? "there is no line %" PRIu64 " yet; they are counted from 0"
                              : "line %" PRIu64
                                " is too long for a piece: read without Range and 'count'",
                    tail->from);
    job_log_free(tail);
}

/* While an output is being written the total of a Range is not known; for 'count' it is the number
 * of lines that are stored now. */
static void add_range(struct log_tail *tail, const struct log_page *page)
{
    struct api_call *call = tail->call;
    bool is_known = !tail->is_range || (page->is_settled && page->sources_live == 0);
    uint64_t lines = tail->cut.whole_lines;
    char total[24] = "*";
    char *range;

    if (!tail->is_numbered) return;
    if (is_known) snprintf(total, sizeof total, "%" PRIu64, page->lines_total);
    range = lines > 0 ? fl_arena_printf(&call->arena, "lines %" PRIu64 "-%" PRIu64 "/%s",
                                        tail->from, tail->from + lines - 1, total)
                      : fl_arena_printf(&call->arena, "lines */%s", total);
    api_header_add(call, "Content-Range", fl_str_c(range));
}

/* 'has_more': further lines are stored behind those of the answer. */
static void answer_lines(struct log_tail *tail, const struct log_page *page, bool has_more)
{
    struct api_call *call = tail->call;
    struct line_cut *cut = &tail->cut;
    struct fl_str body;
    char *etag;

    if (page->is_over && !has_more) { /* the last line may be unfinished: it is given as it is */
        cut->whole_lines = cut->begun;
        cut->whole_bytes = tail->ready.len;
    }
    body = (struct fl_str){(const char *)tail->ready.at, cut->whole_bytes};
    call->on_end = NULL;
    if (cut->whole_lines == 0 && (tail->is_range || !page->is_over)) {
        refuse(tail, page);
        return;
    }
    etag = fl_arena_printf(&call->arena, "\"%" PRIu64 "-%" PRIu32 "-%" PRIu64 "-%" PRIu64 "-%zu\"",
                           page->lines_total, page->sources_live, tail->from, cut->whole_lines,
                           body.len);
    api_header_add(call, "ETag", fl_str_c(etag));
    add_range(tail, page);
    if (has_more && tail->is_numbered) {
        api_header_add(
            call, "X-Fairlead-Next-Line",
            fl_str_c(fl_arena_printf(&call->arena, "%" PRIu64, tail->from + cut->whole_lines)));
    }
    job_log_add_extent(tail, page);
    if (http_has_etag(call->request, fl_str_c(etag))) {
        api_answer_as(call, 304, "text/plain", (struct fl_str){0});
    } else {
        api_answer_as(call, tail->is_range ? 206 : 200,
                      tail->is_text ? "text/plain" : "application/x-ndjson", body);
    }
    job_log_free(tail);
}

/* Lines that are longer than a page's pieces, or many, take several pages. */
void job_log_answer(struct log_tail *tail, const struct log_page *page)
{
    struct line_cut *cut = &tail->cut;
    bool is_enough, has_more = !page->is_over;

    if (!tail->is_begun) number_first(tail, page);
    for (size_t i = 0; i < page->lines_len; i++) {
        if (!line_cut_has(cut, &page->lines[i])) {
            has_more = true;
            continue;
        }
        write_line(tail, &tail->ready, &page->lines[i], (struct fl_str){0});
        line_cut_mark(cut, tail->ready.len);
    }
    is_enough = tail->ready.len >= (cut->whole_lines ? RANGE_BYTES : RANGE_LINE_BYTES_MAX);
    if (page->is_over || is_enough || line_cut_is_done(cut)) {
        answer_lines(tail, page, has_more);
    } else {
        log_read_more(tail->read);
    }
}
