/* Servers that do what they should not, and how a call ends then. */
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "tests/unit/shared/http_client/http_trial.h"

enum then { CLOSES, RESETS, HOLDS };

struct script {
    const char *what;
    const char *text;
    enum then then;
    int code; /* the error's; WHOLE: a whole answer */
    unsigned status;
    const char *body; /* must have come; may be NULL */
};

enum { WHOLE = -1 };

static char *url_of(const struct hostile_server *server)
{
    static char url[64];

    snprintf(url, sizeof url, "%s://127.0.0.1:%u/", server->tls ? "https" : "http", server->port);
    return url;
}

static void play(struct hostile_server *server)
{
    const struct script *script = server->script;

    if (!hostile_read_head(server)) return;
    hostile_say(server, script->text);
    if (script->then == HOLDS) hostile_hold(server);
    if (script->then == RESETS) {
        hostile_pause(server, 50); /* RST throws away what the peer has not read yet */
        hostile_reset(server);
    }
}

#define OK "HTTP/1.1 200 OK\r\n"

static const struct script scripts[] = {
    {"nothing, closed", "", CLOSES, FL_UNAVAILABLE, 0, ""},
    {"nothing, reset", "", RESETS, FL_UNAVAILABLE, 0, ""},
    {"nothing, held", "", HOLDS, FL_UNAVAILABLE, 0, ""},
    {"half a head, closed", "HTTP/1.1 200 OK\r\nX-A: b\r\n", CLOSES, FL_UNAVAILABLE, 0, ""},
    {"half a head, held", "HTTP/1.1 200 OK\r\nX-A: b\r\n", HOLDS, FL_UNAVAILABLE, 0, ""},
    {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n", CLOSES, FL_TORN, 0, ""},
    {"HTTP/0.9", "<html>hello</html>", CLOSES, FL_TORN, 0, ""},
    {"a strange version", "HTTP/9.9 200 OK\r\n\r\n", CLOSES, FL_TORN, 0, ""},
    {"a strange status", "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n", CLOSES, FL_TORN, 0, ""},
    {"protocols changed", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nbytes", HOLDS, FL_TORN, 0,
     ""},
    {"continue, early hints, then an answer",
     "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nX-A: b\r\n\r\n" OK
     "Content-Length: 2\r\n\r\nhi",
     HOLDS, WHOLE, 200, "hi"},
    {"a short body, closed", OK "Content-Length: 9\r\n\r\nshort", CLOSES, FL_TORN, 200, "short"},
    {"a short body, reset", OK "Content-Length: 9\r\n\r\nshort", RESETS, FL_TORN, 200, "short"},
    {"a short body, held", OK "Content-Length: 9\r\n\r\nshort", HOLDS, FL_TORN, 200, "short"},
    {"neither length nor chunks", OK "\r\nthis may be half", CLOSES, FL_TORN, 200,
     "this may be half"},
    {"more than its length", OK "Content-Length: 5\r\n\r\nhello and much more", HOLDS, WHOLE, 200,
     "hello"},
    {"a negative length", OK "Content-Length: -5\r\n\r\nhello", CLOSES, FL_TORN, 0, NULL},
    {"a length that is no number", OK "Content-Length: five\r\n\r\nhello", CLOSES, FL_TORN, 0,
     NULL},
    {"an enormous length", OK "Content-Length: 9223372036854775807\r\n\r\n", HOLDS, FL_TOO_LARGE, 0,
     ""},
    {"chunks", OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1\r\n!\r\n0\r\n\r\n", HOLDS, WHOLE,
     200, "hi!"},
    {"chunks, cut", OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n5\r\n!", CLOSES, FL_TORN, 200,
     NULL},
    {"chunks without an end", OK "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", CLOSES, FL_TORN,
     200, "hi"},
    {"a bad chunk", OK "Transfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n", HOLDS, FL_TORN,
     200, ""},
    {"a chunk longer than numbers", OK "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhi",
     HOLDS, FL_TORN, 200, ""},
    {"an unknown coding", OK "Transfer-Encoding: rot13, chunked\r\n\r\n2\r\nuv\r\n0\r\n\r\n",
     CLOSES, FL_TORN, 200, NULL},
    {"no body where none may be", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", HOLDS, WHOLE,
     204, ""},
};

static void each_script_ends_as_it_should(struct trial *trial, struct hostile_server *server)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const struct script *script = &scripts[i];
        struct fl_http_request request = {.method = "GET", .head_ms = 400, .idle_ms = 400};

        server->script = script;
        hostile_start(server);
        request.url = url_of(server);
        trial_run(trial, &request);
        if (trial->is_whole != (script->code == WHOLE) ||
            (!trial->is_whole && (int)trial->err.code != script->code) ||
            trial->status != script->status ||
            (script->body && !fl_str_eq(trial_view(&trial->body), fl_str_c(script->body)))) {
            fail_msg("%s: status %u, body '" FL_STR_FMT "', %s: %s", script->what, trial->status,
                     FL_STR_ARG(trial_view(&trial->body)), fl_code_name(trial->err.code),
                     trial->err.text);
        }
        hostile_stop(server);
        atomic_store(&server->is_stopping, false);
    }
}

