/* stream.h - an answer that goes on: server-sent events, or lines of JSON.
 * A stream outlives its call's arena only in what it needs: place and filter.  A peer that reads
 * slowly gets what fits and hears later of the rest; nothing is kept for it here.  A comment goes
 * out when it has been silent for the heartbeat, so that proxies keep the connection.  Each
 * stream's token is looked at again every STREAM_TOKEN_MS: one that was revoked, has expired, or
 * has a new secret, and a session that is over, ends the stream with the event 'closed', which says
 * so; a stream that cannot say it is cut. */
#pragma once

#include "controlplane/api/call.h"
#include "shared/io/loop.h"

enum { STREAM_TOKEN_MS = 2000 };

struct api_stream {
    struct api *api;
    struct http_request *request; /* NULL: the peer is gone, or it ended */
    struct fl_timer heartbeat;
    bool is_sse;   /* a comment is its sign of life; else an empty line is */
    bool is_quiet; /* plain text: it has no sign of life */
    bool is_mid;   /* the owner's: its next piece goes on with an event or a line */
    struct token_hold token;
    bool is_page; /* the session that opened it is this one; it is in use as long as it streams */
    struct fl_digest session;
    struct api_stream *prev, *next; /* in this front */
    struct fl_str (*sign)(
        struct api_stream *stream); /* that it lives; NULL: an empty line or comment */
    void (*on_room)(struct api_stream *stream);
    void (*on_gone)(struct api_stream *stream); /* 'request' is NULL already; frees the stream */
};

/* Takes the call's request.  False: there are followers_max streams, the token has its share of
 * them, or the peer accepts neither form; the call was answered.  The stream is embedded at the
 * start of its owner's struct. */
FL_CHECK bool api_stream_open(struct api_stream *stream, struct api_call *call,
                              const char *content_type);

/* False: no room; on_room will be called. */
FL_CHECK bool api_stream_put(struct api_stream *stream, struct fl_str piece);
size_t api_stream_room(struct api_stream *stream, size_t bytes_min);

/* Ends it and calls on_gone. */
void api_stream_end(struct api_stream *stream);

/* A timer's function: ends the streams whose tokens count no more. */
void api_streams_look(void *api);

/* Does the peer want server-sent events?  Else lines.  False: neither; the call was answered. */
FL_CHECK bool api_stream_form(struct api_call *call, bool *ret_is_sse);
