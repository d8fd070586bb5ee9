/* agent_sockets.h - the WebSockets of agents, over libwebsockets on one loop: TLS 1.3 with a
 * certificate that our CA signed, then an upgrade to our subprotocol.  All other peers are refused:
 * a plain HTTP request, another subprotocol, no certificate.  It knows nothing of the bytes, and
 * sets no deadline.
 * An owner has one socket, and its address is what the port gets.  The port's calls may not drop a
 * socket, but for 'gone', after which the socket is freed.
 * Not thread-safe: its loop's thread calls it, and from there it calls the port. */
#pragma once

#include "controlplane/tunnel/listener_credentials.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/tls/cert.h"
#include "shared/tls/ticket.h"

struct fl_loop;
struct agent_sockets; /* opaque: all of one front */
struct agent_socket;  /* opaque */

struct agent_sockets_port {
    void (*opened)(void *owner, const struct fl_cert *cert);
    void (*bytes)(void *owner, struct fl_str bytes);
    /* After agent_socket_room was NULL: there is room again.  False: drop the connection. */
    bool (*writable)(void *owner);
    /* The connection is over; 'why' it was not opened, if it was not. */
    void (*gone)(void *owner, const char *why);
};

/* The files are read here, and at a reload; their names are borrowed for the call.  Tickets are
 * given and taken under 'key'; NULL: none are.  NULL returned: a file is missing or malformed
 * (FL_IO, FL_INVALID). */
struct agent_sockets *agent_sockets_create(struct fl_loop *loop, const struct listener_files *files,
                                           const struct fl_ticket_key *key,
                                           const struct agent_sockets_port *port,
                                           struct fl_err *err);
/* Drop all sockets before.  NULL is fine. */
void agent_sockets_destroy(struct agent_sockets *sockets);

/* For connections from now on.  False: the files are not good, and the old certificate stays. */
FL_CHECK bool agent_sockets_reload(struct agent_sockets *sockets,
                                   const struct listener_files *files, struct fl_err *err);

/* Takes over an accepted descriptor.  *ret_socket is set before the port is called; 'opened' or
 * 'gone' follows, 'gone' perhaps within this call. */
void agent_sockets_adopt(struct agent_sockets *sockets, int fd, void *owner,
                         struct agent_socket **ret_socket);

/* 'gone' is called within the call. */
void agent_socket_drop(struct agent_socket *socket);

/* The buffer to append bytes to before agent_socket_send.  NULL: the socket takes no bytes now. */
struct fl_buf *agent_socket_room(struct agent_socket *socket);
FL_CHECK bool agent_socket_send(struct agent_socket *socket);   /* false: it is broken */
bool agent_socket_is_choked(const struct agent_socket *socket); /* 'writable' follows */

/* Stops reading, or goes on.  Not from within the port: libwebsockets and TLS then hold bytes that
 * could not be handed over later. */
void agent_socket_set_reading(struct agent_socket *socket, bool is_reading);