static void each_misbehaviour_ends_as_it_should(void **state)
{
    struct hostile_server server = {.serve = play};
    struct trial trial;

    (void)state;
    trial_init(&trial, &(struct fl_http_client_config){0});
    each_script_ends_as_it_should(&trial, &server);
    trial_fini(&trial);
}

static void each_misbehaviour_over_tls_too(void **state)
{
    struct hostile_server server = {.serve = play};
    struct trial_ca ca;
    struct trial trial;

    (void)state;
    trial_ca_init(&ca);
    server.tls = ca.server;
    trial_init(&trial, &(struct fl_http_client_config){.tls.ca_pem = fl_ca_cert_pem(ca.ca)});
    each_script_ends_as_it_should(&trial, &server);

    trial_fini(&trial);
    trial_ca_fini(&ca);
}

/* ---- without end ----------------------------------------------------------------------------- */

struct endless {
    const char *begin, *again;
    int pause_ms;
    enum fl_code code;
};

static void go_on(struct hostile_server *server)
{
    const struct endless *endless = server->script;

    if (!hostile_read_head(server) || !hostile_say(server, endless->begin)) return;
    while (hostile_say(server, endless->again)) {
        if (endless->pause_ms && !hostile_pause(server, endless->pause_ms)) return;
    }
}

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A1024 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64 A64

static void what_has_no_end_is_ended(void **state)
{
    const struct endless all[] = {
        {"HTTP/1.1 200 OK\r\n", "X-A: " A64 "\r\n", 0, FL_TOO_LARGE}, /* head */
        {"HTTP/1.1 200 OK\r\nX-A: ", A1024, 0, FL_TOO_LARGE},         /* line */
        {"", "HTTP/1.1 100 Continue\r\n\r\n", 0, FL_TOO_LARGE},       /* 1xx */
        {OK "Transfer-Encoding: chunked\r\n\r\n", "400\r\n" A1024 "\r\n", 0, FL_TOO_LARGE},
        {OK "Connection: close\r\n\r\n", A1024, 0, FL_TOO_LARGE},
        {OK "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: " A64 "\r\n", 0,
         FL_TOO_LARGE}, /* trailers */
        {OK "Transfer-Encoding: chunked\r\n\r\n", "1;" A64 "\r\na\r\n", 0, FL_TOO_LARGE},
        /* drop by drop */
        {"HTTP/1.1 200 OK\r\nX-A: ", "a", 20, FL_UNAVAILABLE},
        {"HTTP/1.1 200 OK\r\n", "X-A: a\r\n", 20, FL_UNAVAILABLE},
        {"", "HTTP/1.1 100 Continue\r\n\r\n", 20, FL_UNAVAILABLE},
        {OK "Connection: close\r\n\r\n", "a", 20, FL_UNAVAILABLE},
        {OK "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: a\r\n", 20, FL_TORN},
    };
    struct trial trial;

    (void)state;
    trial_init(&trial, &(struct fl_http_client_config){0});
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct hostile_server server = {.serve = go_on, .script = &all[i]};
        struct fl_http_request request = {
            .method = "GET", .head_ms = 300, .idle_ms = 300, .whole_ms = 600};

        if (!all[i].pause_ms) request.head_ms = request.idle_ms = request.whole_ms = 20000;
        hostile_start(&server);
        request.url = url_of(&server);
        trial_run(&trial, &request);
        if (trial.is_whole || trial.err.code != all[i].code) {
            fail_msg("%zu: %s: %s", i, fl_code_name(trial.err.code), trial.err.text);
        }
        assert_true(trial.body.len <= 1 << 20);
        fl_http_call_destroy(trial.call); /* closes, so that the server sees it */
        trial.call = NULL;
        hostile_stop(&server);
    }
    trial_fini(&trial);
}

