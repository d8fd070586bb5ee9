/* numbers.h - the numbers of enums and tables that are stored, sent, or left in a file for the next
 * program, beside those of rows.def: a line a number, as numbers.txt keeps those that were given:
 *
 *     mark 1 held
 *     mark 8 hidden retired
 *
 * A line in numbers.txt never changes, but for the word 'retired' behind one that is no longer
 * used: that number and its name are not given again.
 * Sizes, and the first bytes that tell our files from others', are not among them.
 * Uses the tables and enums of shared, core, logs and the agent's layout only. */
#pragma once

#include <stdbool.h>

#include "shared/base/buf.h"

enum { NUMBERS_WHY_MAX = 320 };

/* The lines of today's program, table by table. */
void numbers_list(struct fl_buf *out);

/* Does 'today' have each line of 'kept' that is not retired, and no other?  False: 'ret_why' names
 * the line and the next step. */
bool numbers_are_kept(const char *kept, const char *today, char ret_why[NUMBERS_WHY_MAX]);
