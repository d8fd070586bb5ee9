/* interrupt.h - Ctrl-C, and what waits for it.  The first asks loops to come to an end; a second
 * one ends the process at once.  It belongs to the process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void cli_catch_interrupt(void);

/* Whether it came; loops that wait check it. */
bool cli_is_interrupted(void);

/* Sleeps.  False: an interrupt woke it. */
bool cli_sleep_ms(int64_t ms);
