/* tunnel_end.h - the socket under one end of a tunnel: it takes so many bytes and no more, and is
 * watched.  Its owner passes bytes between it and the multiplexer (shared/link/mux).
 * Single-threaded. */
#pragma once

#include "shared/base/buf.h"
#include "tests/sim/net.h"
#include "tests/sim/tunnel_watch.h"

/* An end that was choked looks again after so long. */
enum { TUNNEL_CHOKED_MS = 20 };

struct tunnel_end {
    struct net *net;
    enum net_end end;
    uint64_t connection; /* 0: none */
    struct tunnel_watch watch;
    struct fl_buf out; /* the next bytes to send: see tunnel_end_send */
};

void tunnel_end_init(struct tunnel_end *tunnel, struct sim *sim, struct net *net, enum net_end end,
                     const struct fl_flow_limits *limits);
void tunnel_end_fini(struct tunnel_end *tunnel);
void tunnel_end_begin(struct tunnel_end *tunnel, uint64_t connection); /* a connection is made */

/* False: there is no connection, or its buffer is full. */
bool tunnel_end_has_room(const struct tunnel_end *tunnel);
void tunnel_end_send(struct tunnel_end *tunnel); /* all of 'out' */
void tunnel_end_close(struct tunnel_end *tunnel);
