#include "controlplane/tunnel/log_stream.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

/* Messages that wait for the agent, each a u32 length and a payload. */
struct waiting {
    struct fl_buf bytes;
    size_t pos; /* bytes before it went out */
};

static bool on_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct waiting *waiting = fl_new(struct waiting);

    (void)ctx;
    (void)err;
    fl_buf_init(&waiting->bytes, LOG_STREAM_BYTES_MAX);
    stream->state = waiting;
    return true;
}

static bool on_data(void *ctx, struct fl_stream *stream, struct fl_str bytes, struct fl_err *err)
{
    const struct log_stream_ports *ports = ctx;

    (void)err;
    ports->frame(ports->ctx, stream->peer.connection, stream->peer.cluster, bytes);
    return true;
}

/* Gives whole payloads, as many as fit. */
static size_t on_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct waiting *waiting = stream->state;
    size_t len = 0;

    (void)ctx;
    while (waiting->pos < waiting->bytes.len) {
        struct fl_reader reader =
            fl_reader(waiting->bytes.at + waiting->pos, waiting->bytes.len - waiting->pos);
        uint32_t payload_bytes = fl_read_u32(&reader);

        if (payload_bytes > bytes_max - len) break;
        memcpy(at + len, fl_read_raw(&reader, payload_bytes).at, payload_bytes);
        len += payload_bytes;
        waiting->pos += reader.pos;
    }
    if (waiting->pos == waiting->bytes.len) {
        fl_buf_clear(&waiting->bytes);
        waiting->pos = 0;
    }
    return len;
}

static void on_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    const struct log_stream_ports *ports = ctx;
    struct waiting *waiting = stream->state;

    (void)code;
    (void)text;
    fl_buf_fini(&waiting->bytes);
    fl_free(waiting);
    ports->closed(ports->ctx, stream->peer.connection, stream->peer.cluster);
}

struct fl_stream_kind log_stream_kind(const struct log_stream_ports *ports)
{
    return (struct fl_stream_kind){
        .type = FL_FRAME_LOG,
        .streams_max = 1,
        .ctx = (void *)ports,
        .open = on_open,
        .data = on_data,
        .pull = on_pull,
        .close = on_close,
    };
}

/* ---- from the log store ---------------------------------------------------------------------- */

static bool has_room(const struct waiting *waiting, struct fl_str payload)
{
    return waiting->bytes.len + 4 + payload.len <= LOG_STREAM_BYTES_MAX;
}

static void cut_sent(struct waiting *waiting)
{
    size_t left = waiting->bytes.len - waiting->pos;

    memmove(waiting->bytes.at, waiting->bytes.at + waiting->pos, left);
    fl_buf_truncate(&waiting->bytes, left);
    waiting->pos = 0;
}

bool log_stream_put(struct fl_streams *streams, struct fl_str payload, struct fl_err *err)
{
    struct fl_stream *stream = fl_streams_first(streams, FL_FRAME_LOG);
    struct waiting *waiting;

    fl_assert(payload.len > 0 && payload.len <= FL_FRAME_PAYLOAD_MAX);
    if (!stream) return fl_fail(err, FL_ABSENT, "the LOG stream is not open");
    waiting = stream->state;
    if (!has_room(waiting, payload) && waiting->pos) cut_sent(waiting);
    if (!has_room(waiting, payload)) {
        struct fl_err full = {0};

        fl_fail(&full, FL_FULL, "the agent takes too little of its LOG stream");
        fl_streams_fail(streams, &full);
        return fl_fail(err, full.code, "%s", full.text);
    }
    (void)fl_buf_put_u32(&waiting->bytes, (uint32_t)payload.len);
    (void)fl_buf_put(&waiting->bytes, payload.at, payload.len);
    fl_stream_wants(stream, waiting->bytes.len - waiting->pos);
    return true;
}

void log_stream_consumed(struct fl_streams *streams, uint32_t bytes)
{
    struct fl_stream *stream = fl_streams_first(streams, FL_FRAME_LOG);

    if (stream) fl_stream_consumed(stream, bytes);
}
