#include "controlplane/engine/engine_flights.h"

#include <string.h>

#include "shared/base/assert.h"

void engine_flights_fini(struct engine_flights *flights)
{
    for (size_t i = 0; i < flights->len; i++) {
        engine_batch_destroy(flights->at[i]);
    }
    *flights = (struct engine_flights){0};
}

void engine_flights_push(struct engine_flights *flights, struct engine_batch *batch, fl_ms now)
{
    fl_assert(flights->len < ENGINE_INFLIGHT_MAX);
    if (flights->len == 0) flights->since = now;
    flights->at[flights->len++] = batch;
}

struct engine_batch *engine_flights_pop(struct engine_flights *flights, fl_ms now)
{
    struct engine_batch *oldest = flights->at[0];

    if (flights->len == 0) return NULL;
    flights->len--;
    memmove(flights->at, flights->at + 1, flights->len * sizeof flights->at[0]);
    flights->since = now;
    if (flights->len == 0) flights->is_refused = false;
    return oldest;
}

void engine_flights_ride(struct engine_flights *flights, struct engine_batch *rider)
{
    fl_assert(flights->len > 0);
    engine_batch_ride(flights->at[flights->len - 1], rider);
}

struct engine_event_list engine_flights_take_events(struct engine_flights *flights)
{
    struct engine_event_list all = {0};

    for (size_t i = 0; i < flights->len; i++) {
        struct engine_event_list events = engine_batch_take_events(flights->at[i]);

        engine_event_list_join(&all, &events);
    }
    engine_flights_fini(flights);
    return all;
}

size_t engine_flights_bytes(const struct engine_flights *flights)
{
    size_t bytes = 0;

    for (size_t i = 0; i < flights->len; i++) {
        bytes += engine_batch_bytes(flights->at[i]);
    }
    return bytes;
}
