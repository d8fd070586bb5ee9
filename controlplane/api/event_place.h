/* event_place.h - the id of an event in a stream, "17.3", and so the place to resume behind it.
 * The rows of a batch are numbered: batch and row.
 * Pure. */
#pragma once

#include "shared/base/str.h"

struct event_place {
    uint64_t batch;
    uint32_t row;
};

#define EVENT_PLACE_TEXT_MAX 32
void event_place_print(struct event_place place, char out[EVENT_PLACE_TEXT_MAX]);
/* False for all that print never writes. */
bool event_place_parse(struct fl_str text, struct event_place *ret_place);
