#include "agent/tunnel/route.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/io/resolve.h"

/* Less than FL_LINK_DIAL_MS, so that the dial fails with the resolver's reason. */
enum { RESOLVE_MS = 15000 };

struct agent_route {
    struct agent_route_port ports;
    struct fl_proxy proxy;
    char text[FL_NET_HOST_MAX + 16]; /* "host:port" of the hub, or of the proxy */
    struct fl_resolver *resolver;
    struct fl_net_addresses addresses;
    size_t tried; /* addresses tried in this dial, none good yet */
    size_t at;    /* the address to try, modulo their number */
};

static void on_resolved(void *ctx, const struct fl_net_addresses *found, const struct fl_err *err)
{
    struct agent_route *route = ctx;

    if (!found) {
        route->ports.not_found(route->ports.ctx, err);
        return;
    }
    route->addresses = *found;
    route->ports.found(route->ports.ctx);
}

bool agent_route_create(struct fl_loop *loop, const char *proxy, const char *no_proxy,
                        const char *host, uint16_t port, const struct agent_route_port *ports,
                        struct agent_route **ret_route, struct fl_err *err)
{
    struct agent_route *route;
    struct fl_proxy found;

    if (!fl_proxy_for(proxy, no_proxy, host, port, &found, err)) return false;
    route = fl_new(struct agent_route);
    route->ports = *ports;
    route->proxy = found;
    if (found.is_on) {
        host = found.host;
        port = found.port;
    }
    snprintf(route->text, sizeof route->text, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
    route->resolver = fl_resolver_create(loop, RESOLVE_MS, on_resolved, route);
    *ret_route = route;
    return true;
}

void agent_route_destroy(struct agent_route *route)
{
    if (!route) return;
    fl_resolver_destroy(route->resolver);
    fl_free(route);
}

const struct fl_proxy *agent_route_proxy(const struct agent_route *route)
{
    return &route->proxy;
}

void agent_route_begin(struct agent_route *route)
{
    if (route->tried) route->at++; /* the last address has led nowhere */
    route->tried = 0;
    route->addresses.len = 0;
    fl_resolver_ask(route->resolver, fl_str_c(route->text));
}

void agent_route_forget(struct agent_route *route)
{
    if (route) fl_resolver_forget(route->resolver);
}

const struct fl_net_address *agent_route_next(struct agent_route *route)
{
    if (route->tried == route->addresses.len) return NULL;
    if (route->tried++) route->at++;
    return &route->addresses.at[route->at % route->addresses.len];
}

void agent_route_good(struct agent_route *route)
{
    route->tried = 0;
    route->addresses.len = 0;
}
