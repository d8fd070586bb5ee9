/* unsent_session_ends.h - ends of sessions for which the engine's inbox had no room yet.
 * It offers each again until the inbox takes it, or until no core leads, since a new term knows no
 * session.  As many may wait as connections ended meanwhile.  Not thread-safe: the server owns
 * it. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

struct unsent_session_end {
    struct fl_cluster cluster;
    uint64_t session_epoch, connection;
};

struct unsent_session_ends {
    const struct tunnel_server_ports *ports;
    struct fl_timer again;
    FL_VEC(struct unsent_session_end) waiting;
};

/* 'ports' is borrowed. */
void unsent_session_ends_init(struct unsent_session_ends *list, struct fl_loop *loop,
                              const struct tunnel_server_ports *ports);
void unsent_session_ends_fini(struct unsent_session_ends *list); /* zeroed is fine */

void unsent_session_ends_add(struct unsent_session_ends *list, struct unsent_session_end lost);
