/* cert.h - reads certificates: validity, hashes, and the cluster that one is for.
 * Thread-safe. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/uuid.h"

typedef struct x509_st X509; /* OpenSSL's */
typedef struct ssl_st SSL;

struct fl_cert {
    fl_ms from, until;           /* when it is good */
    struct fl_digest sha256;     /* hash over its DER */
    struct fl_digest key_sha256; /* hash over its public key, as fl_key_sha256 */
    struct fl_uuid cluster;      /* zero: it is no cluster's */
    uint64_t generation;         /* valid if it is a cluster's */
};

/* The first certificate of a PEM text. */
FL_CHECK bool fl_cert_read(struct fl_str pem, struct fl_cert *ret_cert, struct fl_err *err);

/* FL_INVALID when it has a name of fairlead://... that is not exactly one cluster's, or no
 * generation. */
FL_CHECK bool fl_cert_of(X509 *x509, struct fl_cert *ret_cert, struct fl_err *err);

/* Reads the peer's identity after a finished handshake. FL_DENIED: no certificate was shown, it did
 * not verify, it is not a cluster's, or it is not one for clients.  The core decides whether that
 * cluster may still come in. */
FL_CHECK bool fl_cert_of_cluster(SSL *ssl, struct fl_cert *ret_cert, struct fl_err *err);

/* The subject for people, as "CN = lab.example, O = Lab"; cut to bytes_max with its zero byte. */
void fl_cert_subject(X509 *x509, char *out, size_t bytes_max);
