/* engine_feed.h - the way of one front's events to the engine thread, which is woken once a turn.
 * The other way round is front_outbox.h.  The front's thread is its only caller. */
#pragma once

#include "shared/base/err.h"
#include "shared/io/loop.h"

struct engine_event;
struct engine_thread;

struct engine_feed {
    struct engine_thread *engine; /* NULL until the front starts: no event comes before */
    struct fl_after wake;
};

void engine_feed_init(struct engine_feed *feed, struct fl_loop *loop);
void engine_feed_fini(struct engine_feed *feed);

/* The event is given away, also when it is refused: see engine_thread_adopt. */
FL_CHECK bool engine_feed_put(struct engine_feed *feed, struct engine_event *event,
                              struct fl_err *err);
