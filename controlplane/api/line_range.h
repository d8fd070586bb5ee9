/* line_range.h - "Range: lines=100-199" on output, and which pieces of lines a range has.
 * The lines of a range are counted by where they begin, as the log store does; a long line comes in
 * pieces, and those of several outputs may lie between each other.  A gap is all the lines that are
 * missing in it.  The range ends where no line is open, so that Content-Range tells of whole
 * lines only.
 * Pure. */
#pragma once

#include "controlplane/logs/read.h"
#include "shared/base/str.h"
#include "shared/base/vec.h"

enum line_range_kind {
    LINE_RANGE_NONE,  /* no range, or one in a unit that is not ours: all is asked for */
    LINE_RANGE_BAD,   /* its unit is lines, but it is not one range from a first line on */
    LINE_RANGE_GIVEN, /* 'ret_range' is written */
};

struct line_range {
    uint64_t first, last; /* both in it; last UINT64_MAX: to the end */
};

enum line_range_kind line_range_parse(struct fl_str header, struct line_range *ret_range);

/* The first lines_max lines from the first line on. */
struct line_cut {
    uint64_t lines_max;
    uint64_t begun;               /* lines in it that have begun */
    FL_VEC(struct log_line) open; /* begun and not at their end; their bytes are not looked at */
    uint64_t whole_lines;         /* up to the newest place where no line is open: the lines ... */
    size_t whole_bytes;           /* ... and the bytes that line_cut_mark counted there */
};

void line_cut_fini(struct line_cut *cut);

/* Is this piece, the next that comes, in the range? */
bool line_cut_has(struct line_cut *cut, const struct log_line *line);
/* All pieces in it have made so many bytes until now. */
void line_cut_mark(struct line_cut *cut, size_t bytes);
/* Every line of it is whole. */
bool line_cut_is_done(const struct line_cut *cut);
