#include "agent/tunnel/https.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/io/resolve.h"
#include "shared/tls/context.h"

enum { LOOK_MS = 100, RESOLVE_MS = 15000, HEAD_BYTES_MAX = 16 << 10 };

/* One connection; its bytes go through 'ssl' when there is one. */
struct wire {
    const struct agent_https *https;
    int fd;
    SSL *ssl;
    struct fl_buf in;
};

/* ---- waiting ----------------------------------------------------------------------------------- */

/* How long to wait before the next look; 0: it is over. */
static fl_ms next_look(const struct agent_https *https, fl_ms deadline, struct fl_err *err)
{
    fl_ms left = deadline - fl_clock_mono();

    if (left <= 0) {
        fl_fail(err, FL_UNAVAILABLE, "%s does not answer", https->host);
        return 0;
    }
    if (https->should_stop && https->should_stop(https->ctx)) {
        fl_fail(err, FL_UNAVAILABLE, "stopped");
        return 0;
    }
    return left < LOOK_MS ? left : LOOK_MS;
}

/* Until the socket is ready. */
static bool await_until(const struct wire *wire, short events, fl_ms deadline, struct fl_err *err)
{
    fl_ms look_ms;

    while ((look_ms = next_look(wire->https, deadline, err))) {
        struct pollfd polled = {.fd = wire->fd, .events = events};

        if (poll(&polled, 1, (int)look_ms) > 0) return true;
    }
    return false;
}

static bool await(const struct wire *wire, short events, struct fl_err *err)
{
    return await_until(wire, events, wire->https->deadline, err);
}

