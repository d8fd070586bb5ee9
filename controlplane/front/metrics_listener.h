/* metrics_listener.h - GET /metrics on a listener of its own, on the main thread's loop.
 * A request shows a token with scope read for all queues, since figures tell of every queue's work.
 * Nothing else is answered here but 404.  The limits are the API's (the settings http_*), with
 * METRICS_CONNECTIONS_MAX connections: at that many the oldest idle one makes room. */
#pragma once

#include "controlplane/http/limits.h"
#include "shared/base/err.h"

struct fl_loop;
struct fl_metrics;
struct metrics_listener; /* opaque */
struct identity;
struct ssl_ctx_st;
struct token_table;

enum { METRICS_CONNECTIONS_MAX = 64 };

struct metrics_listener_parts {
    struct fl_loop *loop;
    struct fl_metrics *metrics;
    struct token_table *tokens;
    struct identity *identity;
    struct http_limits limits;
    int listen_fd;          /* ours from now on */
    struct ssl_ctx_st *tls; /* NULL: plain */
};

struct metrics_listener *metrics_listener_create(const struct metrics_listener_parts *parts,
                                                 struct fl_err *err);
void metrics_listener_destroy(struct metrics_listener *server); /* NULL is fine */
