#include "agent/streams/log_feed.h"

#include "shared/base/alloc.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"
#include "shared/io/log.h"
#include "shared/wire/log_message.h"

#define WANTS_BYTES ((uint64_t)1 << 30)
#define RETRY_MS ((fl_ms)1000) /* output that could not be read is tried again */

struct waiting {
    uint64_t job;
    uint32_t element, n, incarnation, replica;
};

struct log_feed {
    struct fl_loop *loop;
    struct runtime runtime;
    struct fl_stream *stream; /* NULL: no tunnel */
    struct log_pump *pump;
    struct fl_after after;
    FL_VEC(struct waiting) waiting; /* the pump had no place for them */
    FL_VEC(struct waiting) unread;  /* their output could not be read; 'retry' reads it again */
    struct fl_map is_waiting;       /* those in 'waiting' or 'unread' */
    struct fl_timer retry;
    bool is_told; /* the stream knows of output, and pulls until a pull gives nothing */
};

static struct waiting waiting_of(struct fl_attempt attempt, uint32_t replica)
{
    return (struct waiting){attempt.job.n, attempt.element, attempt.n, attempt.incarnation,
                            replica};
}

/* ---- the pump's port ------------------------------------------------------------------------- */

/* Puts a source whose output could not be read on the list for 'retry'. */
static void try_again(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica,
                      const struct fl_err *err)
{
    struct waiting waiting = waiting_of(attempt, replica);

    if (fl_map_find(&feed->is_waiting, &waiting, sizeof(waiting), NULL)) return;
    fl_log(FL_LOG_WARN, "logs", "output_unread", FL_LOG_N("job", attempt.job.n),
           FL_LOG_N("element", attempt.element), FL_LOG_N("replica", replica), FL_LOG_ERR(err));
    fl_map_put(&feed->is_waiting, &waiting, sizeof(waiting), 1);
    fl_vec_push(&feed->unread, waiting);
    if (!fl_timer_is_on(&feed->retry)) fl_timer_in(&feed->retry, RETRY_MS);
}

static bool on_read(void *ctx, struct fl_attempt attempt, uint32_t replica, uint64_t offset,
                    size_t bytes_max, struct fl_buf *out, bool *ret_is_more, bool *ret_is_ended,
                    struct fl_err *err)
{
    struct log_feed *feed = ctx;
    struct runtime_output output;

    if (!feed->runtime.ops->read_output(feed->runtime.self, attempt, replica, offset, bytes_max,
                                        out, &output, err)) {
        if (err->code != FL_ABSENT) try_again(feed, attempt, replica, err);
        return false;
    }
    *ret_is_more = output.is_more;
    *ret_is_ended = output.is_ended;
    return true;
}

static void on_taken(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    struct log_feed *feed = ctx;

    feed->runtime.ops->output_taken(feed->runtime.self, attempt, replica);
    fl_after_put(&feed->after); /* a place in the pump is free for one that waits */
}

/* ---- once a turn, and what could not be read ------------------------------------------------- */

static bool notice(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica)
{
    struct fl_err err = {0};

    return log_pump_notice(feed->pump, attempt, replica, &err);
}

static struct fl_attempt attempt_of(const struct waiting *waiting)
{
    return (struct fl_attempt){
        {waiting->job}, waiting->element, (uint16_t)waiting->n, waiting->incarnation};
}

static void place_waiting(struct log_feed *feed)
{
    while (feed->waiting.len > 0) {
        struct waiting next = feed->waiting.at[feed->waiting.len - 1];

        if (!notice(feed, attempt_of(&next), next.replica)) return;
        fl_map_remove(&feed->is_waiting, &next, sizeof(next));
        feed->waiting.len--;
    }
}

/* The tunnel itself repeats a pull that gave nothing once it has more credit.  The announced number
 * is more than there can be: so a frame is as long as credit allows, and long enough for a
 * record. */
static void end_turn(void *ctx)
{
    struct log_feed *feed = ctx;

    place_waiting(feed);
    if (feed->is_told || !feed->stream || log_pump_wants(feed->pump) == 0) return;
    feed->is_told = true;
    fl_stream_wants(feed->stream, WANTS_BYTES);
}

