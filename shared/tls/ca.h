/* ca.h - a certificate authority: its own key and certificate, and those it signs.
 * A cluster's certificate is for clients only, a listener's for servers only, and neither can sign:
 * a thief of an agent's key cannot pose as the control plane.  Times are of the wall clock.
 * Certificates are PEM, DER where it says so.  Thread-safe once made or read. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/base/uuid.h"
#include "shared/tls/key.h"

/* Every listener's certificate carries this name beside those of its host, so that a client that
 * dials an address no certificate could know may ask for it as SNI and check for it. */
#define FL_TLS_SERVER_NAME "controlplane.fairlead.internal"

enum { FL_CERT_PEM_MAX = 16 * 1024 };

struct fl_ca;

/* A new key and a certificate of itself, which is good from 5 minutes before 'now'. */
FL_CHECK bool fl_ca_create(const char *name, fl_ms now, fl_ms lifetime_ms, struct fl_ca **ret_ca,
                           struct fl_err *err);

/* FL_INVALID: not a CA, or the key is another's. */
FL_CHECK bool fl_ca_read(struct fl_str cert_pem, struct fl_str key_pem, struct fl_ca **ret_ca,
                         struct fl_err *err);
void fl_ca_destroy(struct fl_ca *ca); /* NULL is fine */

struct fl_str fl_ca_cert_pem(const struct fl_ca *ca); /* borrowed */
FL_CHECK bool fl_ca_write_key(const struct fl_ca *ca, struct fl_buf *ret_pem, struct fl_err *err);
/* The SHA-256 of the certificate's DER, which clients pin. */
struct fl_digest fl_ca_sha256(const struct fl_ca *ca);
fl_ms fl_ca_ends_at(const struct fl_ca *ca);

/* For a cluster's agent: SAN fairlead://cluster/<uuid>, the generation as the subject's
 * serialNumber, clientAuth.  Appends the certificate to ret_pem.  'from' is when it starts to be
 * good. */
FL_CHECK bool fl_ca_sign_cluster(const struct fl_ca *ca, const struct fl_key *key,
                                 struct fl_uuid cluster, uint64_t generation, fl_ms from,
                                 fl_ms until, struct fl_buf *ret_pem, struct fl_err *err);

struct fl_ca_names {
    const char *const *at; /* DNS names and numeric addresses */
    size_t len;
};

/* For a listener: the names, FL_TLS_SERVER_NAME, serverAuth.  Appends the certificate, then the
 * CA's, which a client that only knows the CA's hash needs to see. */
FL_CHECK bool fl_ca_sign_server(const struct fl_ca *ca, const struct fl_key *key,
                                struct fl_ca_names names, fl_ms from, fl_ms until,
                                struct fl_buf *ret_pem, struct fl_err *err);
