/* identity.h - who the control plane is: its CA, the certificate of its listeners, and the pepper
 * of tokens.  All of it lives in the state directory and is made at the first start:
 *     ca.key (0600)  ca.crt         the CA; never in the database, to be backed up by the operator
 *     server.key (0600)  server.crt the listeners' certificate and the CA's, renewed at half of its
 *     life, and
 *                                   made anew when the names or the CA have changed
 *     pepper (0600)                 32 random bytes, the key under which API tokens are stored
 * A file that is there and not whole is refused with its name, never replaced: a new CA would lock
 * out every cluster, a new pepper every user.
 *
 * Issuing is for any thread.  identity_renew is for one; a server of the certificate compares
 * identity_version, or reads the files again, after it. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/types.h"
#include "shared/io/state_dir.h"
#include "shared/tls/ca.h"

struct identity;

struct identity_config {
    struct fl_ca_names names; /* of the host, as agents and people dial it */
    fl_ms client_lifetime_ms; /* 24 h */
    fl_ms server_lifetime_ms; /* 90 days */
    fl_ms ca_lifetime_ms;     /* 10 years; for a CA that is made now */
};

/* names is empty: localhost, 127.0.0.1, ::1 and the name of this machine. */
struct identity_config identity_config_default(void);

/* The directory is borrowed and stays; the config is copied.  'now' is of the wall. */
FL_CHECK bool identity_open(const struct fl_state_dir *dir, const struct identity_config *config,
                            fl_ms now, struct identity **ret_identity, struct fl_err *err);
void identity_close(struct identity *identity); /* NULL is fine */

/* Makes a new listeners' certificate when it is time.  Call it now and then, hourly at least. */
FL_CHECK bool identity_renew(struct identity *identity, fl_ms now, struct fl_err *err);
uint64_t identity_version(struct identity *identity); /* counts the renewals since opening */

/* Paths, for who loads files, borrowed until identity_close. */
const char *identity_ca_path(const struct identity *identity);
const char *identity_server_cert_path(const struct identity *identity);
const char *identity_server_key_path(const struct identity *identity);

/* The same as bytes.  Appends. */
FL_CHECK bool identity_server(struct identity *identity, struct fl_buf *ret_cert_pem,
                              struct fl_buf *ret_key_pem, struct fl_err *err);

struct fl_str identity_ca_pem(const struct identity *identity);       /* borrowed */
struct fl_digest identity_ca_sha256(const struct identity *identity); /* for join tokens */
struct fl_str identity_pepper(const struct identity *identity);       /* borrowed */

struct identity_issued {
    fl_ms from, until; /* of the wall; from is 5 minutes before now, of a short life a tenth */
    fl_ms renew_at;    /* half of that life, where its owner asks for the next */
};

/* A client certificate for this cluster and generation, which the core has decided, for the key of
 * 'csr'.  Appends the certificate to ret_pem. */
FL_CHECK bool identity_issue(const struct identity *identity, const struct fl_csr *csr,
                             struct fl_uuid cluster, uint64_t generation, fl_ms now,
                             struct fl_buf *ret_pem, struct identity_issued *ret_issued,
                             struct fl_err *err);
