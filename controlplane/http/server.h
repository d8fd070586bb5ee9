/* server.h - listeners and connections of one front thread, on its loop.
 * It speaks strict HTTP/1.1 with strangers: all that a connection uses has a limit, and passing one
 * closes the connection, after an answer where possible.  Keep-alive and pipelining: one request of
 * a connection is handled at a time, answers leave in order, those of one turn in one write.  An
 * idle connection holds no buffer of ours, and its timer fires at most every idle_ms; an idle
 * stream has no timer.  request.h describes requests.  Uses shared/io, shared/wire and OpenSSL; the
 * program must ignore SIGPIPE, as after fl_signals_block.  Not thread-safe: all on the loop's
 * thread. */
#pragma once

#include <stdint.h>

#include "controlplane/http/limits.h"
#include "controlplane/http/request.h"
#include "shared/base/err.h"

struct fl_loop;
struct known_addresses;
struct ssl_ctx_st;

/* Counts since the start, but for 'connections' and 'streams', which are open now, and
 * 'unsent_bytes', which wait for their readers now. */
struct http_counts {
    uint64_t accepted, shed, requests, refused, timeouts, handshakes_failed, gone;
    uint64_t bytes_in, bytes_out;
    uint64_t connections, streams, unsent_bytes;
    uint64_t claims_refused[HTTP_CLAIMS_LEN]; /* by enum http_claim */
};

/* The loop outlives the server.  Limits are checked: FL_INVALID. */
struct http_server *http_server_create(struct fl_loop *loop, const struct http_limits *limits,
                                       struct http_port port, struct fl_err *err);

/* Cuts all connections: calls on_gone for each open request that is watched.  NULL is fine. */
void http_server_destroy(struct http_server *server);

struct http_admission {
    uint32_t cpu_percent; /* for TLS handshakes; 0: a preset */
    uint32_t listeners;   /* in the process */
    /* The process's; 0: not known.  A connection whose descriptor is above three quarters of them
     * is one too many: the rest is for others. */
    uint64_t descriptors;
    struct known_addresses *known; /* NULL: none */
};

/* Before http_server_listen; see handshakes.h. */
void http_server_admit(struct http_server *server, const struct http_admission *admission);

/* Takes over a listening socket, also on false.  With 'tls', which gets a counted reference, all
 * connections speak TLS, 1.2 or newer, and 'tls' is set up for it: no renegotiation, ALPN http/1.1,
 * buffers given back when idle.  Several listeners may share one server, and its TLS context. */
FL_CHECK bool http_server_listen(struct http_server *server, int listener, struct ssl_ctx_st *tls,
                                 struct fl_err *err);

/* New connections of all TLS listeners use this context from now on: a renewed certificate. */
FL_CHECK bool http_server_renew_tls(struct http_server *server, struct ssl_ctx_st *tls,
                                    struct fl_err *err);

/* Accepts no more connections, ends idle ones, lets requests end with 'Connection: close', and
 * calls on_drain for streams.  After bound_ms it cuts the rest.  'on_end' is called once, from the
 * loop, when no connection is left. */
void http_server_drain(struct http_server *server, fl_ms bound_ms, void (*on_end)(void *ctx),
                       void *ctx);

struct http_counts http_server_counts(const struct http_server *server);
