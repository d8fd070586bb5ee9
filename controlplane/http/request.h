/* request.h - one request as its handler sees it, and how it is answered.
 * The server calls on_head when the head is there: look at route and token, then say how large the
 * body may be, or answer at once.  on_request follows with the whole body; answer there or later,
 * from any callback on the same loop, exactly once.  A request that is answered before its body has
 * come closes the connection.
 * Lifetime: a 'struct http_request *' is valid until it is answered or its stream ended, or until
 * on_gone; its contents (head, body, arena) until it is answered or its stream begins.  A handler
 * that answers later keeps the handle, which finds nothing once the peer is gone, or is called by
 * on_gone.  All of it runs on the loop of the server.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/wire/http_head.h"

struct fl_arena;
struct http_request; /* opaque */
struct http_server;

/* ---- where requests go ----------------------------------------------------------------------- */

struct http_port {
    void *ctx;

    /* The head is there and the body is not.  Returns how many bytes of body this request may have
     * (0: none, else 413); meaningless when it has been answered in here.  HEAD is to be handled as
     * GET. */
    uint64_t (*on_head)(void *ctx, struct http_request *request);

    /* All is there.  Not called when on_head answered. */
    void (*on_request)(void *ctx, struct http_request *request);
};

/* ---- the request's contents ------------------------------------------------------------------ */

const struct fl_http_head *http_head(const struct http_request *request);
struct fl_str http_body(const struct http_request *request); /* empty in on_head */
struct fl_str
http_peer(const struct http_request *request); /* "127.0.0.1:40112", until it is gone */
bool http_is_tls(const struct http_request *request);

/* Memory until it is answered. */
struct fl_arena *http_arena(struct http_request *request);

#define HTTP_SEGMENTS_MAX 16

struct http_path {
    struct fl_str at[HTTP_SEGMENTS_MAX]; /* raw: route by these, then decode what is a name */
    size_t len;
};

/* False when there are more: no route has as many. */
FL_CHECK bool http_path(const struct http_request *request, struct http_path *ret_path);

/* A raw segment decoded, in the request's arena; false when it is no text. */
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

/* False, with a text for the peer: more than HTTP_PAIRS_MAX, or one is no text. */
FL_CHECK bool http_query(struct http_request *request, struct http_query *ret_query,
                         struct fl_err *err);

/* May the answer be 304, because the peer has 'etag' (with its quotes) already? */
bool http_has_etag(const struct http_request *request, struct fl_str etag);

/* ---- answering ------------------------------------------------------------------------------- */

/* Content-Length, Date and Connection are the server's; do not give them.  fl_http_is_header_value
 * must accept names and values, anything else is a bug: check values from outside.  All is
 * copied.  For HEAD, 204 and 304 the body is left out (for HEAD its length is sent). */
void http_answer(struct http_request *request, unsigned status, const struct fl_http_field *headers,
                 size_t headers_len, struct fl_str body);

/* Callbacks for a request that is not answered at once, or that streams.  Each may be NULL. */
struct http_watcher {
    /* The peer is gone.  The request is freed when this returns; do not use it here. */
    void (*on_gone)(void *ctx, struct http_request *request);

    /* There is room again, after http_stream_put was refused or http_stream_room fell below what
     * was asked. */
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

/* How many bytes may be put now; on_room follows when it is less than bytes_min, which is at most
 * http_stream_piece_max.  A slow reader holds at
 * most stream_bytes_max of them. */
size_t http_stream_room(struct http_request *request, size_t bytes_min);

/* Bytes of the largest piece: larger ones could wait for room for ever, so putting one is a bug. */
size_t http_stream_piece_max(const struct http_request *request);

/* All of it or nothing: false, nothing was taken, on_room follows when half of the room is free.
 * The pieces of one turn go out together. */
FL_CHECK bool http_stream_put(struct http_request *request, struct fl_str piece);

void http_stream_end(struct http_request *request);

/* Ends the connection at once, where the stream cannot be ended truthfully: the peer sees it
 * cut. */
void http_stream_cut(struct http_request *request);

/* ---- answering later ------------------------------------------------------------------------- */

struct http_handle {
    uint64_t n; /* 0: no request */
};

struct http_handle http_handle(const struct http_request *request);

/* NULL when it was answered or is gone. */
struct http_request *http_request_find(struct http_server *server, struct http_handle handle);
