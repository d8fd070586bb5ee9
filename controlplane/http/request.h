/* request.h - one request as its handler sees it, and the calls that answer it.
 * The server calls on_head when the head is there: the handler looks at route and token, and then
 * returns how large the body may be, or answers at once.  on_request follows with the whole body;
 * the handler answers there or later, from any callback on the same loop, exactly once.  An answer
 * before the whole body has come closes the connection.
 * Lifetime: a 'struct http_request *' is valid until it is answered or its stream ended, or until
 * on_gone; its contents (head, body, arena) until it is answered or its stream begins.  A handler
 * that answers later keeps the handle, which finds no request once the peer is gone; it may also
 * set on_gone.  All of it runs on the loop of the server.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controlplane/http/socket.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/wire/http_head.h"

struct fl_arena;
struct http_request; /* opaque */
struct http_server;

/* ---- where requests go ----------------------------------------------------------------------- */

struct http_port {
    void *ctx;

    /* The head is there and the body is not.  Returns how many bytes of body this request may have;
     * a longer one gets 413.  The result does not count if it was answered here.  Handle HEAD as
     * GET. */
    uint64_t (*on_head)(void *ctx, struct http_request *request);

    /* The whole request is there.  Not called when on_head answered. */
    void (*on_request)(void *ctx, struct http_request *request);
};

/* ---- the request's contents ------------------------------------------------------------------ */

const struct fl_http_head *http_head(const struct http_request *request);
struct fl_str http_body(const struct http_request *request); /* empty in on_head */
struct fl_str http_peer(const struct http_request *request); /* "127.0.0.1:40112"; borrowed */
bool http_is_tls(const struct http_request *request);

enum http_claim {
    HTTP_CLAIMED,
    HTTP_CLAIM_CONNECTIONS, /* it has its share of connections; this one closes behind the answer */
    HTTP_CLAIM_UNSENT,      /* it has not taken its share of unsent_bytes_max */
    HTTP_CLAIM_RATE,        /* it has sent too many requests in the last second */
    HTTP_CLAIM_BODIES,      /* its bodies in reception have their share; not http_claim()'s */
    HTTP_CLAIMS_LEN
};

/* The peer has shown who it is: the connection is this token's from now on, which is not 0, and is
 * not closed to make room for others.  Once for each request of a token; if it is refused, answer
 * with 429. */
FL_CHECK enum http_claim http_claim(struct http_request *request, uint64_t token);

/* Whether an answer of so many bytes may wait for this request's token; false is counted as a
 * refused claim.  A token that has taken all that it was sent may have any answer. */
FL_CHECK bool http_may_answer(struct http_request *request, size_t bytes);

/* Memory that lives until the request is answered. */
struct fl_arena *http_arena(struct http_request *request);

#define HTTP_SEGMENTS_MAX 16

struct http_path {
    struct fl_str at[HTTP_SEGMENTS_MAX]; /* raw: choose the route by these, then decode names */
    size_t len;
};

/* False: it has more segments than any route. */
FL_CHECK bool http_path(const struct http_request *request, struct http_path *ret_path);

/* Decodes a raw segment into the request's arena.  False: it is not text. */
FL_CHECK bool http_segment_text(struct http_request *request, struct fl_str raw,
                                struct fl_str *ret_text);

#define HTTP_PAIRS_MAX 64

struct http_pair {
    struct fl_str name, value;
};

struct http_query {
    struct http_pair *at; /* decoded, in the order they came, in the request's arena */
    size_t len;
};

/* False, with a text for the peer: there are more than HTTP_PAIRS_MAX, or one is not text. */
FL_CHECK bool http_query(struct http_request *request, struct http_query *ret_query,
                         struct fl_err *err);

/* Whether the peer has 'etag' (with its quotes) already, so that the answer may be 304. */
bool http_has_etag(const struct http_request *request, struct fl_str etag);

/* ---- answering ------------------------------------------------------------------------------- */

/* Content-Length, Date and Connection are the server's; do not give them.  fl_http_is_header_value
 * must accept names and values, anything else is a bug: check values from outside.  All is
 * copied.  For HEAD, 204 and 304 the body is left out (for HEAD its length is sent). */
void http_answer(struct http_request *request, unsigned status, const struct fl_http_field *headers,
                 size_t headers_len, struct fl_str body);

/* The same with a body that is ours from now on: a large one is not copied. */
void http_answer_adopt(struct http_request *request, unsigned status,
                       const struct fl_http_field *headers, size_t headers_len,
                       struct fl_buf *body);

/* Callbacks for a request that is not answered at once, or that streams.  Each may be NULL. */
struct http_watcher {
    /* The peer is gone.  The request is freed when this returns; do not use it here. */
    void (*on_gone)(void *ctx, struct http_request *request);

    /* There is room again, after http_stream_put was refused or http_stream_room gave less than
     * bytes_min. */
    void (*on_room)(void *ctx, struct http_request *request);

    /* The server ends: end the stream soon.  A stream that does not end in time is cut, and on_gone
     * is called. */
    void (*on_drain)(void *ctx, struct http_request *request);
};

/* 'watcher' must stay where it is; a second call replaces the first. */
void http_watch(struct http_request *request, const struct http_watcher *watcher, void *ctx);

/* The head of an answer whose body comes piece by piece, in chunks.  The request's head and body
 * are freed. */
void http_stream_begin(struct http_request *request, unsigned status,
                       const struct fl_http_field *headers, size_t headers_len);

/* How many bytes may be put now; on_room follows if it is less than bytes_min, which is at most
 * http_stream_piece_max.  At most stream_bytes_max wait for a slow reader. */
size_t http_stream_room(struct http_request *request, size_t bytes_min);

/* The bytes of the largest piece.  To put a larger one is a bug: it could wait for room for
 * ever. */
size_t http_stream_piece_max(const struct http_request *request);

/* Puts the whole piece or none of it.  False: none was put, and on_room follows when half of the
 * room is free.  The pieces of one turn go out together. */
FL_CHECK bool http_stream_put(struct http_request *request, struct fl_str piece);

void http_stream_end(struct http_request *request);

/* Ends the connection at once, for a stream that cannot end regularly: the peer sees it cut. */
void http_stream_cut(struct http_request *request);

/* ---- giving it away -------------------------------------------------------------------------- */

/* A connection that speaks HTTP no more. */
struct http_taken {
    struct http_socket socket; /* the owner's: http_socket_fini */
    struct fl_buf input;       /* the bytes behind the request; the owner's: fl_buf_fini */
    char peer[64];
};

/* Takes the connection of a request that was not answered: the server forgets it, and calls nothing
 * more for it.  It may go on on another thread.  False: answers to earlier requests wait on it;
 * nothing has changed. */
FL_CHECK bool http_take(struct http_request *request, struct http_taken *ret_taken);

/* ---- answering later ------------------------------------------------------------------------- */

struct http_handle {
    uint64_t n; /* 0: no request */
};

struct http_handle http_handle(const struct http_request *request);

/* NULL when it was answered or is gone. */
struct http_request *http_request_find(struct http_server *server, struct http_handle handle);
