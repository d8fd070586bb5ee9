/* kube_socket.h - a WebSocket to the API server: one TLS connection of its own, on the loop.
 *
 *     kube_socket_open     looks the name up, connects, and asks for the upgrade
 *     port.changed(ctx)    look again: it is open, has bytes, has room, or is over
 *     kube_socket_read     the next piece of a message; nothing is read before it is asked for
 *     kube_socket_put      a message, while there is room for it
 *
 * - Bounds: 15 s until it is open; 16 KiB that were read and 64 KiB that wait to be written.  A
 *   visit that stops reading holds up the server by TCP.
 * - A ping every 20 s, while nothing is held up, makes TCP ask the server's host for a sign;
 *   without one for 150 s it is over.  No pong is waited for: a server gives none while the command
 *   does not read its input.  So a server that hangs on a host that lives is not seen.
 * - A file of a certificate or token is read again for each connection.
 * Not thread-safe: the loop's thread calls it. */
#pragma once

#include "agent/kube/kube_client.h"
#include "shared/wire/websocket.h"

struct kube_socket; /* opaque */

enum { KUBE_SOCKET_OUT_BYTES_MAX = 64 << 10 };

struct kube_socket_port {
    void *ctx;
    void (*changed)(void *ctx); /* never from within a function of the socket; may destroy it */
};

struct kube_socket_request {
    const char *path;     /* escaped, with its query */
    const char *protocol; /* the one that the server must speak */
    const char *since;    /* the release of Kubernetes that it came with */
};

/* The request is copied.  False: as kube_client_terms. */
FL_CHECK bool kube_socket_open(struct kube_client *client,
                               const struct kube_socket_request *request,
                               const struct kube_socket_port *port, struct kube_socket **ret_socket,
                               struct fl_err *err);
/* Closes it at once.  NULL is fine. */
void kube_socket_destroy(struct kube_socket *socket);

enum kube_socket_word {
    KUBE_SOCKET_NOTHING, /* now; 'changed' follows */
    KUBE_SOCKET_PIECE,   /* a part of a message; valid until the next read */
    KUBE_SOCKET_OVER,    /* kube_socket_why says why */
};

enum kube_socket_word kube_socket_read(struct kube_socket *socket, struct fl_ws_piece *ret_piece);

bool kube_socket_is_open(const struct kube_socket *socket); /* the handshake is done; not over */

/* How long a message may be now; 0: none, 'changed' follows. */
size_t kube_socket_room(struct kube_socket *socket);

/* A message of two parts, the first of which may be empty and has at most 16 bytes.  Only while it
 * is open.  Beyond the room there is a place for 4 KiB: a word that cannot wait is always taken. */
void kube_socket_put(struct kube_socket *socket, struct fl_str first, struct fl_str rest);

/* After OVER.  FL_OK: the server closed in order; the text is its reason, or empty. */
const struct fl_err *kube_socket_why(const struct kube_socket *socket);
