/* HTTP/2 by choice, and servers that break its rules. */
#include <stdlib.h>

#include <openssl/ssl.h>

#include "tests/unit/shared/http_client/http_trial.h"

enum {
    DATA = 0,
    HEADERS = 1,
    RST_STREAM = 3,
    SETTINGS = 4,
    PUSH_PROMISE = 5,
    PING = 6,
    GOAWAY = 7,
    WINDOW_UPDATE = 8,
    CONTINUATION = 9
};
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, CALLS = 100 };

#define STATUS_200 "\x88" /* HPACK: the static table's ':status: 200' */

static int choose_h2(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                     const unsigned char *in, unsigned in_len, void *ctx)
{
    (void)ssl, (void)ctx;
    return SSL_select_next_proto((unsigned char **)(uintptr_t)out, out_len,
                                 (const unsigned char *)"\x02h2", 3, in,
                                 in_len) == OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_NOACK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

struct frame {
    uint32_t len;
    uint8_t type, flags;
    uint32_t stream;
};

static bool put_head(struct hostile_server *server, uint32_t len, uint8_t type, uint8_t flags,
                     uint32_t stream)
{
    const uint8_t head[9] = {(uint8_t)(len >> 16),
                             (uint8_t)(len >> 8),
                             (uint8_t)len,
                             type,
                             flags,
                             (uint8_t)(stream >> 24),
                             (uint8_t)(stream >> 16),
                             (uint8_t)(stream >> 8),
                             (uint8_t)stream};

    return hostile_write(server, head, sizeof head);
}

static bool put(struct hostile_server *server, uint8_t type, uint8_t flags, uint32_t stream,
                const char *bytes, size_t len)
{
    return put_head(server, (uint32_t)len, type, flags, stream) &&
           (len == 0 || hostile_write(server, bytes, len));
}

static bool get(struct hostile_server *server, struct frame *ret)
{
    uint8_t head[9];
    static char payload[1 << 16];

    if (!hostile_read(server, head, sizeof head)) return false;
    ret->len = (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
    ret->type = head[3];
    ret->flags = head[4];
    ret->stream =
        ((uint32_t)head[5] << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 8 | head[8]) &
        0x7fffffff;
    return ret->len <= sizeof payload && hostile_read(server, payload, ret->len);
}

/* The preface and SETTINGS of both sides. */
static bool begin(struct hostile_server *server)
{
    char preface[24];

    return hostile_read(server, preface, sizeof preface) &&
           memcmp(preface, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24) == 0 &&
           put(server, SETTINGS, 0, 0, NULL, 0);
}

/* The next stream that is asked for; 0: the peer is gone. */
static uint32_t next_request(struct hostile_server *server)
{
    struct frame frame;

    while (get(server, &frame)) {
        if (frame.type == SETTINGS && !(frame.flags & ACK)) put(server, SETTINGS, ACK, 0, NULL, 0);
        if (frame.type == HEADERS) {
            atomic_fetch_add(&server->requests, 1);
            return frame.stream;
        }
    }
    return 0;
}

/* ---- servers --------------------------------------------------------------------------------- */

static void serve_all(struct hostile_server *server)
{
    uint32_t stream;

    if (!begin(server)) return;
    while ((stream = next_request(server))) {
        put(server, HEADERS, END_HEADERS, stream, STATUS_200, 1);
        put(server, DATA, END_STREAM, stream, "hello", 5);
    }
}

static void reset_stream(struct hostile_server *server, uint32_t stream)
{
    put(server, HEADERS, END_HEADERS, stream, STATUS_200, 1);
    put(server, RST_STREAM, 0, stream, "\0\0\0\2", 4);
}

static void reset_first(struct hostile_server *server, uint32_t stream)
{
    put(server, RST_STREAM, 0, stream, "\0\0\0\2", 4);
}

static void go_away(struct hostile_server *server, uint32_t stream)
{
    (void)stream;
    put(server, GOAWAY, 0, 0, "\0\0\0\0\0\0\0\2", 8);
}

static void send_garbage(struct hostile_server *server, uint32_t stream)
{
    (void)stream;
    hostile_say(server,
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi, this is not HTTP/2 at all");
}

static void send_large_frame(struct hostile_server *server, uint32_t stream)
{
    put_head(server, 0xffffff, DATA, 0, stream);
}

static void send_data_first(struct hostile_server *server, uint32_t stream)
{
    put(server, DATA, END_STREAM, stream, "hello", 5);
}

static void send_on_no_stream(struct hostile_server *server, uint32_t stream)
{
    put(server, HEADERS, END_HEADERS | END_STREAM, stream + 40, STATUS_200, 1);
}

static void push(struct hostile_server *server, uint32_t stream)
{
    put(server, PUSH_PROMISE, END_HEADERS, stream, "\0\0\0\2\x82\x84\x87", 7);
}

static void send_bad_hpack(struct hostile_server *server, uint32_t stream)
{
    put(server, HEADERS, END_HEADERS, stream, "\xff\xff\xff\xff\xff\xff", 6);
}

static void send_wrong_length(struct hostile_server *server, uint32_t stream)
{
    /* :status 200; content-length (static 28): "9"; then five bytes. */
    put(server, HEADERS, END_HEADERS, stream,
        STATUS_200 "\x0f\x0d\x01"
                   "9",
        5);
    put(server, DATA, END_STREAM, stream, "hello", 5);
}

static void cut(struct hostile_server *server, uint32_t stream)
{
    put(server, HEADERS, END_HEADERS, stream, STATUS_200, 1);
    put(server, DATA, 0, stream, "hel", 3);
    hostile_pause(server, 50); /* RST throws away what the peer has not read yet */
    hostile_reset(server);
}

static void stall(struct hostile_server *server, uint32_t stream)
{
    put(server, HEADERS, END_HEADERS, stream, STATUS_200, 1);
    put(server, DATA, 0, stream, "hel", 3);
}

/* A header block that does not end. */
static void continue_for_ever(struct hostile_server *server, uint32_t stream)
{
    static const uint8_t literal[] = {0, 1, 'x', 64}; /* not indexed; a value of 64 bytes */
    static char block[16384];

    memset(block, 0, sizeof block);
    for (size_t i = 0; i + 68 < sizeof block; i += 68) {
        memcpy(block + i, literal, sizeof literal);
        memset(block + i + 4, 'a', 64);
    }
    if (!put(server, HEADERS, 0, stream, STATUS_200, 1)) return;
    while (put(server, CONTINUATION, 0, stream, block, 68 * 240)) {
        continue;
    }
}

/* One small header, named again and again: 16 KiB on the wire are many more unpacked. */
static void send_bomb(struct hostile_server *server, uint32_t stream)
{
    /* :status 200; the header 'x' of 127 + 0x1e01 (7 bits a byte) bytes, indexed. */
    static const uint8_t begins[] = {0x88, 0x40, 1, 'x', 0x7f, 0x81, 0x1e};
    static char block[16000];

    memset(block, 0xbe, sizeof block); /* the newest of the dynamic table */
    memcpy(block, begins, sizeof begins);
    memset(block + sizeof begins, 'a', 127 + 1 + 30 * 128);
    put(server, HEADERS, END_HEADERS, stream, block, sizeof block);
}

static void flood(struct hostile_server *server, uint32_t stream)
{
    (void)stream;
    while (put(server, PING, 0, 0, "12345678", 8)) {
        continue;
    }
}

static void pour(struct hostile_server *server, uint32_t stream)
{
    static char piece[16384];

    put(server, HEADERS, END_HEADERS, stream, STATUS_200, 1);
    while (put(server, DATA, 0, stream, piece, sizeof piece)) {
        continue;
    }
}

static void misbehave(struct hostile_server *server)
{
    void (*const *act)(struct hostile_server *, uint32_t) = server->script;
    uint32_t stream;

    if (!begin(server) || !(stream = next_request(server))) return;
    (*act)(server, stream);
    if (server->fd >= 0) hostile_hold(server);
}

/* ---- tests ----------------------------------------------------------------------------------- */

struct world {
    struct trial_ca ca;
    struct hostile_server server;
    struct trial trial;
    char url[64];
};

static void world_init(struct world *world, void (*serve)(struct hostile_server *), bool is_http2)
{
    *world = (struct world){.server = {.serve = serve}};
    trial_ca_init(&world->ca);
    world->server.tls = world->ca.server;
    SSL_CTX_set_alpn_select_cb(world->server.tls, choose_h2, NULL);
    trial_init(&world->trial,
               &(struct fl_http_client_config){.tls.ca_pem = fl_ca_cert_pem(world->ca.ca),
                                               .is_http2 = is_http2});
}

static void world_start(struct world *world)
{
    hostile_start(&world->server);
    snprintf(world->url, sizeof world->url, "https://127.0.0.1:%u/", world->server.port);
}

static void world_fini(struct world *world)
{
    trial_fini(&world->trial);
    trial_ca_fini(&world->ca);
}

static void on_counted(void *ctx, const struct fl_err *err)
{
    unsigned *whole = ctx;

    if (!err) ++*whole;
}

static void on_counted_body(void *ctx, struct fl_str bytes)
{
    (void)ctx;
    assert_true(fl_str_eq(bytes, FL_STR("hello")));
}

static void many_calls_share_one_connection(void **state)
{
    struct world world;
    struct fl_http_call *calls[CALLS];
    unsigned whole = 0;

    (void)state;
    world_init(&world, serve_all, true);
    world_start(&world);
    for (size_t i = 0; i < CALLS; i++) {
        calls[i] = fl_http_call_start(
            world.trial.client,
            &(struct fl_http_request){.method = i % 2 ? "GET" : "POST", .url = world.url},
            &(struct fl_http_port){&whole, NULL, on_counted_body, on_counted, NULL});
    }
    for (fl_ms until = fl_clock_mono() + 10000; whole < CALLS && fl_clock_mono() < until;) {
        fl_loop_turn(world.trial.loop, 50);
    }
    assert_int_equal(whole, CALLS);
    assert_int_equal(atomic_load(&world.server.served), 1);
    for (size_t i = 0; i < CALLS; i++) {
        fl_http_call_destroy(calls[i]);
    }
    hostile_stop(&world.server);
    world_fini(&world);
}

static void speak_1(struct hostile_server *server)
{
    while (hostile_read_head(server) &&
           hostile_say(server, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")) {
        continue;
    }
}

static void each_side_may_want_http_1(void **state)
{
    struct world world;
    struct fl_http_request request = {.method = "GET"};

    (void)state;
    world_init(&world, speak_1, false); /* the server could, the client does not ask */
    world_start(&world);
    request.url = world.url;
    trial_run(&world.trial, &request);
    assert_true(world.trial.is_whole);
    hostile_stop(&world.server);
    world_fini(&world);

    world_init(&world, speak_1, true); /* the client asks, the server cannot */
    SSL_CTX_set_alpn_select_cb(world.server.tls, NULL, NULL);
    world_start(&world);
    request.url = world.url;
    trial_run(&world.trial, &request);
    assert_true(world.trial.is_whole);
    hostile_stop(&world.server);
    world_fini(&world);
}

static void who_breaks_the_rules_is_left(void **state)
{
    typedef void act(struct hostile_server *, uint32_t);
    const struct {
        const char *what;
        act *act;
        enum fl_code code;
    } all[] = {
        {"a reset stream", reset_stream, FL_TORN},
        {"a stream reset at once", reset_first, FL_UNAVAILABLE},
        {"go away", go_away, FL_UNAVAILABLE},
        {"garbage", send_garbage, FL_UNAVAILABLE},
        {"a large frame", send_large_frame, FL_UNAVAILABLE},
        {"data before the head", send_data_first, FL_UNAVAILABLE},
        {"a head on another stream", send_on_no_stream, FL_UNAVAILABLE},
        {"a push", push, FL_UNAVAILABLE},
        {"bad HPACK", send_bad_hpack, FL_UNAVAILABLE},
        {"a wrong length", send_wrong_length, FL_TORN},
        {"a cut", cut, FL_TORN},
        {"a stall", stall, FL_TORN},
        {"an endless head", continue_for_ever, FL_UNAVAILABLE},
        {"a bomb", send_bomb, FL_UNAVAILABLE},
        {"a flood of pings", flood, FL_UNAVAILABLE},
        {"an endless body", pour, FL_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct world world;
        struct fl_http_request request = {
            .method = "POST", .head_ms = 500, .idle_ms = 500, .whole_ms = 5000};

        world_init(&world, misbehave, true);
        world.server.script = &all[i].act;
        world_start(&world);
        request.url = world.url;
        trial_run(&world.trial, &request);
        if (world.trial.is_whole || world.trial.err.code != all[i].code) {
            fail_msg("%s: status %u, %s: %s", all[i].what, world.trial.status,
                     fl_code_name(world.trial.err.code), world.trial.err.text);
        }
        fl_http_call_destroy(world.trial.call);
        world.trial.call = NULL;
        hostile_stop(&world.server);
        world_fini(&world);
    }
}

FL_TESTS(cmocka_unit_test(many_calls_share_one_connection),
         cmocka_unit_test(each_side_may_want_http_1),
         cmocka_unit_test(who_breaks_the_rules_is_left))
