/* connection.h - one peer: its bytes in, its requests one after the other, its answers out.
 * All that happens to it ends in http_connection_work, which reads, hands requests on, writes and
 * then decides what to wait for, and until when.  Work that a handler makes between times is done
 * at the end of the turn, once, however often it asked.
 * Not thread-safe. */
#pragma once

#include "controlplane/http/server_state.h"
#include "controlplane/http/socket.h"
#include "shared/io/net.h"

enum http_state {
    HTTP_HANDSHAKE,
    HTTP_IDLE,   /* no byte of a request is there */
    HTTP_HEAD,   /* some are */
    HTTP_ASKING, /* on_head is being called */
    HTTP_BODY,   /* the head is there, the body is not */
    HTTP_ASKED,  /* the request is whole and not answered */
    HTTP_STREAM, /* its answer is being streamed */
    HTTP_LAST,   /* nothing more is read; waiting bytes are written, then it ends */
    HTTP_LINGER, /* our end is closed; the peer shall read the last answer before its end breaks */
    HTTP_DEAD,   /* freed as soon as no call works with it */
};

struct http_request {
    struct http_connection *connection;
};

struct http_connection {
    struct http_request request; /* the one in hand; its address is what handlers have */
    struct http_server *server;
    struct http_connection *prev, *next, *next_dirty;
    struct fl_watch watch;
    struct fl_timer timer;
    struct http_socket socket;
    struct http_exchange *exchange; /* NULL: no request is in hand, no input waits */
    struct fl_buf out;
    size_t out_at;      /* the bytes before it have been written */
    size_t spilt_bytes; /* while lingering */
    fl_ms since;        /* when it came into its state */
    fl_ms progress_at;  /* when the peer last took something, or something began to wait */
    const struct http_watcher *watcher;
    void *watcher_ctx;
    uint64_t number; /* of its request, in the server: no other has it */
    uint32_t slot;
    enum http_state state;
    uint8_t read_wants, write_wants; /* of enum fl_watch_event */
    bool is_working, is_dirty;
    bool is_readable; /* a read may give something */
    bool is_held;     /* requests wait until the peer has taken answers */
    bool has_ended;   /* the peer sends no more */
    bool has_asked;   /* this is not its first request */
    bool is_head;     /* the request's method is HEAD */
    bool closes;      /* after this request */
    bool wants_room;
    bool was_looked_at; /* after its deadline: bytes that came meanwhile were read once more */
    char peer[FL_NET_TEXT_MAX];
};

/* Takes the descriptor. */
void http_connection_open(struct http_server *server, int fd, struct ssl_ctx_st *tls,
                          const struct fl_net_address *peer);

void http_connection_work(struct http_connection *connection); /* it may be gone afterwards */
void http_connection_drain(struct http_connection *connection);
void http_connection_cut(struct http_connection *connection); /* gone at the end of the turn */

/* ---- for request.c: answering ---------------------------------------------------------------- */

/* Settles, before an answer's head is written, whether the connection closes behind it. */
bool http_connection_closes(struct http_connection *connection);

struct fl_buf *http_connection_out(struct http_connection *connection);
size_t http_connection_waiting(const struct http_connection *connection); /* bytes */

/* The answer is in the buffer, whole, or a stream's head is. */
void http_connection_answered(struct http_connection *connection);
void http_connection_streams(struct http_connection *connection);

void http_connection_put_dirty(struct http_connection *connection);

static inline bool http_connection_has_request(const struct http_connection *connection)
{
    return connection->state >= HTTP_ASKING && connection->state <= HTTP_STREAM;
}
