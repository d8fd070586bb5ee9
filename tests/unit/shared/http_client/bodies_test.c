/* Bodies both ways: streamed, held back, in memory. */
#include <stdlib.h>
#include <sys/socket.h>

#include "tests/unit/shared/http_client/http_trial.h"

enum { LARGE_BYTES = 32 << 20 };

static void pour(struct hostile_server *server)
{
    static const char piece[65536];
    char head[128];

    if (!hostile_read_head(server)) return;
    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", LARGE_BYTES);
    hostile_say(server, head);
    for (int sent = 0; sent < LARGE_BYTES; sent += (int)sizeof piece) {
        if (!hostile_write(server, piece, sizeof piece)) return;
    }
    hostile_hold(server);
}

static void on_body_pause_once(void *ctx, struct fl_str bytes)
{
    struct trial *trial = ctx;

    if (trial->body.len == 0) fl_http_call_pause(trial->call);
    trial_on_body(trial, bytes);
}

static void a_paused_answer_waits_in_the_server(void **state)
{
    struct trial_ca ca;
    struct hostile_server server = {.serve = pour};
    struct trial trial;
    unsigned long long sent;
    size_t came;
    fl_ms until;

    (void)state;
    trial_ca_init(&ca);
    server.tls = ca.server;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){.tls.ca_pem = fl_ca_cert_pem(ca.ca)});
    trial.port.body = on_body_pause_once;
    trial_begin(&trial, &(struct fl_http_request){.method = "GET",
                                                  .url = hostile_url(&server, "/"),
                                                  .idle_ms = 100,
                                                  .body_bytes_max = LARGE_BYTES});
    while (trial.body.len == 0) {
        fl_loop_turn(trial.loop, 10);
    }
    came = trial.body.len;
    until = fl_clock_mono() + 300; /* longer than idle_ms, which does not count now */
    while (fl_clock_mono() < until) {
        fl_loop_turn(trial.loop, 10);
    }
    sent = atomic_load(&server.sent);
    assert_int_equal(trial.body.len, came);
    assert_false(trial.is_done);
    assert_true(sent < LARGE_BYTES / 2); /* the sockets' buffers are full, and that is all */
    fl_http_call_resume(trial.call);
    trial_await(&trial);
    if (!trial.is_whole) fail_msg("%s", trial.err.text);
    assert_int_equal(trial.body.len, LARGE_BYTES);
    trial_fini(&trial);
    hostile_stop(&server);
    trial_ca_fini(&ca);
}

/* Reads nothing until it may, then all, and answers with how much came. */
static void drain(struct hostile_server *server)
{
    char text[128];
    size_t len = 0;
    static char piece[65536];

    if (!hostile_read_head(server)) return;
    hostile_await_go(server);
    while (len < LARGE_BYTES) {
        if (!hostile_read(server, piece, sizeof piece)) return;
        len += sizeof piece;
    }
    snprintf(text, sizeof text, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nX-Len: %zu\r\n\r\n",
             len);
    hostile_say(server, text);
    hostile_hold(server);
}

struct upload {
    struct trial trial; /* first: the port's ctx is both */
    size_t pulled, bytes;
    bool is_slow, is_waiting;
};

static size_t on_pull(void *ctx, uint8_t *at, size_t bytes_max)
{
    struct upload *upload = ctx;
    size_t len = upload->bytes - upload->pulled;

    upload->is_waiting = upload->is_slow && upload->pulled > 0 && !upload->is_waiting;
    if (upload->is_waiting) return 0;
    if (len == 0) return FL_HTTP_PULL_END;
    if (len > bytes_max) len = bytes_max;
    memset(at, 'x', len);
    upload->pulled += len;
    return len;
}

static void a_large_request_waits_for_a_slow_server(void **state)
{
    struct hostile_server server = {.serve = drain};
    struct upload upload = {.bytes = LARGE_BYTES};
    fl_ms until = fl_clock_mono() + 300;

    (void)state;
    hostile_start(&server);
    trial_init(&upload.trial, &(struct fl_http_client_config){0});
    upload.trial.port.ctx = &upload;
    upload.trial.port.pull = on_pull;
    trial_begin(&upload.trial, &(struct fl_http_request){.method = "PUT",
                                                         .url = hostile_url(&server, "/"),
                                                         .pull_bytes = LARGE_BYTES});
    while (fl_clock_mono() < until) {
        fl_loop_turn(upload.trial.loop, 10);
    }
    assert_in_range(upload.pulled, 1, LARGE_BYTES / 2);
    atomic_store(&server.may_go, true);
    trial_await(&upload.trial);
    if (!upload.trial.is_whole) fail_msg("%s", upload.trial.err.text);
    assert_int_equal(upload.trial.status, 201);
    assert_int_equal(upload.pulled, LARGE_BYTES);
    trial_fini(&upload.trial);
    hostile_stop(&server);
}

