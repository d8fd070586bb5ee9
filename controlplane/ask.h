/* ask.h - requests of a front that wait for the core's answer.
 * A front gives an event away with ask_send and is called back once, on its own loop: with the core's
 * answer, or with FL_UNAVAILABLE once the time is over.  An answer that comes after that is dropped: what
 * it tells of has happened or not, and the next look says which.
 * Bounded: at waiting_max ask_send refuses, and nothing has happened.
 * Time comes in as 'now'; the event leaves through a port.  Not thread-safe: one front owns it. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/engine_event.h"

struct ask; /* opaque */

/* 'answer' is borrowed for the call. */
typedef void ask_done(void *ctx, const struct core_answer *answer);

struct ask_config {
    uint8_t front; /* the top byte of its requests' numbers, from 1: whose answer it is */
    uint32_t waiting_max;
    uint32_t timeout_ms; /* 10 s */
    /* Takes the event, or destroys it and says why not. */
    bool (*adopt)(void *ctx, struct engine_event *event, struct fl_err *err);
    void *adopt_ctx;
};

struct ask *ask_create(const struct ask_config *config);
void ask_destroy(struct ask *ask); /* calls nobody back; NULL is fine */

/* Fills in event->event.request.  False: the event is destroyed and 'done' is not called. */
FL_CHECK bool ask_send(struct ask *ask, struct engine_event *event, fl_ms now, ask_done *done,
                       void *ctx, struct fl_err *err);

void ask_answer(struct ask *ask, const struct core_answer *answer);

/* Calls back those whose time is over. */
void ask_tick(struct ask *ask, fl_ms now);
fl_ms ask_deadline(const struct ask *ask); /* INT64_MAX: nobody waits */
size_t ask_waiting(const struct ask *ask);

/* Whose answer it is: 1.., 0 for none. */
uint8_t ask_front_of(uint64_t request);
