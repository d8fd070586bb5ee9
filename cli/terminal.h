/* terminal.h - the terminal of a shell that runs elsewhere: raw while it lasts, and as it was
 * before in every case, also when a signal ends this program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool cli_terminal_is_there(void); /* stdin is one */
/* Asks whether to go on, with this before it.  False: the answer is not yes, or no
 * terminal is there. */
bool cli_terminal_agrees(const char *what);
/* Keys go through as they are, and SIGWINCH is noticed.  Does nothing without a terminal. */
void cli_terminal_begin(void);
void cli_terminal_end(void); /* twice is fine */

struct cli_terminal_size {
    uint16_t rows, columns;
};

struct cli_terminal_size cli_terminal_size(void); /* 24 and 80 where it is not known */
bool cli_terminal_was_resized(void);              /* since the last call */
