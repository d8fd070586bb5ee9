#include "controlplane/tunnel/tunnel_listener.h"

#include <unistd.h>

#include "shared/io/log.h"

enum {
    ACCEPTS_MAX = 64,      /* how many to accept in one turn */
    ACCEPT_PAUSE_MS = 100, /* how long to wait when descriptors ran out */
};

static void take(struct tunnel_listener *listener, int fd, const struct fl_net_address *address)
{
    const struct tunnel_listener_port *port = &listener->port;

    if (port->has_room(port->ctx)) {
        port->came(port->ctx, fd, address);
        return;
    }
    listener->shed++;
    close(fd);
}

static void on_readable(void *ctx, unsigned events)
{
    struct tunnel_listener *listener = ctx;

    (void)events;
    for (int i = 0; i < ACCEPTS_MAX; i++) {
        struct fl_net_address address;
        int fd;

        switch (fl_net_accept(listener->fd, &fd, &address)) {
        case FL_NET_ACCEPTED:
            take(listener, fd, &address);
            break;
        case FL_NET_AGAIN:
            break;
        case FL_NET_NOBODY:
            return;
        case FL_NET_FDS_FULL:
            fl_watch_set(&listener->watch, 0);
            fl_timer_in(&listener->again, ACCEPT_PAUSE_MS);
            fl_log(FL_LOG_ERROR, "tunnel", "no_descriptors");
            return;
        }
    }
}

static void accept_again(void *ctx)
{
    struct tunnel_listener *listener = ctx;

    fl_watch_set(&listener->watch, FL_WATCH_READ);
}

void tunnel_listener_init(struct tunnel_listener *listener, struct fl_loop *loop, int fd,
                          const struct tunnel_listener_port *port)
{
    *listener = (struct tunnel_listener){
        .loop = loop,
        .port = *port,
        .fd = fd,
    };
    fl_watch_init(&listener->watch, loop, fd, on_readable, listener);
    fl_timer_init(&listener->again, loop, accept_again, listener);
    fl_watch_set(&listener->watch, FL_WATCH_READ);
}

void tunnel_listener_stop(struct tunnel_listener *listener)
{
    if (!listener->loop || listener->fd < 0) return;
    fl_timer_off(&listener->again);
    fl_watch_off(&listener->watch);
    close(listener->fd);
    listener->fd = -1;
}
