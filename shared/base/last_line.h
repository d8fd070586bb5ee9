/* last_line.h - the line of a job's output that says why the job failed, picked from its end.
 * That is the last line that looks like an error, as line_level.h and a few habits of programs tell
 * (tracebacks of Python, panics of Rust and Go, compilers); without one, the last line with a
 * letter or digit.  A line that ends with ':' only introduces something and wins over nothing.  A
 * carriage return ends a line, so of a progress bar its last state counts.
 * The picked line has no colours, no control characters and no blanks around it; it is valid UTF-8,
 * with '?' for each other byte, and cut at FL_WORDS_BYTES_MAX between two characters.
 * Uses shared/base only.  Pure. */
#pragma once

#include "shared/base/replica.h"
#include "shared/base/str.h"

enum { FL_LAST_LINE_TAIL_MAX = 4096 }; /* so much of the end is looked at */

/* 'is_cut': the first line of 'tail' lacks its beginning; it counts only when there is no other.
 * Returns the line, in 'ret_text'; empty: there is none. */
struct fl_str fl_last_line(struct fl_str tail, bool is_cut, char ret_text[FL_WORDS_BYTES_MAX + 1]);
