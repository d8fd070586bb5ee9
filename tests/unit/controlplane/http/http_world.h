/* http_world.h - a real server with a few routes, and clients that talk to it over real sockets.
 * One thread: a wait turns the server's loop.  Waiting is for a condition, and for at most
 * WORLD_WAIT_MS: no test depends on a duration.
 *
 *     GET  /ok            200 "ok"
 *     POST /echo          200 with the body, which has at most 1,000 bytes; else 405 with Allow
 *     POST /sum           200 with the length and the sum of the bytes of a body of at most 8 MiB
 *     GET  /later         200 "later", answered by a timer through its handle
 *     GET  /never         is not answered until world->release
 *     GET  /etag          304 when the peer has "e1"
 *     GET  /text/X?a=Y    200 with X and Y decoded, "X Y"
 *     GET  /stream/N      N bytes in chunks, as fast as they are taken
 *     GET  /mine/N        claims the connection for owner N: 200, or 429
 *     GET  /mine/N/K      the same, with a body of K KiB if those may wait; else 429
 *     GET  /follow        a stream that stays open and says nothing */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>

#include "controlplane/http/server.h"
#include "shared/base/alloc.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "tests/fl_test.h"
#include "tests/tls_pair.h"

enum {
    WORLD_WAIT_MS = 60000,
    WORLD_STREAMS_MAX = 16,
    WORLD_BODY_MAX = 1000,
    WORLD_SUM_MAX = 8 << 20
};

struct world;

struct world_stream {
    struct world *world;
    struct http_request *request; /* NULL: free */
    uint64_t left_bytes;
    bool is_follower;
};

struct world {
    struct fl_loop *loop;
    struct http_server *server;
    struct tls_pair tls;
    struct fl_net_address plain_at, tls_at;
    struct http_limits limits;
    struct fl_timer later;
    struct http_handle later_handle, never_handle;
    struct world_stream streams[WORLD_STREAMS_MAX];
    size_t gone, drained, refused_puts, ended;
    uint64_t put_bytes;
    bool ignores_drain;
    enum http_claim claim; /* the newest */
};

/* ---- the server's routes --------------------------------------------------------------------- */

static void world_say(struct http_request *request, unsigned status, struct fl_str body)
{
    static const struct fl_http_field headers[] = {{FL_STR("Content-Type"), FL_STR("text/plain")}};

    http_answer(request, status, headers, 1, body);
}

static void world_claim(struct world *world, struct http_request *request, uint64_t owner,
                        uint64_t kib)
{
    static const char kib_of_zeros[1024];
    struct fl_buf body;

    world->claim = http_claim(request, owner);
    if (world->claim != HTTP_CLAIMED || !http_may_answer(request, kib * 1024)) {
        world_say(request, 429, FL_STR("full"));
        return;
    }
    fl_buf_init(&body, SIZE_MAX);
    for (uint64_t i = 0; i < kib; i++) {
        assert_true(fl_buf_put(&body, kib_of_zeros, sizeof kib_of_zeros));
    }
    http_answer_adopt(request, 200, NULL, 0, &body);
    fl_buf_fini(&body);
}

static void world_on_gone(void *ctx, struct http_request *request)
{
    struct world_stream *stream = ctx;

    assert_ptr_equal(stream->request, request);
    stream->request = NULL;
    stream->world->gone++;
}

static void world_pour(struct world_stream *stream)
{
    static const char bytes[10000] = {'x'};

    while (stream->left_bytes > 0) {
        size_t len = stream->left_bytes < sizeof bytes ? stream->left_bytes : sizeof bytes;

        if (!http_stream_put(stream->request, (struct fl_str){bytes, len})) {
            stream->world->refused_puts++;
            return;
        }
        stream->left_bytes -= len;
        stream->world->put_bytes += len;
    }
    http_stream_end(stream->request);
    stream->request = NULL;
}

static void world_on_room(void *ctx, struct http_request *request)
{
    (void)request;
    world_pour(ctx);
}

static void world_on_drain(void *ctx, struct http_request *request)
{
    struct world_stream *stream = ctx;

    stream->world->drained++;
    if (stream->world->ignores_drain) return;
    stream->request = NULL;
    http_stream_end(request);
}

static const struct http_watcher world_watcher = {
    .on_gone = world_on_gone, .on_room = world_on_room, .on_drain = world_on_drain};

