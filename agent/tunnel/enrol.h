/* enrol.h - how an agent becomes a member: join token in, client certificate out.
 * Makes a key, sends a certificate request with the token to POST /v1/enrol of the API over TLS, where it
 * trusts nobody but who shows a certificate of the CA whose hash is in the token, and stores key, chain and CA
 * in the state directory (identity.h), from where the dialer takes them.  The key never leaves the host.
 *
 *     POST /v1/enrol   {"token":"<base64url of the secret>","uid":"...","csr":"<PEM>"}
 *     200 or 201       {"certificate":"<PEM chain>","ca":"<PEM>"}   ('ca' must have the token's hash)
 *     4xx              application/problem+json: trying again is of no use, but for 408, 425, 429
 *
 * A token with an http:// address is good for loopback only.
 * Blocking: it runs before the agent has a loop, since there is nothing else to do without an identity. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/types.h"

struct agent_enrol_config {
    const char *join_token;  /* "fl-join_...": it names the API, the CA and the tunnel */
    const char *api_url;     /* instead of the token's, "https://host:port"; NULL: the token's */
    const char *tunnel;      /* the same, "host:port" */
    const char *server_name; /* for SNI and the check; NULL: FL_TLS_SERVER_NAME */
    const char *cluster_uid; /* what tells this cluster from all others, at most 64 bytes of text */
    const char *state_dir;
    const char *proxy; /* as in dialer.h */
    const char *no_proxy;
    fl_ms timeout_ms; /* of one try: 20 s */
    fl_ms give_up_ms; /* of all tries; between them it waits 0.5 s to 30 s.  0: one try */
    void *ctx;
    bool (*should_stop)(void *ctx); /* looked at every 100 ms; NULL: never */
};

/* There is an identity in the state directory already. */
bool agent_enrol_is_done(const char *state_dir);

/* False: FL_DENIED, the token is not (any longer) good or the server not the one it names: trying again is of
 * no use; FL_UNAVAILABLE, gave up or was stopped; FL_INVALID, what was given makes no sense; FL_IO, the
 * state directory. */
FL_CHECK bool agent_enrol(const struct agent_enrol_config *config, struct fl_err *err);
