/* pem.h - converts between OpenSSL's objects and our bytes; for this folder alone.
 * OpenSSL skips text around blocks of PEM; a caller that must not, such as key.h, compares with
 * what it would write.  Thread-safe. */
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/uuid.h"

struct fl_key {
    EVP_PKEY *pkey; /* with its private half, or without */
};

/* Fills 'err' with OpenSSL's reason and empties OpenSSL's queue of errors.  FL_INVALID, or
 * FL_TOO_LARGE when the text did not fit its buffer. */
bool fl_pem_fail(struct fl_err *err, const char *what);

FL_CHECK bool fl_pem_read_cert(struct fl_str pem, X509 **ret_cert, struct fl_err *err);

/* All certificates of a text, at least one and at most 16. */
FL_CHECK bool fl_pem_read_certs(struct fl_str pem, STACK_OF(X509) * *ret_certs, struct fl_err *err);
FL_CHECK bool fl_pem_write_cert(X509 *cert, struct fl_buf *ret_pem, struct fl_err *err);

struct fl_digest fl_pem_sha256_of(X509 *cert);         /* over its DER */
struct fl_digest fl_pem_key_sha256_of(EVP_PKEY *pkey); /* over its SubjectPublicKeyInfo */
bool fl_pem_is_p256(EVP_PKEY *pkey);

/* Finds the one cluster that these names mean.  *ret_has is false when no name begins with
 * fairlead://.  FL_INVALID: one does, but is malformed or has other names beside it. */
FL_CHECK bool fl_pem_cluster_of(const GENERAL_NAMES *names, bool *ret_has,
                                struct fl_uuid *ret_cluster, struct fl_err *err);
