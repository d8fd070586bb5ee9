/* Visits of pods, against an API server of our own, over TLS on loopback; tests/kube/visit_test.py
 * does the same on a real cluster. */
#include "agent/kube/kube_visit.h"

#include "agent/kube/kube_channel.h"
#include "shared/base/alloc.h"
#include "shared/tls/websocket_key.h"
#include "shared/wire/websocket.h"
#include "tests/unit/agent/kube/kube_trial.h"

enum { BIG = 16 << 20, OUT_MAX = 4096, PAYLOAD_MAX = 70000 };

static const struct fl_attempt attempt = {.job = {5}, .n = 1, .incarnation = 1};

/* ---- the server ------------------------------------------------------------------------------ */

static struct fl_str header_of(const struct hostile_server *server, const char *name)
{
    const char *at = strstr(server->head, name);

    assert_non_null(at);
    at += strlen(name);
    return (struct fl_str){at, strcspn(at, "\r")};
}

/* Opens the WebSocket with the protocol that was asked for, or another one. */
static bool open_up(struct hostile_server *server, const char *protocol)
{
    char accept[FL_WEBSOCKET_ACCEPT_MAX], text[512];
    struct fl_str asked;

    if (!hostile_read_head(server)) return false;
    asked = header_of(server, "Sec-WebSocket-Protocol: ");
    assert_true(fl_websocket_accept(header_of(server, "Sec-WebSocket-Key: "), accept));
    snprintf(text, sizeof text,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %.*s\r\n\r\n",
             accept, protocol ? (int)strlen(protocol) : (int)asked.len,
             protocol ? protocol : asked.at);
    return hostile_say(server, text);
}

static bool say(struct hostile_server *server, const void *bytes, size_t len)
{
    uint8_t header[FL_WS_HEADER_BYTES_MAX];
    size_t n = fl_ws_header(FL_WS_BINARY, len, NULL, header);

    return hostile_write(server, header, n) && hostile_write(server, bytes, len);
}

/* One frame of the client; its length, or -1. */
static int hear(struct hostile_server *server, uint8_t *payload)
{
    uint8_t head[2], more[8], mask[4];
    uint64_t len;

    if (!hostile_read(server, head, 2)) return -1;
    assert_true(head[1] & 0x80);
    len = head[1] & 0x7f;
    if (len >= 126) {
        size_t n = len == 126 ? 2 : 8;

        if (!hostile_read(server, more, n)) return -1;
        len = 0;
        for (size_t i = 0; i < n; i++) {
            len = len << 8 | more[i];
        }
    }
    assert_true(len <= PAYLOAD_MAX);
    if (!hostile_read(server, mask, 4) || !hostile_read(server, payload, len)) return -1;
    fl_ws_mask(mask, 0, payload, len);
    return (int)len;
}

