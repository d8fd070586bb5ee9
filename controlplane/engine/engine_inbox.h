/* engine_inbox.h - events on their way to the core, and requests on their way back out.
 * An event waits in three places at most before the core: the hand-over between the threads
 * (handover.h), the look-up of its Idempotency-Key, and 'ready'.
 *
 *   put -> [looking: its key is held and looked up] -> ready -> next -> the engine's, until it
 *   calls 'done' when its batch is durable, 'refuse' when it came to nothing, or 'again' to have it
 *   once more
 *
 * Keys are looked up in a term only, since between two terms another replica may have written; an
 * event that came before the term is looked up when its turn comes.  Events of a refused batch go
 * first, and each is a suspect until another batch with it is durable.  Uses the core's event
 * types, the engine's tables and shared/base.  Not thread-safe: the engine owns it. */
#pragma once

#include "controlplane/engine/engine_event.h"
#include "controlplane/engine/engine_keys.h"

struct engine_config;
struct engine_ports;
struct engine_room;
struct engine_store;

struct engine_inbox {
    const struct engine_config *config; /* the engine's */
    const struct engine_store *store;
    const struct engine_ports *ports;
    struct engine_event_list looking, ready;
    struct engine_keys keys;
    uint64_t lookup_last;
    size_t suspects; /* in here, and in batches whose fate is open */
    bool is_open;    /* a term is on: keys are looked up */
};

void engine_inbox_init(struct engine_inbox *inbox, const struct engine_config *config,
                       const struct engine_store *store, const struct engine_ports *ports);
void engine_inbox_fini(struct engine_inbox *inbox);

size_t engine_inbox_len(const struct engine_inbox *inbox);

/* Something could come out of 'next' without further input. */
bool engine_inbox_has_next(const struct engine_inbox *inbox);

/* Both 0 when 'put' would say FL_FULL. */
struct engine_room engine_inbox_room(const struct engine_inbox *inbox);

/* FL_FULL, FL_TOO_LARGE, FL_CONFLICT (its key is in use): the event is still the caller's. */
FL_CHECK bool engine_inbox_put(struct engine_inbox *inbox, struct engine_event *event, fl_ms now,
                               struct fl_err *err);

/* The next event to step, now the caller's; NULL when none is there or 'work' is used up.  Requests
 * for a change are refused with 'closed_text' unless that is NULL. */
struct engine_event *engine_inbox_next(struct engine_inbox *inbox, size_t *work,
                                       const char *closed_text, fl_ms now);

/* The result of a lookup; one without a waiter is fine. */
void engine_inbox_found(struct engine_inbox *inbox, uint64_t lookup,
                        const struct fl_digest *body_sha, struct fl_str answer_bytes, bool is_good);

/* Its batch is durable: its key is freed, and the event is destroyed. */
void engine_inbox_done(struct engine_inbox *inbox, struct engine_event *event);
void engine_inbox_done_list(struct engine_inbox *inbox, struct engine_event_list *list);

/* The same for events that came to nothing; their senders get the answer. */
void engine_inbox_refuse(struct engine_inbox *inbox, struct engine_event *event, enum fl_code code,
                         const char *text);
void engine_inbox_refuse_list(struct engine_inbox *inbox, struct engine_event_list *list,
                              enum fl_code code, const char *text);
void engine_inbox_refuse_all(struct engine_inbox *inbox, enum fl_code code, const char *text);

/* A term begins. */
void engine_inbox_open(struct engine_inbox *inbox);

/* The core is gone: all that waits starts over, requests as if they had just come.  Agents' events
 * are dropped: their sessions are new in the next term, and they say everything again. */
void engine_inbox_restart(struct engine_inbox *inbox);

/* Requests of 'list' go to the front, each a suspect; the rest of it is dropped.  Leaves it
 * empty. */
void engine_inbox_again(struct engine_inbox *inbox, struct engine_event_list *list);
