/* server.h - listeners and connections of one front thread, on its loop.
 * Speaks HTTP/1.1, strictly, with strangers: everything a connection may take has a limit, and at
 * each of them it is answered and closed, or closed.  Keep-alive and pipelining: one request of a
 * connection is handled at a time, answers leave in order, those of one turn in one write.  An idle
 * connection holds no buffer of ours, and no timer of it goes off more often than idle_ms; an idle
 * stream costs nothing at all.  Requests are described in request.h.
 * Uses shared/io, shared/wire and OpenSSL; the program ignores SIGPIPE, as fl_signals_block makes
 * it.  Not thread-safe: all on the loop's thread. */
#pragma once

#include <stdint.h>

#include "controlplane/http/limits.h"
#include "controlplane/http/request.h"
#include "shared/base/err.h"

struct fl_loop;
struct ssl_ctx_st;

/* How much happened so far; 'connections' and 'streams' are now. */
struct http_counts {
    uint64_t accepted, shed, requests, refused, timeouts, handshakes_failed, gone;
    uint64_t bytes_in, bytes_out;
    uint64_t connections, streams;
};

/* The loop outlives the server.  Limits are checked: FL_INVALID. */
struct http_server *http_server_create(struct fl_loop *loop, const struct http_limits *limits,
                                       struct http_port port, struct fl_err *err);

/* Cuts what is there: on_gone is called for each open request that is watched.  NULL is fine. */
void http_server_destroy(struct http_server *server);

/* Takes over a listening socket, also on false.  With 'tls', which gets a counted reference, all
 * connections speak TLS, 1.2 or newer, and 'tls' is set up for it: no renegotiation, ALPN http/1.1,
 * buffers given back when idle.  Several listeners may share one server. */
FL_CHECK bool http_server_listen(struct http_server *server, int listener, struct ssl_ctx_st *tls,
                                 struct fl_err *err);

/* New connections of all TLS listeners use this context from now on: a renewed certificate. */
FL_CHECK bool http_server_renew_tls(struct http_server *server, struct ssl_ctx_st *tls,
                                    struct fl_err *err);

/* Takes no more connections, ends idle ones, lets requests end with 'Connection: close', and tells
 * streams.  'on_end' is called once when no connection is left, from the loop, at the latest after
 * bound_ms, when what is left has been cut. */
void http_server_drain(struct http_server *server, fl_ms bound_ms, void (*on_end)(void *ctx),
                       void *ctx);

struct http_counts http_server_counts(const struct http_server *server);
