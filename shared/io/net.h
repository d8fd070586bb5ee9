/* net.h - sockets that never block: addresses, listening, accepting, connecting.
 * Every descriptor is non-blocking and closes on exec.  Addresses are numeric: names are looked up
 * by fl_net_resolve alone, which waits for the resolver: a loop asks by resolve.h.
 * Thread-safe. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"

enum { FL_NET_TEXT_MAX = 56, FL_NET_HOST_MAX = 256 }; /* bytes, with the final zero */

struct fl_net_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    };
    socklen_t len;
};

/* "10.0.0.1:80", "[::1]:80"; port 0 means any that is free. */
FL_CHECK bool fl_net_parse(struct fl_str text, struct fl_net_address *ret_address,
                           struct fl_err *err);

/* "host:port" into its halves, where the host may be a name, an IPv4 or a bracketed IPv6 address,
 * which loses its brackets.  The port is 1..65535. */
FL_CHECK bool fl_net_split(struct fl_str text, char ret_host[FL_NET_HOST_MAX], uint16_t *ret_port,
                           struct fl_err *err);

enum { FL_NET_ADDRESSES_MAX = 8 };

/* The addresses of one host, at least one, in the order to try them. */
struct fl_net_addresses {
    struct fl_net_address at[FL_NET_ADDRESSES_MAX];
    size_t len;
};

/* As fl_net_parse, but the host may be a name; keeps the first FL_NET_ADDRESSES_MAX answers of the
 * system's resolver.  Waits. */
FL_CHECK bool fl_net_resolve(struct fl_str text, struct fl_net_addresses *ret_addresses,
                             struct fl_err *err);

void fl_net_print(const struct fl_net_address *address, char out[FL_NET_TEXT_MAX]);
uint16_t fl_net_port(const struct fl_net_address *address);
bool fl_net_is_loopback(const struct fl_net_address *address); /* also ::ffff:127.0.0.1 */

struct fl_net_listen {
    bool is_shared; /* SO_REUSEPORT: each front thread has a listener on one port */
    int backlog;    /* 0: 1024 */
};

FL_CHECK bool fl_net_listen(const struct fl_net_address *address, struct fl_net_listen options,
                            int *ret_fd, struct fl_err *err);

enum fl_net_accept {
    FL_NET_ACCEPTED,
    FL_NET_NOBODY,   /* no connection waits */
    FL_NET_AGAIN,    /* this connection is gone already; others may wait */
    FL_NET_FDS_FULL, /* no descriptors or memory: stop watching the listener for a while */
};

/* ret_peer may be NULL.  TCP_NODELAY is set. */
enum fl_net_accept fl_net_accept(int listen_fd, int *ret_fd, struct fl_net_address *ret_peer);

/* Begins to connect.  When the descriptor is writable, fl_net_connected tells the outcome. */
FL_CHECK bool fl_net_connect(const struct fl_net_address *address, int *ret_fd, struct fl_err *err);
FL_CHECK bool fl_net_connected(int fd, struct fl_err *err);

FL_CHECK bool fl_net_local(int fd, struct fl_net_address *ret_address, struct fl_err *err);
FL_CHECK bool fl_net_peer(int fd, struct fl_net_address *ret_address, struct fl_err *err);

/* Bytes that were sent and not acknowledged by the peer's TCP.  If the connection is cut, they
 * are lost. */
size_t fl_net_unacked(int fd);

/* How long ago the peer's TCP gave its last sign; 0: not known. */
fl_ms fl_net_silence_ms(int fd);

/* The connection breaks when sent bytes stay unacknowledged for so long (TCP_USER_TIMEOUT). */
void fl_net_set_user_timeout(int fd, fl_ms timeout_ms);