static void world_stream(struct world *world, struct http_request *request, uint64_t bytes,
                         bool is_follower)
{
    for (size_t i = 0; i < WORLD_STREAMS_MAX; i++) {
        struct world_stream *stream = &world->streams[i];

        if (stream->request) continue;
        *stream = (struct world_stream){world, request, bytes, is_follower};
        http_watch(request, &world_watcher, stream);
        http_stream_begin(request, 200, NULL, 0);
        if (!is_follower) world_pour(stream);
        return;
    }
    fail();
}

static void world_later(void *ctx)
{
    struct world *world = ctx;
    struct http_request *request = http_request_find(world->server, world->later_handle);

    if (request) world_say(request, 200, FL_STR("later"));
}

/* A token shows itself with the head where a body follows. */
static bool world_claims_with_head(struct world *world, struct http_request *request)
{
    struct http_path path;
    uint64_t owner;

    if (http_head(request)->method != FL_HTTP_POST || !http_path(request, &path) || path.len != 2 ||
        !fl_str_eq(path.at[0], FL_STR("mine")) || !fl_str_parse_u64(path.at[1], &owner)) {
        return false;
    }
    world->claim = http_claim(request, owner);
    assert_int_equal(world->claim, HTTP_CLAIMED);
    return true;
}

static uint64_t world_on_head(void *ctx, struct http_request *request)
{
    struct fl_str path = http_head(request)->path;
    enum fl_http_method method = http_head(request)->method;

    if (world_claims_with_head(ctx, request)) return WORLD_SUM_MAX;
    assert_int_equal(http_body(request).len, 0);
    if (fl_str_eq(path, FL_STR("/sum"))) return WORLD_SUM_MAX;
    if (fl_str_eq(path, FL_STR("/echo"))) {
        static const struct fl_http_field allow[] = {{FL_STR("Allow"), FL_STR("POST")}};

        if (method == FL_HTTP_POST) return WORLD_BODY_MAX;
        http_answer(request, 405, allow, 1, FL_STR("no"));
        return 0;
    }
    return 0;
}

static void world_text(struct http_request *request, struct fl_str raw)
{
    struct fl_str text;
    struct http_query query;
    struct fl_err err;
    char *said;

    if (!http_segment_text(request, raw, &text) || !http_query(request, &query, &err)) {
        world_say(request, 400, FL_STR("no text"));
        return;
    }
    said = fl_arena_printf(http_arena(request), FL_STR_FMT " " FL_STR_FMT, FL_STR_ARG(text),
                           FL_STR_ARG(query.len ? query.at[0].value : FL_STR("-")));
    world_say(request, 200, fl_str_c(said));
}

static void world_sum(struct http_request *request)
{
    struct fl_str body = http_body(request);
    uint64_t sum = 0;

    for (size_t i = 0; i < body.len; i++) {
        sum = sum * 31 + (uint8_t)body.at[i];
    }
    world_say(request, 200,
              fl_str_c(fl_arena_printf(http_arena(request), "%zu %" PRIu64, body.len, sum)));
}

static void world_on_request(void *ctx, struct http_request *request)
{
    static const struct fl_http_field etag[] = {{FL_STR("ETag"), FL_STR("\"e1\"")}};
    struct world *world = ctx;
    struct http_path path;
    uint64_t n, kib;

    if (!http_path(request, &path)) {
        world_say(request, 404, FL_STR("too deep"));
    } else if (fl_str_eq(path.at[0], FL_STR("ok"))) {
        world_say(request, 200, FL_STR("ok"));
    } else if (fl_str_eq(path.at[0], FL_STR("echo"))) {
        world_say(request, 200, http_body(request));
    } else if (fl_str_eq(path.at[0], FL_STR("sum")) || http_head(request)->method == FL_HTTP_POST) {
        world_sum(request);
    } else if (fl_str_eq(path.at[0], FL_STR("later"))) {
        world->later_handle = http_handle(request);
        fl_timer_in(&world->later, 1);
    } else if (fl_str_eq(path.at[0], FL_STR("never"))) {
        world->never_handle = http_handle(request);
    } else if (fl_str_eq(path.at[0], FL_STR("etag"))) {
        http_answer(request, http_has_etag(request, etag[0].value) ? 304 : 200, etag, 1,
                    FL_STR("tagged"));
    } else if (fl_str_eq(path.at[0], FL_STR("mine")) && path.len == 2 &&
               fl_str_parse_u64(path.at[1], &n)) {
        world_claim(world, request, n, 0);
    } else if (fl_str_eq(path.at[0], FL_STR("mine")) && path.len == 3 &&
               fl_str_parse_u64(path.at[1], &n) && fl_str_parse_u64(path.at[2], &kib)) {
        world_claim(world, request, n, kib);
    } else if (fl_str_eq(path.at[0], FL_STR("text")) && path.len == 2) {
        world_text(request, path.at[1]);
    } else if (fl_str_eq(path.at[0], FL_STR("stream")) && path.len == 2 &&
               fl_str_parse_u64(path.at[1], &n)) {
        world_stream(world, request, n, false);
    } else if (fl_str_eq(path.at[0], FL_STR("follow"))) {
        world_stream(world, request, 1, true);
    } else {
        world_say(request, 404, FL_STR("nothing"));
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void world_listen(struct world *world, SSL_CTX *tls, struct fl_net_address *ret_at)
{
    struct fl_net_address any;
    struct fl_err err = {0};
    int fd;

    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &any, &err));
    assert_true(fl_net_listen(&any, (struct fl_net_listen){.is_shared = true}, &fd, &err));
    assert_true(fl_net_local(fd, ret_at, &err));
    assert_true(http_server_listen(world->server, fd, tls, &err));
}

