#include "tests/sim/tunnel_watch.h"

#include <string.h>

#include "shared/base/assert.h"

typedef unsigned long long ull;

void tunnel_watch_init(struct tunnel_watch *watch, struct sim *sim,
                       const struct fl_flow_limits *limits)
{
    memset(watch, 0, sizeof(*watch));
    watch->sim = sim;
    watch->limits = limits;
    fl_frame_decoder_init(&watch->out);
    fl_frame_decoder_init(&watch->in);
}

void tunnel_watch_fini(struct tunnel_watch *watch)
{
    fl_frame_decoder_fini(&watch->out);
    fl_frame_decoder_fini(&watch->in);
    fl_vec_fini(&watch->streams);
}

void tunnel_watch_begin(struct tunnel_watch *watch)
{
    fl_frame_decoder_fini(&watch->out);
    fl_frame_decoder_fini(&watch->in);
    fl_frame_decoder_init(&watch->out);
    fl_frame_decoder_init(&watch->in);
    watch->is_in_bad = false;
    watch->log_stream = 0;
    fl_vec_clear(&watch->streams);
    fl_vec_push(&watch->streams,
                (struct tunnel_watch_stream){.may_send = watch->limits->tunnel_bytes,
                                             .may_receive = watch->limits->tunnel_bytes});
}

/* Opened by the first frame that names it. */
static struct tunnel_watch_stream *stream_of(struct tunnel_watch *watch, uint32_t id)
{
    for (size_t i = 0; i < watch->streams.len; i++) {
        if (watch->streams.at[i].id == id) return &watch->streams.at[i];
    }
    fl_vec_push(&watch->streams,
                (struct tunnel_watch_stream){.id = id,
                                             .may_send = watch->limits->stream_bytes,
                                             .may_receive = watch->limits->stream_bytes});
    return &watch->streams.at[watch->streams.len - 1];
}

uint64_t tunnel_watch_held(const struct tunnel_watch *watch)
{
    uint64_t held = 0;

    for (size_t i = 1; i < watch->streams.len; i++) {
        const struct tunnel_watch_stream *stream = &watch->streams.at[i];

        if (!stream->is_closed) held += stream->received - stream->consumed;
    }
    return held;
}

/* ---- the rules ------------------------------------------------------------------------------- */

static void I11_only_what_was_granted_is_sent(struct tunnel_watch *watch,
                                              const struct tunnel_watch_stream *stream)
{
    if (stream->sent > stream->may_send) {
        sim_broken(watch->sim, "I11", "stream %u: %llu bytes sent, %llu granted", stream->id,
                   (ull)stream->sent, (ull)stream->may_send);
    }
    if (stream->received > stream->may_receive) {
        sim_broken(watch->sim, "I11", "stream %u: %llu bytes came, %llu were granted", stream->id,
                   (ull)stream->received, (ull)stream->may_receive);
    }
}

static void I11_no_window_is_larger_than_its_limit(struct tunnel_watch *watch)
{
    const struct fl_flow_limits *limits = watch->limits;
    uint64_t sum = 0, most_of_all = limits->growth_bytes_max;

    for (size_t i = 0; i < watch->streams.len; i++) {
        const struct tunnel_watch_stream *stream = &watch->streams.at[i];
        uint64_t window = stream->may_receive - stream->consumed;
        uint64_t most = stream->id ? limits->stream_bytes_max : limits->tunnel_bytes_max;

        if (stream->is_closed) continue;
        if (window > most) {
            sim_broken(watch->sim, "I11", "stream %u: a window of %llu bytes, at most %llu",
                       stream->id, (ull)window, (ull)most);
        }
        if (!stream->id) continue;
        sum += window;
        most_of_all += limits->stream_bytes;
    }
    if (sum > most_of_all) {
        sim_broken(watch->sim, "I11", "all streams have windows of %llu bytes, at most %llu",
                   (ull)sum, (ull)most_of_all);
    }
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void note(struct tunnel_watch *watch, const struct fl_frame *frame, bool is_out)
{
    struct tunnel_watch_stream *stream = stream_of(watch, frame->stream);
    struct tunnel_watch_stream *tunnel = &watch->streams.at[0];
    size_t len = frame->payload.len;
    struct fl_err err = {0};
    uint32_t credit;

    if (frame->type == FL_FRAME_CREDIT) {
        if (!fl_frame_read_credit(frame, &credit, &err)) return;
        if (is_out) {
            stream->may_receive += credit;
            I11_no_window_is_larger_than_its_limit(watch);
        } else {
            stream->may_send += credit;
        }
    } else if (frame->type == FL_FRAME_CLOSE) {
        stream->is_closed = true;
    } else if (fl_frame_type_is_data(frame->type)) {
        if (is_out) {
            stream->sent += len;
            tunnel->sent += len;
        } else {
            stream->received += len;
            tunnel->received += len;
            if (frame->type == FL_FRAME_LOG) watch->log_stream = frame->stream;
            tunnel->consumed += len; /* the tunnel's returns at once */
        }
        I11_only_what_was_granted_is_sent(watch, stream);
        I11_only_what_was_granted_is_sent(watch, tunnel);
    }
}

void tunnel_watch_out(struct tunnel_watch *watch, struct fl_str bytes)
{
    struct fl_err err = {0};
    struct fl_frame frame;

    for (;;) {
        switch (fl_frame_decoder_next(&watch->out, &bytes, &frame, &err)) {
        case FL_FRAME_MORE:
            return;
        case FL_FRAME_BAD:
            sim_broken(watch->sim, "I24", "an end sends what is no frame: %s", err.text);
        case FL_FRAME_READY:
            note(watch, &frame, true);
        }
    }
}

void tunnel_watch_in(struct tunnel_watch *watch, struct fl_str bytes)
{
    struct fl_err err = {0};
    struct fl_frame frame;

    while (!watch->is_in_bad) {
        switch (fl_frame_decoder_next(&watch->in, &bytes, &frame, &err)) {
        case FL_FRAME_MORE:
            return;
        case FL_FRAME_BAD:
            watch->is_in_bad = true;
            break;
        case FL_FRAME_READY:
            note(watch, &frame, false);
        }
    }
}

void tunnel_watch_consumed(struct tunnel_watch *watch, uint32_t stream, uint64_t bytes)
{
    struct tunnel_watch_stream *found = stream_of(watch, stream);

    found->consumed += bytes;
    if (found->consumed <= found->received) return;
    sim_broken(watch->sim, "I11", "stream %u: more was consumed than came", stream);
}
