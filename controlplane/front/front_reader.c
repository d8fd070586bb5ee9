#include "controlplane/front/front_reader.h"

#include "controlplane/store/reader.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

struct front_reader {
    struct fl_loop *loop;
    struct reader *reader;
    struct fl_timer timer;
    struct fl_after step; /* once a turn of the loop, however much happened */
};

static void on_trouble(void *ctx, const char *text)
{
    (void)ctx;
    fl_log(FL_LOG_WARN, "store", "reader_trouble", FL_LOG_S("text", text));
}

static void mark(void *ctx)
{
    struct front_reader *reader = ctx;

    fl_after_put(&reader->step);
}

static void step(void *ctx)
{
    struct front_reader *reader = ctx;
    fl_ms now = fl_loop_now(reader->loop), due;

    reader_turn(reader->reader, now);
    due = reader_deadline(reader->reader, now);
    if (due == INT64_MAX) {
        fl_timer_off(&reader->timer);
    } else {
        fl_timer_at(&reader->timer, due);
    }
}

struct front_reader *front_reader_create(struct fl_loop *loop, const char *conninfo)
{
    struct front_reader *reader = fl_new(struct front_reader);
    struct pg_waker waker = {loop, mark, reader};

    reader->loop = loop;
    reader->reader = reader_create(conninfo, &waker, on_trouble, reader);
    fl_timer_init(&reader->timer, loop, mark, reader);
    fl_after_init(&reader->step, loop, step, reader);
    return reader;
}

void front_reader_destroy(struct front_reader *reader)
{
    if (!reader) return;
    fl_timer_off(&reader->timer);
    fl_after_off(&reader->step);
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

    mark(reader);
}
