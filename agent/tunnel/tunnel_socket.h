/* tunnel_socket.h - the agent's WebSocket to the control plane, over TLS 1.3 with the agent's
 * identity (libwebsockets on the agent's loop), direct or through a CONNECT proxy.  A dial tries
 * one address after the other (route.h).  It knows nothing of the bytes.
 * Not thread-safe: its loop's thread calls it, and from there it calls the port. */
#pragma once

#include "agent/tunnel/identity.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/io/net.h"

struct fl_loop;
struct tunnel_socket; /* opaque */

struct tunnel_socket_config {
    char host[FL_NET_HOST_MAX];
    uint16_t port;
    const char *server_name; /* for SNI and the check of the certificate; borrowed */
    const char *proxy, *no_proxy;
};

struct tunnel_socket_port {
    void *ctx;
    void (*opened)(void *ctx);
    void (*bytes)(void *ctx, struct fl_str bytes);
    void (*writable)(void *ctx); /* after tunnel_socket_room was NULL: there is room again */
    /* The connection is gone, or no address led to one; after the library's callbacks, so that the
     * socket may be dropped from here. */
    void (*lost)(void *ctx, const char *why);
};

/* NULL: the proxy is malformed (FL_INVALID), or FL_IO. */
struct tunnel_socket *tunnel_socket_create(struct fl_loop *loop,
                                           const struct tunnel_socket_config *config,
                                           const struct tunnel_socket_port *port,
                                           struct fl_err *err);
void tunnel_socket_destroy(struct tunnel_socket *socket); /* NULL is fine */

/* 'opened' or 'lost' follows.  'is_changed': the identity is another than in the last dial. */
void tunnel_socket_dial(struct tunnel_socket *socket, const struct agent_identity *identity,
                        bool is_changed);
void tunnel_socket_drop(struct tunnel_socket *socket); /* 'lost' does not follow */

/* The buffer to append bytes to before tunnel_socket_send.  NULL: the socket is not open, or takes
 * no bytes now. */
struct fl_buf *tunnel_socket_room(struct tunnel_socket *socket);
FL_CHECK bool tunnel_socket_send(struct tunnel_socket *socket); /* false: it is broken */
