/* top_screen.h - the terminal of 'top', by ncurses: shows frames of cells, reads keys, and leaves
 * the terminal as it was, also when a signal ends or stops the program.
 * Everything that is shown comes from cells, which hold no control characters.  It belongs to the
 * process, as the terminal does. */
#pragma once

#include "cli/top/top_keys.h"

/* False: FL_INVALID, and the text says what to do; the terminal was not touched. */
FL_CHECK bool top_screen_begin(bool wants_color, struct fl_err *err);
void top_screen_end(void); /* twice is fine */

void top_screen_size(size_t *ret_rows, size_t *ret_columns);
void top_screen_show(const struct top_cells *cells);
void top_screen_redraw(void); /* the next frame is written whole */

/* A key or a character that was typed; TOP_KEY_NONE: none waits. */
uint32_t top_screen_key(void);
/* The terminal is gone: SIGHUP came, or its other end was closed. */
bool top_screen_is_gone(void);

/* Runs a program on the terminal, which it has for itself, and waits for its end and then, after
 * the prompt, for Enter.  False: it could not be started. */
FL_CHECK bool top_screen_run(const char *const *words, const char *prompt);
