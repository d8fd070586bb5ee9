#include "tests/sim/tunnel_end.h"

#include <string.h>

#include "shared/base/assert.h"

void tunnel_end_init(struct tunnel_end *tunnel, struct net *net, enum net_end end)
{
    memset(tunnel, 0, sizeof(*tunnel));
    tunnel->net = net;
    tunnel->end = end;
    fl_frame_decoder_init(&tunnel->decoder);
    fl_buf_init(&tunnel->payload, FL_FRAME_PAYLOAD_MAX);
    fl_buf_init(&tunnel->out, FL_FRAME_BYTES_MAX);
}

void tunnel_end_fini(struct tunnel_end *tunnel)
{
    fl_frame_decoder_fini(&tunnel->decoder);
    fl_buf_fini(&tunnel->payload);
    fl_buf_fini(&tunnel->out);
    fl_arena_fini(&tunnel->arena);
}

void tunnel_end_begin(struct tunnel_end *tunnel, uint64_t connection)
{
    fl_frame_decoder_fini(&tunnel->decoder);
    fl_frame_decoder_init(&tunnel->decoder);
    fl_buf_clear(&tunnel->payload);
    tunnel->connection = connection;
}

void tunnel_end_flush(struct tunnel_end *tunnel)
{
    struct fl_frame frame = {.stream = FL_STREAM_CONTROL, .type = FL_FRAME_CONTROL};

    if (tunnel->payload.len == 0) return;
    frame.sequence = fl_link_sequence(&tunnel->link);
    frame.payload = (struct fl_str){(const char *)tunnel->payload.at, tunnel->payload.len};
    fl_buf_clear(&tunnel->out);
    fl_assert(fl_frame_put(&tunnel->out, &frame));
    net_send(tunnel->net, tunnel->end, tunnel->connection,
             (struct fl_str){(const char *)tunnel->out.at, tunnel->out.len});
    fl_buf_clear(&tunnel->payload);
}

void tunnel_end_put(struct tunnel_end *tunnel, const struct fl_msg *msg)
{
    if (!tunnel->connection) return;
    if (fl_msg_encode(&tunnel->payload, msg)) return;
    tunnel_end_flush(tunnel);
    fl_assert(fl_msg_encode(&tunnel->payload, msg));
}

void tunnel_end_close(struct tunnel_end *tunnel)
{
    if (!tunnel->connection) return;
    tunnel_end_flush(tunnel);
    net_close(tunnel->net, tunnel->end, tunnel->connection);
    tunnel->connection = 0;
}

/* All messages of a frame; false when they break a rule. */
static bool read_messages(struct tunnel_end *tunnel, const struct fl_frame *frame,
                          struct tunnel_messages *ret)
{
    struct fl_reader reader = fl_reader(frame->payload.at, frame->payload.len);
    enum fl_direction to = tunnel->end == NET_HUB ? FL_TO_CONTROLPLANE : FL_TO_AGENT;

    fl_arena_reset(&tunnel->arena);
    *ret = (struct tunnel_messages){0};
    while (reader.pos < reader.len) {
        struct fl_err err = {0};
        struct fl_msg msg;

        if (fl_msg_decode(&reader, to, &tunnel->arena, &msg, &err)) {
            fl_arena_push(&tunnel->arena, ret, msg);
        } else if (err.code != FL_UNSUPPORTED || !(frame->flags & FL_FRAME_MAY_IGNORE)) {
            return false;
        }
    }
    return true;
}

bool tunnel_end_receive(struct tunnel_end *tunnel, struct fl_str *bytes,
                        struct tunnel_messages *ret, bool *ret_is_broken)
{
    *ret_is_broken = false;
    for (;;) {
        struct fl_err err = {0};
        struct fl_frame frame;

        switch (fl_frame_decoder_next(&tunnel->decoder, bytes, &frame, &err)) {
        case FL_FRAME_MORE:
            return false;
        case FL_FRAME_BAD:
            *ret_is_broken = true;
            return false;
        case FL_FRAME_READY:
            if (frame.type != FL_FRAME_CONTROL) break; /* no stream is open here */
            if (read_messages(tunnel, &frame, ret)) return true;
            *ret_is_broken = true;
            return false;
        }
    }
}

struct fl_link_event tunnel_end_event(const struct fl_msg *msg, fl_ms now)
{
    struct fl_link_event ev = {.kind = FL_LINK_EV_message, .now = now};

    switch (msg->kind) {
    case FL_MSG_hello:
        ev.kind = FL_LINK_EV_hello;
        break;
    case FL_MSG_welcome:
        ev.kind = FL_LINK_EV_welcome;
        ev.ping_ms = msg->welcome.ping_ms;
        ev.dead_ms = msg->welcome.dead_ms;
        break;
    case FL_MSG_ping:
        ev.kind = FL_LINK_EV_ping;
        ev.nonce = msg->ping.nonce;
        break;
    case FL_MSG_pong:
        ev.kind = FL_LINK_EV_pong;
        ev.nonce = msg->pong.nonce;
        break;
    case FL_MSG_bye:
        ev.kind = FL_LINK_EV_bye;
        ev.retry_after_ms = msg->bye.retry_after_ms;
        break;
    default:
        break;
    }
    return ev;
}
