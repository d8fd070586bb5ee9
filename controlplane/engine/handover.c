#include "controlplane/engine/handover.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"

struct handover {
    pthread_mutex_t mutex; /* guards the list and is_closed */
    struct engine_event_list list;
    bool is_closed;
    size_t events_max, bytes_max;

    int wake_fd;
    atomic_bool is_asleep; /* the loop waits: a put must wake it */
    struct fl_watch watch;
    void (*fn)(void *ctx);
    void *ctx;
};

static void on_wake(void *ctx, unsigned events)
{
    struct handover *handover = ctx;
    uint64_t wakes;

    (void)events;
    if (read(handover->wake_fd, &wakes, sizeof wakes) < 0) fl_assert(errno == EAGAIN);
    handover->fn(handover->ctx);
}

struct handover *handover_create(struct fl_loop *loop, size_t events_max, size_t bytes_max,
                                 void (*fn)(void *ctx), void *ctx)
{
    struct handover *handover = fl_new(struct handover);

    fl_assert(events_max > 0 && bytes_max > 0);
    handover->events_max = events_max;
    handover->bytes_max = bytes_max;
    handover->fn = fn;
    handover->ctx = ctx;
    handover->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    fl_assert(handover->wake_fd >= 0);
    pthread_mutex_init(&handover->mutex, NULL);
    fl_watch_init(&handover->watch, loop, handover->wake_fd, on_wake, handover);
    fl_watch_set(&handover->watch, FL_WATCH_READ);
    return handover;
}

void handover_destroy(struct handover *handover)
{
    if (!handover) return;
    fl_watch_off(&handover->watch);
    close(handover->wake_fd);
    engine_event_list_fini(&handover->list);
    pthread_mutex_destroy(&handover->mutex);
    fl_free(handover);
}

/* Under the mutex. */
static bool may_put(const struct handover *handover, const struct engine_event *event,
                    struct fl_err *err)
{
    const struct engine_event_list *list = &handover->list;

    if (handover->is_closed) {
        return fl_fail(err, FL_UNAVAILABLE, "this replica is stopping; try another");
    }
    if (event->event.kind == CORE_EV_session_lost) return true;
    if (list->len >= handover->events_max ||
        (list->len > 0 && list->bytes + event->bytes > handover->bytes_max)) {
        return fl_fail(err, FL_FULL,
                       "%zu events (%zu bytes) are waiting already; try again in a moment",
                       list->len, list->bytes);
    }
    return true;
}

bool handover_put(struct handover *handover, struct engine_event *event, struct fl_err *err)
{
    bool is_put;

    event->bytes = engine_event_bytes(event);
    pthread_mutex_lock(&handover->mutex);
    is_put = may_put(handover, event, err);
    if (is_put) engine_event_list_push(&handover->list, event);
    pthread_mutex_unlock(&handover->mutex);
    if (!is_put) engine_event_destroy(event);
    return is_put;
}

static void signal_loop(struct handover *handover)
{
    uint64_t one = 1;

    /* Full means that it is awake already. */
    if (write(handover->wake_fd, &one, sizeof one) < 0) fl_assert(errno == EAGAIN);
}

void handover_wake(struct handover *handover)
{
    if (atomic_exchange(&handover->is_asleep, false)) signal_loop(handover);
}

void handover_sleep(struct handover *handover)
{
    atomic_store(&handover->is_asleep, true);
}

struct engine_event_list handover_take(struct handover *handover, size_t events_max,
                                       size_t bytes_max)
{
    struct engine_event_list taken = {0};
    struct engine_event_list *list = &handover->list;

    atomic_store(&handover->is_asleep, false);
    pthread_mutex_lock(&handover->mutex);
    if (list->len <= events_max && list->bytes <= bytes_max) {
        taken = *list;
        *list = (struct engine_event_list){0};
    }
    while (list->len > 0 && taken.len < events_max && taken.bytes < bytes_max &&
           (taken.len == 0 || taken.bytes + list->first->bytes <= bytes_max)) {
        engine_event_list_push(&taken, engine_event_list_pop(list));
    }
    pthread_mutex_unlock(&handover->mutex);
    return taken;
}

size_t handover_len(struct handover *handover)
{
    size_t len;

    pthread_mutex_lock(&handover->mutex);
    len = handover->list.len;
    pthread_mutex_unlock(&handover->mutex);
    return len;
}

void handover_close(struct handover *handover)
{
    pthread_mutex_lock(&handover->mutex);
    handover->is_closed = true;
    pthread_mutex_unlock(&handover->mutex);
    signal_loop(handover);
}

bool handover_is_closed(struct handover *handover)
{
    bool is_closed;

    pthread_mutex_lock(&handover->mutex);
    is_closed = handover->is_closed;
    pthread_mutex_unlock(&handover->mutex);
    return is_closed;
}