#define SUCCESS "\3{\"metadata\":{},\"status\":\"Success\"}"
#define EXIT(code)                                                                                 \
    "\3{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":["           \
    "{\"reason\":\"ExitCode\",\"message\":\"" code "\"}]}}"

static bool say_text(struct hostile_server *server, const char *text)
{
    return say(server, text, strlen(text));
}

/* ---- a visitor ------------------------------------------------------------------------------- */

struct guest {
    struct kube_trial trial;
    struct kube_visits *visits;
    struct runtime_visit visit;
    struct fl_visit_open open;
    struct fl_str words[3];
    char told[OUT_MAX];
    size_t len, changes;
    uint8_t *input;
    size_t input_len, input_at;
    bool is_over, is_leaving;
};

static struct guest the_guest;

static void note(struct guest *guest, const char *text, size_t len)
{
    if (len > sizeof guest->told - guest->len - 1) len = sizeof guest->told - guest->len - 1;
    memcpy(guest->told + guest->len, text, len);
    guest->len += len;
    guest->told[guest->len] = 0;
}

static void on_changed(void *ctx)
{
    ((struct guest *)ctx)->changes++;
}

static bool is_leaving(void *ctx, struct fl_attempt of, uint32_t replica)
{
    return ((struct guest *)ctx)->is_leaving && fl_attempt_is_same(of, attempt) && replica == 2;
}

static struct guest *begin(void (*serve)(struct hostile_server *server))
{
    struct guest *guest = &the_guest;

    *guest = (struct guest){.words = {FL_STR("cat"), FL_STR("-")}};
    guest->open = (struct fl_visit_open){
        .attempt = attempt, .replica = 2, .words = guest->words, .words_len = 2};
    kube_trial_init(&guest->trial, NULL, 0);
    kube_trial_begin(&guest->trial, serve, NULL);
    guest->visits = kube_visits_create(guest->trial.client, "ns",
                                       &(struct kube_visits_port){guest, is_leaving});
    return guest;
}

static void enter(struct guest *guest)
{
    struct runtime_visit_port port = {guest, on_changed};
    struct fl_err err = {0};

    assert_true(
        kube_visits_start(guest->visits, &guest->open, FL_STR("main"), &port, &guest->visit, &err));
}

static void leave(struct guest *guest)
{
    if (guest->visit.ops) guest->visit.ops->destroy(guest->visit.self);
    kube_visits_destroy(guest->visits);
    kube_trial_end(&guest->trial);
}

static void note_end(struct guest *guest, const struct fl_visit_status *status)
{
    char text[400];

    snprintf(text, sizeof text, "[%s %d%s%.*s]", fl_code_name(status->code), (int)status->exit_code,
             status->text.len > 0 ? " " : "", FL_STR_ARG(status->text));
    note(guest, text, strlen(text));
    guest->is_over = true;
}

/* One turn: notes all that can be read, and gives as much input as there is room for. */
static void turn(struct guest *guest)
{
    uint8_t bytes[1000];

    fl_loop_turn(guest->trial.loop, 20);
    for (;;) {
        struct runtime_visit_read read =
            guest->visit.ops->read(guest->visit.self, bytes, sizeof bytes);
        char word[16];

        if (read.word == RUNTIME_VISIT_NOTHING) break;
        snprintf(word, sizeof word, "%d%s", (int)read.channel,
                 read.word == RUNTIME_VISIT_CLOSED ? "." : ":");
        if (read.word != RUNTIME_VISIT_OVER) note(guest, word, strlen(word));
        if (read.word == RUNTIME_VISIT_BYTES) note(guest, (char *)bytes, read.len);
        if (read.word == RUNTIME_VISIT_OVER) note_end(guest, &read.status);
    }
    if (guest->input_at < guest->input_len) {
        guest->input_at += guest->visit.ops->write(
            guest->visit.self, (struct fl_str){(char *)guest->input + guest->input_at,
                                               guest->input_len - guest->input_at});
    }
}

static void go_on(struct guest *guest, fl_ms ms)
{
    fl_ms until = fl_clock_mono() + ms;

    while (fl_clock_mono() < until) {
        turn(guest);
    }
}

static const char *told(struct guest *guest)
{
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;

    while (!guest->is_over) {
        turn(guest);
        if (fl_clock_mono() > until) fail_msg("the visit does not end: %s", guest->told);
    }
    return guest->told;
}

static void await_told(struct guest *guest, const char *text)
{
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;

    while (!strstr(guest->told, text)) {
        turn(guest);
        if (fl_clock_mono() > until) fail_msg("no '%s' in '%s'", text, guest->told);
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

static void serve_output(struct hostile_server *server)
{
    if (!open_up(server, NULL)) return;
    if (!say_text(server, "\1hello") || !say_text(server, "\2oh") || !say(server, "\377\1", 2) ||
        !say_text(server, EXIT("7"))) {
        return;
    }
    hostile_hold(server);
}

static void a_command_gives_its_output_and_exit_code(void **state)
{
    struct guest *guest = begin(serve_output);

    (void)state;
    enter(guest);
    assert_string_equal(told(guest), "1:hello2:oh1.[ok 7]");
    assert_non_null(strstr(guest->trial.server.head,
                           "GET /api/v1/namespaces/ns/pods/fl-5-0-1-main-2/exec?stdout=true"));
    assert_non_null(strstr(guest->trial.server.head, "&container=main&command=cat&command=-"));
    assert_non_null(strstr(guest->trial.server.head, "\r\nAuthorization: Bearer secret\r\n"));
    leave(guest);
}

/* Says the channel and the rest of each frame that it hears. */
static void serve_echo(struct hostile_server *server)
{
    static uint8_t payload[PAYLOAD_MAX];
    char text[200];
    int len;

    if (!open_up(server, NULL)) return;
    while ((len = hear(server, payload)) > 0) {
        snprintf(text, sizeof text, "\1<%d %.*s>", payload[0], len - 1, (char *)payload + 1);
        if (!say_text(server, text)) return;
        if (payload[0] == FL_VISIT_CLOSE || payload[1] == 4) break;
    }
    if (say_text(server, SUCCESS)) hostile_hold(server);
}

static void input_goes_to_the_command_and_ends(void **state)
{
    struct guest *guest = begin(serve_echo);

    (void)state;
    enter(guest);
    guest->input = (uint8_t *)"ping";
    guest->input_len = 4;
    await_told(guest, "<0 ping>");
    guest->visit.ops->end_input(guest->visit.self);
    assert_non_null(strstr(told(guest), "<255 "));
    assert_non_null(strstr(told(guest), "[ok 0]"));
    leave(guest);
}

static void input_that_ends_before_it_is_open_ends_when_it_is(void **state)
{
    struct guest *guest = begin(serve_echo);

    (void)state;
    enter(guest);
    guest->visit.ops->end_input(guest->visit.self);
    assert_non_null(strstr(told(guest), "1:<255 "));
    leave(guest);
}

static void a_terminal_says_its_size_first_and_ends_input_by_a_key(void **state)
{
    struct guest *guest = begin(serve_echo);

    (void)state;
    guest->open.has_tty = true;
    guest->open.size = (struct fl_visit_size){24, 80};
    enter(guest);
    await_told(guest, "1:<4 {\"Width\":80,\"Height\":24}>");
    guest->visit.ops->resize(guest->visit.self, (struct fl_visit_size){33, 101});
    await_told(guest, "<4 {\"Width\":101,\"Height\":33}>");
    guest->visit.ops->end_input(guest->visit.self);
    assert_non_null(strstr(told(guest), "<0 \4>"));
    leave(guest);
}

/* Takes nothing for a while, and then all. */
static void serve_slowly(struct hostile_server *server)
{
    static uint8_t payload[PAYLOAD_MAX];
    size_t got = 0, wrong = 0;
    char text[64];
    int len;

    if (!open_up(server, NULL)) return;
    hostile_await_go(server);
    while (got < BIG && (len = hear(server, payload)) > 0) {
        for (int i = 1; i < len; i++) {
            if (payload[i] != (uint8_t)((got + (size_t)i - 1) * 31 >> 3)) wrong++;
        }
        got += payload[0] == FL_VISIT_STDIN ? (size_t)len - 1 : 0;
    }
    snprintf(text, sizeof text, "\1%zu, %zu wrong", got, wrong);
    if (say_text(server, text) && say_text(server, SUCCESS)) hostile_hold(server);
}

static void a_command_that_does_not_read_holds_up_its_visitor(void **state)
{
    struct guest *guest = begin(serve_slowly);
    char wanted[64];
    size_t at;

    (void)state;
    guest->input = fl_realloc_array(NULL, uint8_t, BIG);
    for (size_t i = 0; i < BIG; i++) {
        guest->input[i] = (uint8_t)(i * 31 >> 3);
    }
    guest->input_len = BIG;
    enter(guest);
    do {
        at = guest->input_at;
        for (int i = 0; i < 20; i++) {
            turn(guest);
        }
    } while (guest->input_at > at || at == 0);
    if (guest->input_at == BIG) fail_msg("all of it is somewhere");
    atomic_store(&guest->trial.server.may_go, true);
    snprintf(wanted, sizeof wanted, "1:%d, 0 wrong[ok 0]", BIG);
    assert_string_equal(told(guest), wanted);
    fl_free(guest->input);
    leave(guest);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void serve_old(struct hostile_server *server)
{
    if (open_up(server, "v4.channel.k8s.io")) hostile_hold(server);
}

static void serve_forbidden(struct hostile_server *server)
{
    if (!hostile_read_head(server)) return;
    if (hostile_say(server,
                    "HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "2f\r\n{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\"\r\n") &&
        hostile_say(server, "f\r\n:\"not for you\"}\r\n0\r\n\r\n")) {
        hostile_hold(server);
    }
}

static void serve_bad_request(struct hostile_server *server)
{
    if (!hostile_read_head(server)) return;
    if (hostile_say(server, "HTTP/1.1 400 Bad\r\nContent-Length: 3\r\n\r\nbad")) {
        hostile_hold(server);
    }
}

static void serve_nothing(struct hostile_server *server)
{
    (void)hostile_read_head(server);
}

static void expect_refusal(void (*serve)(struct hostile_server *server), const char *text)
{
    struct guest *guest = begin(serve);

    enter(guest);
    assert_string_equal(told(guest), text);
    leave(guest);
}

static void a_server_that_refuses_is_heard(void **state)
{
    (void)state;
    expect_refusal(serve_old, "[unsupported 0 the API server does not speak v5.channel.k8s.io; "
                              "this needs Kubernetes 1.30 or newer]");
    expect_refusal(serve_forbidden, "[denied 0 the API server answers 403 Forbidden: not for you]");
    expect_refusal(serve_bad_request, "[unsupported 0 the API server answers 400; "
                                      "this needs Kubernetes 1.30 or newer]");
    expect_refusal(serve_nothing, "[unavailable 0 the connection to the API server was cut]");
}

static void a_server_that_is_not_there_is_named(void **state)
{
    struct guest *guest = begin(serve_nothing);

    (void)state;
    hostile_stop(&guest->trial.server);
    enter(guest);
    assert_non_null(strstr(told(guest), "[unavailable 0 the API server: connect"));
    guest->visit.ops->destroy(guest->visit.self);
    kube_visits_destroy(guest->visits);
    fl_loop_turn(guest->trial.loop, 0);
    kube_client_destroy(guest->trial.client);
    fl_loop_destroy(guest->trial.loop);
    trial_ca_fini(&guest->trial.ca);
}

static void visits_have_a_limit(void **state)
{
    struct guest *guest = begin(serve_echo);
    struct runtime_visit_port port = {guest, on_changed};
    struct fl_err err = {0};

    (void)state;
    for (int i = 0; i < 256; i++) {
        enter(guest);
    }
    assert_false(
        kube_visits_start(guest->visits, &guest->open, FL_STR("main"), &port, &guest->visit, &err));
    assert_int_equal(err.code, FL_FULL);
    guest->visit = (struct runtime_visit){0};
    leave(guest);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void serve_and_cut(struct hostile_server *server)
{
    if (!open_up(server, NULL) || !say_text(server, "\1in")) return;
    hostile_await_go(server);
}

static void serve_killed(struct hostile_server *server)
{
    if (!open_up(server, NULL) || !say_text(server, "\1in") || !say_text(server, EXIT("137"))) {
        return;
    }
    hostile_hold(server);
}

static void a_cut_connection_is_told_unless_the_replica_ended(void **state)
{
    struct guest *guest = begin(serve_and_cut);

    (void)state;
    enter(guest);
    await_told(guest, "1:in");
    atomic_store(&guest->trial.server.may_go, true);
    assert_string_equal(told(guest),
                        "1:in[unavailable 0 the connection to the API server was cut]");
    leave(guest);
    guest = begin(serve_and_cut);
    enter(guest);
    await_told(guest, "1:in");
    atomic_store(&guest->trial.server.may_go, true);
    kube_visits_end(guest->visits, attempt, 1); /* another replica */
    kube_visits_end(guest->visits, attempt, 2);
    assert_string_equal(told(guest),
                        "1:in[unavailable 0 the replica has ended, and with it what ran here]");
    leave(guest);
}

static void a_killed_command_may_be_the_replicas_end(void **state)
{
    struct guest *guest = begin(serve_killed);

    (void)state;
    enter(guest);
    assert_string_equal(told(guest), "1:in[ok 137]");
    leave(guest);
    guest = begin(serve_killed);
    enter(guest);
    await_told(guest, "1:in");
    go_on(guest, 300);
    assert_false(guest->is_over);
    kube_visits_end(guest->visits, attempt, 2);
    assert_string_equal(told(guest),
                        "1:in[unavailable 0 the replica has ended, and with it what ran here]");
    leave(guest);
}

/* A busy kubelet says later than usual that the pod has ended. */
static void a_killed_command_waits_for_a_pod_that_is_deleted(void **state)
{
    struct guest *guest = begin(serve_killed);

    (void)state;
    guest->is_leaving = true;
    enter(guest);
    await_told(guest, "1:in");
    go_on(guest, 3500);
    assert_false(guest->is_over);
    kube_visits_end(guest->visits, attempt, 2);
    assert_string_equal(told(guest),
                        "1:in[unavailable 0 the replica has ended, and with it what ran here]");
    leave(guest);
    guest = begin(serve_killed);
    guest->is_leaving = true;
    enter(guest);
    await_told(guest, "1:in");
    go_on(guest, 3500);
    guest->is_leaving = false; /* it is there again, or was never gone */
    assert_string_equal(told(guest), "1:in[ok 137]");
    leave(guest);
}

static void serve_in(struct hostile_server *server)
{
    if (open_up(server, NULL) && say_text(server, "\1in")) hostile_hold(server);
}

static void an_ended_replica_ends_a_visit_that_hears_nothing(void **state)
{
    struct guest *guest = begin(serve_in);

    (void)state;
    enter(guest);
    await_told(guest, "1:in");
    kube_visits_end(guest->visits, attempt, 2);
    assert_string_equal(told(guest),
                        "1:in[unavailable 0 the replica has ended, and with it what ran here]");
    leave(guest);
}

static void serve_text(struct hostile_server *server)
{
    if (open_up(server, NULL) && hostile_say(server, "\x81\2\1a")) hostile_hold(server);
}

static void serve_close(struct hostile_server *server)
{
    if (open_up(server, NULL) && hostile_say(server, "\x88\5\x3\xf3 go")) hostile_hold(server);
}

static void serve_bad_status(struct hostile_server *server)
{
    if (open_up(server, NULL) && say_text(server, "\3exit 0")) hostile_hold(server);
}

static void a_server_that_breaks_a_rule_ends_its_visit(void **state)
{
    (void)state;
    expect_refusal(serve_text, "[invalid 0 the API server breaks a rule of WebSocket: "
                               "a text message; only binary ones are taken]");
    expect_refusal(serve_close,
                   "[unavailable 0 the API server closed the connection before the end:  go]");
    expect_refusal(serve_bad_status, "[invalid 0 the API server's last word is no Status: "
                                     "a value cannot begin like this]");
}

/* The mark is the last but one of the words that begin a shell, and the last of a hangup. */
static void a_visitor_who_leaves_a_terminal_hangs_it_up(void **state)
{
    struct guest *guest = begin(serve_in);
    struct hostile_server *server = &guest->trial.server;
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;
    char mark[40];

    (void)state;
    guest->open.has_tty = true;
    guest->open.words_len = 0;
    enter(guest);
    await_told(guest, "1:in");
    snprintf(mark, sizeof mark, "%.24s", strstr(server->head, "command=sh&") + 11);
    guest->visit.ops->destroy(guest->visit.self);
    guest->visit = (struct runtime_visit){0};
    while (atomic_load(&server->requests) < 2) {
        fl_loop_turn(guest->trial.loop, 20);
        if (fl_clock_mono() > until) fail_msg("no second request");
    }
    assert_non_null(strstr(server->head, "each%20HUP"));
    assert_non_null(strstr(server->head, "exec?stdout=true&container=main&"));
    assert_non_null(strstr(server->head, mark));
    leave(guest);
}

/* ---- forwards -------------------------------------------------------------------------------- */

enum { FRAME_BYTES = 8 };

/* The headers of both streams came, in one message. */
static bool take_streams(struct hostile_server *server, uint8_t *payload)
{
    int len = hear(server, payload);

    if (len < 0) return false;
    assert_memory_equal(payload, "\x80\3\0\1\1", 5);
    assert_non_null(memmem(payload, (size_t)len, "\0\0\0\5error", 9));
    assert_non_null(memmem(payload, (size_t)len,
                           "\0\0\0\4port\0\0\0\4"
                           "8080",
                           16));
    assert_non_null(memmem(payload, (size_t)len, "\0\0\0\4data", 8));
    return true;
}

static const char replies[] = "\x80\3\0\2\0\0\0\6\0\0\0\1xx"
                              "\x80\3\0\2\0\0\0\6\0\0\0\3xx"
                              "\x80\3\0\6\0\0\0\4\0\0\0\2"; /* and a ping */

static void serve_port(struct hostile_server *server)
{
    static uint8_t payload[PAYLOAD_MAX];
    bool is_ended = false;
    int len, pings = 0;

    if (!open_up(server, NULL) || !take_streams(server, payload)) return;
    if (!say(server, replies, sizeof replies - 1)) return;
    while (pings == 0 || !is_ended) {
        if ((len = hear(server, payload)) < FRAME_BYTES) return;
        if (payload[0] & 0x80) {
            assert_int_equal(len, 12);
            assert_memory_equal(payload, "\x80\3\0\6\0\0\0\4\0\0\0\2", 12);
            pings++;
            continue;
        }
        assert_memory_equal(payload, "\0\0\0\3", 4);
        is_ended |= payload[4] & 1;
        payload[4] = 0;
        if (!say(server, payload, 5) || !say(server, payload + 5, (size_t)len - 5)) return;
    }
    if (say(server, "\0\0\0\3\0\0\0\4last\0\0\0\1\1\0\0\0\0\0\0\3\1\0\0\0", 28)) {
        hostile_hold(server);
    }
}

static void a_connection_goes_both_ways_and_ends_by_halves(void **state)
{
    struct guest *guest = begin(serve_port);

    (void)state;
    guest->open.port = 8080;
    enter(guest);
    guest->input = (uint8_t *)"request";
    guest->input_len = 7;
    await_told(guest, "1:request");
    guest->visit.ops->end_input(guest->visit.self);
    assert_string_equal(told(guest), "1:request1:last1.[ok 0]");
    assert_non_null(strstr(guest->trial.server.head,
                           "/pods/fl-5-0-1-main-2/portforward?ports=8080 HTTP/1.1\r\n"));
    assert_non_null(strstr(guest->trial.server.head,
                           "\r\nSec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io\r\n"));
    leave(guest);
}

static void serve_no_port(struct hostile_server *server)
{
    static uint8_t payload[PAYLOAD_MAX];

    if (!open_up(server, NULL) || !take_streams(server, payload)) return;
    if (say(server, "\0\0\0\1\0\0\0\7refused\0\0\0\1\1\0\0\0\0\0\0\3\1\0\0\0", 31)) {
        hostile_hold(server);
    }
}

static void serve_reset(struct hostile_server *server)
{
    static uint8_t payload[PAYLOAD_MAX];

    if (!open_up(server, NULL) || !take_streams(server, payload)) return;
    if (say(server, "\x80\3\0\3\0\0\0\b\0\0\0\3\0\0\0\5", 16)) hostile_hold(server);
}

static void serve_old_port(struct hostile_server *server)
{
    if (open_up(server, "v4.channel.k8s.io")) hostile_hold(server);
}

static void serve_no_spdy(struct hostile_server *server)
{
    static uint8_t payload[PAYLOAD_MAX];

    if (!open_up(server, NULL) || !take_streams(server, payload)) return;
    if (say(server, "\x80\2\0\3\0\0\0\b\0\0\0\3\0\0\0\5", 16)) hostile_hold(server);
}

static void expect_no_port(void (*serve)(struct hostile_server *server), const char *text)
{
    struct guest *guest = begin(serve);

    guest->open.port = 8080;
    enter(guest);
    assert_string_equal(told(guest), text);
    leave(guest);
}

static void a_port_that_cannot_be_reached_is_named(void **state)
{
    (void)state;
    expect_no_port(serve_no_port, "1.[unavailable 0 port 8080 of the replica: refused]");
    expect_no_port(serve_reset,
                   "1.[unavailable 0 port 8080 of the replica: the connection was reset]");
    expect_no_port(serve_old_port,
                   "[unsupported 0 the API server does not speak SPDY/3.1+portforward.k8s.io; "
                   "this needs Kubernetes 1.31 or newer]");
    expect_no_port(serve_no_spdy, "[invalid 0 the API server breaks a rule of SPDY: "
                                  "a frame is not of SPDY/3]");
}

FL_TESTS(cmocka_unit_test(a_command_gives_its_output_and_exit_code),
         cmocka_unit_test(input_goes_to_the_command_and_ends),
         cmocka_unit_test(input_that_ends_before_it_is_open_ends_when_it_is),
         cmocka_unit_test(a_terminal_says_its_size_first_and_ends_input_by_a_key),
         cmocka_unit_test(a_command_that_does_not_read_holds_up_its_visitor),
         cmocka_unit_test(a_server_that_refuses_is_heard),
         cmocka_unit_test(a_server_that_is_not_there_is_named),
         cmocka_unit_test(visits_have_a_limit),
         cmocka_unit_test(a_cut_connection_is_told_unless_the_replica_ended),
         cmocka_unit_test(a_killed_command_may_be_the_replicas_end),
         cmocka_unit_test(a_killed_command_waits_for_a_pod_that_is_deleted),
         cmocka_unit_test(an_ended_replica_ends_a_visit_that_hears_nothing),
         cmocka_unit_test(a_server_that_breaks_a_rule_ends_its_visit),
         cmocka_unit_test(a_visitor_who_leaves_a_terminal_hangs_it_up),
         cmocka_unit_test(a_connection_goes_both_ways_and_ends_by_halves),
         cmocka_unit_test(a_port_that_cannot_be_reached_is_named))
