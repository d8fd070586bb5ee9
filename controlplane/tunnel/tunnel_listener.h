/* tunnel_listener.h - accepts the sockets of agents, as long as the server has room for them: it
 * closes further ones before TLS, which costs next to nothing.
 * Not thread-safe: the server owns it. */
#pragma once

#include "shared/io/loop.h"
#include "shared/io/net.h"

struct tunnel_listener_port {
    void *ctx;
    bool (*has_room)(void *ctx);                                           /* for one more */
    void (*came)(void *ctx, int fd, const struct fl_net_address *address); /* the fd is its own */
};

struct tunnel_listener {
    struct fl_loop *loop;
    struct tunnel_listener_port port;
    int fd; /* -1: it has stopped */
    struct fl_watch watch;
    struct fl_timer again; /* runs when descriptors ran out */
    uint64_t shed;         /* how many were closed at once */
};

/* Accepts from now on; takes over 'fd', which is listening and non-blocking. */
void tunnel_listener_init(struct tunnel_listener *listener, struct fl_loop *loop, int fd,
                          const struct tunnel_listener_port *port);
void tunnel_listener_stop(struct tunnel_listener *listener); /* twice, or zeroed, is fine */