static void a_body_may_be_as_large_as_its_limit(void **state)
{
    struct script script = {"", OK "Content-Length: 5\r\n\r\nhello", HOLDS, 0, 0, NULL};
    struct hostile_server server = {.serve = play, .script = &script};
    struct fl_http_request request = {.method = "GET", .body_bytes_max = 5};
    struct trial trial;

    (void)state;
    hostile_start(&server);
    request.url = url_of(&server);
    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &request);
    assert_true(trial.is_whole);
    trial_fini(&trial);
    trial_init(&trial, &(struct fl_http_client_config){0});
    request.body_bytes_max = 4;
    trial_run(&trial, &request);
    assert_int_equal(trial.err.code, FL_TOO_LARGE);
    assert_int_equal(trial.heads, 0); /* its length said so */
    trial_fini(&trial);
    hostile_stop(&server);
}

/* ---- connecting ------------------------------------------------------------------------------ */

static void be_silent(struct hostile_server *server)
{
    hostile_hold(server);
}

static void a_server_that_shakes_no_hands_is_left(void **state)
{
    struct hostile_server server = {.serve = be_silent}; /* in the clear: it says nothing to TLS */
    struct trial trial;
    fl_ms began = fl_clock_mono();
    char url[64];

    (void)state;
    hostile_start(&server);
    snprintf(url, sizeof url, "https://127.0.0.1:%u/", server.port);
    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = url, .connect_ms = 100});
    assert_int_equal(trial.err.code, FL_UNAVAILABLE);
    assert_in_range(fl_clock_mono() - began, 90, 5000);
    trial_fini(&trial);
    hostile_stop(&server);
}

/* In place of the C library's, which libcurl would ask: a name server that takes its time. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret_info)
{
    (void)service, (void)hints, (void)ret_info;
    if (strncmp(name, "slow", 4) == 0) poll(NULL, 0, 3000);
    return EAI_NONAME;
}

static void a_slow_name_server_holds_up_nothing(void **state)
{
    struct trial trial;
    fl_ms began = fl_clock_mono();

    (void)state;
    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &(struct fl_http_request){
                          .method = "GET", .url = "http://slow.example/", .connect_ms = 100});
    assert_int_equal(trial.err.code, FL_UNAVAILABLE);
    trial_begin(&trial, &(struct fl_http_request){.method = "GET", .url = "http://slow.example/"});
    fl_loop_turn(trial.loop, 10);
    trial_fini(&trial);
    assert_true(fl_clock_mono() - began < 2000);

    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = "http://absent.example/"});
    assert_int_equal(trial.err.code, FL_ABSENT);
    trial_fini(&trial);
}

/* ---- proxies --------------------------------------------------------------------------------- */

