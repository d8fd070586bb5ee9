#include "cli/web_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/problem.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/io/proxy.h"
#include "shared/tls/context.h"
#include "shared/tls/random.h"
#include "shared/tls/websocket_key.h"
#include "shared/wire/websocket.h"

enum {
    OPEN_MS = 15000, /* for all of opening but the look-up of a name */
    HEAD_BYTES_MAX = 65536,
    READ_BYTES = 16384,
    READS_MAX = 8,
    CA_BYTES_MAX = 4 << 20,
};

struct cli_web_socket {
    struct fl_loop *loop;
    struct cli_web_socket_port port;
    int fd;
    SSL_CTX *tls;
    SSL *ssl; /* NULL: plain */
    struct fl_watch watch;
    struct fl_after work;
    struct fl_ws_reader reader;
    struct fl_buf out;
    size_t out_at;
    unsigned wants; /* the error of the last call that had to wait */
    int64_t open_until;
    bool is_held, has_channel, has_closed;
    uint8_t channel;
    char why[256]; /* in the server's CLOSE */
    uint8_t bytes[READ_BYTES];
};

/* ---- bytes ----------------------------------------------------------------------------------- */

/* > 0: so many; 0: the end; -1: not now, see 'wants'; -2: broken. */
static ssize_t ssl_result(struct cli_web_socket *socket, int result)
{
    int why = SSL_get_error(socket->ssl, result);

    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        socket->wants = why == SSL_ERROR_WANT_READ ? FL_WATCH_READ : FL_WATCH_WRITE;
        return -1;
    }
    return why == SSL_ERROR_ZERO_RETURN ? 0 : -2;
}

static ssize_t plain_result(struct cli_web_socket *socket, ssize_t n, unsigned wants)
{
    if (n >= 0) return n;
    socket->wants = wants;
    return errno == EAGAIN || errno == EINTR ? -1 : -2;
}

static ssize_t read_some(struct cli_web_socket *socket, void *to, size_t bytes_max)
{
    int n;

    if (!socket->ssl) {
        return plain_result(socket, read(socket->fd, to, bytes_max), FL_WATCH_READ);
    }
    n = SSL_read(socket->ssl, to, (int)bytes_max);
    return n > 0 ? n : ssl_result(socket, n);
}