/* Answers with the body as it came, chunks and all. */
static void echo_chunks(struct hostile_server *server)
{
    char came[4096] = "", text[8192];
    size_t len = 0;

    if (!hostile_read_head(server)) return;
    while (len + 1 < sizeof came && !strstr(came, "0\r\n\r\n")) {
        if (!hostile_read(server, came + len, 1)) return;
        came[++len] = 0;
    }
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", len, came);
    hostile_say(server, text);
    hostile_hold(server);
}

static void a_request_is_streamed_as_its_bytes_come(void **state)
{
    struct hostile_server server = {.serve = echo_chunks};
    struct upload upload = {.bytes = 10, .is_slow = true};

    (void)state;
    hostile_start(&server);
    trial_init(&upload.trial, &(struct fl_http_client_config){0});
    upload.trial.port.ctx = &upload;
    upload.trial.port.pull = on_pull;
    trial_begin(&upload.trial, &(struct fl_http_request){.method = "POST",
                                                         .url = hostile_url(&server, "/"),
                                                         .pull_bytes = -1});
    while (!upload.is_waiting) {
        fl_loop_turn(upload.trial.loop, 10);
    }
    for (int i = 0; i < 10; i++) {
        fl_loop_turn(upload.trial.loop, 5);
    }
    assert_false(upload.trial.is_done);
    fl_http_call_wants(upload.trial.call);
    trial_await(&upload.trial);
    if (!upload.trial.is_whole) fail_msg("%s", upload.trial.err.text);
    assert_true(fl_str_eq(trial_view(&upload.trial.body), FL_STR("a\r\nxxxxxxxxxx\r\n0\r\n\r\n")));
    trial_fini(&upload.trial);
    hostile_stop(&server);
}

static void echo(struct hostile_server *server)
{
    char body[256] = "", text[1024];
    const char *length;

    while (hostile_read_head(server)) {
        length = strstr(server->head, "Content-Length: ");
        memset(body, 0, sizeof body);
        if (length && !hostile_read(server, body, strtoul(length + 16, NULL, 10))) return;
        snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%.3s %s%s",
                 strlen(body) + 5, server->head, body, length ? "+" : "-");
        if (!hostile_say(server, text)) return;
    }
}

static void bodies_in_memory_go_with_their_length(void **state)
{
    const struct {
        const char *method;
        struct fl_str body, echo;
    } cases[] = {
        {"POST", FL_STR("{}"), FL_STR("POS {}+")}, {"POST", FL_STR(""), FL_STR("POS +")},
        {"PUT", FL_STR("ab"), FL_STR("PUT ab+")},  {"DELETE", FL_STR(""), FL_STR("DEL -")},
        {"PATCH", FL_STR("c"), FL_STR("PAT c+")},  {"DELETE", FL_STR("d"), FL_STR("DEL d+")},
    };
    struct hostile_server server = {.serve = echo};
    struct trial trial;

    (void)state;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trial_run(&trial, &(struct fl_http_request){.method = cases[i].method,
                                                    .url = hostile_url(&server, "/"),
                                                    .body = cases[i].body});
        if (!trial.is_whole) fail_msg("%zu: %s", i, trial.err.text);
        if (!fl_str_eq(trial_view(&trial.body), cases[i].echo)) {
            fail_msg("%zu: " FL_STR_FMT, i, FL_STR_ARG(trial_view(&trial.body)));
        }
    }
    assert_int_equal(atomic_load(&server.served), 1);
    trial_fini(&trial);
    hostile_stop(&server);
}

FL_TESTS(cmocka_unit_test(a_paused_answer_waits_in_the_server),
         cmocka_unit_test(a_large_request_waits_for_a_slow_server),
         cmocka_unit_test(a_request_is_streamed_as_its_bytes_come),
         cmocka_unit_test(bodies_in_memory_go_with_their_length))
