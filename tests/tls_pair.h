/* tls_pair.h - a certificate made on the spot, a server's context that has it and a client's that
 * trusts it.  For tests and benchmarks that want real TLS and no files.  Every failure aborts. */
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "shared/base/assert.h"

struct tls_pair {
    SSL_CTX *server, *client;
};

static inline struct tls_pair tls_pair_create(void)
{
    struct tls_pair pair = {SSL_CTX_new(TLS_server_method()), SSL_CTX_new(TLS_client_method())};
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    X509_NAME *name = X509_get_subject_name(cert);

    fl_assert(pair.server && pair.client && key && cert);
    fl_assert(X509_set_version(cert, 2));
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 86400);
    fl_assert(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test",
                                         -1, -1, 0));
    fl_assert(X509_set_issuer_name(cert, name) && X509_set_pubkey(cert, key));
    fl_assert(X509_sign(cert, key, EVP_sha256()));
    fl_assert(SSL_CTX_use_certificate(pair.server, cert) == 1);
    fl_assert(SSL_CTX_use_PrivateKey(pair.server, key) == 1);
    fl_assert(X509_STORE_add_cert(SSL_CTX_get_cert_store(pair.client), cert) == 1);
    SSL_CTX_set_verify(pair.client, SSL_VERIFY_PEER, NULL);
    X509_free(cert);
    EVP_PKEY_free(key);
    return pair;
}

static inline void tls_pair_destroy(struct tls_pair *pair)
{
    SSL_CTX_free(pair->server);
    SSL_CTX_free(pair->client);
    *pair = (struct tls_pair){0};
}