/* 'limits' NULL: the defaults. */
static inline struct world *world_create(const struct http_limits *limits)
{
    struct world *world = fl_new(struct world);
    struct http_port port = {world, world_on_head, world_on_request};
    struct fl_err err = {0};

    signal(SIGPIPE, SIG_IGN);
    world->limits = limits ? *limits : http_limits_default();
    world->loop = fl_loop_create();
    world->tls = tls_pair_create();
    fl_timer_init(&world->later, world->loop, world_later, world);
    world->server = http_server_create(world->loop, &world->limits, port, &err);
    assert_non_null(world->server);
    world_listen(world, NULL, &world->plain_at);
    world_listen(world, world->tls.server, &world->tls_at);
    return world;
}

static inline void world_destroy(struct world *world)
{
    fl_timer_off(&world->later);
    http_server_destroy(world->server);
    fl_loop_destroy(world->loop);
    tls_pair_destroy(&world->tls);
    fl_free(world);
}

/* Turns until 'condition' holds; a test that waits in vain fails. */
#define world_until(world, condition)                                                              \
    do {                                                                                           \
        fl_ms world_end_ = fl_clock_mono() + WORLD_WAIT_MS;                                        \
        while (!(condition)) {                                                                     \
            if (fl_clock_mono() > world_end_) fail_msg("in vain: %s", #condition);                 \
            fl_loop_turn((world)->loop, 1);                                                        \
        }                                                                                          \
    } while (0)

/* ---- a client -------------------------------------------------------------------------------- */

struct client {
    struct world *world;
    int fd;
    SSL *ssl;
    struct fl_buf in;
    bool has_ended; /* the server has closed, or the connection broke */
};

/* Reads what is there, at most bytes_max. */
static inline void client_read(struct client *client, size_t bytes_max)
{
    static char bytes[65536];
    size_t room = bytes_max < sizeof bytes ? bytes_max : sizeof bytes;
    ssize_t n;

    if (client->has_ended) return;
    if (client->ssl) {
        int result = SSL_read(client->ssl, bytes, (int)room);
        int why = result > 0 ? SSL_ERROR_NONE : SSL_get_error(client->ssl, result);

        n = result;
        if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return;
    } else {
        n = recv(client->fd, bytes, room, 0);
        if (n < 0 && errno == EAGAIN) return;
    }
    if (n <= 0) {
        client->has_ended = true;
        return;
    }
    assert_true(fl_buf_put(&client->in, bytes, (size_t)n));
}

static inline struct client *client_open(struct world *world, bool is_tls)
{
    struct client *client = fl_new(struct client);
    struct fl_err err = {0};
    int small = 65536;

    client->world = world;
    fl_buf_init(&client->in, 64 << 20);
    assert_true(fl_net_connect(is_tls ? &world->tls_at : &world->plain_at, &client->fd, &err));
    world_until(world, poll(&(struct pollfd){client->fd, POLLOUT, 0}, 1, 0) == 1);
    setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    if (is_tls) {
        client->ssl = SSL_new(world->tls.client);
        assert_non_null(client->ssl);
        assert_int_equal(SSL_set_fd(client->ssl, client->fd), 1);
        world_until(world, SSL_connect(client->ssl) == 1);
    }
    return client;
}

static inline void client_close(struct client *client)
{
    SSL_free(client->ssl);
    close(client->fd);
    fl_buf_fini(&client->in);
    fl_free(client);
}

/* All of it, or as much as is taken before the server closes. */
static inline void client_send(struct client *client, struct fl_str bytes)
{
    fl_ms end = fl_clock_mono() + WORLD_WAIT_MS;

    while (bytes.len && !client->has_ended) {
        ssize_t n = client->ssl ? SSL_write(client->ssl, bytes.at, (int)bytes.len)
                                : send(client->fd, bytes.at, bytes.len, MSG_NOSIGNAL);

        if (n > 0) {
            bytes.at += n;
            bytes.len -= (size_t)n;
            continue;
        }
        if (client->ssl) {
            int why = SSL_get_error(client->ssl, (int)n);

            if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return;
        } else if (errno != EAGAIN) {
            return;
        }
        assert_true(fl_clock_mono() < end);
        fl_loop_turn(client->world->loop, 1);
    }
}

/* ---- the client's input ---------------------------------------------------------------------- */

struct answer {
    unsigned status;
    struct fl_str head, body; /* a chunked body as it came */
};

/* The answer at *pos, if it is whole; 'is_head' when its body is not sent. */
static inline bool client_answer(const struct client *client, size_t *pos, bool is_head,
                                 struct answer *ret_answer)
{
    const char *from = (const char *)client->in.at + *pos;
    size_t len = client->in.len - *pos, body_len = 0;
    const char *end = len ? memmem(from, len, "\r\n\r\n", 4) : NULL, *found;
    struct answer answer = {0};

    if (!end) return false;
    answer.head = (struct fl_str){from, (size_t)(end - from) + 4};
    assert_true(answer.head.len > 12 && memcmp(from, "HTTP/1.1 ", 9) == 0);
    answer.status = (unsigned)strtoul(from + 9, NULL, 10);
    found = memmem(from, answer.head.len, "\r\nContent-Length: ", 18);
    if (!is_head && found) body_len = strtoul(found + 18, NULL, 10);
    if (!is_head && memmem(from, answer.head.len, "\r\nTransfer-Encoding: chunked\r\n", 30)) {
        found = memmem(end + 4, len - answer.head.len, "0\r\n\r\n", 5);
        if (!found) return false;
        body_len = (size_t)(found + 5 - (end + 4));
    }
    if (len - answer.head.len < body_len) return false;
    answer.body = (struct fl_str){end + 4, body_len};
    *pos += answer.head.len + body_len;
    *ret_answer = answer;
    return true;
}

/* "100 200 close": the statuses that came, and whether the server has closed. */
static inline const char *client_outcome(const struct client *client)
{
    static char text[256];
    size_t pos = 0, len = 0;
    struct answer answer;

    text[0] = 0;
    while (len < 200 && client_answer(client, &pos, false, &answer)) {
        len +=
            (size_t)snprintf(text + len, sizeof text - len, "%s%u", len ? " " : "", answer.status);
    }
    if (client->has_ended) {
        snprintf(text + len, sizeof text - len, "%sclose", len ? " " : "");
    }
    return text;
}

static inline bool client_has(struct client *client, const char *text)
{
    client_read(client, SIZE_MAX);
    return client->in.len && memmem(client->in.at, client->in.len, text, strlen(text));
}

/* Reads, and says whether 'text' is the last that came. */
static inline bool client_ends_with(struct client *client, const char *text)
{
    size_t len = strlen(text);

    client_read(client, SIZE_MAX);
    return client->in.len >= len && memcmp(client->in.at + client->in.len - len, text, len) == 0;
}

/* Waits until the outcome is 'want'; fails once it can no longer become that. */
static inline void client_expect(struct client *client, const char *want, const char *what)
{
    fl_ms end = fl_clock_mono() + WORLD_WAIT_MS;

    for (;;) {
        const char *outcome;

        client_read(client, SIZE_MAX);
        outcome = client_outcome(client);
        if (strcmp(outcome, want) == 0) return;
        if (client->has_ended || strlen(outcome) > strlen(want) || fl_clock_mono() > end) {
            fail_msg("%s, not %s: %s", outcome, want, what);
        }
        fl_loop_turn(client->world->loop, 1);
    }
}

/* One more request on a connection whose outcome is 'before': it is alive, and said nothing
 * else. */
static inline void client_expect_alive(struct client *client, const char *before)
{
    char want[128];

    snprintf(want, sizeof want, "%s%s200", before, before[0] ? " " : "");
    client_send(client, FL_STR("GET /ok HTTP/1.1\r\nHost: a\r\n\r\n"));
    client_expect(client, want, "alive");
}
