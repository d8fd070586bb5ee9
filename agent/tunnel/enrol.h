/* enrol.h - how an agent becomes a member: join token in, client certificate out.
 * Makes a key, sends a certificate request with the token to POST /v1/enrol of the API over TLS,
 * where it trusts nobody but who shows a certificate of the CA whose hash is in the token, and
 * stores key, chain and CA (identity.h), from where the dialer takes them.
 * The key never leaves the host.
 *
 *     POST /v1/enrol   {"token":"<base64url of the secret>","uid":"...","csr":"<PEM>"}
 *     200 or 201       {"certificate":"<PEM chain>","ca":"<PEM>"}   ('ca' must have the token's
 *         hash)
 *     4xx              application/problem+json: trying again is of no use, but for 408, 425, 429
 *
 * A token with an http:// address is good for loopback only.
 * Never blocks: requests go by shared/http_client, waits are timers, and 'done' is called from the
 * loop.  Not thread-safe. */
#pragma once

#include "agent/tunnel/identity_store.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct fl_loop;
struct agent_enrol; /* opaque: one enrolment under way */

/* The strings live until the enrolment is destroyed. */
struct agent_enrol_config {
    const char *join_token;  /* "fl-join_...": it names the API, the CA and the tunnel */
    const char *api_url;     /* instead of the token's, "https://host:port"; NULL: the token's */
    const char *tunnel;      /* the same, "host:port" */
    const char *server_name; /* for SNI and the check; NULL: FL_TLS_SERVER_NAME */
    const char *cluster_uid; /* what tells this cluster from all others, at most 64 bytes of text */
    struct identity_store store;
    const char *proxy; /* as in dialer.h */
    const char *no_proxy;
    fl_ms timeout_ms; /* of one try: 20 s */
    fl_ms give_up_ms; /* of all tries; between them it waits 0.5 s to 30 s.  0: one try */
    void *ctx;
    /* Called once, never from within agent_enrol_start; it may destroy the enrolment.  err is NULL
     * when the identity is stored.  FL_DENIED: the token is not (any longer) good, or the server is
     * not the one it names: another try would not help.  FL_UNAVAILABLE: gave up.  FL_INVALID: a
     * string above makes no sense.  FL_IO: the store. */
    void (*done)(void *ctx, const struct fl_err *err);
};

/* There is an identity in the store already. */
bool agent_enrol_is_done(struct identity_store store);

struct agent_enrol *agent_enrol_start(struct fl_loop *loop,
                                      const struct agent_enrol_config *config);
void agent_enrol_destroy(struct agent_enrol *enrol); /* calls it off; NULL is fine */
