#include "controlplane/engine/engine_retry.h"

void engine_retry_led(struct engine_retry *retry, fl_ms led_ms)
{
    if (led_ms >= retry->max_ms) retry->failures = 0;
}

fl_ms engine_retry_next(struct engine_retry *retry, bool may_be_none)
{
    fl_ms delay = retry->first_ms;

    if (retry->failures == 0 && !may_be_none) retry->failures = 1;
    if (retry->failures == 0) delay = 0;
    for (uint32_t i = 1; i < retry->failures && delay < retry->max_ms; i++) {
        delay *= 2;
    }
    if (retry->failures < UINT32_MAX) retry->failures++;
    return delay < retry->max_ms ? delay : retry->max_ms;
}
