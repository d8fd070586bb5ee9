/* text_wrap.h - prose in lines of at most 100 columns, for people. */
#pragma once

#include <stdio.h>

/* Writes the text and a newline.  Each line begins with 'prefix', which of the first one the caller
 * has written, or something as long. */
void fl_text_wrap_put(const char *text, const char *prefix, FILE *out);
