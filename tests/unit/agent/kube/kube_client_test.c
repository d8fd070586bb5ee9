/* Against a server of our own, over TLS on loopback; tests/kube/watch_test.py does the same against
 * a real API server, over HTTP/2. */
#include "agent/kube/kube_client.h"

#include <fcntl.h>

#include "shared/io/file.h"
#include "tests/unit/agent/kube/kube_trial.h"

#define EMPTY "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#define HELLO "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
#define CUT NULL /* the connection ends without an answer */

struct trial_call {
    struct kube_call *call;
    struct fl_buf body;
    bool is_done, is_good;
    bool is_destroyed_in_body, is_destroyed_in_done;
    struct kube_failure failure;
};

static void serve(struct hostile_server *server)
{
    const struct kube_trial *trial = server->script;
    const char *const *answers = trial->answers;
    unsigned i;

    while (kube_trial_read(server, &i)) {
        if (!answers[i] || !hostile_say(server, answers[i])) return;
    }
}

#define PLAY(name, ...)                                                                            \
    static const char *const name##_answers[] = {__VA_ARGS__};                                     \
    static struct kube_trial name##_trial;                                                         \
    struct kube_trial *name = &name##_trial;                                                       \
    kube_trial_init(name, name##_answers, sizeof name##_answers / sizeof *name##_answers)

static void on_body(void *ctx, struct fl_str bytes)
{
    struct trial_call *trial = ctx;

    assert_true(fl_buf_put(&trial->body, bytes.at, bytes.len));
    if (!trial->is_destroyed_in_body) return;
    kube_call_destroy(trial->call);
    trial->call = NULL;
    trial->is_done = true;
}

static void on_done(void *ctx, const struct kube_failure *failure)
{
    struct trial_call *trial = ctx;

    assert_false(trial->is_done);
    trial->is_done = true;
    trial->is_good = !failure;
    if (failure) trial->failure = *failure;
    if (!trial->is_destroyed_in_done) return;
    kube_call_destroy(trial->call);
    trial->call = NULL;
}

static void ask(struct kube_trial *play, const struct kube_request *request,
                struct trial_call *trial)
{
    fl_buf_init(&trial->body, 1 << 20);
    trial->call =
        kube_call_start(play->client, request, &(struct kube_port){trial, on_body, on_done});
    assert_false(trial->is_done);
}

static void await(struct kube_trial *play, struct trial_call *trial)
{
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;

    while (!trial->is_done) {
        fl_loop_turn(play->loop, 100);
        if (fl_clock_mono() > until) fail_msg("the call does not end");
    }
}

static void end_call(struct trial_call *trial)
{
    kube_call_destroy(trial->call);
    fl_buf_fini(&trial->body);
    *trial = (struct trial_call){0};
}

/* GET, or POST with a body: "200 hello", or why not. */
static const char *told(struct kube_trial *play, const char *method, const char *path)
{
    static char text[512];
    struct trial_call trial = {0};
    struct kube_request request = {.method = method, .path = path};

    if (strcmp(method, "POST") == 0) request.body = FL_STR("{\"a\":1}");
    ask(play, &request, &trial);
    await(play, &trial);
    if (trial.is_good) {
        snprintf(text, sizeof text, "200 " FL_STR_FMT, FL_STR_ARG(trial_view(&trial.body)));
    } else {
        snprintf(text, sizeof text, "%u %s: %s", trial.failure.status,
                 fl_code_name(trial.failure.err.code), trial.failure.err.text);
    }
    end_call(&trial);
    return text;
}

static void a_request_has_its_path_and_token(void **state)
{
    PLAY(play, HELLO, EMPTY);

    (void)state;
    kube_trial_begin(play, serve, NULL);
    assert_string_equal(told(play, "GET", "/api/v1/pods?limit=5"), "200 hello");
    assert_non_null(strstr(play->heads[0], "GET /api/v1/pods?limit=5 HTTP/1.1\r\n"));
    assert_non_null(strstr(play->heads[0], "Authorization: Bearer secret\r\n"));
    assert_non_null(strstr(play->heads[0], "Accept: application/json\r\n"));
    assert_non_null(strstr(play->heads[0], "User-Agent: fairlead-agent/"));
    assert_null(strstr(play->heads[0], "Content-Type"));
    assert_string_equal(told(play, "POST", "/api/v1/namespaces/a/pods"), "200 ");
    assert_non_null(strstr(play->heads[1], "Content-Type: application/json\r\n"));
    assert_int_equal(atomic_load(&play->server.served), 1);
    kube_trial_end(play);
}

static void a_client_certificate_is_shown(void **state)
{
    PLAY(play, HELLO);

    (void)state;
    play->kube.token = (struct fl_str){0};
    play->kube.certificate.data = trial_view(&play->ca.client_pem);
    play->kube.key.data = trial_view(&play->ca.client_key_pem);
    kube_trial_begin(play, serve, NULL);
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_null(strstr(play->heads[0], "Authorization"));
    kube_trial_end(play);
}

static void a_refusal_has_the_servers_words(void **state)
{
    PLAY(play,
         "HTTP/1.1 403 Forbidden\r\nContent-Length: 62\r\n\r\n"
         "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"not for you\"} ",
         "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nlost",
         "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", HELLO);

    (void)state;
    kube_trial_begin(play, serve, NULL);
    assert_string_equal(told(play, "GET", "/a"),
                        "403 denied: the API server answers 403 Forbidden: not for you");
    assert_string_equal(told(play, "GET", "/a"), "404 absent: the API server answers 404");
    assert_string_equal(told(play, "POST", "/a"), "500 unavailable: the API server answers 500");
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_int_equal(kube_client_counts(play->client).refused, 3);
    assert_int_equal(kube_client_counts(play->client).sent_again, 0);
    kube_trial_end(play);
}

static void a_busy_server_is_asked_again(void **state)
{
    PLAY(play, "HTTP/1.1 429 Later\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", EMPTY,
         "HTTP/1.1 503 Later\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", HELLO,
         "HTTP/1.1 502 Oops\r\nContent-Length: 3\r\n\r\nbad", HELLO);
    fl_ms since = fl_clock_mono();

    (void)state;
    kube_trial_begin(play, serve, NULL);
    assert_string_equal(told(play, "POST", "/a"), "200 ");
    assert_in_range(fl_clock_mono() - since, 1000, 15000);
    assert_string_equal(told(play, "POST", "/b"), "200 hello");
    assert_string_equal(told(play, "GET", "/c"), "200 hello");
    assert_non_null(strstr(play->heads[1], "POST /a"));
    assert_int_equal(kube_client_counts(play->client).sent_again, 3);
    kube_trial_end(play);
}

static void a_429_holds_back_all_requests(void **state)
{
    PLAY(play, "HTTP/1.1 429 Later\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", HELLO);
    struct trial_call once = {0};
    fl_ms since = fl_clock_mono();

    (void)state;
    kube_trial_begin(play, serve, NULL);
    ask(play, &(struct kube_request){.method = "GET", .path = "/a", .is_once = true}, &once);
    await(play, &once);
    assert_int_equal(once.failure.status, 429);
    assert_int_equal(once.failure.retry_after_ms, 1000);
    end_call(&once);
    assert_string_equal(told(play, "GET", "/b"), "200 hello");
    assert_in_range(fl_clock_mono() - since, 1000, 15000);
    kube_trial_end(play);
}

static void a_silent_end_brings_a_new_connection(void **state)
{
    PLAY(play, HELLO, CUT, HELLO);
    const char *text;

    (void)state;
    kube_trial_begin(play, serve, NULL);
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_int_equal(kube_client_counts(play->client).connections, 1);
    text = told(play, "POST", "/b");
    assert_non_null(strstr(text, "0 unavailable: "));
    assert_string_equal(told(play, "GET", "/c"), "200 hello");
    assert_int_equal(kube_client_counts(play->client).connections, 2);
    kube_trial_end(play);
}

/* ---- the token's file ------------------------------------------------------------------------ */

static void write_token(const char *path, const char *token)
{
    struct fl_err err = {0};

    if (!fl_file_write(AT_FDCWD, path, token, strlen(token), 0600, &err)) fail_msg("%s", err.text);
}

static void a_tokens_file_is_read_again_when_it_changes(void **state)
{
    PLAY(play, HELLO, HELLO, HELLO, HELLO, HELLO);
    char folder[] = "/tmp/fl-kube-XXXXXX", path[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/token", folder);
    write_token(path, "one\n");
    play->kube.token = (struct fl_str){0};
    play->kube.token_path = fl_str_c(path);
    kube_trial_begin(play, serve, NULL);
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_non_null(strstr(play->heads[0], "Authorization: Bearer one\r\n"));
    write_token(path, "two");
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_non_null(strstr(play->heads[1], "Authorization: Bearer two\r\n"));
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_non_null(strstr(play->heads[2], "Authorization: Bearer two\r\n"));
    unlink(path);
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_non_null(strstr(play->heads[3], "Authorization: Bearer two\r\n"));
    write_token(path, "\n");
    assert_string_equal(told(play, "GET", "/a"), "200 hello");
    assert_non_null(strstr(play->heads[4], "Authorization: Bearer two\r\n"));
    unlink(path);
    rmdir(folder);
    kube_trial_end(play);
}

static void a_file_that_is_absent_is_named(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct kube_client *client;
    struct kube_config kube = {.server = FL_STR("https://h"),
                               .token_path = FL_STR("/absent/token")};
    struct fl_err err = {0};

    (void)state;
    assert_false(
        kube_client_create(loop, &(struct kube_client_config){.kube = &kube}, &client, &err));
    assert_non_null(strstr(err.text, "/absent/token"));
    kube.token_path = (struct fl_str){0};
    kube.ca.path = FL_STR("/absent/ca.crt");
    assert_false(
        kube_client_create(loop, &(struct kube_client_config){.kube = &kube}, &client, &err));
    assert_non_null(strstr(err.text, "/absent/ca.crt"));
    fl_loop_destroy(loop);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void requests_keep_their_pace(void **state)
{
    PLAY(play, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY);
    struct trial_call trials[5] = {0};
    fl_ms since = fl_clock_mono();

    (void)state;
    kube_trial_begin(play, serve,
                     &(struct kube_client_config){.per_second = 20, .burst = 1, .at_once_max = 1});
    for (size_t i = 0; i < 5; i++) {
        ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &trials[i]);
    }
    fl_loop_turn(play->loop, 0);
    assert_int_equal(kube_client_counts(play->client).running, 1);
    assert_int_equal(kube_client_counts(play->client).waiting, 4);
    for (size_t i = 0; i < 5; i++) {
        await(play, &trials[i]);
        assert_true(trials[i].is_good);
    }
    assert_in_range(fl_clock_mono() - since, 200, 15000);
    for (size_t i = 0; i < 5; i++) {
        end_call(&trials[i]);
    }
    kube_trial_end(play);
}

static void a_stream_does_not_wait_behind_requests(void **state)
{
    PLAY(play, HELLO);
    struct trial_call first = {0}, second = {0}, stream = {0};

    (void)state;
    kube_trial_begin(play, serve, &(struct kube_client_config){.at_once_max = 1});
    ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &first);
    ask(play, &(struct kube_request){.method = "GET", .path = "/b"}, &second);
    ask(play, &(struct kube_request){.method = "GET", .path = "/s", .is_stream = true}, &stream);
    fl_loop_turn(play->loop, 0);
    assert_int_equal(kube_client_counts(play->client).sent, 2);
    assert_int_equal(kube_client_counts(play->client).running, 1);
    assert_int_equal(kube_client_counts(play->client).waiting, 1);
    end_call(&second);
    end_call(&first);
    end_call(&stream);
    kube_trial_end(play);
}

static void too_many_that_wait_are_refused(void **state)
{
    PLAY(play, HELLO);
    struct trial_call first = {0}, second = {0};

    (void)state;
    kube_trial_begin(play, serve, &(struct kube_client_config){.waiting_max = 1});
    ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &first);
    ask(play, &(struct kube_request){.method = "GET", .path = "/b"}, &second);
    await(play, &second);
    assert_int_equal(second.failure.err.code, FL_FULL);
    await(play, &first);
    assert_true(first.is_good);
    end_call(&first);
    end_call(&second);
    kube_trial_end(play);
}

