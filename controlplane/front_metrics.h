/* front_metrics.h - GET /metrics on a listener of its own, on the main thread's loop.
 * Who asks shows a token with scope read, as everywhere: figures tell a stranger enough to be worth a token.
 * Nothing else is answered here but 404. */
#pragma once

#include "shared/base/err.h"

struct fl_loop;
struct fl_metrics;
struct front_metrics; /* opaque */
struct identity;
struct ssl_ctx_st;
struct token_table;

struct front_metrics_parts {
    struct fl_loop *loop;
    struct fl_metrics *metrics;
    struct token_table *tokens;
    struct identity *identity;
    int listen_fd;          /* ours from now on */
    struct ssl_ctx_st *tls; /* NULL: plain */
};

struct front_metrics *front_metrics_create(const struct front_metrics_parts *parts,
                                           struct fl_err *err);
void front_metrics_destroy(struct front_metrics *server); /* NULL is fine */
