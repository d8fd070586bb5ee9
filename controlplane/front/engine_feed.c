#include "controlplane/front/engine_feed.h"

#include "controlplane/engine/engine_thread.h"

static void wake(void *ctx)
{
    struct engine_feed *feed = ctx;

    engine_thread_wake(feed->engine);
}

void engine_feed_init(struct engine_feed *feed, struct fl_loop *loop)
{
    fl_after_init(&feed->wake, loop, wake, feed);
}

void engine_feed_fini(struct engine_feed *feed)
{
    fl_after_off(&feed->wake);
}

bool engine_feed_put(struct engine_feed *feed, struct engine_event *event, struct fl_err *err)
{
    if (!engine_thread_put(feed->engine, event, err)) return false;
    fl_after_put(&feed->wake);
    return true;
}
