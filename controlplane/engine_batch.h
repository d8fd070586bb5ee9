/* engine_batch.h - a batch with what the engine must know until its fate is known.
 *   open -> sent -> committed or refused; or, having effects but no rows, it rides on one that was sent.
 * Uses the core's command types and shared/base.  Not thread-safe: the engine owns it. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/engine_event.h"

struct engine_batch {
    struct core_batch *core;
    struct engine_event_list kept; /* requests: stepped again, or answered, if it fails */
    size_t steps;                  /* events since it was opened, kept or not */
    bool is_alone;  /* one event at most: if it is refused, that one is the culprit */
    uint64_t epoch; /* it was sent under this one */
    fl_ms sent_at;
    struct engine_batch *next;                 /* of the riders */
    struct engine_batch *riders, *riders_last; /* released with it, after it */
    size_t riders_bytes;
};

struct engine_batch *engine_batch_create(uint64_t number);
void engine_batch_destroy(
    struct engine_batch *batch); /* with its riders and events; NULL is fine */

void engine_batch_ride(struct engine_batch *batch, struct engine_batch *rider);

/* What it holds in memory, riders included. */
size_t engine_batch_bytes(const struct engine_batch *batch);

/* Its events and its riders', in the order they were stepped; they are the caller's. */
struct engine_event_list engine_batch_take_events(struct engine_batch *batch);
