#include "controlplane/visits/visit_peer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/net.h"
#include "shared/json/problem.h"

enum {
    READS_MAX = 8,
    READ_BYTES = 16384,
    CLOSE_MS = 3000,
    SILENT_MS = 60000,
    REASON_BYTES_MAX = 123,
    PROBLEM_BYTES_MAX = 4096 /* the text of an error, each byte escaped, and more */
};

struct visit_peer {
    struct fl_loop *loop;
    struct visit_peer_port port;
    struct http_socket socket;
    struct fl_watch watch;
    size_t unacked;         /* the kernel's, when 'ending' was due last ... */
    unsigned late;          /* ... and how often it was due without a change */
    struct fl_timer ending; /* how long the client may take to read the rest, and to answer CLOSE */
    struct fl_after work;
    struct fl_ws_reader reader;
    struct fl_buf input; /* came with the request; read before the socket */
    struct fl_buf out;
    size_t out_at; /* the bytes before it were written */
    unsigned write_wants;
    bool has_channel; /* the channel of the message that is being read */
    bool is_message_first;
    uint8_t channel;
    bool is_websocket; /* the handshake was answered with 101 */
    bool is_closing;   /* CLOSE went out, or a problem did: nothing more is read but CLOSE */
    bool has_closed;   /* the client's CLOSE came */
    bool is_deaf;      /* bytes that still come are thrown away */
    bool is_shut;      /* our last byte is out, and the client hears that none follows */
    uint8_t bytes[READ_BYTES];
};

static void end(struct visit_peer *peer, const char *why)
{
    peer->port.gone(peer->port.ctx, why);
    visit_peer_destroy(peer);
}

/* ---- output ---------------------------------------------------------------------------------- */

size_t visit_peer_waiting(const struct visit_peer *peer)
{
    return peer->out.len - peer->out_at;
}

static void put_raw(struct visit_peer *peer, const void *bytes, size_t len)
{
    if (peer->out_at > 0 && peer->out_at >= peer->out.len / 2) {
        memmove(peer->out.at, peer->out.at + peer->out_at, visit_peer_waiting(peer));
        fl_buf_truncate(&peer->out, visit_peer_waiting(peer));
        peer->out_at = 0;
    }
    if (!fl_buf_put(&peer->out, bytes, len)) {
        fl_unreachable("a stream's window is far smaller than this buffer");
    }
    fl_after_put(&peer->work);
}

static void put_frame(struct visit_peer *peer, enum fl_ws_opcode opcode, struct fl_str bytes)
{
    uint8_t header[FL_WS_HEADER_BYTES_MAX];

    put_raw(peer, header, fl_ws_header(opcode, bytes.len, NULL, header));
    put_raw(peer, bytes.at, bytes.len);
}

void visit_peer_put(struct visit_peer *peer, uint8_t channel, struct fl_str bytes)
{
    uint8_t header[FL_WS_HEADER_BYTES_MAX];

    if (peer->is_closing) return;
    put_raw(peer, header, fl_ws_header(FL_WS_BINARY, bytes.len + 1, NULL, header));
    put_raw(peer, &channel, 1);
    put_raw(peer, bytes.at, bytes.len);
}

void visit_peer_ping(struct visit_peer *peer)
{
    if (!peer->is_closing) put_frame(peer, FL_WS_PING, (struct fl_str){0});
}

/* A client that is slow, but reads, gets all that was there before the end. */
static void wait_for_client(struct visit_peer *peer)
{
    peer->late = 0;
    fl_timer_in(&peer->ending, visit_peer_waiting(peer) > 0 ? SILENT_MS : CLOSE_MS);
}

static void begin_end(struct visit_peer *peer)
{
    peer->is_closing = true;
    wait_for_client(peer);
    fl_after_put(&peer->work);
}

void visit_peer_close(struct visit_peer *peer, enum fl_ws_close code, const char *text)
{
    uint8_t bytes[FL_WS_CONTROL_BYTES_MAX];
    struct fl_str reason = fl_str_begin(fl_str_c(text), REASON_BYTES_MAX);

    if (peer->is_closing) return;
    bytes[0] = (uint8_t)(code >> 8);
    bytes[1] = (uint8_t)code;
    memcpy(bytes + 2, reason.at, reason.len);
    put_frame(peer, FL_WS_CLOSE, (struct fl_str){(const char *)bytes, reason.len + 2});
    begin_end(peer);
}

