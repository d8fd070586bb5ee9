/* tls_groups.h - a handshake that offers one group for the key exchange alone: does the listener
 * take it? The client shows no certificate and trusts any; a TLS 1.3 client has the answer before
 * the listener asks for one.  Every failure but that of the handshake aborts. */
#pragma once

#include <openssl/ssl.h>
#include <unistd.h>

#include "shared/base/assert.h"
#include "shared/io/net.h"

struct tls_group {
    const char *name;
    bool is_taken;
};

/* Every group of OpenSSL 3.0 that TLS 1.3 knows. */
static const struct tls_group tls_groups[] = {
    {"X25519", true},     {"P-256", true},      {"X448", false},      {"P-384", false},
    {"P-521", false},     {"ffdhe2048", false}, {"ffdhe3072", false}, {"ffdhe4096", false},
    {"ffdhe6144", false}, {"ffdhe8192", false},
};

enum { TLS_GROUPS_LEN = sizeof tls_groups / sizeof *tls_groups };

/* The suites of TLS 1.2 beside AEAD, for a client that knows nothing newer. */
#define TLS_SUITES_REFUSED "AES128-SHA:ECDHE+SHA1:ECDHE+SHA256:ECDHE+SHA384:RSA:@SECLEVEL=0"

/* True: the client's part of the handshake has come to its good end.  'turn' turns the listener's
 * loop. */
static inline bool tls_shakes_hands(const struct fl_net_address *at, SSL_CTX *client,
                                    void (*turn)(void *ctx), void *ctx)
{
    SSL *ssl = SSL_new(client);
    struct fl_err err = {0};
    int fd, result, why;

    fl_assert(ssl && fl_net_connect(at, &fd, &err));
    while (!fl_net_connected(fd, &err)) {
        turn(ctx);
    }
    SSL_set_fd(ssl, fd);
    do {
        turn(ctx);
        result = SSL_connect(ssl);
        why = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, result);
    } while (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE);
    SSL_free(ssl);
    close(fd);
    return result == 1;
}

static inline bool tls_takes_group(const struct fl_net_address *at, const char *group,
                                   void (*turn)(void *ctx), void *ctx)
{
    SSL_CTX *client = SSL_CTX_new(TLS_client_method());
    bool is_taken;

    fl_assert(client && SSL_CTX_set1_groups_list(client, group) == 1);
    SSL_CTX_set_min_proto_version(client, TLS1_3_VERSION);
    is_taken = tls_shakes_hands(at, client, turn, ctx);
    SSL_CTX_free(client);
    return is_taken;
}
