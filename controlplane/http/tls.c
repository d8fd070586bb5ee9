#include "controlplane/http/tls.h"

#include <openssl/ssl.h>
#include <string.h>

#include "shared/tls/context.h"

static const unsigned char protocol[] = "\x08http/1.1";

static int choose(SSL *ssl, const unsigned char **ret_name, unsigned char *ret_len,
                  const unsigned char *offered, unsigned offered_len, void *ctx)
{
    unsigned char *name;

    (void)ssl;
    (void)ctx;
    if (SSL_select_next_proto(&name, ret_len, protocol, sizeof protocol - 1, offered,
                              offered_len) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *ret_name = name;
    return SSL_TLSEXT_ERR_OK;
}

bool http_tls_setup(struct ssl_ctx_st *context, struct fl_err *err)
{
    long least = SSL_CTX_get_min_proto_version(context);

    if ((least == 0 || least < TLS1_2_VERSION) &&
        !SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)) {
        return fl_fail(err, FL_UNSUPPORTED, "this OpenSSL cannot be held to TLS 1.2 and newer");
    }
    fl_tls_limit(context);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, choose, NULL);
    return true;
}
