/* mdoc.h - text in manual pages, which are generated from tables.
 * Uses stdio only. */
#pragma once

#include <stdio.h>

/* One line of text, as it is: a dot or an apostrophe at its beginning would be a request, and a
 * backslash begins one anywhere. */
void fl_mdoc_put(FILE *out, const char *text);
