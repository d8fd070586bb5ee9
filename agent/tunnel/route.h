/* route.h - the addresses that a dial tries: those of the hub, or of the proxy before it.
 * Each dial looks the name up, without waiting (shared/io/resolve.h), and tries one address after
 * the other until one is good.  The next dial begins with a good address, and comes last to one
 * that led nowhere.  Not thread-safe: its loop's thread calls it, and from there it calls the
 * port. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/types.h"
#include "shared/io/net.h"
#include "shared/io/proxy.h"

struct fl_loop;
struct agent_route; /* opaque */

struct agent_route_port {
    void *ctx;
    void (*found)(void *ctx); /* agent_route_next gives the addresses */
    void (*not_found)(void *ctx, const struct fl_err *err);
};

/* 'proxy' and 'no_proxy' as in proxy.h; FL_INVALID. */
FL_CHECK bool agent_route_create(struct fl_loop *loop, const char *proxy, const char *no_proxy,
                                 const char *host, uint16_t port,
                                 const struct agent_route_port *ports,
                                 struct agent_route **ret_route, struct fl_err *err);
void agent_route_destroy(struct agent_route *route); /* NULL is fine */

const struct fl_proxy *agent_route_proxy(const struct agent_route *route);

void agent_route_begin(struct agent_route *route);  /* begins a dial; calls the port later */
void agent_route_forget(struct agent_route *route); /* ends it: no call follows; NULL is fine */

/* The next address in this dial; NULL: each was tried.  Lives until the next dial. */
const struct fl_net_address *agent_route_next(struct agent_route *route);
void agent_route_good(struct agent_route *route); /* agent_route_next's last address is good */
