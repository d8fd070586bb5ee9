/* mdoc.h - text in manual pages, which are generated from tables.
 * Uses stdio only. */
#pragma once

#include <stdio.h>

/* Writes one line of text and escapes what mdoc would read as a request: a dot or an apostrophe at
 * the beginning, and a backslash or a dash anywhere. */
void fl_mdoc_put(FILE *out, const char *text);
