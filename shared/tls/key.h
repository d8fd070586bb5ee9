/* key.h - private keys (P-256) and requests for certificates (PKCS #10).
 * A request carries a public key, proof of having the private one, and at most the cluster it is
 * for: all else in one is refused rather than ignored, so that nothing a stranger writes can reach
 * a certificate.  Thread-safe: a key may be used by several threads at once. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/uuid.h"

enum { FL_KEY_PEM_MAX = 1024, FL_CSR_BYTES_MAX = 4096 };

struct fl_key;

struct fl_key *fl_key_create(void);
void fl_key_destroy(struct fl_key *key); /* NULL is fine */

/* PKCS #8 as PEM, not encrypted: the file's mode protects it. */
FL_CHECK bool fl_key_write(const struct fl_key *key, struct fl_buf *ret_pem, struct fl_err *err);
FL_CHECK bool fl_key_read(struct fl_str pem, struct fl_key **ret_key, struct fl_err *err);

/* SHA-256 of its public half (SubjectPublicKeyInfo), which stands for the key. */
struct fl_digest fl_key_sha256(const struct fl_key *key);

/* Writes a request as PEM.  'cluster' zero: at enrolment it is not known yet. */
FL_CHECK bool fl_csr_write(const struct fl_key *key, struct fl_uuid cluster, struct fl_buf *ret_pem,
                           struct fl_err *err);

struct fl_csr {
    struct fl_key *key; /* its public half only; owned: fl_csr_fini */
    struct fl_digest key_sha256;
    struct fl_uuid cluster; /* zero: it names none */
};

/* PEM or DER, nothing before or behind.  Checks the signature. */
FL_CHECK bool fl_csr_read(struct fl_str bytes, struct fl_csr *ret_csr, struct fl_err *err);
void fl_csr_fini(struct fl_csr *csr); /* NULL or zeroed is fine */
