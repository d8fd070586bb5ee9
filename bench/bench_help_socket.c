#include "bench/bench_help_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "shared/tls/ca.h"

enum {
    READ_BYTES = 65536,
    UNSENT_MAX = 1 << 20,
    READS_MAX = 64,
    OPCODE_BINARY = 2,
    OPCODE_CLOSE = 8
};

static const char upgrade[] =
    "GET / HTTP/1.1\r\nHost: " FL_TLS_SERVER_NAME "\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: fairlead.tunnel.1\r\n\r\n";

static void watch(struct bench_socket *s, int poll_fd, void *poll_ptr, bool is_writing, int op)
{
    struct epoll_event event = {.events = EPOLLIN | (is_writing ? (uint32_t)EPOLLOUT : 0),
                                .data.ptr = poll_ptr};

    if (op == EPOLL_CTL_MOD && s->is_writing == is_writing) return;
    s->is_writing = is_writing;
    if (epoll_ctl(poll_fd, op, s->fd, &event) != 0) bench_die("epoll: %m");
}

bool bench_socket_dial(struct bench_socket *s, const struct addrinfo *to, SSL_CTX *tls, X509 *cert,
                       EVP_PKEY *key, int poll_fd, void *poll_ptr)
{
    int one = 1;

    *s = (struct bench_socket){
        .ticket = s->ticket,
        .fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (s->fd < 0) bench_die("socket: %m");
    fl_buf_init(&s->unsent, UNSENT_MAX);
    (void)setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    s->state = SOCKET_CONNECTING;
    if (connect(s->fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
        bench_socket_drop(s);
        return false;
    }
    s->ssl = SSL_new(tls);
    if (!s->ssl || SSL_use_certificate(s->ssl, cert) != 1 || SSL_use_PrivateKey(s->ssl, key) != 1 ||
        !SSL_set_fd(s->ssl, s->fd) || !SSL_set_tlsext_host_name(s->ssl, FL_TLS_SERVER_NAME)) {
        bench_die("no TLS");
    }
    fl_ticket_keep_at(s->ssl, &s->ticket);
    watch(s, poll_fd, poll_ptr, true, EPOLL_CTL_ADD);
    return true;
}

void bench_socket_drop(struct bench_socket *s)
{
    if (s->state == SOCKET_NONE) return;
    SSL_free(s->ssl);
    close(s->fd);
    fl_buf_fini(&s->unsent);
    *s = (struct bench_socket){.fd = -1, .ticket = s->ticket};
}

void bench_socket_forget(struct bench_socket *s)
{
    bench_socket_drop(s);
    fl_ticket_forget(s->ticket);
    s->ticket = NULL;
}

static bool is_pending(struct bench_socket *s, int n, bool *ret_wants_write)
{
    int error = SSL_get_error(s->ssl, n);

    *ret_wants_write = error == SSL_ERROR_WANT_WRITE;
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

static size_t frame_head(const struct bench_socket *s)
{
    if (s->head_len < 2) return 2;
    switch (s->head[1]) {
    case 126:
        return 4;
    case 127:
        return 10;
    default:
        return 2;
    }
}

/* False: the other end says that it is over. */
static bool take(struct bench_socket *s, const uint8_t *at, size_t len, bench_socket_sink *sink,
                 void *ctx)
{
    while (len > 0) {
        size_t n;

        if (s->left > 0) {
            n = len < s->left ? len : (size_t)s->left;
            if (s->is_data) sink(ctx, (struct fl_str){(const char *)at, n});
            if (s->state != SOCKET_OPEN) return true; /* the sink has dropped it */
            s->left -= n;
        } else {
            s->head[s->head_len++] = *at;
            n = 1;
            if (s->head_len >= 2 && s->head_len == frame_head(s)) {
                s->left = s->head[1];
                if (s->head_len > 2) s->left = 0;
                for (size_t i = 2; i < s->head_len; i++) {
                    s->left = s->left << 8 | s->head[i];
                }
                if ((s->head[0] & 15) == OPCODE_CLOSE) return false;
                s->is_data = (s->head[0] & 15) <= OPCODE_BINARY;
                s->head_len = 0;
            }
        }
        at += n;
        len -= n;
    }
    return true;
}

static bool read_all(struct bench_socket *s, bench_socket_sink *sink, void *ctx,
                     bool *ret_is_opened)
{
    static uint8_t bytes[READ_BYTES];
    bool wants_write;

    for (int i = 0; i < READS_MAX && s->state >= SOCKET_UPGRADING; i++) {
        int n = SSL_read(s->ssl, bytes, sizeof bytes);
        const uint8_t *at = bytes, *end;

        if (n <= 0) return is_pending(s, n, &wants_write);
        if (s->state == SOCKET_UPGRADING) { /* a short answer comes in one record */
            end = memmem(bytes, (size_t)n, "\r\n\r\n", 4);
            if (!end || memcmp(bytes, "HTTP/1.1 101", 12) != 0) return false;
            s->state = SOCKET_OPEN;
            *ret_is_opened = true;
            at = end + 4;
        }
        if (!take(s, at, (size_t)n - (size_t)(at - bytes), sink, ctx)) return false;
    }
    return true;
}

static bool shake(struct bench_socket *s, int poll_fd, void *poll_ptr)
{
    bool wants_write;
    int n = SSL_connect(s->ssl);

    if (n != 1) {
        if (!is_pending(s, n, &wants_write)) return false;
        watch(s, poll_fd, poll_ptr, wants_write, EPOLL_CTL_MOD);
        return true;
    }
    if (SSL_write(s->ssl, upgrade, sizeof upgrade - 1) != (int)sizeof upgrade - 1) return false;
    s->state = SOCKET_UPGRADING;
    watch(s, poll_fd, poll_ptr, false, EPOLL_CTL_MOD);
    return true;
}

static bool flush(struct bench_socket *s, int poll_fd, void *poll_ptr)
{
    bool wants_write = false;

    while (s->unsent_pos < s->unsent.len) {
        int n =
            SSL_write(s->ssl, s->unsent.at + s->unsent_pos, (int)(s->unsent.len - s->unsent_pos));

        if (n <= 0) {
            if (!is_pending(s, n, &wants_write)) return false;
            watch(s, poll_fd, poll_ptr, wants_write, EPOLL_CTL_MOD);
            return true;
        }
        s->unsent_pos += (size_t)n;
    }
    fl_buf_clear(&s->unsent);
    s->unsent_pos = 0;
    watch(s, poll_fd, poll_ptr, false, EPOLL_CTL_MOD);
    return true;
}

bool bench_socket_step(struct bench_socket *s, int poll_fd, void *poll_ptr, bench_socket_sink *sink,
                       void *ctx, bool *ret_is_opened)
{
    *ret_is_opened = false;
    if (s->state == SOCKET_CONNECTING) {
        int error = 0;
        socklen_t len = sizeof error;

        if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0) return false;
        s->state = SOCKET_SHAKING;
    }
    if (s->state == SOCKET_SHAKING) return shake(s, poll_fd, poll_ptr);
    if (s->unsent.len > 0 && !flush(s, poll_fd, poll_ptr)) return false;
    return read_all(s, sink, ctx, ret_is_opened);
}

bool bench_socket_has_room(const struct bench_socket *s)
{
    return s->state == SOCKET_OPEN && s->unsent.len == 0;
}

bool bench_socket_send(struct bench_socket *s, int poll_fd, void *poll_ptr, struct fl_str bytes)
{
    uint8_t head[14] = {0x80 | OPCODE_BINARY};
    size_t head_len = 2;

    if (bytes.len < 126) {
        head[1] = (uint8_t)(0x80 | bytes.len);
    } else if (bytes.len < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (uint8_t)(bytes.len >> 8);
        head[3] = (uint8_t)bytes.len;
        head_len = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++) {
            head[2 + i] = (uint8_t)((uint64_t)bytes.len >> (56 - 8 * i));
        }
        head_len = 10;
    }
    head_len += 4; /* the mask: zero */
    if (!fl_buf_put(&s->unsent, head, head_len) || !fl_buf_put(&s->unsent, bytes.at, bytes.len)) {
        bench_die("a message is too long");
    }
    return flush(s, poll_fd, poll_ptr);
}
