/* time_text.h - moments as RFC 3339 has them, in UTC.  Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/str.h"
#include "shared/base/types.h"

#define FL_TIME_TEXT_MAX 32
void fl_time_print(fl_ms when, char out[FL_TIME_TEXT_MAX]); /* "2026-01-02T03:04:05.678Z" */
/* The same, and without the milliseconds; false for all else.  Never 0, which is no time in many
 * places: the epoch's first millisecond counts as its second. */
bool fl_time_parse(struct fl_str text, fl_ms *ret_at);
