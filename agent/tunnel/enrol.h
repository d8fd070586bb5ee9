/* enrol.h - how an agent becomes a member: join token in, client certificate out.
 * It makes a key, sends a certificate request with the token to POST /v1/enrol of the API over TLS,
 * and stores key, chain and CA (identity.h), where the dialer finds them.  It trusts only a server
 * with a certificate of the CA whose hash is in the token.  The key never leaves the host.
 *
 *     POST /v1/enrol   {"token":"<base64url of the secret>","uid":"...","csr":"<PEM>"}
 *     200 or 201       {"certificate":"<PEM chain>","ca":"<PEM>"}
 *     4xx              application/problem+json: another try does not help, but for 408, 425, 429
 *
 * 'ca' must have the token's hash.
 *
 * A token with an http:// address is good for loopback only.
 * Never blocks: requests go by shared/http_client, waits are timers, and 'done' is called from the
 * loop.  Not thread-safe. */
#pragma once

#include "agent/tunnel/identity_store.h"
#include "shared/base/err.h"
#include "shared/base/types.h"
#include "shared/base/uuid.h"

struct fl_loop;
struct agent_enrol; /* opaque: one enrolment under way */

/* The strings live until the enrolment is destroyed. */
struct agent_enrol_config {
    const char *join_token;  /* "fl-join_...": it names the API, the CA and the tunnel */
    const char *api_url;     /* instead of the token's, "https://host:port"; NULL: the token's */
    const char *tunnel;      /* the same, "host:port" */
    const char *server_name; /* for SNI and the check; NULL: FL_TLS_SERVER_NAME */
    const char *cluster_uid; /* unique for each cluster, FL_CLUSTER_UID_BYTES_MAX of text at most */
    struct identity_store store;
    const char *proxy; /* as in dialer.h */
    const char *no_proxy;
    fl_ms timeout_ms; /* for one try; 0: 20 s */
    fl_ms give_up_ms; /* for all tries, with waits of 0.5 s to 30 s between them; 0: one try */
    void *ctx;
    /* Called once, never from within agent_enrol_start; it may destroy the enrolment.  err is NULL
     * when the identity is stored.  FL_DENIED: the token is not (any longer) good, or the server is
     * not the one it names: another try would not help.  FL_UNAVAILABLE: the time for tries is
     * over.  FL_INVALID: a string above is malformed.  FL_IO: the store failed. */
    void (*done)(void *ctx, const struct fl_err *err);
};

/* There is an identity in the store already. */
bool agent_enrol_is_done(struct identity_store store);

/* The cluster that the agent is by that identity; zero: there is none.  Another control plane makes
 * it another cluster. */
struct fl_uuid agent_enrol_cluster(struct identity_store store);

struct agent_enrol *agent_enrol_start(struct fl_loop *loop,
                                      const struct agent_enrol_config *config);
void agent_enrol_destroy(struct agent_enrol *enrol); /* calls it off; NULL is fine */