static void a_call_may_be_destroyed_at_any_time(void **state)
{
    PLAY(play, HELLO, HELLO, "HTTP/1.1 429 Later\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n",
         HELLO);
    struct trial_call trial = {.is_destroyed_in_body = true};
    fl_ms until;

    (void)state;
    kube_trial_begin(play, serve, NULL);
    ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &trial);
    await(play, &trial);
    end_call(&trial);
    trial.is_destroyed_in_done = true;
    ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &trial);
    await(play, &trial);
    end_call(&trial);
    ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &trial);
    end_call(&trial); /* waits for its turn */
    ask(play, &(struct kube_request){.method = "GET", .path = "/a"}, &trial);
    until = fl_clock_mono() + TRIAL_TURNS_MS;
    while (kube_client_counts(play->client).sent_again == 0 && fl_clock_mono() < until) {
        fl_loop_turn(play->loop, 100);
    }
    assert_int_equal(kube_client_counts(play->client).sent_again, 1);
    end_call(&trial); /* waits to be sent again */
    kube_trial_end(play);
}

FL_TESTS(cmocka_unit_test(a_request_has_its_path_and_token),
         cmocka_unit_test(a_client_certificate_is_shown),
         cmocka_unit_test(a_refusal_has_the_servers_words),
         cmocka_unit_test(a_busy_server_is_asked_again),
         cmocka_unit_test(a_429_holds_back_all_requests),
         cmocka_unit_test(a_silent_end_brings_a_new_connection),
         cmocka_unit_test(a_tokens_file_is_read_again_when_it_changes),
         cmocka_unit_test(a_file_that_is_absent_is_named),
         cmocka_unit_test(requests_keep_their_pace),
         cmocka_unit_test(a_stream_does_not_wait_behind_requests),
         cmocka_unit_test(too_many_that_wait_are_refused),
         cmocka_unit_test(a_call_may_be_destroyed_at_any_time))
