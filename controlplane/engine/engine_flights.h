/* engine_flights.h - the batches that were sent and whose fate is not known yet, oldest first.
 * While the engine leads, the database answers them in this order.  After a failure their fate is
 * open until the next takeover has read the journal.
 * Uses engine_batch and shared/base.  Not thread-safe: the engine owns it. */
#pragma once

#include "controlplane/engine/engine_batch.h"
#include "controlplane/engine/engine_port.h"

struct engine_flights {
    struct engine_batch *at[ENGINE_INFLIGHT_MAX];
    size_t len;
    fl_ms since;     /* the database has worked on the oldest since then */
    bool is_refused; /* the server refused the oldest: their requests are stepped again */
};

void engine_flights_fini(struct engine_flights *flights); /* destroys the batches */

void engine_flights_push(struct engine_flights *flights, struct engine_batch *batch, fl_ms now);

/* The oldest, now the caller's; NULL when there is none. */
struct engine_batch *engine_flights_pop(struct engine_flights *flights, fl_ms now);

/* 'rider' has effects but no rows: it is released with the newest, of which there is one. */
void engine_flights_ride(struct engine_flights *flights, struct engine_batch *rider);

/* The events of all, now the caller's; the batches are destroyed. */
struct engine_event_list engine_flights_take_events(struct engine_flights *flights);

size_t engine_flights_bytes(const struct engine_flights *flights);
