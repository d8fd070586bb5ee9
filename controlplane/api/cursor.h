/* cursor.h - where the next page of a list of jobs begins.
 * Open jobs come first, then ended ones, either from the newest down.  Its text is opaque to
 * clients, and anything but what api_cursor_print wrote is refused.
 * Pure. */
#pragma once

#include "shared/base/str.h"

enum api_cursor_part { API_CURSOR_open = 'o', API_CURSOR_ended = 'e' };

struct api_cursor {
    enum api_cursor_part part;
    uint64_t job; /* below this; 0: from the newest */
};

enum { API_CURSOR_BYTES = 24 };

void api_cursor_print(struct api_cursor cursor, char out[API_CURSOR_BYTES]);
bool api_cursor_parse(struct fl_str text, struct api_cursor *ret_cursor);
