/* engine_batch.h - a batch with what the engine must know until its fate is known.
 *   open -> sent -> committed or refused; or, having effects but no rows, it rides on one that was
 *   sent.
 * Uses the core's command types and shared/base.  Not thread-safe: the engine owns it. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/engine/engine_event.h"
#include "controlplane/engine/engine_port.h"

struct engine_batch {
    struct core_batch *core;
    struct engine_event_list kept; /* requests: stepped again, or answered, if it fails */
    size_t steps;                  /* events since it was opened, kept or not */
    bool is_alone;             /* one event at most: if it is refused, that one is the culprit */
    uint64_t job_next, jobs;   /* the core's numbers when it was sent, */
    uint32_t incarnation;      /* which count once it is committed */
    uint64_t epoch;            /* it was sent under this one */
    struct engine_batch *next; /* a rider's: the rider behind it */
    struct engine_batch *riders, *riders_last; /* released with it, after it */
    size_t riders_bytes;
};

struct engine_batch *engine_batch_create(uint64_t number);
void engine_batch_destroy(
    struct engine_batch *batch); /* with its riders and events; NULL is fine */

void engine_batch_ride(struct engine_batch *batch, struct engine_batch *rider);

/* Its bytes in memory, riders included. */
size_t engine_batch_bytes(const struct engine_batch *batch);

/* Its number and epoch are one of 'keys', which a takeover found in the journal: it is durable. */
bool engine_batch_is_in(const struct engine_batch *batch, const struct engine_journal_key *keys,
                        size_t keys_len);

/* Its events and its riders', in the order they were stepped; they are the caller's. */
struct engine_event_list engine_batch_take_events(struct engine_batch *batch);

/* Whether the ledger of usage counts something of it: a job was accepted, edited or ended, an
 * attempt began or ended. */
bool engine_batch_is_counted(const struct core_batch *core);
