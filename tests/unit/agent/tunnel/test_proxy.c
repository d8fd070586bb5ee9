#include "tests/unit/agent/tunnel/test_proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <openssl/ssl.h>

#include "shared/io/net.h"
#include "tests/fl_test.h"

enum { LOOK_MS = 50, IDLE_MS = 60000, HEAD_MAX = 8192 };

static int wait_for(const struct test_peer *peer, int fd)
{
    for (int waited = 0; waited < IDLE_MS; waited += LOOK_MS) {
        struct pollfd polled = {.fd = fd, .events = POLLIN};

        if (atomic_load(&peer->is_stopping)) return 0;
        if (poll(&polled, 1, LOOK_MS) > 0) return 1;
    }
    return 0;
}

static void set_blocking(int fd)
{
    struct timeval patience = {.tv_sec = 30};

    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

static bool write_all(int fd, const char *at, size_t len)
{
    while (len) {
        ssize_t wrote = send(fd, at, len, MSG_NOSIGNAL);

        if (wrote <= 0) return false;
        at += wrote;
        len -= (size_t)wrote;
    }
    return true;
}

/* ---- the proxy ------------------------------------------------------------------------------- */

static void relay(const struct test_peer *peer, int a, int b)
{
    char bytes[16384];

    while (!atomic_load(&peer->is_stopping)) {
        struct pollfd polled[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};

        if (poll(polled, 2, LOOK_MS) <= 0) continue;
        for (int i = 0; i < 2; i++) {
            ssize_t got;

            if (!polled[i].revents) continue;
            got = recv(polled[i].fd, bytes, sizeof bytes, 0);
            if (got <= 0 || !write_all(i ? a : b, bytes, (size_t)got)) return;
        }
    }
}

static void serve_proxy(struct test_peer *peer, int fd)
{
    char head[HEAD_MAX + 1];
    char target[256];
    size_t len = 0;
    struct fl_net_address address;
    struct fl_err err = {0};
    int up;

    while (len < HEAD_MAX) {
        if (recv(fd, head + len, 1, 0) != 1) return;
        head[++len] = 0;
        if (len >= 4 && strcmp(head + len - 4, "\r\n\r\n") == 0) break;
    }
    if (sscanf(head, "CONNECT %255s HTTP/1.", target) != 1) return;
    if (peer->login && !strstr(head, peer->login)) {
        const char no[] = "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";

        write_all(fd, no, sizeof no - 1);
        return;
    }
    if (!fl_net_parse(fl_str_c(target), &address, &err) || !fl_net_connect(&address, &up, &err)) {
        return;
    }
    set_blocking(up);
    {
        const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
        struct pollfd polled = {.fd = up, .events = POLLOUT};

        poll(&polled, 1, 10000);
        atomic_fetch_add(&peer->served, 1);
        if (write_all(fd, yes, sizeof yes - 1)) relay(peer, fd, up);
    }
    close(up);
}

/* ---- the server ------------------------------------------------------------------------------ */

static void serve_https(struct test_peer *peer, int fd)
{
    static const char length_name[] = "Content-Length: ";
    char request[65536];
    char head[256];
    size_t len = 0;
    const char *body = NULL;
    SSL *ssl = SSL_new(peer->tls);

    SSL_set_fd(ssl, fd);
    if (SSL_accept(ssl) != 1) {
        SSL_free(ssl);
        return;
    }
    for (;;) {
        const char *length;
        int got = SSL_read(ssl, request + len, (int)(sizeof request - 1 - len));

        if (got <= 0) break;
        len += (size_t)got;
        request[len] = 0;
        body = strstr(request, "\r\n\r\n");
        length = strstr(request, length_name);
        if (!body || !length) continue;
        body += 4;
        if (len - (size_t)(body - request) >= strtoul(length + sizeof length_name - 1, NULL, 10)) {
            break;
        }
    }
    if (body) {
        char *answer = NULL;
        unsigned status =
            peer->answer(peer->ctx, (struct fl_str){body, len - (size_t)(body - request)}, &answer);
        int head_len =
            snprintf(head, sizeof head,
                     "HTTP/1.1 %u Whatever\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                     status, strlen(answer));

        SSL_write(ssl, head, head_len);
        SSL_write(ssl, answer, (int)strlen(answer));
        free(answer);
        atomic_fetch_add(&peer->served, 1);
    }
    SSL_shutdown(ssl);
    SSL_free(ssl);
}

/* ---- both ------------------------------------------------------------------------------------ */

static void *run(void *ctx)
{
    struct test_peer *peer = ctx;

    while (!atomic_load(&peer->is_stopping)) {
        int fd;

        if (!wait_for(peer, peer->listen_fd)) continue;
        fd = accept(peer->listen_fd, NULL, NULL);
        if (fd < 0) continue;
        set_blocking(fd);
        if (peer->tls) {
            serve_https(peer, fd);
        } else {
            serve_proxy(peer, fd);
        }
        close(fd);
    }
    return NULL;
}

static void start(struct test_peer *peer)
{
    struct fl_net_address address;
    struct fl_err err = {0};

    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &address, &err));
    assert_true(fl_net_listen(&address, (struct fl_net_listen){0}, &peer->listen_fd, &err));
    assert_true(fl_net_local(peer->listen_fd, &address, &err));
    peer->port = fl_net_port(&address);
    snprintf(peer->url, sizeof peer->url, "http://127.0.0.1:%u", peer->port);
    signal(SIGPIPE, SIG_IGN); /* OpenSSL may raise it in that thread */
    assert_int_equal(pthread_create(&peer->thread, NULL, run, peer), 0);
}

void test_proxy_start(struct test_peer *peer)
{
    start(peer);
}

void test_https_start(struct test_peer *peer)
{
    assert_non_null(peer->tls);
    start(peer);
}

void test_peer_stop(struct test_peer *peer)
{
    atomic_store(&peer->is_stopping, true);
    pthread_join(peer->thread, NULL);
    close(peer->listen_fd);
}
