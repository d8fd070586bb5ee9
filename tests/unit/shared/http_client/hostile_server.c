#include "tests/unit/shared/http_client/hostile_server.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <openssl/ssl.h>

#include "shared/io/net.h"
#include "tests/fl_test.h"

enum { LOOK_MS = 20 };

/* False: the test is over. */
static bool await(struct hostile_server *server, int fd, short events)
{
    while (!atomic_load(&server->is_stopping)) {
        struct pollfd polled = {.fd = fd, .events = events};

        if (poll(&polled, 1, LOOK_MS) > 0) return true;
    }
    return false;
}

/* After a call of OpenSSL or of the system that moved nothing; false: it is over. */
static bool await_more(struct hostile_server *server, int result, short events)
{
    if (server->ssl) {
        switch (SSL_get_error(server->ssl, result)) {
        case SSL_ERROR_WANT_READ:
            return await(server, server->fd, POLLIN);
        case SSL_ERROR_WANT_WRITE:
            return await(server, server->fd, POLLOUT);
        default:
            return false;
        }
    }
    return result < 0 && (errno == EAGAIN || errno == EINTR) && await(server, server->fd, events);
}

bool hostile_read(struct hostile_server *server, void *at, size_t len)
{
    char *next = at;

    while (len) {
        int got = server->ssl ? SSL_read(server->ssl, next, (int)len)
                              : (int)recv(server->fd, next, len, 0);

        if (got > 0) {
            next += got;
            len -= (size_t)got;
        } else if (!await_more(server, got, POLLIN)) {
            return false;
        }
    }
    return true;
}

bool hostile_read_head(struct hostile_server *server)
{
    size_t len = 0;

    while (len + 1 < sizeof server->head) {
        if (!hostile_read(server, server->head + len, 1)) return false;
        server->head[++len] = 0;
        if (len >= 4 && strcmp(server->head + len - 4, "\r\n\r\n") == 0) {
            atomic_fetch_add(&server->requests, 1);
            return true;
        }
    }
    return false;
}

bool hostile_write(struct hostile_server *server, const void *at, size_t len)
{
    const char *next = at;

    while (len) {
        int part = len < 16384 ? (int)len : 16384;
        int sent = server->ssl ? SSL_write(server->ssl, next, part)
                               : (int)send(server->fd, next, (size_t)part, MSG_NOSIGNAL);

        if (sent > 0) {
            atomic_fetch_add(&server->sent, (unsigned)sent);
            next += sent;
            len -= (size_t)sent;
        } else if (!await_more(server, sent, POLLOUT)) {
            return false;
        }
    }
    return true;
}

bool hostile_say(struct hostile_server *server, const char *text)
{
    return hostile_write(server, text, strlen(text));
}

bool hostile_pause(struct hostile_server *server, int ms)
{
    poll(NULL, 0, ms);
    return !atomic_load(&server->is_stopping);
}

void hostile_await_go(struct hostile_server *server)
{
    while (!atomic_load(&server->may_go) && hostile_pause(server, 2)) {
        continue;
    }
}

void hostile_hold(struct hostile_server *server)
{
    char byte;

    while (hostile_read(server, &byte, 1)) {
        continue;
    }
}

void hostile_reset(struct hostile_server *server)
{
    struct linger now = {.l_onoff = 1};

    setsockopt(server->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(server->fd);
    server->fd = -1;
}

static bool shake_hands(struct hostile_server *server)
{
    int result;

    if (!server->tls) return true;
    server->ssl = SSL_new(server->tls);
    SSL_set_fd(server->ssl, server->fd);
    while ((result = SSL_accept(server->ssl)) != 1) {
        if (!await_more(server, result, POLLIN)) return false;
    }
    return true;
}

static void *run(void *ctx)
{
    struct hostile_server *server = ctx;

    while (await(server, server->listen_fd, POLLIN)) {
        if (fl_net_accept(server->listen_fd, &server->fd, NULL) != FL_NET_ACCEPTED) continue;
        atomic_fetch_add(&server->served, 1);
        if (shake_hands(server)) server->serve(server);
        /* No SSL_shutdown: an end without a goodbye is one of the things a client must notice. */
        SSL_free(server->ssl);
        server->ssl = NULL;
        if (server->fd >= 0) close(server->fd);
        server->fd = -1;
    }
    return NULL;
}

void hostile_start(struct hostile_server *server)
{
    struct fl_net_address address;
    struct fl_err err = {0};

    signal(SIGPIPE, SIG_IGN); /* OpenSSL may raise it in our threads */
    server->fd = -1;
    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &address, &err));
    assert_true(fl_net_listen(&address, (struct fl_net_listen){0}, &server->listen_fd, &err));
    assert_true(fl_net_local(server->listen_fd, &address, &err));
    server->port = fl_net_port(&address);
    assert_int_equal(pthread_create(&server->thread, NULL, run, server), 0);
}

void hostile_stop(struct hostile_server *server)
{
    atomic_store(&server->is_stopping, true);
    pthread_join(server->thread, NULL);
    close(server->listen_fd);
}

const char *hostile_url(const struct hostile_server *server, const char *path)
{
    static char url[128];

    snprintf(url, sizeof url, "%s://127.0.0.1:%u%s", server->tls ? "https" : "http", server->port,
             path);
    return url;
}