static void a_hostile_proxy_is_a_hostile_server(void **state)
{
    const struct endless heads = {"HTTP/1.1 200 OK\r\n", "X-A: " A64 "\r\n", 0, FL_TOO_LARGE},
                         drops = {"HTTP/1.1 200 OK\r\n", "X-A: a\r\n", 20, FL_UNAVAILABLE},
                         body = {"HTTP/1.1 403 No\r\nContent-Length: 1000000000\r\n\r\n", A1024, 0,
                                 FL_UNAVAILABLE};
    const struct script cut = {"", "", CLOSES, FL_UNAVAILABLE, 0, ""},
                        refused = {"",     "HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n",
                                   CLOSES, FL_UNAVAILABLE,
                                   0,      ""},
                        early = {"",    OK "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
                                 HOLDS, FL_IO,
                                 0,     ""};
    const struct {
        void (*serve)(struct hostile_server *);
        const void *script;
        enum fl_code code; /* FL_OK: any, as it depends on what is read together */
    } all[] = {{go_on, &heads, FL_TOO_LARGE},    {go_on, &drops, FL_UNAVAILABLE},
               {go_on, &body, FL_UNAVAILABLE},   {play, &cut, FL_UNAVAILABLE},
               {play, &refused, FL_UNAVAILABLE}, {play, &early, FL_OK}};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct hostile_server proxy = {.serve = all[i].serve, .script = all[i].script};
        struct trial trial;
        char url[64];

        hostile_start(&proxy);
        snprintf(url, sizeof url, "http://127.0.0.1:%u", proxy.port);
        trial_init(&trial, &(struct fl_http_client_config){.proxy = url});
        trial_run(&trial, &(struct fl_http_request){
                              .method = "GET", .url = "https://api.example/", .connect_ms = 500});
        if (trial.is_whole || trial.heads ||
            (all[i].code != FL_OK && trial.err.code != all[i].code)) {
            fail_msg("%zu: %s: %s", i, fl_code_name(trial.err.code), trial.err.text);
        }
        trial_fini(&trial);
        hostile_stop(&proxy);
    }
}

/* ---- kept connections ------------------------------------------------------------------------ */

/* Answers the first request of a connection, and cuts it when the next one is there. */
static void answer_once(struct hostile_server *server)
{
    if (!hostile_read_head(server)) return;
    hostile_say(server, OK "Content-Length: 2\r\n\r\nhi");
    hostile_read_head(server);
}

static void only_what_may_be_is_sent_twice(void **state)
{
    struct hostile_server server = {.serve = answer_once};
    struct fl_http_request request = {.method = "GET"};
    struct trial trial;

    (void)state;
    hostile_start(&server);
    request.url = url_of(&server);
    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &request);
    assert_true(trial.is_whole);
    trial_run(&trial, &request); /* cut, and sent again on a connection of its own */
    if (!trial.is_whole) fail_msg("%s", trial.err.text);
    assert_int_equal(atomic_load(&server.requests), 3);
    request.method = "POST";
    trial_run(&trial, &request);
    assert_int_equal(trial.err.code, FL_UNAVAILABLE);
    trial_fini(&trial);
    hostile_stop(&server);
    assert_int_equal(atomic_load(&server.requests), 4);
}

FL_TESTS(cmocka_unit_test(each_misbehaviour_ends_as_it_should),
         cmocka_unit_test(each_misbehaviour_over_tls_too),
         cmocka_unit_test(what_has_no_end_is_ended),
         cmocka_unit_test(a_body_may_be_as_large_as_its_limit),
         cmocka_unit_test(a_server_that_shakes_no_hands_is_left),
         cmocka_unit_test(a_slow_name_server_holds_up_nothing),
         cmocka_unit_test(a_hostile_proxy_is_a_hostile_server),
         cmocka_unit_test(only_what_may_be_is_sent_twice))
