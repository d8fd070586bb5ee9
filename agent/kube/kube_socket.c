#include "agent/kube/kube_socket.h"

#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/kube/kube_upgrade.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/io/resolve.h"
#include "shared/tls/context.h"
#include "shared/tls/digest.h"
#include "shared/tls/random.h"
#include "shared/tls/websocket_key.h"
#include "shared/wire/http_body.h"

enum {
    OPEN_MS = 15000,
    PING_MS = 20000,
    SILENCE_MS = 150000,       /* a host that lives acknowledges a ping at once */
    IN_BYTES = 16 << 10,       /* a record of TLS */
    SLACK_BYTES = 4 << 10,     /* above the room: words that cannot wait */
    REQUEST_BYTES = 320 << 10, /* the longest command, escaped, and a token */
    FRAME_BYTES_MAX = FL_WS_HEADER_BYTES_MAX + 16,
};

enum state {
    SOCKET_RESOLVING,
    SOCKET_CONNECTING,
    SOCKET_SECURING, /* TLS */
    SOCKET_ASKING,
    SOCKET_WAITING, /* for the answer's head */
    SOCKET_REFUSED, /* reads the server's words */
    SOCKET_OPEN,
    SOCKET_OVER,
};

struct kube_socket {
    struct fl_loop *loop;
    struct kube_socket_port port;
    struct fl_arena arena; /* holds the strings */
    const char *server, *host, *protocol, *since;
    char accept[FL_WEBSOCKET_ACCEPT_MAX];
    enum state state;
    struct fl_resolver *resolver;
    struct fl_net_addresses found;
    size_t address_at; /* the next to try */
    int fd;            /* -1: none */
    SSL_CTX *tls;
    SSL *ssl;
    struct fl_watch watch;
    struct fl_timer timer; /* until it is open; then the next ping */
    struct fl_after work;
    unsigned read_wants, write_wants; /* the last call waits for these; 0: it does not */
    struct fl_buf answer;             /* the head, and a refusal's body */
    struct kube_upgrade_head head;
    struct fl_ws_reader reader;
    uint8_t in[IN_BYTES], *in_at;
    size_t in_len;
    struct fl_buf out;
    size_t out_at;
    bool has_pinged; /* at the last time, and nothing was held up then */
    struct fl_err why;
};

