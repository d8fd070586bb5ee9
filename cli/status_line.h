/* status_line.h - one line on a terminal that shows, while a person waits, how things stand: a sign
 * that turns, the text, the time that has passed.  It stands on stderr, below all that was
 * printed, and goes before anything else is.  Without a terminal, or on a dumb one, it is never
 * written.  It belongs to the process, as the terminal does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/err.h"

enum { CLI_STATUS_LINE_FRAME_MS = 120, CLI_STATUS_LINE_TEXT_MAX = 256 };

/* From now on time counts; true: a terminal is there. */
bool cli_status_line_begin(void);
bool cli_status_line_is_on(void);

/* Draws it, and draws it again with its next sign and time. */
void cli_status_line_say(const char *fmt, ...) FL_PRINTF(1, 2);
/* Shows the text for so long.  False: an interrupt came. */
FL_CHECK bool cli_status_line_wait(int64_t ms, const char *fmt, ...) FL_PRINTF(2, 3);
/* Takes it away; before anything else is printed.  Nothing happens where none is. */
void cli_status_line_clear(void);
void cli_status_line_end(void); /* for good, until the next begin */

/* When the next frame is due, as fl_clock_mono has it; 'other' if that is earlier and not 0. */
int64_t cli_status_line_due(int64_t other);
