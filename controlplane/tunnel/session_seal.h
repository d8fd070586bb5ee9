/* session_seal.h - what an agent remembers of the hub's database, sealed by the hub.
 * A seal is: incarnation, newest batch, limit of ids, and a MAC over these and the cluster.  So no
 * agent can make one, change one, or use another cluster's.  An agent gets one when its session
 * begins, and later when there is news, each SESSION_SEAL_MS at most.
 * Pure but for the ports.  The session owns it. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "shared/wire/message.h"

enum { SESSION_SEAL_MS = 5000, SESSION_SEAL_BYTES = 4 + 8 + 8 + TUNNEL_MAC_BYTES };

struct session_seal {
    struct core_seen told;
    fl_ms told_at; /* 0: not in this connection */
    uint8_t sealed[SESSION_SEAL_BYTES];
};

/* Reads the seal that an agent gave back in HELLO; all 0 unless it is the hub's own. */
struct core_seen session_seal_hear(const struct tunnel_server_ports *ports,
                                   struct fl_cluster cluster, struct fl_str back);

/* False: there is nothing to tell now.  The message's bytes live as long as the seal. */
bool session_seal_tell(struct session_seal *seal, const struct tunnel_server_ports *ports,
                       struct fl_cluster cluster, fl_ms now, struct fl_msg *ret_msg);