void visit_peer_accept(struct visit_peer *peer, const char *accept, bool has_protocol)
{
    char text[256];
    int len = snprintf(text, sizeof text,
                       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                       "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n%s\r\n",
                       accept, has_protocol ? "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n" : "");

    peer->is_websocket = true;
    put_raw(peer, text, (size_t)len);
}

void visit_peer_refuse(struct visit_peer *peer, unsigned status, enum fl_code code,
                       const char *text)
{
    const char *title = status == 429 ? "Too Many Requests" : "Service Unavailable";
    struct fl_problem problem = {status, title, code, text};
    struct fl_json_out json;
    struct fl_buf body;
    char head[256];
    int head_len;

    fl_buf_init(&body, PROBLEM_BYTES_MAX);
    json = fl_json_out(&body);
    fl_problem_open(&json, &problem);
    fl_json_close(&json, '}');
    fl_buf_put_u8(&body, '\n');
    fl_assert(!body.is_over);
    head_len = snprintf(head, sizeof head,
                        "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\n"
                        "Cache-Control: no-store\r\nContent-Length: %zu\r\n"
                        "Connection: close\r\n\r\n",
                        status, title, body.len);
    put_raw(peer, head, (size_t)head_len);
    put_raw(peer, body.at, body.len);
    fl_buf_fini(&body);
    peer->is_deaf = true;
    begin_end(peer);
}

/* False: the connection is broken. */
static bool write_out(struct visit_peer *peer)
{
    bool has_written = false;

    peer->write_wants = 0;
    while (visit_peer_waiting(peer) > 0) {
        size_t n = 0;
        enum http_io io = http_socket_write(&peer->socket, peer->out.at + peer->out_at,
                                            visit_peer_waiting(peer), &n);

        if (io == HTTP_IO_AGAIN) {
            peer->write_wants = peer->socket.wants;
            break;
        }
        if (io != HTTP_IO_DONE) return false;
        peer->out_at += n;
        has_written = true;
    }
    if (visit_peer_waiting(peer) == 0) {
        fl_buf_clear(&peer->out);
        peer->out_at = 0;
    }
    if (has_written && peer->is_closing) wait_for_client(peer);
    if (has_written && !peer->is_closing) peer->port.taken(peer->port.ctx);
    return true;
}

/* ---- input ----------------------------------------------------------------------------------- */

/* The first byte of a message is its channel. */
static bool take_message(struct visit_peer *peer, struct fl_ws_piece piece, struct fl_err *err)
{
    if (piece.is_first) peer->has_channel = false;
    if (!peer->has_channel && piece.bytes.len > 0) {
        peer->has_channel = peer->is_message_first = true;
        peer->channel = (uint8_t)piece.bytes.at[0];
        piece.bytes.at++;
        piece.bytes.len--;
    }
    if (!peer->has_channel) return true;
    piece.is_first = peer->is_message_first;
    peer->is_message_first = false;
    return peer->port.piece(peer->port.ctx, peer->channel, piece.bytes, piece.is_first,
                            piece.is_last, err);
}

static bool take_piece(struct visit_peer *peer, const struct fl_ws_piece *piece, struct fl_err *err)
{
    switch (piece->opcode) {
    case FL_WS_BINARY:
        return peer->is_closing || take_message(peer, *piece, err);
    case FL_WS_PING:
        if (!peer->is_closing) put_frame(peer, FL_WS_PONG, piece->bytes);
        return true;
    case FL_WS_CLOSE:
        peer->has_closed = true;
        visit_peer_close(peer, FL_WS_DONE, "");
        return true;
    case FL_WS_PONG:
    case FL_WS_CONTINUATION:
    case FL_WS_TEXT:
        break;
    }
    return true;
}

static void take_bytes(struct visit_peer *peer, uint8_t *at, size_t len)
{
    struct fl_ws_piece piece;
    struct fl_err err = {0};

    while (!peer->has_closed) {
        switch (fl_ws_next(&peer->reader, &at, &len, &piece, &err)) {
        case FL_WS_MORE:
            return;
        case FL_WS_READY:
            if (take_piece(peer, &piece, &err)) break;
            peer->reader.close = FL_WS_REFUSED;
            /* fall through */
        case FL_WS_BAD:
            visit_peer_close(peer, peer->reader.close, err.text);
            peer->is_deaf = true; /* nothing behind it has a meaning */
            return;
        }
    }
}

static bool may_read(const struct visit_peer *peer)
{
    if (!peer->is_websocket || peer->has_closed) return false;
    return peer->is_closing || peer->port.may_read(peer->port.ctx);
}

