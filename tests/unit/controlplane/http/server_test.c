/* The API's listener as strangers meet it: over real sockets, plain and TLS. */
#include "shared/wire/trace.h"
#include "tests/tls_groups.h"
#include "tests/unit/controlplane/http/http_world.h"

#define GET "GET /ok HTTP/1.1\r\n"
#define HOST "Host: a\r\n"
#define SECOND GET HOST "\r\n" /* the pipelined second request */
#define X16 "xxxxxxxxxxxxxxxx"
#define X256 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16
#define X4K X256 X256 X256 X256 X256 X256 X256 X256 X256 X256 X256 X256 X256 X256 X256 X256
#define H10 "a: 1\r\na: 2\r\na: 3\r\na: 4\r\na: 5\r\na: 6\r\na: 7\r\na: 8\r\na: 9\r\na: 10\r\n"

/* Bytes sent, then the statuses that come, and 'close' when the connection ends: a missing status
 * at the end is the fate of the second request.  Where it does not say 'close', a third request is
 * answered. */
struct row {
    const char *what;
    struct fl_str bytes;
    const char *outcome;
};

#define ROW(what, text, outcome)                                                                   \
    {                                                                                              \
        what, FL_STR(text), outcome                                                                \
    }

static const struct row rows[] = {
    ROW("pipelined", GET HOST "\r\n" SECOND, "200 200"),
    ROW("asks to close", GET HOST "Connection: close\r\n\r\n" SECOND, "200 close"),
    ROW("two Content-Lengths",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello" SECOND,
        "400 close"),
    ROW("two equal Content-Lengths",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello" SECOND,
        "400 close"),
    ROW("a list of Content-Lengths",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5, 5\r\n\r\nhello" SECOND, "400 close"),
    ROW("a Content-Length with a sign",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: +5\r\n\r\nhello" SECOND, "400 close"),
    ROW("a hexadecimal Content-Length",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 0x5\r\n\r\nhello" SECOND, "400 close"),
    ROW("Content-Length beside Transfer-Encoding",
        "POST /echo HTTP/1.1\r\n" HOST
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("Transfer-Encoding beside Content-Length",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("another coding",
        "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\nhello" SECOND, "501 close"),
    ROW("a coding before chunked",
        "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\nhello" SECOND,
        "501 close"),
    ROW("two Transfer-Encodings",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("a coding that is hidden by white space",
        "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("chunks",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n" SECOND,
        "200 200"),
    ROW("chunks with extensions",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0;c\r\n\r\n" SECOND,
        "200 200"),
    ROW("trailers",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n" SECOND,
        "400 close"),
    ROW("a chunk's line that ends with a bare LF",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("a chunk that is longer than its size",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello!\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("a chunk of more than 64 bits",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello\r\n0\r\n\r\n" SECOND,
        "400 close"),
    ROW("chunks over the route's limit",
        "POST /echo HTTP/1.1\r\n" HOST
        "Transfer-Encoding: chunked\r\n\r\n3e9\r\nhello\r\n0\r\n\r\n" SECOND,
        "413 close"),
    ROW("a body over the route's limit",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 1001\r\n\r\nhello" SECOND, "413 close"),
    ROW("a body over all limits",
        "POST /echo HTTP/1.1\r\n" HOST
        "Content-Length: 99999999999999999999999\r\n\r\nhello" SECOND,
        "413 close"),
    ROW("a body where none is taken",
        "GET /ok HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello" SECOND, "413 close"),
    ROW("an empty body where none is taken",
        "GET /ok HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n" SECOND, "200 200"),
    ROW("a compressed body",
        "POST /echo HTTP/1.1\r\n" HOST
        "Content-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello" SECOND,
        "415 close"),
    ROW("Expect with its body behind it",
        "POST /echo HTTP/1.1\r\n" HOST
        "Content-Length: 5\r\nExpect: 100-continue\r\n\r\nhello" SECOND,
        "200 200"),
    ROW("Expect of something else",
        "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\nExpect: x\r\n\r\nhello" SECOND,
        "417 close"),
    ROW("two Hosts", GET HOST HOST "\r\n" SECOND, "400 close"),
    ROW("no Host", GET "\r\n" SECOND, "400 close"),
    ROW("a Host that is none", GET "Host: a/b\r\n\r\n" SECOND, "400 close"),
    ROW("an unknown method", "BREW /ok HTTP/1.1\r\n" HOST "\r\n" SECOND, "501 close"),
    ROW("a wrong method", "GET /echo HTTP/1.1\r\n" HOST "\r\n" SECOND, "405 200"),
    ROW("a wrong method with a body",
        "PUT /echo HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello" SECOND, "405 close"),
    ROW("a bare LF", "GET /ok HTTP/1.1\n" HOST "\r\n" SECOND, "400 close"),
    ROW("a bare LF in the headers", GET "Host: a\n\r\n" SECOND, "400 close"),
    ROW("a bare LF at the end", GET HOST "\n" SECOND, "400 close"),
    ROW("a bare CR", GET "Host: a\rb\r\n\r\n" SECOND, "400 close"),
    ROW("white space before a colon", GET "Host : a\r\n\r\n" SECOND, "400 close"),
    ROW("a folded line", GET HOST "x: 1\r\n 2\r\n\r\n" SECOND, "400 close"),
    ROW("a zero byte", GET HOST "x: \0\r\n\r\n" SECOND, "400 close"),
    ROW("a header without a name", GET HOST ": x\r\n\r\n" SECOND, "400 close"),
    ROW("an empty line first", "\r\n" GET HOST "\r\n" SECOND, "400 close"),
    ROW("an absolute URL", "GET http://a/ok HTTP/1.1\r\n" HOST "\r\n" SECOND, "400 close"),
    ROW("CONNECT", "CONNECT a:80 HTTP/1.1\r\n" HOST "\r\n" SECOND, "501 close"),
    ROW("TRACE", "TRACE /ok HTTP/1.1\r\n" HOST "\r\n" SECOND, "501 close"),
    ROW("HTTP/1.0 of a probe", "GET /livez HTTP/1.0\r\n\r\n" SECOND, "404 close"),
    ROW("HTTP/1.0", "GET /ok HTTP/1.0\r\n" HOST "\r\n" SECOND, "505 close"),
    ROW("HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 close"),
    ROW("an upgrade, which is not taken",
        GET HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n" SECOND, "200 200"),
    ROW("a bad percent sign", "GET /ok%2 HTTP/1.1\r\n" HOST "\r\n" SECOND, "400 close"),
    ROW("a head of 20 KiB", GET HOST "x: " X4K X4K X4K X4K X4K "\r\n\r\n" SECOND, "431 close"),
    ROW("a head of 12 KiB", GET HOST "x: " X4K X4K X4K "\r\n\r\n" SECOND, "200 200"),
    ROW("a URL of 5 KiB", "GET /" X4K X256 X256 X256 X256 " HTTP/1.1\r\n" HOST "\r\n" SECOND,
        "414 close"),
    ROW("100 headers", GET HOST H10 H10 H10 H10 H10 H10 H10 H10 H10 H10 "\r\n" SECOND, "431 close"),
    ROW("61 headers", GET HOST H10 H10 H10 H10 H10 H10 "\r\n" SECOND, "200 200"),
    ROW("an encoded slash", "GET /text/a%2Fb HTTP/1.1\r\n" HOST "\r\n" SECOND, "200 200"),
    ROW("no text", "GET /text/a%00b HTTP/1.1\r\n" HOST "\r\n" SECOND, "400 200"),
    ROW("a path that is too deep",
        "GET /1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17 HTTP/1.1\r\n" HOST "\r\n" SECOND,
        "404 200"),
    ROW("a stream", "GET /stream/25000 HTTP/1.1\r\n" HOST "\r\n" SECOND, "200 200"),
    ROW("an answer that comes later", "GET /later HTTP/1.1\r\n" HOST "\r\n" SECOND, "200 200"),
    ROW("garbage", "\x16\x03\x01\x02\x00\x01\r\n\r\n", "400 close"),
};

/* The traceId of the refusal that came. */
static void trace_of(struct client *client, char ret_trace[FL_TRACE_MAX])
{
    static const char name[] = "\"traceId\":\"";
    const char *in, *found;

    assert_true(fl_buf_put_u8(&client->in, 0));
    in = (const char *)client->in.at;
    found = in ? strstr(in, name) : NULL;
    assert_non_null(found);
    assert_int_equal(sscanf(found + strlen(name), "%32[0-9a-f]\"", ret_trace), 1);
}

static void a_refusal_has_a_trace_and_the_callers_own_where_the_head_was_read(void **state)
{
    static const char own[] = "4bf92f3577b34da6a3ce929d0e0e4736";
    char large[512], first[FL_TRACE_MAX], second[FL_TRACE_MAX];
    const struct {
        const char *bytes, *outcome;
        bool is_own;
    } cases[] = {
        {"TRACE /ok HTTP/1.1\r\n" HOST "\r\n", "501 close", false},
        {large, "413 close", true},
        {large, "413 close", true},
        {"GET /ok HTTP/9.9\r\n" HOST "\r\n", "505 close", false},
    };
    struct world *world = world_create(NULL);

    (void)state;
    snprintf(large, sizeof large,
             "GET /ok HTTP/1.1\r\n" HOST "traceparent: 00-%s-00f067aa0ba902b7-01\r\n\r\n"
             "POST /echo HTTP/1.1\r\n" HOST
             "Content-Length: 5000\r\ntraceparent: 00-%s-00f067aa0ba902b7-01\r\n\r\n",
             "0bf92f3577b34da6a3ce929d0e0e4736", own);
    first[0] = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct client *client = client_open(world, i % 2);
        char outcome[32];

        snprintf(outcome, sizeof outcome, "%s%s", cases[i].is_own ? "200 " : "", cases[i].outcome);
        client_send(client, fl_str_c(cases[i].bytes));
        client_expect(client, outcome, cases[i].bytes);
        trace_of(client, second);
        assert_int_equal(strlen(second), cases[i].is_own ? 32 : 16);
        if (cases[i].is_own) assert_string_equal(second, own);
        if (!cases[i].is_own) assert_string_not_equal(first, second);
        if (!cases[i].is_own) snprintf(first, sizeof first, "%s", second);
        client_close(client);
    }
    world_destroy(world);
}

/* A stranger who shares the server with all of these and must not notice them. */
static void work_through(bool is_tls, size_t piece_bytes)
{
    struct world *world = world_create(NULL);
    struct client *bystander = client_open(world, is_tls);
    char trace[FL_TRACE_MAX];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct client *client = client_open(world, is_tls);
        struct fl_str bytes = rows[i].bytes;

        while (bytes.len > piece_bytes) {
            client_send(client, (struct fl_str){bytes.at, piece_bytes});
            fl_loop_turn(world->loop, 0);
            bytes.at += piece_bytes;
            bytes.len -= piece_bytes;
        }
        client_send(client, bytes);
        client_expect(client, rows[i].outcome, rows[i].what);
        if (client_has(client, "application/problem+json")) trace_of(client, trace);
        if (!strstr(rows[i].outcome, "close")) client_expect_alive(client, rows[i].outcome);
        client_close(client);
        fl_buf_clear(&bystander->in);
        client_expect_alive(bystander, "");
    }
    client_close(bystander);
    world_destroy(world);
}

static void plain_every_row_ends_as_the_table_says(void **state)
{
    (void)state;
    work_through(false, SIZE_MAX);
}

static void tls_every_row_ends_as_the_table_says(void **state)
{
    (void)state;
    work_through(true, SIZE_MAX);
}

static void plain_in_small_pieces_it_is_the_same(void **state)
{
    (void)state;
    work_through(false, 97);
}

static void tls_in_small_pieces_it_is_the_same(void **state)
{
    (void)state;
    work_through(true, 97);
}

/* Bodies far over the input's room, behind a head that fills most of it. */
static void a_large_body_arrives_whole(void **state)
{
    static const char long_headers[] = HOST "x: " X4K X4K X4K "\r\n";
    static const size_t chunk_bytes[] = {0, 100, 5000, 100000}; /* 0: not in chunks */
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, true);
    size_t body_bytes = 3000000;
    char *body = fl_new_array(char, body_bytes), text[64], size[32];
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < body_bytes; i++) {
        body[i] = (char)(i * i >> 5);
        sum = sum * 31 + (uint8_t)body[i];
    }
    snprintf(text, sizeof text, "\r\n\r\n%zu %" PRIu64, body_bytes, sum);
    for (size_t i = 0; i < sizeof chunk_bytes / sizeof *chunk_bytes; i++) {
        struct fl_buf bytes;

        fl_buf_init(&bytes, 8 << 20);
        assert_true(fl_buf_put(&bytes, "POST /sum HTTP/1.1\r\n", 20));
        assert_true(fl_buf_put(&bytes, long_headers, sizeof long_headers - 1));
        if (chunk_bytes[i] == 0) {
            snprintf(size, sizeof size, "Content-Length: %zu\r\n\r\n", body_bytes);
            assert_true(fl_buf_put(&bytes, size, strlen(size)));
            assert_true(fl_buf_put(&bytes, body, body_bytes));
        } else {
            assert_true(fl_buf_put(&bytes, "Transfer-Encoding: chunked\r\n\r\n", 30));
            for (size_t pos = 0; pos < body_bytes; pos += chunk_bytes[i]) {
                snprintf(size, sizeof size, "%zx\r\n", chunk_bytes[i]);
                assert_true(fl_buf_put(&bytes, size, strlen(size)));
                assert_true(fl_buf_put(&bytes, body + pos, chunk_bytes[i]));
                assert_true(fl_buf_put(&bytes, "\r\n", 2));
            }
            assert_true(fl_buf_put(&bytes, "0\r\n\r\n", 5));
        }
        assert_true(fl_buf_put(&bytes, SECOND, sizeof SECOND - 1));
        fl_buf_clear(&client->in);
        client_send(client, (struct fl_str){(char *)bytes.at, bytes.len});
        client_expect(client, "200 200", "a large body");
        assert_true(client_has(client, text));
        fl_buf_fini(&bytes);
    }
    fl_free(body);
    client_close(client);
    world_destroy(world);
}

static void what_was_sent_is_what_the_handler_gets(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, true);
    struct answer answer;
    size_t pos = 0;

    (void)state;
    client_send(client,
                FL_STR("GET /text/%C3%A4%2Fb%20c?x=1+2%2B3&y HTTP/1.1\r\n" HOST "\r\n"
                       "POST /echo HTTP/1.1\r\n" HOST
                       "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
                       "GET /etag HTTP/1.1\r\n" HOST "If-None-Match: \"e0\", W/\"e1\"\r\n\r\n"
                       "GET /etag HTTP/1.1\r\n" HOST "If-None-Match: \"e0\"\r\n\r\n"));
    client_expect(client, "200 200 304 200", "four requests");
    assert_true(client_answer(client, &pos, false, &answer));
    assert_true(fl_str_eq(answer.body, FL_STR("\xc3\xa4/b c 1 2+3")));
    assert_non_null(memmem(answer.head.at, answer.head.len, "\r\nDate: ", 8));
    assert_true(client_answer(client, &pos, false, &answer));
    assert_true(fl_str_eq(answer.body, FL_STR("hello")));
    assert_true(client_answer(client, &pos, false, &answer));
    assert_null(memmem(answer.head.at, answer.head.len, "Content-Length", 14));
    assert_true(client_answer(client, &pos, false, &answer));
    assert_true(fl_str_eq(answer.body, FL_STR("tagged")));
    client_close(client);
    world_destroy(world);
}

static void head_is_answered_without_a_body(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, false);
    struct answer answer;
    size_t pos = 0;

    (void)state;
    client_send(client, FL_STR("HEAD /ok HTTP/1.1\r\n" HOST
                               "\r\nHEAD /stream/30000 HTTP/1.1\r\n" HOST "\r\n" SECOND));
    world_until(world, client_has(client, "\r\n\r\nok"));
    assert_true(client_answer(client, &pos, true, &answer));
    assert_non_null(memmem(answer.head.at, answer.head.len, "Content-Length: 2\r\n", 19));
    assert_true(client_answer(client, &pos, true, &answer));
    assert_non_null(memmem(answer.head.at, answer.head.len, "chunked", 7));
    assert_true(client_answer(client, &pos, false, &answer));
    assert_true(fl_str_eq(answer.body, FL_STR("ok")));
    client_close(client);
    world_destroy(world);
}

static void expect_is_answered_before_the_body_comes(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, true);

    (void)state;
    client_send(client, FL_STR("POST /echo HTTP/1.1\r\n" HOST
                               "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
    client_expect(client, "100", "the go-ahead");
    client_send(client, FL_STR("hello"));
    client_expect(client, "100 200", "the answer");
    client_send(client, FL_STR("POST /echo HTTP/1.1\r\n" HOST
                               "Expect: 100-continue\r\nContent-Length: 5000\r\n\r\n"));
    client_expect(client, "100 200 413 close", "no go-ahead for what is too large");
    client_close(client);
    world_destroy(world);
}

static void a_client_that_closes_its_end_is_answered_first(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client = client_open(world, false);

    (void)state;
    client_send(client, FL_STR("GET /later HTTP/1.1\r\n" HOST "\r\n"));
    shutdown(client->fd, SHUT_WR);
    client_expect(client, "200 close", "half closed");
    client_close(client);
    world_destroy(world);
}

static void plain_text_on_the_tls_port_is_closed(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client;

    (void)state;
    world->plain_at = world->tls_at;
    client = client_open(world, false);
    client_send(client, FL_STR(SECOND));
    world_until(world, (client_read(client, SIZE_MAX), client->has_ended));
    assert_null(client->in.len ? memmem(client->in.at, client->in.len, "HTTP", 4) : NULL);
    assert_int_equal(http_server_counts(world->server).handshakes_failed, 1);
    client_close(client);
    client = client_open(world, true);
    client_expect_alive(client, "");
    client_close(client);
    world_destroy(world);
}

static void turn_world(void *ctx)
{
    struct world *world = ctx;

    fl_loop_turn(world->loop, 1);
}

static void no_key_exchange_is_dear_to_the_server(void **state)
{
    struct world *world = world_create(NULL);

    (void)state;
    for (size_t i = 0; i < TLS_GROUPS_LEN; i++) {
        if (tls_takes_group(&world->tls_at, tls_groups[i].name, turn_world, world) !=
            tls_groups[i].is_taken) {
            fail_msg("%s is %s", tls_groups[i].name, tls_groups[i].is_taken ? "refused" : "taken");
        }
    }
    world_destroy(world);
}

static void tls_1_2_has_its_aead_suites_only(void **state)
{
    struct world *world = world_create(NULL);
    SSL_CTX *client = SSL_CTX_new(TLS_client_method());

    (void)state;
    SSL_CTX_set_max_proto_version(client, TLS1_2_VERSION);
    assert_true(tls_shakes_hands(&world->tls_at, client, turn_world, world));
    assert_int_equal(SSL_CTX_set_cipher_list(client, TLS_SUITES_REFUSED), 1);
    assert_false(tls_shakes_hands(&world->tls_at, client, turn_world, world));
    SSL_CTX_free(client);
    world_destroy(world);
}

static void only_http_1_1_is_negotiated(void **state)
{
    struct world *world = world_create(NULL);
    struct client *client;
    const unsigned char *name;
    unsigned len;

    (void)state;
    SSL_CTX_set_alpn_protos(world->tls.client, (const unsigned char *)"\x02h2\x08http/1.1", 12);
    client = client_open(world, true);
    SSL_get0_alpn_selected(client->ssl, &name, &len);
    assert_int_equal(len, 8);
    assert_memory_equal(name, "http/1.1", 8);
    client_expect_alive(client, "");
    client_close(client);
    world_destroy(world);
}

FL_TESTS(cmocka_unit_test(plain_every_row_ends_as_the_table_says),
         cmocka_unit_test(tls_every_row_ends_as_the_table_says),
         cmocka_unit_test(plain_in_small_pieces_it_is_the_same),
         cmocka_unit_test(tls_in_small_pieces_it_is_the_same),
         cmocka_unit_test(a_refusal_has_a_trace_and_the_callers_own_where_the_head_was_read),
         cmocka_unit_test(a_large_body_arrives_whole),
         cmocka_unit_test(what_was_sent_is_what_the_handler_gets),
         cmocka_unit_test(head_is_answered_without_a_body),
         cmocka_unit_test(expect_is_answered_before_the_body_comes),
         cmocka_unit_test(a_client_that_closes_its_end_is_answered_first),
         cmocka_unit_test(plain_text_on_the_tls_port_is_closed),
         cmocka_unit_test(no_key_exchange_is_dear_to_the_server),
         cmocka_unit_test(tls_1_2_has_its_aead_suites_only),
         cmocka_unit_test(only_http_1_1_is_negotiated))
