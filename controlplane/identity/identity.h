/* identity.h - the control plane's identity: its CA, the certificate of its listeners, and the
 * pepper of tokens.  All files are in the state directory and are made at the first start:
 *     ca.key (0600)      ca.crt      the CA; never in the database: the operator must back it up
 *     server.key (0600)  server.crt  the listeners' certificate and the CA's; renewed at half of
 *                                    its life, and made anew when the names or the CA changed
 *     pepper (0600)                  32 random bytes, the key under which API tokens are stored
 *     tickets (0600)                 32 random bytes, for the tunnel's session tickets
 * A damaged file is refused by name, never replaced: a new CA would lock out every cluster, a new
 * pepper every user.
 *
 * Issuing is for any thread.  identity_renew is for one thread; after it, the users of the
 * certificate compare identity_version, or read the files again. */
#pragma once

#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/types.h"
#include "shared/io/state_dir.h"
#include "shared/tls/ca.h"
#include "shared/tls/ticket.h"

struct identity;

struct identity_config {
    struct fl_ca_names names; /* the host's names and addresses, as agents and people dial them */
    fl_ms client_lifetime_ms; /* [24 h] */
    fl_ms server_lifetime_ms; /* [90 days] */
    fl_ms ca_lifetime_ms;     /* for a CA that is made now [10 years] */
};

/* The values in brackets.  'names' is empty, which means localhost, 127.0.0.1, ::1 and the name of
 * this machine. */
struct identity_config identity_config_default(void);

/* Borrows the directory, which must stay; copies the config.  'now' is wall time. */
FL_CHECK bool identity_open(const struct fl_state_dir *dir, const struct identity_config *config,
                            fl_ms now, struct identity **ret_identity, struct fl_err *err);
void identity_close(struct identity *identity); /* NULL is fine */

/* Makes a new listeners' certificate when it is time.  Call it at least hourly. */
FL_CHECK bool identity_renew(struct identity *identity, fl_ms now, struct fl_err *err);
uint64_t identity_version(struct identity *identity); /* counts the renewals since opening */

/* Paths of the files, borrowed until identity_close. */
const char *identity_ca_path(const struct identity *identity);
const char *identity_server_cert_path(const struct identity *identity);
const char *identity_server_key_path(const struct identity *identity);

/* Appends the contents of the server's files. */
FL_CHECK bool identity_server(struct identity *identity, struct fl_buf *ret_cert_pem,
                              struct fl_buf *ret_key_pem, struct fl_err *err);

struct fl_str identity_ca_pem(const struct identity *identity);       /* borrowed */
struct fl_digest identity_ca_sha256(const struct identity *identity); /* for join tokens */
bool identity_has_new_pepper(const struct identity *identity);        /* made at this opening */
/* Takes a new one back: it is not the database's, and the next start shall not take it for an old
 * one. */
void identity_forget_new_pepper(struct identity *identity);
struct fl_ticket_key identity_ticket_key(const struct identity *identity);
struct fl_str identity_pepper(const struct identity *identity); /* borrowed */

struct identity_issued {
    fl_ms from, until; /* wall time; 'from' is up to 5 minutes before now, for a short life less */
    fl_ms renew_at;    /* half of its life, when its owner asks for the next */
};

/* Appends a client certificate to ret_pem, for the key of 'csr', this cluster and this generation,
 * which the core decides. */
FL_CHECK bool identity_issue(const struct identity *identity, const struct fl_csr *csr,
                             struct fl_uuid cluster, uint64_t generation, fl_ms now,
                             struct fl_buf *ret_pem, struct identity_issued *ret_issued,
                             struct fl_err *err);
