/* The command line's WebSocket, against a server that says what the test wants. */
#include "cli/web_socket.h"

#include <stdio.h>

#include "cli/client.h"
#include "cli/http.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/tls/websocket_key.h"
#include "shared/wire/websocket.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/http_client/hostile_server.h"

enum { WAIT_MS = 20000 };

struct script {
    const char *answer; /* in place of the handshake; NULL: a good one */
    const char *frames;
    size_t len;
    bool must_echo; /* sends back one message that it read, and then the frames */
};

struct world {
    struct hostile_server server;
    struct cli cli;
    struct cli_web_socket *socket;
    char url[64], told[200], why[200];
    unsigned taken;
    bool is_over;
};

static void shake(struct hostile_server *server)
{
    const char *key = strstr(server->head, "Sec-WebSocket-Key: ");
    char accept[FL_WEBSOCKET_ACCEPT_MAX], text[300];
    bool is_made = key && fl_websocket_accept((struct fl_str){key + 19, 24}, accept);

    if (!is_made) return;
    snprintf(text, sizeof text,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: %s\r\n\r\n",
             accept);
    hostile_say(server, text);
}

/* Reads one short message, which must be masked, and sends its bytes back in one of its own. */
static bool echo(struct hostile_server *server)
{
    struct fl_ws_reader reader = {.wants_mask = true};
    uint8_t bytes[100], header[FL_WS_HEADER_BYTES_MAX];
    struct fl_ws_piece piece = {0};
    struct fl_err err = {0};
    size_t len = 0;

    while (!piece.is_last && len < sizeof bytes) {
        uint8_t byte, *at = &byte;
        size_t left = 1;

        if (!hostile_read(server, &byte, 1)) return false;
        switch (fl_ws_next(&reader, &at, &left, &piece, &err)) {
        case FL_WS_MORE:
            break;
        case FL_WS_BAD:
            return false;
        case FL_WS_READY:
            memcpy(bytes + len, piece.bytes.at, piece.bytes.len);
            len += piece.bytes.len;
        }
    }
    return hostile_write(server, header, fl_ws_header(FL_WS_BINARY, len, NULL, header)) &&
           hostile_write(server, bytes, len);
}

static void serve(struct hostile_server *server)
{
    const struct script *script = server->script;

    if (!hostile_read_head(server)) return;
    if (script->answer) {
        hostile_say(server, script->answer);
        return;
    }
    shake(server);
    if (script->must_echo && !echo(server)) return;
    hostile_write(server, script->frames, script->len);
    hostile_hold(server);
}

static void on_piece(void *ctx, uint8_t channel, struct fl_str bytes, bool is_last)
{
    struct world *world = ctx;
    size_t len = strlen(world->told);

    snprintf(world->told + len, sizeof world->told - len, "%d:" FL_STR_FMT "%s", channel,
             FL_STR_ARG(bytes), is_last ? ";" : "+");
}

static void on_taken(void *ctx)
{
    ((struct world *)ctx)->taken++;
}

static void on_closed(void *ctx, const char *why)
{
    struct world *world = ctx;

    assert_false(world->is_over);
    world->is_over = true;
    snprintf(world->why, sizeof world->why, "%s", why);
}

static int begin(struct world *world, const struct script *script)
{
    struct cli_web_socket_port port = {world, on_piece, on_taken, on_closed};

    *world = (struct world){.server = {.serve = serve, .script = script}};
    hostile_start(&world->server);
    snprintf(world->url, sizeof world->url, "http://127.0.0.1:%u", world->server.port);
    world->cli.settings.url = world->url;
    world->cli.settings.token = "secret";
    return cli_web_socket_open(&world->cli, "/v1/jobs/j/exec?x=1", &port, &world->socket);
}

static void end(struct world *world)
{
    cli_web_socket_destroy(world->socket);
    cli_http_end(&world->cli);
    hostile_stop(&world->server);
    fl_arena_fini(&world->cli.arena);
}