static size_t waiting(const struct kube_socket *socket)
{
    return socket->out.len - socket->out_at;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void close_fd(struct kube_socket *socket)
{
    SSL_free(socket->ssl);
    socket->ssl = NULL;
    if (socket->fd < 0) return;
    fl_watch_off(&socket->watch);
    close(socket->fd);
    socket->fd = -1;
}

static void end(struct kube_socket *socket)
{
    close_fd(socket);
    fl_timer_off(&socket->timer);
    socket->state = SOCKET_OVER;
    fl_after_put(&socket->work);
}

static void fail(struct kube_socket *socket, const struct fl_err *err)
{
    socket->why = *err;
    end(socket);
}

static void cut(struct kube_socket *socket)
{
    fl_fail(&socket->why, FL_UNAVAILABLE, "the connection to the API server was cut");
    end(socket);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* 0: not now, *ret_wants says for what to wait; -1: the end, or it is broken. */
static int waits_for(struct kube_socket *socket, int result, unsigned *ret_wants)
{
    switch (SSL_get_error(socket->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        *ret_wants = FL_WATCH_READ;
        return 0;
    case SSL_ERROR_WANT_WRITE:
        *ret_wants = FL_WATCH_WRITE;
        return 0;
    default:
        return -1;
    }
}

static int read_some(struct kube_socket *socket, void *at, size_t bytes_max)
{
    int n = SSL_read(socket->ssl, at, (int)bytes_max);

    socket->read_wants = 0;
    return n > 0 ? n : waits_for(socket, n, &socket->read_wants);
}

/* False: it is broken. */
static bool write_out(struct kube_socket *socket)
{
    socket->write_wants = 0;
    while (waiting(socket) > 0) {
        int n = SSL_write(socket->ssl, socket->out.at + socket->out_at, (int)waiting(socket));

        if (n <= 0) return waits_for(socket, n, &socket->write_wants) == 0;
        socket->out_at += (size_t)n;
    }
    fl_buf_clear(&socket->out);
    socket->out_at = 0;
    return true;
}

/* ---- opening: each step returns whether the next may begin ----------------------------------- */

static void on_ready(void *ctx, unsigned events);

/* The next address; without one 'err' is the end. */
static bool try_address(struct kube_socket *socket, struct fl_err *err)
{
    close_fd(socket);
    while (socket->address_at < socket->found.len) {
        const struct fl_net_address *address = &socket->found.at[socket->address_at++];

        if (!fl_net_connect(address, &socket->fd, err)) continue;
        fl_watch_init(&socket->watch, socket->loop, socket->fd, on_ready, socket);
        socket->write_wants = FL_WATCH_WRITE;
        socket->state = SOCKET_CONNECTING;
        return false;
    }
    fl_err_wrap(err, "the API server");
    fail(socket, err);
    return false;
}

static bool step_connecting(struct kube_socket *socket)
{
    struct fl_err err = {0};

    socket->write_wants = 0;
    if (!fl_net_connected(socket->fd, &err)) return try_address(socket, &err);
    socket->ssl = SSL_new(socket->tls);
    fl_assert(socket->ssl);
    if (SSL_set_fd(socket->ssl, socket->fd) != 1) {
        fl_tls_fail(socket->ssl, "the API server", &err);
    } else if (fl_tls_expect(socket->ssl, socket->host, &err)) {
        socket->state = SOCKET_SECURING;
        return true;
    }
    fail(socket, &err);
    return false;
}

static bool step_securing(struct kube_socket *socket)
{
    int result = SSL_connect(socket->ssl);
    struct fl_err err = {0};

    socket->read_wants = socket->write_wants = 0;
    if (result == 1) {
        socket->state = SOCKET_ASKING;
        return true;
    }
    if (waits_for(socket, result, &socket->read_wants) != 0) {
        fl_tls_fail(socket->ssl, "the API server", &err);
        fail(socket, &err);
    }
    return false;
}

static bool step_asking(struct kube_socket *socket)
{
    if (!write_out(socket)) {
        cut(socket);
        return false;
    }
    if (waiting(socket) > 0) return false;
    fl_secret_wipe(socket->out.at, socket->out.cap); /* a token was in it */
    fl_buf_fini(&socket->out);
    fl_buf_init(&socket->out, KUBE_SOCKET_OUT_BYTES_MAX + SLACK_BYTES);
    socket->state = SOCKET_WAITING;
    return true;
}

static void begin_frames(struct kube_socket *socket)
{
    size_t rest = socket->answer.len - socket->head.head_bytes;

    fl_assert(rest <= sizeof socket->in); /* the last read had so many at most */
    memcpy(socket->in, socket->answer.at + socket->head.head_bytes, rest);
    socket->in_at = socket->in;
    socket->in_len = rest;
    fl_buf_fini(&socket->answer);
    fl_timer_in(&socket->timer, PING_MS);
    socket->state = SOCKET_OPEN;
}

static bool read_head(struct kube_socket *socket)
{
    struct kube_upgrade_proof proof = {socket->accept, socket->protocol, socket->since};
    struct fl_str bytes = {(const char *)socket->answer.at, socket->answer.len};
    struct fl_err err = {0};

    switch (kube_upgrade_read(bytes, &proof, &socket->head, &err)) {
    case KUBE_UPGRADE_MORE:
        return false;
    case KUBE_UPGRADE_OPEN:
        begin_frames(socket);
        return true;
    case KUBE_UPGRADE_REFUSED:
        socket->state = SOCKET_REFUSED;
        return true;
    case KUBE_UPGRADE_BAD:
        break;
    }
    fail(socket, &err);
    return false;
}

static bool step_waiting(struct kube_socket *socket)
{
    uint8_t bytes[IN_BYTES];

    for (;;) {
        int n = read_some(socket, bytes, sizeof bytes);

        if (n == 0) return false;
        if (n < 0) {
            cut(socket);
            return false;
        }
        fl_buf_put(&socket->answer, bytes, (size_t)n); /* has room: a head is bounded */
        if (read_head(socket)) return true;
        if (socket->state != SOCKET_WAITING) return false;
    }
}

/* The body as far as it came.  True: it is whole. */
static bool read_body(const struct kube_socket *socket, struct fl_buf *ret_body)
{
    struct fl_http_head head = {.is_chunked = socket->head.is_chunked,
                                .content_bytes = socket->head.has_length ? socket->head.body_bytes
                                                                         : KUBE_STATUS_BYTES_MAX};
    struct fl_str bytes = {(const char *)socket->answer.at + socket->head.head_bytes,
                           socket->answer.len - socket->head.head_bytes};
    struct fl_http_refusal refusal;
    struct fl_http_body body;
    struct fl_str piece;

    fl_http_body_init(&body, &head, KUBE_STATUS_BYTES_MAX);
    for (;;) {
        switch (fl_http_body_next(&body, &bytes, &piece, &refusal)) {
        case FL_HTTP_BODY_PIECE:
            fl_buf_put(ret_body, piece.at, piece.len);
            break;
        case FL_HTTP_BODY_MORE:
            return false;
        case FL_HTTP_BODY_END:
        case FL_HTTP_BODY_BAD:
            return true;
        }
    }
}

/* A kubelet of an old server refuses a protocol that it does not know without saying so. */
static void refuse(struct kube_socket *socket, const struct fl_buf *body)
{
    struct kube_failure failure;

    kube_status_read(socket->head.status, (struct fl_str){(const char *)body->at, body->len},
                     &failure);
    if (socket->head.status == 400 && !failure.reason[0]) {
        fl_fail(&failure.err, FL_UNSUPPORTED, "%s; this needs Kubernetes %s or newer",
                failure.err.text, socket->since);
    }
    fail(socket, &failure.err);
}

static bool step_refused(struct kube_socket *socket)
{
    bool is_whole;

    do {
        uint8_t bytes[1024];
        struct fl_buf body;
        int n;

        fl_buf_init(&body, KUBE_STATUS_BYTES_MAX);
        is_whole = read_body(socket, &body);
        n = is_whole ? -1 : read_some(socket, bytes, sizeof bytes);
        if (n < 0 || (n > 0 && !fl_buf_put(&socket->answer, bytes, (size_t)n))) {
            refuse(socket, &body);
            is_whole = true;
        }
        fl_buf_fini(&body);
        if (n == 0) break;
    } while (!is_whole);
    return false;
}

static bool step(struct kube_socket *socket)
{
    switch (socket->state) {
    case SOCKET_CONNECTING:
        return step_connecting(socket);
    case SOCKET_SECURING:
        return step_securing(socket);
    case SOCKET_ASKING:
        return step_asking(socket);
    case SOCKET_WAITING:
        return step_waiting(socket);
    case SOCKET_REFUSED:
        return step_refused(socket);
    case SOCKET_OPEN:
        if (!write_out(socket)) cut(socket);
        return false;
    case SOCKET_RESOLVING:
    case SOCKET_OVER:
        break;
    }
    return false;
}

static void arm(struct kube_socket *socket)
{
    if (socket->fd >= 0) fl_watch_set(&socket->watch, socket->read_wants | socket->write_wants);
}

static void go_on(struct kube_socket *socket)
{
    while (step(socket)) {
    }
    arm(socket);
}

static void on_ready(void *ctx, unsigned events)
{
    struct kube_socket *socket = ctx;

    (void)events;
    socket->read_wants = 0; /* a reader asks again */
    go_on(socket);
    if (socket->state == SOCKET_OPEN) socket->port.changed(socket->port.ctx);
}

/* Behind the call that caused it. */
static void on_work(void *ctx)
{
    struct kube_socket *socket = ctx;
    size_t before = waiting(socket);

    go_on(socket);
    if (socket->state == SOCKET_OVER || waiting(socket) < before) {
        socket->port.changed(socket->port.ctx);
    }
}

static void on_found(void *ctx, const struct fl_net_addresses *found, const struct fl_err *err)
{
    struct kube_socket *socket = ctx;
    struct fl_err why = {0};

    if (!found) {
        why = *err;
        fl_err_wrap(&why, "the API server");
        fail(socket, &why);
        return;
    }
    socket->found = *found;
    (void)try_address(socket, &why);
    arm(socket);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void put_frame(struct kube_socket *socket, enum fl_ws_opcode opcode, struct fl_str first,
                      struct fl_str rest)
{
    uint8_t mask[4], header[FL_WS_HEADER_BYTES_MAX], *at;
    size_t len = first.len + rest.len, header_len;

    if (socket->out_at > 0) {
        memmove(socket->out.at, socket->out.at + socket->out_at, waiting(socket));
        fl_buf_truncate(&socket->out, waiting(socket));
        socket->out_at = 0;
    }
    fl_random(mask, sizeof mask);
    header_len = fl_ws_header(opcode, len, mask, header);
    at = fl_buf_room(&socket->out, header_len + len);
    if (!at) { /* only of small words without end */
        cut(socket);
        return;
    }
    memcpy(at, header, header_len);
    if (first.len > 0) memcpy(at + header_len, first.at, first.len);
    if (rest.len > 0) memcpy(at + header_len + first.len, rest.at, rest.len);
    fl_ws_mask(mask, 0, at + header_len, len);
    fl_after_put(&socket->work);
}

void kube_socket_put(struct kube_socket *socket, struct fl_str first, struct fl_str rest)
{
    if (socket->state == SOCKET_OPEN) put_frame(socket, FL_WS_BINARY, first, rest);
}

bool kube_socket_is_open(const struct kube_socket *socket)
{
    return socket->state == SOCKET_OPEN;
}

size_t kube_socket_room(struct kube_socket *socket)
{
    size_t taken = waiting(socket) + FRAME_BYTES_MAX;

    if (socket->state != SOCKET_OPEN || taken >= KUBE_SOCKET_OUT_BYTES_MAX) return 0;
    return KUBE_SOCKET_OUT_BYTES_MAX - taken;
}

static void take_close(struct kube_socket *socket, struct fl_str bytes)
{
    socket->why = (struct fl_err){0};
    if (bytes.len > 2) memcpy(socket->why.text, bytes.at + 2, bytes.len - 2);
    put_frame(socket, FL_WS_CLOSE, (struct fl_str){0},
              (struct fl_str){bytes.at, bytes.len < 2 ? 0 : 2});
    FL_IGNORE(write_out(socket)); /* it is over either way */
    end(socket);
}

/* Bytes into 'in'.  False: there are none now, or it is over. */
static bool fill(struct kube_socket *socket)
{
    int n = read_some(socket, socket->in, sizeof socket->in);

    if (n < 0) cut(socket);
    if (n <= 0) return false;
    socket->in_at = socket->in;
    socket->in_len = (size_t)n;
    return true;
}

/* True: the piece is the caller's. */
static bool take_piece(struct kube_socket *socket, const struct fl_ws_piece *piece)
{
    if (piece->opcode == FL_WS_BINARY) return true;
    if (piece->opcode == FL_WS_PING) {
        put_frame(socket, FL_WS_PONG, (struct fl_str){0}, piece->bytes);
    } else if (piece->opcode == FL_WS_CLOSE) {
        take_close(socket, piece->bytes);
    }
    return false;
}

enum kube_socket_word kube_socket_read(struct kube_socket *socket, struct fl_ws_piece *ret_piece)
{
    struct fl_err err = {0};

    while (socket->state == SOCKET_OPEN) {
        switch (fl_ws_next(&socket->reader, &socket->in_at, &socket->in_len, ret_piece, &err)) {
        case FL_WS_READY:
            if (take_piece(socket, ret_piece)) return KUBE_SOCKET_PIECE;
            break;
        case FL_WS_MORE:
            if (fill(socket) || socket->state != SOCKET_OPEN) break;
            arm(socket);
            return KUBE_SOCKET_NOTHING;
        case FL_WS_BAD:
            fl_err_wrap(&err, "the API server breaks a rule of WebSocket");
            fail(socket, &err);
        }
    }
    return socket->state == SOCKET_OVER ? KUBE_SOCKET_OVER : KUBE_SOCKET_NOTHING;
}

const struct fl_err *kube_socket_why(const struct kube_socket *socket)
{
    return &socket->why;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* A kubelet that has closed while its last bytes are on the way answers anything that comes by a
 * reset, and those bytes are lost.  So a ping goes out only when all that came was read. */
static void keep(struct kube_socket *socket)
{
    bool is_drained = socket->read_wants != 0 && waiting(socket) == 0;

    if (is_drained && socket->has_pinged && fl_net_silence_ms(socket->fd) > SILENCE_MS) {
        fl_fail(&socket->why, FL_UNAVAILABLE, "the API server's host does not answer any more");
        end(socket);
        return;
    }
    socket->has_pinged = is_drained;
    if (is_drained) put_frame(socket, FL_WS_PING, (struct fl_str){0}, (struct fl_str){0});
    fl_timer_in(&socket->timer, PING_MS);
}

static void on_time(void *ctx)
{
    struct kube_socket *socket = ctx;
    struct fl_buf body;

    if (socket->state == SOCKET_OPEN) {
        keep(socket);
    } else if (socket->state == SOCKET_REFUSED) {
        fl_buf_init(&body, 1);
        refuse(socket, &body);
    } else {
        fl_fail(&socket->why, FL_UNAVAILABLE, "the API server did not answer within %d s",
                OPEN_MS / 1000);
        end(socket);
    }
}

static bool take_terms(struct kube_socket *socket, const struct kube_client_terms *terms,
                       const struct kube_socket_request *request, struct fl_err *err)
{
    const char *place = kube_upgrade_place(terms->server, &socket->arena);
    char host[FL_NET_HOST_MAX], key[FL_WEBSOCKET_KEY_MAX];
    struct kube_upgrade upgrade = {terms->server, request->path, key, request->protocol,
                                   terms->token};
    uint16_t port;

    socket->tls = terms->tls;
    socket->protocol = fl_arena_printf(&socket->arena, "%s", request->protocol);
    socket->since = fl_arena_printf(&socket->arena, "%s", request->since);
    if (!fl_net_split(fl_str_c(place), host, &port, err)) {
        return fl_err_wrap(err, "the server of the kubeconfig");
    }
    socket->host = fl_arena_printf(&socket->arena, "%s",
                                   terms->server_name.len > 0 ? terms->server_name.at : host);
    fl_websocket_key(key);
    if (!fl_websocket_accept(fl_str_c(key), socket->accept)) fl_unreachable("our own key is good");
    if (!kube_upgrade_write(&upgrade, &socket->out)) {
        return fl_fail(err, FL_TOO_LARGE, "the command is too long for a request");
    }
    fl_resolver_ask(socket->resolver, fl_str_c(place));
    return true;
}

bool kube_socket_open(struct kube_client *client, const struct kube_socket_request *request,
                      const struct kube_socket_port *port, struct kube_socket **ret_socket,
                      struct fl_err *err)
{
    struct kube_client_terms terms;
    struct kube_socket *socket;

    if (!kube_client_terms(client, &terms, err)) return false;
    socket = fl_new(struct kube_socket);
    socket->loop = kube_client_loop(client);
    socket->port = *port;
    socket->fd = -1;
    socket->in_at = socket->in;
    fl_buf_init(&socket->answer, KUBE_UPGRADE_HEAD_BYTES_MAX + IN_BYTES + KUBE_STATUS_BYTES_MAX);
    fl_buf_init(&socket->out, REQUEST_BYTES);
    fl_after_init(&socket->work, socket->loop, on_work, socket);
    fl_timer_init(&socket->timer, socket->loop, on_time, socket);
    fl_timer_in(&socket->timer, OPEN_MS);
    socket->resolver = fl_resolver_create(socket->loop, OPEN_MS, on_found, socket);
    if (!take_terms(socket, &terms, request, err)) {
        kube_socket_destroy(socket);
        return false;
    }
    *ret_socket = socket;
    return true;
}

void kube_socket_destroy(struct kube_socket *socket)
{
    if (!socket) return;
    close_fd(socket);
    fl_resolver_destroy(socket->resolver);
    fl_timer_off(&socket->timer);
    fl_after_off(&socket->work);
    SSL_CTX_free(socket->tls);
    if (socket->out.at) fl_secret_wipe(socket->out.at, socket->out.cap);
    fl_buf_fini(&socket->out);
    fl_buf_fini(&socket->answer);
    fl_arena_fini(&socket->arena);
    fl_free(socket);
}
