/* identity.h - the agent's own key, certificate chain and CA, as texts in a store
 * (identity_store.h).
 *
 *     ca.pem             signs the control plane; from enrolment
 *     hub                the tunnel's "host:port"; the same
 *     agent-<n>.pem      key, then chain; the highest whole one counts
 *     next.pem           the key of a certificate that was asked for and has not come yet
 *
 * Older certificates go once the newer is there. */
#pragma once

#include "agent/tunnel/identity_store.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/tls/cert.h"

struct agent_identity; /* opaque; holds the key */
struct fl_key;

/* FL_ABSENT: never enrolled; FL_TORN: no text is whole; else one of them cannot be read now, and an
 * older one does not stand in for it.  'ret' is the caller's to destroy. */
FL_CHECK bool agent_identity_load(struct identity_store store, struct agent_identity **ret_identity,
                                  struct fl_err *err);
void agent_identity_destroy(struct agent_identity *identity); /* NULL is fine */

struct fl_str agent_identity_key(const struct agent_identity *identity);   /* PEM */
struct fl_str agent_identity_chain(const struct agent_identity *identity); /* PEM, its own first */
struct fl_str agent_identity_ca(const struct agent_identity *identity);    /* PEM */
const char *agent_identity_hub(const struct agent_identity *identity);     /* "host:port" */
const struct fl_cert *agent_identity_cert(const struct agent_identity *identity);

/* When to ask for the next certificate, on the agent's wall clock: at half of this one's life.  For
 * a certificate that 'is_fresh', received right now, the time is at most half of its life from now;
 * it is exactly that if the agent's clock says that this half is over already: then the clock is
 * wrong, and to ask again at once would never end.  A clock that stands before the beginning of a
 * certificate that was stored is behind: the time is now. */
fl_ms agent_identity_renew_at(const struct fl_cert *cert, bool is_fresh, fl_ms now);

/* The key for the next certificate, stored before the agent asks.  If the answer is lost, the agent
 * asks for the same key again; so the control plane tells it from a thief, who would come with
 * another key.  A stored key that cannot be read now is an error, and is not replaced.  'ret_key'
 * is the caller's to destroy. */
FL_CHECK bool agent_identity_next_key(struct identity_store store, struct fl_key **ret_key,
                                      struct fl_err *err);

/* Stores a key and a chain, both PEM, as the newest.  'ca' (PEM) and 'hub' are given at enrolment
 * and empty at renewal; the stored next key is removed.  FL_INVALID: the chain is not for this
 * key. */
FL_CHECK bool agent_identity_store(struct identity_store store, struct fl_str key,
                                   struct fl_str chain, struct fl_str ca, struct fl_str hub,
                                   struct fl_err *err);