static ssize_t write_some(struct cli_web_socket *socket, const void *from, size_t len)
{
    int n;

    if (!socket->ssl) {
        return plain_result(socket, send(socket->fd, from, len, MSG_NOSIGNAL), FL_WATCH_WRITE);
    }
    n = SSL_write(socket->ssl, from, (int)len);
    return n > 0 ? n : ssl_result(socket, n);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool await(const struct cli_web_socket *socket, unsigned wants)
{
    struct pollfd look = {.fd = socket->fd, .events = wants == FL_WATCH_READ ? POLLIN : POLLOUT};

    while (!cli_is_interrupted() && fl_clock_mono() < socket->open_until) {
        if (poll(&look, 1, CLI_HTTP_TURN_MS) > 0) return true;
    }
    return false;
}

static bool write_all(struct cli_web_socket *socket, const char *text, struct fl_err *err)
{
    size_t len = strlen(text), at = 0;

    while (at < len) {
        ssize_t n = write_some(socket, text + at, len - at);

        if (n > 0) at += (size_t)n;
        if (n == -2 || n == 0 || (n == -1 && !await(socket, socket->wants))) {
            return fl_fail(err, FL_UNAVAILABLE, "the connection was cut, or is too slow");
        }
    }
    return true;
}

/* Reads until 'end' stands in 'in', or the peer ends; False: neither in time. */
static bool read_until(struct cli_web_socket *socket, struct fl_buf *in, const char *end)
{
    for (;;) {
        char bytes[1024];
        ssize_t n;

        if (end && in->len > 0 && memmem(in->at, in->len, end, strlen(end))) return true;
        n = read_some(socket, bytes, end ? 1 : sizeof bytes); /* nothing behind it is taken */
        if (n == 0 || n == -2) return !end;
        if (n == -1 && !await(socket, socket->wants)) return false;
        if (n > 0 && !fl_buf_put(in, bytes, (size_t)n)) return false;
    }
}

struct target {
    bool is_tls;
    char host[FL_NET_HOST_MAX];
    uint16_t port;
    const char *authority; /* as it is in the URL */
};

static bool read_url(const struct cli *cli, struct target *target, struct fl_err *err)
{
    const char *url = cli->settings.url, *at;
    char text[FL_NET_HOST_MAX + 8];

    if (!url) return fl_fail(err, FL_INVALID, "no control plane: 'fairlead login URL', or --url");
    target->is_tls = strncmp(url, "https://", 8) == 0;
    at = strstr(url, "://");
    target->authority = at ? at + 3 : url;
    at = strrchr(target->authority, ':');
    if (at && !strchr(at, ']')) {
        snprintf(text, sizeof text, "%s", target->authority);
    } else {
        snprintf(text, sizeof text, "%s:%d", target->authority, target->is_tls ? 443 : 80);
    }
    return fl_net_split(fl_str_c(text), target->host, &target->port, err);
}

static bool connect_to(struct cli_web_socket *socket, const char *host, uint16_t port,
                       struct fl_err *err)
{
    struct fl_net_addresses found;
    char text[FL_NET_HOST_MAX + 16];

    snprintf(text, sizeof text, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
    if (!fl_net_resolve(fl_str_c(text), &found, err)) return false;
    for (size_t i = 0; i < found.len; i++) {
        if (!fl_net_connect(&found.at[i], &socket->fd, err)) continue;
        if (await(socket, FL_WATCH_WRITE)) {
            if (fl_net_connected(socket->fd, err)) return true;
        } else {
            fl_fail(err, FL_UNAVAILABLE, "no answer in time");
        }
        close(socket->fd);
        socket->fd = -1;
    }
    return fl_err_wrap(err, "%s", text);
}

static bool pass_proxy(struct cli_web_socket *socket, const struct target *target,
                       const struct fl_proxy *proxy, struct fl_err *err)
{
    char login[FL_PROXY_LOGIN_MAX * 2] = "", text[FL_NET_HOST_MAX * 2 + sizeof login + 128];
    struct fl_buf in;
    bool is_through;

    EVP_EncodeBlock((unsigned char *)login, (const unsigned char *)proxy->login,
                    (int)strlen(proxy->login));
    snprintf(text, sizeof text, "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n%s%s%s\r\n", target->host,
             target->port, target->host, target->port, *login ? "Proxy-Authorization: Basic " : "",
             login, *login ? "\r\n" : "");
    fl_buf_init(&in, HEAD_BYTES_MAX);
    is_through = write_all(socket, text, err) && read_until(socket, &in, "\r\n\r\n") &&
                 in.len > 12 && memcmp(in.at + 8, " 200", 4) == 0;
    fl_buf_fini(&in);
    return is_through || fl_fail(err, FL_UNAVAILABLE, "the proxy %s did not connect to %s",
                                 proxy->host, target->host);
}

static bool begin_tls(struct cli *cli, struct cli_web_socket *socket, const char *host,
                      struct fl_err *err)
{
    struct fl_tls_client want = {0};
    struct fl_buf ca;
    bool is_made;

    fl_buf_init(&ca, CA_BYTES_MAX);
    is_made = !cli->settings.ca_file || fl_file_read(AT_FDCWD, cli->settings.ca_file, &ca, err);
    want.ca_pem = (struct fl_str){(const char *)ca.at, ca.len};
    is_made = is_made && fl_tls_client(&want, &socket->tls, err);
    fl_buf_fini(&ca);
    if (!is_made) return false;
    SSL_CTX_set_mode(socket->tls,
                     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE);
    socket->ssl = SSL_new(socket->tls);
    if (!socket->ssl || !SSL_set_fd(socket->ssl, socket->fd)) {
        return fl_tls_fail(socket->ssl, "TLS", err);
    }
    if (!fl_tls_expect(socket->ssl, host, err)) return false;
    for (;;) {
        int result = SSL_connect(socket->ssl);

        if (result == 1) return true;
        if (ssl_result(socket, result) != -1) {
            return fl_tls_fail(socket->ssl, "the control plane", err);
        }
        if (!await(socket, socket->wants)) {
            return fl_fail(err, FL_UNAVAILABLE, "the control plane is too slow");
        }
    }
}

static bool reach(struct cli *cli, struct cli_web_socket *socket, const struct target *target,
                  struct fl_err *err)
{
    const char *no_proxy = getenv("no_proxy") ? getenv("no_proxy") : getenv("NO_PROXY");
    struct fl_proxy proxy = {0};

    if (!fl_proxy_for(cli_http_proxy(cli).value, no_proxy, target->host, target->port, &proxy,
                      err)) {
        return false;
    }
    if (!connect_to(socket, proxy.is_on ? proxy.host : target->host,
                    proxy.is_on ? proxy.port : target->port, err)) {
        return false;
    }
    if (proxy.is_on && !pass_proxy(socket, target, &proxy, err)) return false;
    return !target->is_tls || begin_tls(cli, socket, target->host, err);
}

/* The status of the answer's head; 0: this is no head. */
static unsigned status_of(const struct fl_buf *in)
{
    unsigned status = 0;

    if (in->len < 13 || memcmp(in->at, "HTTP/1.1 ", 9) != 0) return 0;
    for (size_t i = 9; i < 12; i++) {
        if (in->at[i] < '0' || in->at[i] > '9') return 0;
        status = status * 10 + (unsigned)(in->at[i] - '0');
    }
    return status;
}

static int refused(struct cli *cli, struct cli_web_socket *socket, const char *path,
                   struct fl_buf *in, unsigned status)
{
    size_t head = in->len;

    (void)read_until(socket, in, "}\n"); /* a problem is one line */
    (void)fl_buf_put_u8(in, 0);
    return cli_problem(cli, path, (const char *)in->at + head, status);
}

static int shake(struct cli *cli, struct cli_web_socket *socket, const struct target *target,
                 const char *path)
{
    char key[FL_WEBSOCKET_KEY_MAX], accept[FL_WEBSOCKET_ACCEPT_MAX];
    struct fl_err err = {0};
    struct fl_buf in;
    const char *text, *as = cli->settings.as;
    unsigned status;
    int code = CLI_OK;

    fl_websocket_key(key);
    if (!fl_websocket_accept(fl_str_c(key), accept)) fl_unreachable("our own key is good");
    text = fl_arena_printf(
        &cli->arena,
        "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n"
        "Sec-WebSocket-Key: %s\r\n%s%s%s%s%s%s\r\n",
        path, target->authority, key, cli->settings.token ? "Authorization: Bearer " : "",
        cli->settings.token ? cli->settings.token : "", cli->settings.token ? "\r\n" : "",
        as ? "Fairlead-As: " : "", as ? as : "", as ? "\r\n" : "");
    if (!write_all(socket, text, &err)) return cli_fail_err(&err);
    fl_buf_init(&in, HEAD_BYTES_MAX);
    if (!read_until(socket, &in, "\r\n\r\n")) {
        code = cli_fail(CLI_UNREACHABLE, "%s gave no answer in time", cli->settings.url);
    } else if ((status = status_of(&in)) != 101) {
        code = refused(cli, socket, path, &in, status);
    } else if (!memmem(in.at, in.len, accept, strlen(accept))) {
        code = cli_fail(CLI_INTERNAL, "%s does not speak WebSocket", cli->settings.url);
    }
    fl_buf_fini(&in);
    return code;
}

/* ---- output ---------------------------------------------------------------------------------- */

size_t cli_web_socket_waiting(const struct cli_web_socket *socket)
{
    return socket->out.len - socket->out_at;
}

static void put_frame(struct cli_web_socket *socket, enum fl_ws_opcode opcode,
                      const uint8_t *channel, struct fl_str bytes)
{
    uint8_t mask[4], header[FL_WS_HEADER_BYTES_MAX], *at;
    size_t extra = channel ? 1 : 0, header_len;

    if (socket->out_at > 0 && socket->out_at >= socket->out.len / 2) {
        memmove(socket->out.at, socket->out.at + socket->out_at, cli_web_socket_waiting(socket));
        fl_buf_truncate(&socket->out, cli_web_socket_waiting(socket));
        socket->out_at = 0;
    }
    fl_random(mask, sizeof mask);
    header_len = fl_ws_header(opcode, bytes.len + extra, mask, header);
    at = fl_buf_room(&socket->out, header_len + extra + bytes.len);
    fl_assert(at);
    memcpy(at, header, header_len);
    if (channel) at[header_len] = *channel;
    if (bytes.len > 0) memcpy(at + header_len + extra, bytes.at, bytes.len);
    fl_ws_mask(mask, 0, at + header_len, extra + bytes.len);
    fl_after_put(&socket->work);
}

void cli_web_socket_put(struct cli_web_socket *socket, uint8_t channel, struct fl_str bytes)
{
    put_frame(socket, FL_WS_BINARY, &channel, bytes);
}

static bool write_out(struct cli_web_socket *socket, unsigned *wants)
{
    bool has_written = false;

    while (cli_web_socket_waiting(socket) > 0) {
        ssize_t n =
            write_some(socket, socket->out.at + socket->out_at, cli_web_socket_waiting(socket));

        if (n == -1) {
            *wants |= socket->wants;
            break;
        }
        if (n <= 0) return false;
        socket->out_at += (size_t)n;
        has_written = true;
    }
    if (has_written) socket->port.taken(socket->port.ctx);
    return true;
}

/* ---- input ----------------------------------------------------------------------------------- */

static void take_message(struct cli_web_socket *socket, const struct fl_ws_piece *piece)
{
    struct fl_str bytes = piece->bytes;

    if (piece->is_first) socket->has_channel = false;
    if (!socket->has_channel && bytes.len > 0) {
        socket->has_channel = true;
        socket->channel = (uint8_t)*bytes.at++;
        bytes.len--;
    }
    if (socket->has_channel) {
        socket->port.piece(socket->port.ctx, socket->channel, bytes, piece->is_last);
    }
}

static void take_close(struct cli_web_socket *socket, struct fl_str bytes)
{
    socket->has_closed = true;
    if (bytes.len > 2) {
        snprintf(socket->why, sizeof socket->why, "%.*s", (int)bytes.len - 2, bytes.at + 2);
    }
    put_frame(socket, FL_WS_CLOSE, NULL, bytes.len >= 2 ? (struct fl_str){bytes.at, 2} : bytes);
}

/* False: the server broke a rule. */
static bool take_bytes(struct cli_web_socket *socket, uint8_t *at, size_t len)
{
    struct fl_ws_piece piece;
    struct fl_err err = {0};

    while (!socket->has_closed) {
        switch (fl_ws_next(&socket->reader, &at, &len, &piece, &err)) {
        case FL_WS_MORE:
            return true;
        case FL_WS_READY:
            if (piece.opcode == FL_WS_BINARY) take_message(socket, &piece);
            if (piece.opcode == FL_WS_PING) put_frame(socket, FL_WS_PONG, NULL, piece.bytes);
            if (piece.opcode == FL_WS_CLOSE) take_close(socket, piece.bytes);
            break;
        case FL_WS_BAD:
            snprintf(socket->why, sizeof socket->why, "%.100s", err.text);
            return false;
        }
    }
    return true;
}

/* False: it is over. */
static bool read_in(struct cli_web_socket *socket, unsigned *wants)
{
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t n;

        if (socket->is_held) return true;
        n = read_some(socket, socket->bytes, sizeof socket->bytes);
        if (n == -1) {
            *wants |= socket->wants;
            return true;
        }
        if (n <= 0) {
            if (!socket->has_closed && !socket->why[0]) {
                snprintf(socket->why, sizeof socket->why, "the connection was cut");
            }
            return false;
        }
        if (!take_bytes(socket, socket->bytes, (size_t)n)) return false;
        if (socket->has_closed) return true;
    }
    fl_after_put(&socket->work);
    return true;
}

static void on_work(void *ctx)
{
    struct cli_web_socket *socket = ctx;
    unsigned wants = 0;

    if (!read_in(socket, &wants) || !write_out(socket, &wants) ||
        (socket->has_closed && cli_web_socket_waiting(socket) == 0)) {
        fl_watch_set(&socket->watch, 0);
        fl_after_off(&socket->work);
        socket->port.closed(socket->port.ctx, socket->why);
        return;
    }
    fl_watch_set(&socket->watch, wants);
}

static void on_ready(void *ctx, unsigned events)
{
    (void)events;
    on_work(ctx);
}

void cli_web_socket_hold(struct cli_web_socket *socket, bool is_held)
{
    socket->is_held = is_held;
    fl_after_put(&socket->work);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct fl_loop *cli_web_socket_loop(const struct cli_web_socket *socket)
{
    return socket->loop;
}

int cli_web_socket_open(struct cli *cli, const char *path, const struct cli_web_socket_port *port,
                        struct cli_web_socket **ret_socket)
{
    struct cli_web_socket *socket;
    struct target target = {0};
    struct cli_http *http;
    struct fl_err err = {0};
    int code;

    if (!read_url(cli, &target, &err) || !cli_http(cli, &http, &err)) return cli_fail_err(&err);
    socket = fl_new(struct cli_web_socket);
    socket->loop = http->loop;
    socket->port = *port;
    socket->fd = -1;
    socket->open_until = fl_clock_mono() + OPEN_MS;
    fl_buf_init(&socket->out, 2 * CLI_WEB_SOCKET_OUT_MAX);
    fl_after_init(&socket->work, socket->loop, on_work, socket);
    code =
        reach(cli, socket, &target, &err) ? shake(cli, socket, &target, path) : cli_fail_err(&err);
    if (code != CLI_OK) {
        cli_web_socket_destroy(socket);
        return code;
    }
    fl_watch_init(&socket->watch, socket->loop, socket->fd, on_ready, socket);
    fl_after_put(&socket->work);
    *ret_socket = socket;
    return CLI_OK;
}

void cli_web_socket_destroy(struct cli_web_socket *socket)
{
    if (!socket) return;
    fl_after_off(&socket->work);
    fl_watch_off(&socket->watch);
    SSL_free(socket->ssl);
    SSL_CTX_free(socket->tls);
    if (socket->fd >= 0) close(socket->fd);
    fl_buf_fini(&socket->out);
    fl_free(socket);
}
