#include "controlplane/front_reader.h"

#include "controlplane/store/reader.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

struct front_reader {
    struct fl_loop *loop;
    struct reader *reader;
    struct fl_watch watch;
    int fd;        /* that is watched; -1: none */
    uint64_t lost; /* connections, when it was set: a new one may have the old one's number */
    struct fl_timer timer;
    struct fl_after after;
};

static void on_trouble(void *ctx, const char *text)
{
    (void)ctx;
    fl_log(FL_LOG_WARN, "store", "reader_trouble", FL_LOG_S("text", text));
}

static void turn(struct front_reader *reader);

static void on_ready(void *ctx, unsigned events)
{
    (void)events;
    turn(ctx);
}

static void on_due(void *ctx)
{
    turn(ctx);
}

/* The descriptor may be another one than before, also of the same number. */
static void watch(struct front_reader *reader)
{
    struct pollfd polled = {.fd = -1};
    size_t len = reader_fds(reader->reader, &polled);
    uint64_t lost = reader_stats(reader->reader).lost;
    unsigned events = 0;

    if (len == 0) polled.fd = -1;
    if (polled.events & POLLIN) events |= FL_WATCH_READ;
    if (polled.events & POLLOUT) events |= FL_WATCH_WRITE;
    if (polled.fd == reader->fd && polled.fd >= 0 && lost == reader->lost) {
        fl_watch_set(&reader->watch, events);
    } else {
        if (reader->fd >= 0) fl_watch_off(&reader->watch);
        reader->fd = polled.fd;
        reader->lost = lost;
        if (reader->fd < 0) return;
        fl_watch_init(&reader->watch, reader->loop, reader->fd, on_ready, reader);
        fl_watch_set(&reader->watch, events);
    }
}

static void on_after(void *ctx)
{
    struct front_reader *reader = ctx;
    fl_ms now = fl_loop_now(reader->loop), due = reader_deadline(reader->reader, now);

    watch(reader);
    if (due == INT64_MAX) {
        fl_timer_off(&reader->timer);
    } else {
        fl_timer_at(&reader->timer, due);
    }
}

static void turn(struct front_reader *reader)
{
    reader_turn(reader->reader, fl_loop_now(reader->loop));
    fl_after_put(&reader->after);
}

struct front_reader *front_reader_create(struct fl_loop *loop, const char *conninfo)
{
    struct front_reader *reader = fl_new(struct front_reader);

    reader->loop = loop;
    reader->fd = -1;
    reader->reader = reader_create(conninfo, on_trouble, reader);
    fl_timer_init(&reader->timer, loop, on_due, reader);
    fl_after_init(&reader->after, loop, on_after, reader);
    return reader;
}

void front_reader_destroy(struct front_reader *reader)
{
    if (!reader) return;
    if (reader->fd >= 0) fl_watch_off(&reader->watch);
    fl_timer_off(&reader->timer);
    fl_after_off(&reader->after);
    reader_destroy(reader->reader);
    fl_free(reader);
}

struct reader *front_reader(struct front_reader *reader)
{
    return reader->reader;
}

void front_reader_asked(void *front_reader)
{
    struct front_reader *reader = front_reader;

    fl_after_put(&reader->after);
}
