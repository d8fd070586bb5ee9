/* connection.h - one peer: its bytes in, its requests one after the other, its answers out.
 * Every event ends in http_connection_work, which reads, hands requests on, writes, and then
 * decides what to wait for, and until when.  If a handler answers at another time,
 * http_connection_work runs once at the end of the turn.  Not thread-safe. */
#pragma once

#include "controlplane/http/server_state.h"
#include "controlplane/http/socket.h"
#include "shared/io/net.h"

enum http_state {
    HTTP_HANDSHAKE,
    HTTP_IDLE,   /* waits for a request's first byte */
    HTTP_HEAD,   /* a part of a head is there */
    HTTP_ASKING, /* on_head is being called */
    HTTP_BODY,   /* the head is there, the body is not */
    HTTP_ASKED,  /* the request is whole and not answered */
    HTTP_STREAM, /* its answer is being streamed */
    HTTP_LAST,   /* reads no more, writes the bytes that wait, then ends */
    HTTP_LINGER, /* our end is closed; waits so that the peer can read the last answer */
    HTTP_DEAD,   /* freed as soon as no call uses it */
};

struct http_request {
    struct http_connection *connection;
};

struct http_connection {
    struct http_request request; /* the one in hand; handlers have its address */
    struct http_server *server;
    struct http_connection *prev, *next, *next_dirty;
    struct http_connection *older, *newer; /* among those without a token */
    struct http_share *share;              /* NULL: a stranger's */
    size_t counted_bytes;                  /* the bytes of 'out' that are counted for its token */
    struct fl_watch watch;
    struct fl_timer timer;
    struct http_socket socket;
    struct http_exchange *exchange; /* NULL: no request is in hand, no input waits */
    struct fl_buf out;
    size_t out_at;      /* the bytes before it have been written */
    size_t spilt_bytes; /* while lingering */
    fl_ms since;        /* when it entered its state */
    fl_ms progress_at;  /* when the peer last took bytes, or bytes began to wait */
    const struct http_watcher *watcher;
    void *watcher_ctx;
    uint64_t number; /* the request's, unique in the server */
    uint32_t slot;
    uint32_t handshake; /* its number; 0: it is over, or there is none */
    enum http_state state;
    uint8_t read_wants, write_wants; /* enum fl_watch_event, or-ed */
    bool is_working, is_dirty;
    bool is_readable; /* a read may give bytes */
    bool is_held;     /* requests wait until the peer has taken answers */
    bool has_ended;   /* the peer sends no more */
    bool has_asked;   /* this is not its first request */
    bool is_head;     /* the request's method is HEAD */
    bool closes;      /* after this request */
    bool wants_room;
    bool was_looked_at; /* its deadline is over, and it was read once more since */
    char peer[FL_NET_TEXT_MAX];
};

/* Takes over the descriptor.  'handshake': its number in the server's handshakes; 0: plain. */
void http_connection_open(struct http_server *server, int fd, const struct fl_net_address *peer,
                          uint32_t handshake);

void http_connection_work(struct http_connection *connection); /* it may be gone afterwards */
void http_connection_drain(struct http_connection *connection);
/* Makes it this token's: see http_claim. */
FL_CHECK enum http_claim http_connection_claim(struct http_connection *connection, uint64_t token);

/* Cuts the oldest connection of a stranger that has no request in hand.  False: there is none. */
FL_CHECK bool http_connection_make_room(struct http_server *server);
void http_connection_cut(struct http_connection *connection); /* gone at the end of the turn */

/* ---- for request.c: answering ---------------------------------------------------------------- */

/* Settles, before an answer's head is written, whether the connection closes behind it. */
bool http_connection_closes(struct http_connection *connection);

struct fl_buf *http_connection_out(struct http_connection *connection);
size_t http_connection_waiting(const struct http_connection *connection); /* bytes */

/* After bytes were put: they count for the token. */
void http_connection_count(struct http_connection *connection);

/* Call the first when a whole answer is in the buffer, the second when a stream's head is. */
void http_connection_answered(struct http_connection *connection);
void http_connection_streams(struct http_connection *connection);

/* For http_take: the connection goes at the end of the turn, and its socket stays. */
void http_connection_give_away(struct http_connection *connection, struct http_taken *ret_taken);

void http_connection_put_dirty(struct http_connection *connection);

static inline bool http_connection_has_request(const struct http_connection *connection)
{
    return connection->state >= HTTP_ASKING && connection->state <= HTTP_STREAM;
}
