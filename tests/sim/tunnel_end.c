#include "tests/sim/tunnel_end.h"

#include <string.h>

#include "shared/link/mux.h"

enum { SOCKET_BYTES = 256 << 10 }; /* the most that waits in the kernel, but for one write */

void tunnel_end_init(struct tunnel_end *tunnel, struct sim *sim, struct net *net, enum net_end end,
                     const struct fl_flow_limits *limits)
{
    memset(tunnel, 0, sizeof(*tunnel));
    tunnel->net = net;
    tunnel->end = end;
    tunnel_watch_init(&tunnel->watch, sim, limits);
    fl_buf_init(&tunnel->out, FL_MUX_WRITE_BYTES_MAX);
}

void tunnel_end_fini(struct tunnel_end *tunnel)
{
    tunnel_watch_fini(&tunnel->watch);
    fl_buf_fini(&tunnel->out);
}

void tunnel_end_begin(struct tunnel_end *tunnel, uint64_t connection)
{
    tunnel->connection = connection;
    tunnel_watch_begin(&tunnel->watch);
}

bool tunnel_end_has_room(const struct tunnel_end *tunnel)
{
    if (!tunnel->connection) return false;
    return net_waiting(tunnel->net, tunnel->end, tunnel->connection) < SOCKET_BYTES;
}

void tunnel_end_send(struct tunnel_end *tunnel)
{
    struct fl_str bytes = {(const char *)tunnel->out.at, tunnel->out.len};

    tunnel_watch_out(&tunnel->watch, bytes);
    net_send(tunnel->net, tunnel->end, tunnel->connection, bytes);
    fl_buf_clear(&tunnel->out);
}

void tunnel_end_close(struct tunnel_end *tunnel)
{
    if (!tunnel->connection) return;
    net_close(tunnel->net, tunnel->end, tunnel->connection);
    tunnel->connection = 0;
}
