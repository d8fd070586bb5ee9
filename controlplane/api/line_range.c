#include "controlplane/api/line_range.h"

#include <string.h>
#include <strings.h>

enum line_range_kind line_range_parse(struct fl_str header, struct line_range *ret_range)
{
    const struct fl_str unit = FL_STR("lines=");
    struct line_range range = {.last = UINT64_MAX};
    struct fl_str first, last;
    const char *dash;

    if (header.len < unit.len || strncasecmp(header.at, unit.at, unit.len) != 0) {
        return LINE_RANGE_NONE;
    }
    first = (struct fl_str){header.at + unit.len, header.len - unit.len};
    dash = memchr(first.at, '-', first.len);
    if (!dash) return LINE_RANGE_BAD;
    last = (struct fl_str){dash + 1, (size_t)(first.at + first.len - dash) - 1};
    first.len = (size_t)(dash - first.at);
    if (!fl_str_parse_u64(first, &range.first) ||
        (last.len > 0 && !fl_str_parse_u64(last, &range.last)) || range.first > range.last ||
        range.first > UINT64_MAX / 2) {
        return LINE_RANGE_BAD;
    }
    *ret_range = range;
    return LINE_RANGE_GIVEN;
}

void line_cut_fini(struct line_cut *cut)
{
    fl_vec_fini(&cut->open);
}

/* Is it of the same output?  One output has a single open line at a time. */
static bool is_of(const struct log_line *line, const struct log_line *other)
{
    return line->replica == other->replica && fl_attempt_is_same(line->attempt, other->attempt);
}

bool line_cut_has(struct line_cut *cut, const struct log_line *line)
{
    if (line->is_begin) {
        uint64_t lines = line->gap != FL_LOG_GAP_none ? line->gap_lines : 1;
        uint64_t room = cut->lines_max - cut->begun;

        if (room == 0) return false;
        cut->begun += lines < room ? lines : room;
        if (!line->is_end) fl_vec_push(&cut->open, *line);
        return true;
    }
    for (size_t i = 0; i < cut->open.len; i++) {
        if (!is_of(&cut->open.at[i], line)) continue;
        if (line->is_end) fl_vec_remove(&cut->open, i);
        return true;
    }
    return false;
}

void line_cut_mark(struct line_cut *cut, size_t bytes)
{
    if (cut->open.len > 0) return;
    cut->whole_lines = cut->begun;
    cut->whole_bytes = bytes;
}

bool line_cut_is_done(const struct line_cut *cut)
{
    return cut->begun == cut->lines_max && cut->open.len == 0;
}
