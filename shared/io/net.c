#include "shared/io/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool parse_port(struct fl_str text, uint64_t least, uint16_t *ret_port)
{
    uint64_t port;

    if (text.len > 5 || !fl_str_parse_u64(text, &port) || port < least || port > UINT16_MAX) {
        return false;
    }
    *ret_port = (uint16_t)port;
    return true;
}

/* Cuts "host:port"; the host of "[::1]:80" is "::1". */
static bool split(struct fl_str text, uint64_t port_min, char ret_host[FL_NET_HOST_MAX],
                  bool *ret_has_brackets, uint16_t *ret_port, struct fl_err *err)
{
    const char *colon = text.len > 0 ? memrchr(text.at, ':', text.len) : NULL;
    struct fl_str host, port;

    if (!colon) {
        return fl_fail(err, FL_INVALID, "'" FL_STR_FMT "' is not host:port", FL_STR_ARG(text));
    }
    host = (struct fl_str){text.at, (size_t)(colon - text.at)};
    port = (struct fl_str){colon + 1, text.len - host.len - 1};
    *ret_has_brackets = host.len > 2 && host.at[0] == '[' && host.at[host.len - 1] == ']';
    if (*ret_has_brackets) host = (struct fl_str){host.at + 1, host.len - 2};
    if (host.len == 0 || host.len >= FL_NET_HOST_MAX || !fl_str_is_text(host) ||
        (!*ret_has_brackets && memchr(host.at, ':', host.len))) {
        return fl_fail(err, FL_INVALID, "'" FL_STR_FMT "' is not host:port (IPv6 is [::1]:port)",
                       FL_STR_ARG(text));
    }
    if (!parse_port(port, port_min, ret_port)) {
        return fl_fail(err, FL_INVALID, "the port of '" FL_STR_FMT "' is not a port number",
                       FL_STR_ARG(text));
    }
    memcpy(ret_host, host.at, host.len);
    ret_host[host.len] = '\0';
    return true;
}

bool fl_net_split(struct fl_str text, char ret_host[FL_NET_HOST_MAX], uint16_t *ret_port,
                  struct fl_err *err)
{
    bool has_brackets;

    return split(text, 1, ret_host, &has_brackets, ret_port, err);
}

static bool from_numbers(const char *host, bool has_brackets, uint16_t port,
                         struct fl_net_address *ret_address)
{
    struct fl_net_address address = {0};

    if (has_brackets) {
        if (inet_pton(AF_INET6, host, &address.v6.sin6_addr) != 1) return false;
        address.v6.sin6_family = AF_INET6;
        address.v6.sin6_port = htons(port);
        address.len = sizeof address.v6;
    } else {
        if (inet_pton(AF_INET, host, &address.v4.sin_addr) != 1) return false;
        address.v4.sin_family = AF_INET;
        address.v4.sin_port = htons(port);
        address.len = sizeof address.v4;
    }
    *ret_address = address;
    return true;
}

bool fl_net_parse(struct fl_str text, struct fl_net_address *ret_address, struct fl_err *err)
{
    char host[FL_NET_HOST_MAX];
    bool has_brackets = false;
    uint16_t port = 0;

    if (!split(text, 0, host, &has_brackets, &port, err)) return false;
    if (!from_numbers(host, has_brackets, port, ret_address)) {
        return fl_fail(err, FL_INVALID, "'%s' is not an address in numbers", host);
    }
    return true;
}

bool fl_net_resolve(struct fl_str text, struct fl_net_addresses *ret_addresses, struct fl_err *err)
{
    struct addrinfo want = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG}, *found;
    struct fl_net_addresses addresses = {0};
    char host[FL_NET_HOST_MAX];
    bool has_brackets = false;
    uint16_t port = 0;
    int failed;

    if (!split(text, 0, host, &has_brackets, &port, err)) return false;
    if (from_numbers(host, has_brackets, port, &ret_addresses->at[0])) {
        ret_addresses->len = 1;
        return true;
    }
    failed = getaddrinfo(host, NULL, &want, &found);
    if (failed != 0) {
        return fl_fail(err, FL_UNAVAILABLE, "no address of %s: %s", host, gai_strerror(failed));
    }
    for (const struct addrinfo *one = found; one && addresses.len < FL_NET_ADDRESSES_MAX;
         one = one->ai_next) {
        struct fl_net_address *address = &addresses.at[addresses.len];

        if (one->ai_addrlen > sizeof address->v6) continue;
        address->len = one->ai_addrlen;
        memcpy(&address->any, one->ai_addr, one->ai_addrlen);
        if (one->ai_family == AF_INET6) {
            address->v6.sin6_port = htons(port);
        } else {
            address->v4.sin_port = htons(port);
        }
        addresses.len++;
    }
    freeaddrinfo(found);
    if (addresses.len == 0) return fl_fail(err, FL_UNAVAILABLE, "no address of %s", host);
    *ret_addresses = addresses;
    return true;
}

