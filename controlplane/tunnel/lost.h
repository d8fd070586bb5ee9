/* lost.h - sessions whose end the core is to hear of, and that the engine's inbox had no room for yet.
 * Each is told again until it is taken, or until nobody leads: a new term knows of no session.  At most as many
 * wait as connections ended meanwhile.
 * Not thread-safe: the server owns it. */
#pragma once

#include "controlplane/tunnel/server.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

struct lost {
    struct fl_cluster cluster;
    uint64_t session_epoch, connection;
};

struct lost_list {
    const struct tunnel_server_ports *ports;
    struct fl_timer again;
    FL_VEC(struct lost) waiting;
};

/* 'ports' is borrowed. */
void lost_init(struct lost_list *list, struct fl_loop *loop,
               const struct tunnel_server_ports *ports);
void lost_fini(struct lost_list *list); /* tells nothing any more; zeroed is fine */

void lost_tell(struct lost_list *list, struct lost lost);