static void until_over(struct world *world)
{
    int64_t until = fl_clock_mono() + WAIT_MS;

    while (!world->is_over) {
        assert_true(fl_clock_mono() < until);
        fl_loop_turn(cli_web_socket_loop(world->socket), 10);
    }
}

static void messages_go_both_ways_and_the_reason_of_the_end_is_told(void **state)
{
    static const struct script script = {.must_echo = true,
                                         .frames = "\x02\x04\x01"
                                                   "cut"
                                                   "\x80\x03"
                                                   "two"
                                                   "\x88\x05\x03\xe8"
                                                   "bye",
                                         .len = 18};
    struct world world;

    (void)state;
    assert_int_equal(begin(&world, &script), CLI_OK);
    assert_non_null(strstr(world.server.head, "GET /v1/jobs/j/exec?x=1 HTTP/1.1\r\n"));
    assert_non_null(strstr(world.server.head, "Authorization: Bearer secret\r\n"));
    assert_non_null(strstr(world.server.head, "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n"));
    cli_web_socket_put(world.socket, 0, FL_STR("hello"));
    assert_true(cli_web_socket_waiting(world.socket) > 0);
    until_over(&world);
    assert_string_equal(world.told, "0:hello;1:cut+1:two;");
    assert_string_equal(world.why, "bye");
    assert_true(world.taken > 0);
    end(&world);
}

static void a_refusal_is_an_exit_code(void **state)
{
    static const struct {
        const char *answer;
        int code;
    } answers[] = {
        {"HTTP/1.1 403 No\r\nContent-Length: 18\r\n\r\n{\"detail\": \"no!\"}\n", CLI_DENIED},
        {"HTTP/1.1 101 Yes\r\nSec-WebSocket-Accept: of-another-key\r\n\r\n", CLI_INTERNAL},
        {"HTTP/1.1 101 Yes\r\n", CLI_UNREACHABLE},
        {"", CLI_UNREACHABLE}};

    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct script script = {.answer = answers[i].answer};
        struct world world;

        assert_int_equal(begin(&world, &script), answers[i].code);
        assert_null(world.socket);
        end(&world);
    }
}

static void a_server_that_breaks_a_rule_is_left(void **state)
{
    static const struct {
        const char *frames;
        size_t len;
        const char *why;
    } breaks[] = {{"\x82\x81\0\0\0\0x", 7, "a server's frame is masked"},
                  {"\xc2\x01x", 3, "a frame has a reserved bit"},
                  {"\x81\x01x", 3, "a text message; only binary ones are taken"},
                  {"\x82\x7f\x40\0\0\0\0\0\0\0", 10, "a frame is over 64 MiB"}};

    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        struct script script = {.frames = breaks[i].frames, .len = breaks[i].len};
        struct world world;

        assert_int_equal(begin(&world, &script), CLI_OK);
        until_over(&world);
        assert_string_equal(world.why, breaks[i].why);
        assert_string_equal(world.told, "");
        end(&world);
    }
}

static void what_is_held_is_not_read(void **state)
{
    static const struct script script = {.frames = "\x82\x03\x01hi\x88\x02\x03\xe8", .len = 9};
    struct world world;

    (void)state;
    assert_int_equal(begin(&world, &script), CLI_OK);
    cli_web_socket_hold(world.socket, true);
    for (int i = 0; i < 20; i++) {
        fl_loop_turn(cli_web_socket_loop(world.socket), 10);
    }
    assert_string_equal(world.told, "");
    cli_web_socket_hold(world.socket, false);
    until_over(&world);
    assert_string_equal(world.told, "1:hi;");
    assert_string_equal(world.why, "");
    end(&world);
}

FL_TESTS(cmocka_unit_test(messages_go_both_ways_and_the_reason_of_the_end_is_told),
         cmocka_unit_test(a_refusal_is_an_exit_code),
         cmocka_unit_test(a_server_that_breaks_a_rule_is_left),
         cmocka_unit_test(what_is_held_is_not_read))
