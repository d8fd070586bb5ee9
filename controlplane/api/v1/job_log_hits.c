#include "controlplane/api/v1/job_log_tail.h"

/* ---- hits ------------------------------------------------------------------------------------ */

static void write_matches(struct fl_json_out *json, const struct log_line *line)
{
    fl_json_open(json, "matches", '[');
    for (size_t i = 0; i < line->spans_len; i++) {
        fl_json_put_u64(json, NULL, line->spans[i].begin);
        fl_json_put_u64(json, NULL, line->spans[i].end);
    }
    fl_json_close(json, ']');
}

static void write_line(struct log_tail *tail, const struct log_line *line, struct fl_str id)
{
    struct fl_json_out begun = fl_json_out(&tail->ready), *json = &begun;
    struct log_found *found = &tail->found;

    if (tail->is_events) job_log_begin_event(&tail->ready, id);
    job_log_open_line(json, line);
    if (line->gap != FL_LOG_GAP_none) {
        found->gaps++;
    } else {
        fl_json_put_cstr(json, "level", fl_line_level_name(line->level));
        if (!line->is_begin || !line->is_end) fl_json_put_bool(json, "piece", true);
        if (line->is_undecided) {
            found->undecided++;
        } else {
            write_matches(json, line);
            found->hits++;
        }
    }
    fl_json_close(json, '}');
    fl_buf_put(&tail->ready, "\n\n", tail->is_events ? 2 : 1);
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void write_levels(struct fl_json_out *json, const struct log_page *page)
{
    fl_json_open(json, "levels", '{');
    for (int level = 0; level < FL_LINE_LEVELS_LEN; level++) {
        fl_json_put_u64(json, fl_line_level_name((enum fl_line_level)level), page->by_level[level]);
    }
    fl_json_close(json, '}');
}

static void write_summary(struct log_tail *tail, const struct log_page *page)
{
    static const char begin[] = "event: end\ndata: ";
    struct fl_json_out begun = fl_json_out(&tail->ready), *json = &begun;
    const struct log_found *found = &tail->found;

    if (tail->is_events) fl_buf_put(&tail->ready, begin, sizeof begin - 1);
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "type", "end");
    fl_json_put_cstr(json, "stopped", found->is_at_limit ? "limit" : "end");
    fl_json_put_cstr(json, "output", job_log_extent(page));
    fl_json_put_u64(json, "hits", found->hits);
    fl_json_put_u64(json, "undecided", found->undecided);
    fl_json_put_u64(json, "gaps", found->gaps);
    fl_json_put_u64(json, "lines", page->lines_seen);
    write_levels(json, page);
    if (found->is_at_limit && page->cursor.len > 0) {
        fl_json_put_str(json, "nextCursor", page->cursor);
    } else {
        fl_json_put_null(json, "nextCursor");
    }
    fl_json_close(json, '}');
    fl_buf_put(&tail->ready, "\n\n", tail->is_events ? 2 : 1);
}

static uint64_t objects_of(const struct log_found *found)
{
    return found->hits + found->undecided + found->gaps;
}

/* The next page's. */
static uint32_t page_lines_max(const struct log_found *found)
{
    uint64_t rest = found->objects_max - objects_of(found);

    if (found->objects_max == 0 || rest > LOG_HITS_LINES_MAX) return LOG_HITS_LINES_MAX;
    return (uint32_t)rest;
}

void job_log_hits_write(struct log_tail *tail, const struct log_page *page)
{
    struct log_found *found = &tail->found;

    for (size_t i = 0; i < page->lines_len; i++) {
        bool is_last = i + 1 == page->lines_len;

        write_line(tail, &page->lines[i], is_last ? page->cursor : (struct fl_str){0});
    }
    found->is_at_limit =
        found->objects_max > 0 && objects_of(found) >= found->objects_max && !page->is_over;
    tail->is_at_end = page->is_over || found->is_at_limit;
    if (tail->is_at_end) {
        write_summary(tail, page);
    } else {
        log_read_set_lines_max(tail->read, page_lines_max(found));
    }
}
