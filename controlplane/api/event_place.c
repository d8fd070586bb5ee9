#include "controlplane/api/event_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void event_place_print(struct event_place place, char out[EVENT_PLACE_TEXT_MAX])
{
    snprintf(out, EVENT_PLACE_TEXT_MAX, "%" PRIu64 ".%" PRIu32, place.batch, place.row);
}

bool event_place_parse(struct fl_str text, struct event_place *ret_place)
{
    const char *dot = text.len > 0 ? memchr(text.at, '.', text.len) : NULL;
    struct event_place place;
    char again[EVENT_PLACE_TEXT_MAX];
    uint64_t row;

    if (!dot ||
        !fl_str_parse_u64((struct fl_str){text.at, (size_t)(dot - text.at)}, &place.batch) ||
        !fl_str_parse_u64((struct fl_str){dot + 1, text.len - (size_t)(dot + 1 - text.at)}, &row) ||
        row > UINT32_MAX) {
        return false;
    }
    place.row = (uint32_t)row;
    event_place_print(place, again);
    if (!fl_str_eq(fl_str_c(again), text)) return false;
    *ret_place = place;
    return true;
}
