/* view_cursor.h - where a view goes on, and the cursor behind its page.
 * A read lists the place of each output (decision 33).  A search does the same while that takes at
 * most LOG_SEARCH_CURSOR_BYTES_MAX.  Else it keeps only how far it has come in its own order: by
 * the time of a line's beginning, then by the output's key.  It goes on in the output where it
 * stood at that byte, and in each other one at the first line behind that point.
 * It leaves out a line that is stored only after the search has passed its time, and the rest of a
 * line that was being written then.  Where an agent's clock was set back within an output, it may
 * leave out or repeat lines of that output.
 * The cursor of a search bears a mark of job and selection, and is refused for others.
 * Uses view.h and cursor.h. */
#pragma once

#include "controlplane/logs/view.h"

/* Puts the places of query->cursor into a fresh view.  False: FL_INVALID, and log_view_fini is the
 * caller's. */
FL_CHECK bool log_view_take_cursor(struct log_view *view, const struct log_query *query,
                                   struct fl_err *err);

/* From which time on the output gives lines; 0: from its place on. */
fl_ms log_view_resume_time(const struct log_view *view, const struct log_view_output *output);

/* A line of the output, whose record has this time, was begun. */
void log_view_note_walk(struct log_view *view, const struct log_view_output *output, fl_ms time);

void log_view_print_cursor(struct log_view *view); /* into view->cursor; it may be empty */
