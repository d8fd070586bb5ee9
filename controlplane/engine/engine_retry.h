/* engine_retry.h - how long to wait before the next attempt to take over: first_ms, doubled with
 * each failure in a row up to max_ms, so that no trouble becomes a reload loop.
 * Uses shared/base only. */
#pragma once

#include "shared/base/types.h"

struct engine_retry {
    fl_ms first_ms, max_ms;
    uint32_t failures; /* in a row */
};

/* It has led for so long: max_ms of it end the row of failures. */
void engine_retry_led(struct engine_retry *retry, fl_ms led_ms);

/* The wait after one more failure; 'may_be_none': after the first one there is none. */
fl_ms engine_retry_next(struct engine_retry *retry, bool may_be_none);