/* Bytes that were not read would cut the connection when it is closed, and with it our last words
 * to a client that is still writing. */
static bool discard(struct visit_peer *peer)
{
    size_t bytes = 0;
    enum http_io io = http_socket_discard(&peer->socket, &bytes);

    return io == HTTP_IO_DONE || io == HTTP_IO_AGAIN;
}

/* False: the connection is broken, or has ended. */
static bool read_in(struct visit_peer *peer)
{
    if (may_read(peer) && peer->input.len > 0) {
        take_bytes(peer, peer->input.at, peer->input.len);
        fl_buf_clear(&peer->input);
    }
    for (int i = 0; i < READS_MAX; i++) {
        size_t n = 0;

        if (!may_read(peer) || peer->is_deaf) return true;
        switch (http_socket_read(&peer->socket, peer->bytes, sizeof peer->bytes, &n)) {
        case HTTP_IO_DONE:
            take_bytes(peer, peer->bytes, n);
            break;
        case HTTP_IO_AGAIN:
            return true;
        case HTTP_IO_END:
        case HTTP_IO_BROKEN:
            return false;
        }
    }
    fl_after_put(&peer->work); /* OpenSSL may hold more, which no watch sees */
    return true;
}

/* ---- work ------------------------------------------------------------------------------------ */

static bool is_done(const struct visit_peer *peer)
{
    return peer->has_closed && peer->is_closing && visit_peer_waiting(peer) == 0;
}

static void shut(struct visit_peer *peer)
{
    if (peer->is_shut) return;
    peer->is_shut = true;
    http_socket_shut(&peer->socket);
}

static void on_work(void *ctx)
{
    struct visit_peer *peer = ctx;

    if (peer->is_deaf ? !write_out(peer) || !discard(peer) : !read_in(peer) || !write_out(peer)) {
        end(peer, "the client is gone");
        return;
    }
    if (is_done(peer)) {
        shut(peer);
        end(peer, NULL);
        return;
    }
    if (peer->is_deaf && visit_peer_waiting(peer) == 0) shut(peer);
    fl_watch_set(&peer->watch,
                 (may_read(peer) || peer->is_deaf ? FL_WATCH_READ : 0) | peer->write_wants);
}

static void on_ready(void *ctx, unsigned events)
{
    (void)events;
    on_work(ctx);
}

/* The kernel may have bytes still that the client did not come for: a connection that is closed
 * now would be cut by the next word of the client, and they would be lost. */
static void on_ending(void *ctx)
{
    struct visit_peer *peer = ctx;
    size_t unacked = fl_net_unacked(peer->socket.fd);

    if (visit_peer_waiting(peer) == 0 && unacked > 0) {
        peer->late = unacked == peer->unacked ? peer->late + 1 : 0;
        peer->unacked = unacked;
        if (peer->late < SILENT_MS / CLOSE_MS) {
            fl_timer_in(&peer->ending, CLOSE_MS);
            return;
        }
    }
    end(peer, NULL);
}

void visit_peer_wake(struct visit_peer *peer)
{
    fl_after_put(&peer->work);
}

struct visit_peer *visit_peer_open(struct fl_loop *loop, struct http_taken *taken,
                                   const struct visit_peer_port *port)
{
    struct visit_peer *peer = fl_new(struct visit_peer);

    peer->loop = loop;
    peer->port = *port;
    peer->socket = taken->socket;
    peer->input = taken->input;
    taken->socket = (struct http_socket){.fd = -1};
    taken->input = (struct fl_buf){0};
    peer->reader.wants_mask = true;
    fl_net_set_user_timeout(peer->socket.fd, SILENT_MS);
    fl_buf_init(&peer->out, VISIT_PEER_OUT_MAX);
    fl_watch_init(&peer->watch, loop, peer->socket.fd, on_ready, peer);
    fl_timer_init(&peer->ending, loop, on_ending, peer);
    fl_after_init(&peer->work, loop, on_work, peer);
    fl_after_put(&peer->work);
    return peer;
}

void visit_peer_destroy(struct visit_peer *peer)
{
    if (!peer) return;
    fl_after_off(&peer->work);
    fl_timer_off(&peer->ending);
    fl_watch_off(&peer->watch);
    http_socket_fini(&peer->socket);
    fl_buf_fini(&peer->input);
    fl_buf_fini(&peer->out);
    fl_free(peer);
}