void fl_net_print(const struct fl_net_address *address, char out[FL_NET_TEXT_MAX])
{
    char host[INET6_ADDRSTRLEN] = "?";

    if (address->any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof host);
        snprintf(out, FL_NET_TEXT_MAX, "%s:%u", host, ntohs(address->v4.sin_port));
    } else if (address->any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof host);
        snprintf(out, FL_NET_TEXT_MAX, "[%s]:%u", host, ntohs(address->v6.sin6_port));
    } else {
        snprintf(out, FL_NET_TEXT_MAX, "local");
    }
}

uint16_t fl_net_port(const struct fl_net_address *address)
{
    return ntohs(address->any.sa_family == AF_INET6 ? address->v6.sin6_port : address->v4.sin_port);
}

bool fl_net_is_loopback(const struct fl_net_address *address)
{
    if (address->any.sa_family == AF_INET) {
        return (ntohl(address->v4.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
    }
    if (address->any.sa_family != AF_INET6) return false;
    return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr) &&
            address->v6.sin6_addr.s6_addr[12] == IN_LOOPBACKNET);
}

/* ---- sockets --------------------------------------------------------------------------------- */

static void set_flag(int fd, int level, int option)
{
    int one = 1;

    /* Each option only helps: a descriptor that refuses it still works. */
    FL_IGNORE(setsockopt(fd, level, option, &one, sizeof one));
}

bool fl_net_listen(const struct fl_net_address *address, struct fl_net_listen options, int *ret_fd,
                   struct fl_err *err)
{
    int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    char text[FL_NET_TEXT_MAX];

    if (fd < 0) return fl_fail(err, FL_IO, "socket: %s", strerror(errno));
    set_flag(fd, SOL_SOCKET, SO_REUSEADDR);
    if (options.is_shared) set_flag(fd, SOL_SOCKET, SO_REUSEPORT);
    /* Else [::] would listen on IPv4 too, where another listener may be meant to. */
    if (address->any.sa_family == AF_INET6) set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY);
    if (bind(fd, &address->any, address->len) != 0 ||
        listen(fd, options.backlog > 0 ? options.backlog : 1024) != 0) {
        int why = errno;

        close(fd);
        fl_net_print(address, text);
        return fl_fail(err,
                       why == EADDRINUSE ? FL_CONFLICT
                       : why == EACCES   ? FL_DENIED
                                         : FL_IO,
                       "listen on %s: %s", text, strerror(why));
    }
    *ret_fd = fd;
    return true;
}

enum fl_net_accept fl_net_accept(int listen_fd, int *ret_fd, struct fl_net_address *ret_peer)
{
    struct fl_net_address peer = {.len = sizeof peer.v6};
    int fd = accept4(listen_fd, &peer.any, &peer.len, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) {
        switch (errno) {
        case EAGAIN:
            return FL_NET_NOBODY;
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM:
            return FL_NET_FDS_FULL;
        default: /* errors of that one connection, as accept(2) lists them */
            return FL_NET_AGAIN;
        }
    }
    set_flag(fd, IPPROTO_TCP, TCP_NODELAY);
    *ret_fd = fd;
    if (ret_peer) *ret_peer = peer;
    return FL_NET_ACCEPTED;
}

bool fl_net_connect(const struct fl_net_address *address, int *ret_fd, struct fl_err *err)
{
    int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    char text[FL_NET_TEXT_MAX];

    if (fd < 0) return fl_fail(err, FL_IO, "socket: %s", strerror(errno));
    set_flag(fd, IPPROTO_TCP, TCP_NODELAY);
    if (connect(fd, &address->any, address->len) != 0 && errno != EINPROGRESS) {
        int why = errno;

        close(fd);
        fl_net_print(address, text);
        return fl_fail(err, FL_UNAVAILABLE, "connect to %s: %s", text, strerror(why));
    }
    *ret_fd = fd;
    return true;
}

bool fl_net_connected(int fd, struct fl_err *err)
{
    struct fl_net_address peer;
    int why = 0;
    socklen_t len = sizeof why;

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len) != 0) why = errno;
    if (why != 0) return fl_fail(err, FL_UNAVAILABLE, "connect: %s", strerror(why));
    return fl_net_peer(fd, &peer, err);
}

bool fl_net_local(int fd, struct fl_net_address *ret_address, struct fl_err *err)
{
    struct fl_net_address address = {.len = sizeof address.v6};

    if (getsockname(fd, &address.any, &address.len) != 0) {
        return fl_fail(err, FL_IO, "getsockname: %s", strerror(errno));
    }
    *ret_address = address;
    return true;
}

bool fl_net_peer(int fd, struct fl_net_address *ret_address, struct fl_err *err)
{
    struct fl_net_address address = {.len = sizeof address.v6};

    if (getpeername(fd, &address.any, &address.len) != 0) {
        return fl_fail(err, FL_UNAVAILABLE, "no connection: %s", strerror(errno));
    }
    *ret_address = address;
    return true;
}

void fl_net_set_user_timeout(int fd, fl_ms timeout_ms)
{
    unsigned timeout = timeout_ms > 0 && timeout_ms < INT32_MAX ? (unsigned)timeout_ms : 0;

    /* Without it, the ping of the protocol above still finds out. */
    FL_IGNORE(setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout));
}

size_t fl_net_unacked(int fd)
{
    int bytes = 0;

    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

fl_ms fl_net_silence_ms(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0) return 0;
    return info.tcpi_last_ack_recv;
}