/* What to wait for before the same call again; 0: it failed. */
static short wanted(const struct wire *wire, int result)
{
    if (!wire->ssl) return 0;
    switch (SSL_get_error(wire->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return POLLIN;
    case SSL_ERROR_WANT_WRITE:
        return POLLOUT;
    default:
        return 0;
    }
}

static bool write_all(const struct wire *wire, struct fl_str bytes, struct fl_err *err)
{
    while (bytes.len) {
        int len = bytes.len < 16384 ? (int)bytes.len : 16384;
        ssize_t wrote = wire->ssl ? SSL_write(wire->ssl, bytes.at, len)
                                  : send(wire->fd, bytes.at, (size_t)len, MSG_NOSIGNAL);
        short events;

        if (wrote > 0) {
            bytes.at += wrote;
            bytes.len -= (size_t)wrote;
            continue;
        }
        events = wire->ssl                           ? wanted(wire, (int)wrote)
                 : errno == EAGAIN || errno == EINTR ? POLLOUT
                                                     : 0;
        if (!events) return fl_fail(err, FL_UNAVAILABLE, "the connection broke");
        if (!await(wire, events, err)) return false;
    }
    return true;
}

/* More of what comes, behind wire->in.  *ret_is_end: there is no more. */
static bool read_some(struct wire *wire, bool *ret_is_end, struct fl_err *err)
{
    char piece[4096];

    *ret_is_end = false;
    for (;;) {
        ssize_t got = wire->ssl ? SSL_read(wire->ssl, piece, sizeof piece)
                                : recv(wire->fd, piece, sizeof piece, 0);
        short events;

        if (got > 0) {
            if (fl_buf_put(&wire->in, piece, (size_t)got)) return true;
            return fl_fail(err, FL_UNAVAILABLE, "the answer is too long");
        }
        events = wire->ssl                                        ? wanted(wire, (int)got)
                 : got < 0 && (errno == EAGAIN || errno == EINTR) ? POLLIN
                                                                  : 0;
        if (!events) {
            *ret_is_end = true;
            return true;
        }
        if (!await(wire, events, err)) return false;
    }
}

/* ---- reading an answer ------------------------------------------------------------------------- */

/* Of the head at the front of wire->in; 0: it is not whole yet. */
static size_t head_bytes(const struct wire *wire)
{
    const char *end = wire->in.len ? memmem(wire->in.at, wire->in.len, "\r\n\r\n", 4) : NULL;

    return end ? (size_t)(end - (const char *)wire->in.at) + 4 : 0;
}

static bool read_head(struct wire *wire, unsigned *ret_status, size_t *ret_bytes,
                      struct fl_err *err)
{
    bool is_end = false;
    const char *at;

    while (!(*ret_bytes = head_bytes(wire))) {
        if (is_end || wire->in.len > HEAD_BYTES_MAX)
            return fl_fail(err, FL_UNAVAILABLE, "what %s answers is no HTTP", wire->https->host);
        if (!read_some(wire, &is_end, err)) return false;
    }
    at = (const char *)wire->in.at;
    if (*ret_bytes < 16 || strncmp(at, "HTTP/1.", 7) != 0 || at[8] != ' ' ||
        strspn(at + 9, "0123456789") != 3) {
        return fl_fail(err, FL_UNAVAILABLE, "what %s answers is no HTTP", wire->https->host);
    }
    *ret_status = (unsigned)((at[9] - '0') * 100 + (at[10] - '0') * 10 + (at[11] - '0'));
    return true;
}

/* SIZE_MAX: it says none, the body goes to the end. */
static size_t content_length(const struct wire *wire, size_t head)
{
    const char *at = (const char *)wire->in.at;
    const char *end = at + head;

    while ((at = memchr(at, '\n', (size_t)(end - at))) && ++at < end) {
        static const char name[] = "content-length:";
        uint64_t length;
        struct fl_str digits;

        if ((size_t)(end - at) < sizeof name || strncasecmp(at, name, sizeof name - 1) != 0)
            continue;
        at += sizeof name - 1;
        at += strspn(at, " \t");
        digits = (struct fl_str){at, strspn(at, "0123456789")};
        return fl_str_parse_u64(digits, &length) && length <= AGENT_HTTPS_ANSWER_MAX
                   ? (size_t)length
                   : SIZE_MAX;
    }
    return SIZE_MAX;
}

static bool read_body(struct wire *wire, size_t head, struct fl_buf *body, struct fl_err *err)
{
    size_t length = content_length(wire, head);
    bool is_end = false;

    while (!is_end && wire->in.len - head < length) {
        if (!read_some(wire, &is_end, err)) return false;
    }
    if (length == SIZE_MAX) length = wire->in.len - head;
    if (wire->in.len - head < length) return fl_fail(err, FL_UNAVAILABLE, "the answer was cut off");
    return fl_buf_put(body, wire->in.at + head, length) ||
           fl_fail(err, FL_UNAVAILABLE, "the answer is too long");
}

/* ---- making the connection --------------------------------------------------------------------- */

struct agent_https_names {
    struct fl_loop *loop;
    struct fl_resolver *resolver;
    bool is_answered, is_found;
    struct fl_net_addresses found;
    struct fl_err err;
};

static void on_resolved(void *ctx, const struct fl_net_addresses *found, const struct fl_err *err)
{
    struct agent_https_names *names = ctx;

    names->is_answered = true;
    names->is_found = found != NULL;
    if (found) names->found = *found;
    names->err = *err;
}

struct agent_https_names *agent_https_names_create(void)
{
    struct agent_https_names *names = fl_new(struct agent_https_names);

    names->loop = fl_loop_create();
    names->resolver = fl_resolver_create(names->loop, RESOLVE_MS, on_resolved, names);
    return names;
}

void agent_https_names_destroy(struct agent_https_names *names)
{
    if (!names) return;
    fl_resolver_destroy(names->resolver);
    fl_loop_destroy(names->loop);
    fl_free(names);
}

static bool resolve(const struct agent_https *https, struct fl_str text, struct fl_err *err)
{
    struct agent_https_names *names = https->names;
    fl_ms look_ms = 1;

    names->is_answered = false;
    fl_loop_turn(names->loop, 0); /* its clock stood still since the last request */
    fl_resolver_ask(names->resolver, text);
    while (!names->is_answered && (look_ms = next_look(https, https->deadline, err)))
        fl_loop_turn(names->loop, look_ms);
    if (look_ms == 0) {
        fl_resolver_forget(names->resolver);
        return false;
    }
    if (!names->is_found && err) *err = names->err;
    return names->is_found;
}

static bool connect_one(struct wire *wire, const struct fl_net_address *address, fl_ms deadline,
                        struct fl_err *err)
{
    if (fl_net_connect(address, &wire->fd, err) && await_until(wire, POLLOUT, deadline, err) &&
        fl_net_connected(wire->fd, err)) {
        return true;
    }
    if (wire->fd >= 0) close(wire->fd);
    wire->fd = -1;
    return false;
}

/* An address that does not answer leaves the others their share of the time. */
static bool connect_to(struct wire *wire, const char *host, uint16_t port, struct fl_err *err)
{
    const struct agent_https *https = wire->https;
    const struct fl_net_addresses *found = &https->names->found;
    char text[FL_NET_HOST_MAX + 16];
    bool is_done;

    snprintf(text, sizeof text, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, port);
    is_done = resolve(https, fl_str_c(text), err);
    if (is_done) {
        is_done = false;
        for (size_t i = 0; i < found->len && !is_done; i++) {
            fl_ms now = fl_clock_mono();
            fl_ms share = (https->deadline - now) / (fl_ms)(found->len - i);

            is_done = connect_one(wire, &found->at[i], now + share, err);
        }
    }
    if (is_done) return true;
    err->code = FL_UNAVAILABLE;
    return fl_err_wrap(err, "%s", text);
}

static bool pass_proxy(struct wire *wire, struct fl_err *err)
{
    const struct agent_https *https = wire->https;
    char login[4 * AGENT_PROXY_LOGIN_MAX / 3 + 8] = "";
    char request[2 * FL_NET_HOST_MAX + sizeof login + 128];
    unsigned status = 0;
    size_t head;
    int len;

    if (https->proxy->login[0])
        EVP_EncodeBlock((unsigned char *)login, (const unsigned char *)https->proxy->login,
                        (int)strlen(https->proxy->login));
    len = snprintf(request, sizeof request, "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n%s%s%s\r\n",
                   https->host, https->port, https->host, https->port,
                   login[0] ? "Proxy-Authorization: Basic " : "", login, login[0] ? "\r\n" : "");
    if (!write_all(wire, (struct fl_str){request, (size_t)len}, err) ||
        !read_head(wire, &status, &head, err)) {
        return fl_err_wrap(err, "the proxy");
    }
    if (status / 100 != 2) return fl_fail(err, FL_UNAVAILABLE, "the proxy says %u", status);
    if (wire->in.len != head)
        return fl_fail(err, FL_UNAVAILABLE, "the proxy says more than it should");
    fl_buf_clear(&wire->in);
    return true;
}

static bool shake_hands(struct wire *wire, struct fl_err *err)
{
    SSL *ssl = SSL_new(wire->https->tls);

    if (!ssl || SSL_set_fd(ssl, wire->fd) != 1 ||
        !fl_tls_expect(ssl, wire->https->server_name, err)) {
        SSL_free(ssl);
        return err->text[0] ? false : fl_tls_fail(NULL, "TLS", err);
    }
    wire->ssl = ssl;
    for (;;) {
        int result = SSL_connect(ssl);
        short events;

        if (result == 1) return true;
        events = wanted(wire, result);
        if (!events) {
            fl_tls_fail(ssl, "TLS", err);
            if (SSL_get_verify_result(ssl) != X509_V_OK) err->code = FL_DENIED;
            if (err->code != FL_DENIED) err->code = FL_UNAVAILABLE;
            return false;
        }
        if (!await(wire, events, err)) return false;
    }
}

static bool exchange(struct wire *wire, const char *path, struct fl_str body, unsigned *ret_status,
                     struct fl_buf *ret_body, struct fl_err *err)
{
    const struct agent_https *https = wire->https;
    const struct agent_proxy *proxy = https->proxy;
    char head[2 * FL_NET_HOST_MAX + 256];
    size_t bytes;
    int len;

    if (!connect_to(wire, proxy->is_on ? proxy->host : https->host,
                    proxy->is_on ? proxy->port : https->port, err)) {
        return false;
    }
    if (proxy->is_on && !pass_proxy(wire, err)) return false;
    if (https->tls && !shake_hands(wire, err)) return false;
    len = snprintf(head, sizeof head,
                   "POST %s HTTP/1.1\r\nHost: %s:%u\r\nContent-Type: application/json\r\n"
                   "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                   path, https->host, https->port, body.len);
    return write_all(wire, (struct fl_str){head, (size_t)len}, err) && write_all(wire, body, err) &&
           read_head(wire, ret_status, &bytes, err) && read_body(wire, bytes, ret_body, err);
}

bool agent_https_post(const struct agent_https *https, const char *path, struct fl_str body,
                      unsigned *ret_status, struct fl_buf *ret_body, struct fl_err *err)
{
    struct wire wire = {.https = https, .fd = -1};
    struct fl_err why = {0};
    bool is_done;

    fl_buf_init(&wire.in, AGENT_HTTPS_ANSWER_MAX + HEAD_BYTES_MAX);
    is_done = exchange(&wire, path, body, ret_status, ret_body, &why);
    if (wire.ssl) SSL_shutdown(wire.ssl);
    SSL_free(wire.ssl);
    if (wire.fd >= 0) close(wire.fd);
    fl_buf_fini(&wire.in);
    if (!is_done && err) *err = why;
    return is_done;
}
