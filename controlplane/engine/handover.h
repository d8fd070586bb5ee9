/* handover.h - events on their way from other threads to the engine's loop.
 * The first of the three places in which an event waits before the core; engine_inbox.h has the
 * other two.  Bounded by number and by bytes: at either a put is refused at once.  The end of a
 * session has room always: it follows a beginning that found room, and each beginning has two ends
 * at most, so twice as many as there are sessions are the most that can come.  Events that the
 * engine has no room for stay here, so that a caller hears that it must come again.
 * put and wake are for any thread; the rest is for the loop's. */
#pragma once

#include "controlplane/engine/engine_event.h"
#include "shared/base/err.h"

struct fl_loop;
struct handover;

/* 'fn' is called on the loop when something was put while it slept. */
struct handover *handover_create(struct fl_loop *loop, size_t events_max, size_t bytes_max,
                                 void (*fn)(void *ctx), void *ctx);
void handover_destroy(struct handover *handover); /* with the events in it; NULL is fine */

/* The event is given away.  False: FL_FULL, or FL_UNAVAILABLE after close; it is destroyed.  One
 * event always fits, however large. */
FL_CHECK bool handover_put(struct handover *handover, struct engine_event *event,
                           struct fl_err *err);

/* After the last of several puts: the loop turns soon. */
void handover_wake(struct handover *handover);

/* Up to so many of the oldest and so many bytes of them, at least one unless a limit is 0. */
struct engine_event_list handover_take(struct handover *handover, size_t events_max,
                                       size_t bytes_max);
size_t handover_len(struct handover *handover);

/* From now on a wake is needed; events that are here already do not wake the loop. */
void handover_sleep(struct handover *handover);

/* Refuses puts from now on, and wakes; the events inside can still be taken.  Any thread. */
void handover_close(struct handover *handover);
bool handover_is_closed(struct handover *handover);
