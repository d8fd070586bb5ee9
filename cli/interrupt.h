/* interrupt.h - Ctrl-C, and what waits for it.  The first asks loops to come to an end; a second
 * one ends the process at once.  It belongs to the process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void cli_catch_interrupt(void);

/* Before the process is ended at once, this puts back what outlives it.  Called by a signal. */
void cli_at_last_interrupt(void (*put_back)(void));

/* Whether it came; loops that wait check it. */
bool cli_is_interrupted(void);

/* Sleeps.  False: an interrupt woke it. */
bool cli_sleep_ms(int64_t ms);