/* A replica that is gone since becomes a source until its read fails. */
static void retry(void *ctx)
{
    struct log_feed *feed = ctx;

    for (size_t i = 0; i < feed->unread.len; i++) {
        struct waiting unread = feed->unread.at[i];

        fl_map_remove(&feed->is_waiting, &unread, sizeof(unread));
        log_feed_output(feed, attempt_of(&unread), unread.replica);
    }
    fl_vec_clear(&feed->unread);
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct log_feed *log_feed_create(struct fl_loop *loop, struct runtime runtime)
{
    struct log_feed *feed = fl_new(struct log_feed);
    struct log_pump_port pump = {.ctx = feed, .read = on_read, .taken = on_taken};

    feed->runtime = runtime;
    feed->loop = loop;
    feed->pump = log_pump_create(&pump, FL_LOG_SOURCES_MAX);
    fl_after_init(&feed->after, loop, end_turn, feed);
    fl_timer_init(&feed->retry, loop, retry, feed);
    return feed;
}

void log_feed_destroy(struct log_feed *feed)
{
    if (!feed) return;
    fl_after_off(&feed->after);
    fl_timer_off(&feed->retry);
    log_pump_destroy(feed->pump);
    fl_vec_fini(&feed->waiting);
    fl_vec_fini(&feed->unread);
    fl_map_fini(&feed->is_waiting);
    fl_free(feed);
}

void log_feed_output(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica)
{
    struct waiting waiting = waiting_of(attempt, replica);

    if (!notice(feed, attempt, replica) &&
        !fl_map_find(&feed->is_waiting, &waiting, sizeof(waiting), NULL)) {
        fl_map_put(&feed->is_waiting, &waiting, sizeof(waiting), 1);
        fl_vec_push(&feed->waiting, waiting);
    }
    fl_after_put(&feed->after);
}

void log_feed_gone(struct log_feed *feed, struct fl_attempt attempt, uint32_t replica)
{
    log_pump_drop(feed->pump, attempt, replica);
    fl_after_put(&feed->after);
}

static void on_output(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    log_feed_output(ctx, attempt, replica);
}

static void on_gone(void *ctx, struct fl_attempt attempt, uint32_t replica)
{
    log_feed_gone(ctx, attempt, replica);
}

struct output_listener log_feed_listener(struct log_feed *feed)
{
    return (struct output_listener){feed, on_output, on_gone};
}

/* ---- the stream ------------------------------------------------------------------------------ */

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "the agent opens the LOG stream");
}

/* A malformed frame ends the sending of logs until the next session. */
static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    struct log_feed *feed = ctx;
    struct fl_err bad = {0};

    (void)err;
    if (!log_pump_take(feed->pump, bytes, &bad)) {
        fl_log(FL_LOG_WARN, "logs", "bad_frame", FL_LOG_ERR(&bad));
        log_pump_closed(feed->pump);
    }
    fl_after_put(&feed->after);
    fl_stream_consumed(stream, (uint32_t)bytes.len);
    return true;
}

static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct log_feed *feed = ctx;
    size_t len = log_pump_pull(feed->pump, at, bytes_max);

    (void)stream;
    if (len == 0) feed->is_told = false;
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    struct log_feed *feed = ctx;
    struct fl_err err = {0};

    feed->stream = NULL;
    feed->is_told = false;
    log_pump_closed(feed->pump);
    fl_fail(&err, code, "the LOG stream was closed: " FL_STR_FMT, FL_STR_ARG(text));
    fl_streams_fail(stream->streams, &err);
}

struct fl_stream_kind log_feed_stream(struct log_feed *feed)
{
    return (struct fl_stream_kind){
        .type = FL_FRAME_LOG,
        .streams_max = 1,
        .ctx = feed,
        .open = on_open,
        .data = on_data,
        .pull = on_pull,
        .close = on_close,
    };
}

void log_feed_begin(struct log_feed *feed, struct fl_streams *streams)
{
    struct fl_err err = {0};

    if (!fl_streams_open(streams, FL_FRAME_LOG, fl_loop_now(feed->loop), &feed->stream, &err)) {
        fl_streams_fail(streams, &err);
        return;
    }
    log_pump_opened(feed->pump);
    fl_after_put(&feed->after);
}

struct log_pump_stats log_feed_stats(const struct log_feed *feed)
{
    return log_pump_stats(feed->pump);
}
