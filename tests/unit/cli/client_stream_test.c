#include "cli/client_stream.h"

#include <stdio.h>

#include "cli/client.h"
#include "cli/http.h"
#include "cli/output.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/http_client/hostile_server.h"

#define OPEN "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

/* The server's part in one connection after the other. */
struct visit {
    const char *text;
    const char *wants; /* stands in the request's head; may be NULL */
    bool floods;       /* then events until the peer is gone */
};

struct fixture {
    struct hostile_server server;
    const struct visit *visits;
    size_t visits_len, visited;
    struct cli cli;
    char url[64];
    char given[256];      /* the data of each event */
    bool asks;            /* each event sends a request */
    unsigned left;        /* events to take; 0: no bound */
    size_t arena_bytes;   /* at the end, in use or spare */
    const char *unwanted; /* the head that was not as it should be */
};

static void visit(struct hostile_server *server)
{
    struct fixture *fixture = (struct fixture *)(uintptr_t)server->script;
    size_t i = fixture->visited < fixture->visits_len ? fixture->visited : fixture->visits_len - 1;
    const struct visit *now = &fixture->visits[i];
    char piece[4096];
    int len = snprintf(piece, sizeof piece, "data:%04000d\nid: 1\n\n", 1);

    if (!hostile_read_head(server)) return;
    fixture->visited++;
    if (now->wants && !strstr(server->head, now->wants)) fixture->unwanted = now->wants;
    hostile_say(server, now->text);
    while (now->floods && hostile_write(server, piece, (size_t)len)) {
        continue;
    }
}

static enum cli_stream_word on_event(void *ctx, const struct cli_event *event)
{
    struct fixture *fixture = ctx;
    size_t len = strlen(fixture->given);
    struct cli_request request = {.method = "GET", .path = "/v1/jobs/7"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    FL_IGNORE(cli_plain(&fixture->cli, event->data));
    snprintf(fixture->given + len, sizeof fixture->given - len, "%.9s ", event->data);
    if (fixture->asks && !cli_send(&fixture->cli, &request, &reply, &err)) fail_msg("%s", err.text);
    if (strcmp(event->name, "end") == 0) return CLI_STREAM_DONE;
    return fixture->left == 0 || --fixture->left > 0 ? CLI_STREAM_MORE : CLI_STREAM_DONE;
}

static int run(struct fixture *fixture, const struct visit *visits, size_t len)
{
    struct cli_stream stream = {.path = "/v1/events", .on_event = on_event, .ctx = fixture};
    struct cli_streams *streams;
    int code;

    fixture->visits = visits;
    fixture->visits_len = len;
    fixture->server.serve = visit;
    fixture->server.script = fixture;
    hostile_start(&fixture->server);
    snprintf(fixture->url, sizeof fixture->url, "http://127.0.0.1:%u", fixture->server.port);
    fixture->cli.settings.url = fixture->url;
    streams = cli_streams_create(&fixture->cli);
    cli_streams_open(streams, &stream);
    code = cli_streams_run(streams, fl_clock_mono() + 20000);
    cli_streams_destroy(streams);
    cli_http_end(&fixture->cli);
    hostile_stop(&fixture->server);
    fixture->arena_bytes = fl_arena_bytes(&fixture->cli.arena);
    fl_arena_fini(&fixture->cli.arena);
    if (fixture->unwanted) fail_msg("a request lacks '%s'", fixture->unwanted);
    return code;
}

/* One may be followed for weeks. */
static void nothing_of_an_event_stays(void **state)
{
    static const struct visit visits[] = {{OPEN, NULL, true}};
    struct fixture fixture = {.left = 2000};

    (void)state;
    assert_int_equal(run(&fixture, visits, 1), CLI_OK);
    assert_true(fixture.arena_bytes < (1 << 20));
}

static void a_cut_stream_goes_on_behind_its_last_run(void **state)
{
    static const struct visit visits[] = {
        {OPEN "data: 1\nid: a\n\ndata: 2\n\ndata: 3\nid: b", "Accept: text/event-stream", false},
        {"HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n", "Last-Event-ID: a\r\n", false},
        {"", NULL, false},
        {OPEN "data: 2\n\ndata: 3\nid: b\n\nevent: end\n\n", "Last-Event-ID: a\r\n", false}};
    struct fixture fixture = {0};

    (void)state;
    assert_int_equal(run(&fixture, visits, 4), CLI_OK);
    assert_string_equal(fixture.given, "1 2 3  ");
    assert_int_equal(fixture.visited, 4);
}

static void a_stream_that_is_closed_with_a_word_does_not_come_again(void **state)
{
    static const struct visit visits[] = {
        {OPEN "data: 1\n\nevent: closed\ndata: {\"text\": \"the token was revoked\"}\n\n", NULL,
         false}};
    struct fixture fixture = {0};

    (void)state;
    assert_int_equal(run(&fixture, visits, 1), CLI_DENIED);
    assert_string_equal(fixture.given, "1 ");
    assert_int_equal(fixture.visited, 1);
}

static void a_problem_ends_it_with_its_exit_code(void **state)
{
    static const struct visit visits[] = {
        {"HTTP/1.1 403 No\r\nContent-Length: 17\r\n\r\n{\"detail\": \"no!\"}", NULL, false}};
    struct fixture fixture = {0};

    (void)state;
    assert_int_equal(run(&fixture, visits, 1), CLI_DENIED);
    assert_int_equal(fixture.visited, 1);
}

static void an_event_may_send_a_request(void **state)
{
    static const struct visit visits[] = {
        {OPEN "data: 1\nid: a\n\ndata: 2\nid: b\n\nevent: end\n\n", NULL, false},
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", "/v1/jobs/7",
         false}};
    struct fixture fixture = {.asks = true};

    (void)state;
    assert_int_equal(run(&fixture, visits, 2), CLI_OK);
    assert_string_equal(fixture.given, "1 2  ");
    assert_int_equal(fixture.visited, 4);
}

/* Events that are not read yet wait in the server. */
static void a_flood_is_held_back(void **state)
{
    static const struct visit visits[] = {{OPEN, NULL, true}};
    struct fixture fixture = {.left = 5000}; /* 20 MB */

    (void)state;
    assert_int_equal(run(&fixture, visits, 1), CLI_OK);
    assert_int_equal(fixture.visited, 1);
}

FL_TESTS(cmocka_unit_test(nothing_of_an_event_stays),
         cmocka_unit_test(a_cut_stream_goes_on_behind_its_last_run),
         cmocka_unit_test(a_stream_that_is_closed_with_a_word_does_not_come_again),
         cmocka_unit_test(a_problem_ends_it_with_its_exit_code),
         cmocka_unit_test(an_event_may_send_a_request), cmocka_unit_test(a_flood_is_held_back))
