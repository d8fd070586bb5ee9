/* test_proxy.h - a small HTTP CONNECT proxy, and a small HTTPS server, each in a thread of its own.
 * For tests: they serve one connection after the other, blocking, until they are stopped. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared/base/str.h"

typedef struct ssl_ctx_st SSL_CTX; /* OpenSSL's */

struct test_peer {
    pthread_t thread;
    int listen_fd;
    uint16_t port;
    char url[64]; /* "http://127.0.0.1:port" */
    atomic_uint served;
    atomic_bool is_stopping;
    const char *login; /* base64 of user:password that a proxy wants; NULL: none */
    SSL_CTX *tls;      /* a server's context */
    /* The answer to a request's body: a status, and a body that is the caller's to free. */
    unsigned (*answer)(void *ctx, struct fl_str body, char **ret_body);
    void *ctx;
};

void test_proxy_start(struct test_peer *peer);
void test_https_start(struct test_peer *peer); /* tls and answer are set */
void test_peer_stop(struct test_peer *peer);
