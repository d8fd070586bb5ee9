#include "controlplane/api/cursor.h"

#include <inttypes.h>
#include <stdio.h>

void api_cursor_print(struct api_cursor cursor, char out[API_CURSOR_BYTES])
{
    snprintf(out, API_CURSOR_BYTES, "%c%" PRIu64, (char)cursor.part, cursor.job);
}

bool api_cursor_parse(struct fl_str text, struct api_cursor *ret_cursor)
{
    struct api_cursor cursor = {0};
    char again[API_CURSOR_BYTES];

    if (text.len < 2 || (text.at[0] != API_CURSOR_open && text.at[0] != API_CURSOR_ended) ||
        !fl_str_parse_u64((struct fl_str){text.at + 1, text.len - 1}, &cursor.job)) {
        return false;
    }
    cursor.part = (enum api_cursor_part)text.at[0];
    api_cursor_print(cursor, again);
    if (!fl_str_eq(fl_str_c(again), text)) return false;
    *ret_cursor = cursor;
    return true;
}
