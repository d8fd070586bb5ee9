/* bench_help_socket.h - fake: a WebSocket client over TLS 1.3, as an agent dials, without
 * libwebsockets.  Thousands of them share one epoll.  Bytes of messages are given on as they come,
 * wherever they are cut.  Masks are zero, which is legal and costs nothing. */
#pragma once

#include <openssl/ssl.h>
#include <stdint.h>

#include "shared/base/buf.h"
#include "shared/base/str.h"
#include "shared/tls/ticket.h"

struct addrinfo;

enum bench_socket_state {
    SOCKET_NONE,
    SOCKET_CONNECTING,
    SOCKET_SHAKING,
    SOCKET_UPGRADING,
    SOCKET_OPEN
};

struct bench_socket {
    enum bench_socket_state state;
    int fd;
    SSL *ssl;
    struct fl_ticket_kept *ticket; /* for the next dial; NULL: none */
    uint8_t head[10];              /* the incoming frame's header */
    size_t head_len;
    uint64_t left; /* bytes that the frame's payload still lacks */
    bool is_data, is_writing;
    struct fl_buf unsent;
    size_t unsent_pos;
};

/* Incoming bytes of messages. */
typedef void bench_socket_sink(void *ctx, struct fl_str bytes);

/* Begins to connect; false: at once refused.  With a context that keeps tickets (fl_ticket_keep)
 * the socket has its own. */
bool bench_socket_dial(struct bench_socket *s, const struct addrinfo *to, SSL_CTX *tls, X509 *cert,
                       EVP_PKEY *key, int poll_fd, void *poll_ptr);
void bench_socket_drop(struct bench_socket *s);
void bench_socket_forget(struct bench_socket *s); /* its ticket, too */

/* The socket is ready for something.  False: it is gone, drop it.  *ret_is_opened: from now on it
 * is OPEN. */
bool bench_socket_step(struct bench_socket *s, int poll_fd, void *poll_ptr, bench_socket_sink *sink,
                       void *ctx, bool *ret_is_opened);

/* One binary message.  Only when bench_socket_has_room.  False: it is gone. */
bool bench_socket_send(struct bench_socket *s, int poll_fd, void *poll_ptr, struct fl_str bytes);
bool bench_socket_has_room(const struct bench_socket *s);
