/* context.h - how our TLS connections are made: which certificates are presented and demanded.
 * TLS 1.2 and 1.3 for the API, 1.3 alone where both ends are ours; no compression, no
 * renegotiation, no session tickets.  There is no way to switch verification off.
 * A context may be shared by threads.  The caller owns it: SSL_CTX_free. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

typedef struct ssl_ctx_st SSL_CTX; /* OpenSSL's */
typedef struct ssl_st SSL;

/* Removes choices that are weak or cost us more than the peer: key exchange is X25519 or P-256
 * (with OpenSSL's preset, one kilobyte from a stranger with a share of ffdhe8192 costs us 100 ms),
 * and TLS 1.2 has its AEAD suites only.  The functions below call this for the contexts they make;
 * call it for a context of another library. */
void fl_tls_limit(SSL_CTX *context);

struct fl_tls_server {
    struct fl_str cert_pem; /* the listener's certificate, then its chain */
    struct fl_str key_pem;
    /* empty: clients present nothing; else they must, or the handshake fails */
    struct fl_str client_ca_pem;
    bool is_13_only;
};

FL_CHECK bool fl_tls_server(const struct fl_tls_server *want, SSL_CTX **ret_context,
                            struct fl_err *err);

struct fl_tls_client {
    /* One of: the CA certificates to trust; or the SHA-256 of one, which the server then has to
     * send along (no trust on first use); a certificate of it may begin in the future, since one of
     * two clocks is wrong then.  Neither: those of the system. */
    struct fl_str ca_pem;
    const struct fl_digest *ca_sha256;
    struct fl_str cert_pem, key_pem; /* empty: the client presents no certificate */
    bool is_13_only;
    bool is_early_accepted; /* ca_pem is our own: as with ca_sha256 */
};

FL_CHECK bool fl_tls_client(const struct fl_tls_client *want, SSL_CTX **ret_context,
                            struct fl_err *err);

/* The same for a context that another library made (libcurl): sets the CAs, our certificate, the
 * lowest version, and 'host' as the name that each server's certificate must have. */
FL_CHECK bool fl_tls_client_set(const struct fl_tls_client *want, const char *host,
                                SSL_CTX *context, struct fl_err *err);

/* Before the handshake of a client: sends the name as SNI (not when it is an address) and wants the
 * server's certificate to have it.  Required: without it the handshake fails. */
FL_CHECK bool fl_tls_expect(SSL *ssl, const char *host, struct fl_err *err);

/* Why the last call of OpenSSL on this thread failed, in words; empties its queue.  'ssl' may be
 * NULL. */
bool fl_tls_fail(SSL *ssl, const char *what, struct fl_err *err); /* FL_IO, or FL_DENIED; false */
