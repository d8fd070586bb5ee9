/* pending_requests.h - requests of a front that wait for the core's answer.
 * A front gives an event away with pending_requests_send and is called back once, on its own loop:
 * with the core's answer, or with FL_UNAVAILABLE once the time is over.  A later answer is dropped:
 * its event has happened or not, and the next look says which.  Bounded: at waiting_max
 * pending_requests_send refuses, and nothing has happened.
 * Time comes in as 'now'; the event leaves through a port.  Not thread-safe: one front owns it. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/engine/engine_event.h"

struct pending_requests; /* opaque */

/* 'answer' is borrowed for the call. */
typedef void pending_requests_done(void *ctx, const struct core_answer *answer);

struct pending_requests_config {
    uint8_t front; /* from 1; the top byte of its requests' numbers, for the way back */
    uint32_t waiting_max;
    uint32_t timeout_ms; /* 10 s */
    /* Takes the event, or destroys it and says why not. */
    bool (*adopt)(void *ctx, struct engine_event *event, struct fl_err *err);
    void *adopt_ctx;
};

struct pending_requests *pending_requests_create(const struct pending_requests_config *config);
void pending_requests_destroy(
    struct pending_requests *pending); /* without any callback; NULL is fine */

/* Fills in event->event.request.  False: the event is destroyed and 'done' is not called. */
FL_CHECK bool pending_requests_send(struct pending_requests *pending, struct engine_event *event,
                                    fl_ms now, pending_requests_done *done, void *ctx,
                                    struct fl_err *err);

void pending_requests_answer(struct pending_requests *pending, const struct core_answer *answer);

/* Calls back those whose time is over. */
void pending_requests_tick(struct pending_requests *pending, fl_ms now);
fl_ms pending_requests_deadline(
    const struct pending_requests *pending); /* INT64_MAX: no request waits */
size_t pending_requests_waiting(const struct pending_requests *pending);

/* The front of an answer: 1.., 0 for none. */
uint8_t pending_requests_front_of(uint64_t request);
