#include "cli/client.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/http.h"
#include "cli/interrupt.h"
#include "shared/io/clock.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/tunnel/test_proxy.h"
#include "tests/unit/shared/http_client/http_trial.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define GOOD OK "Content-Length: 7\r\n\r\n{\"a\":1}"
#define BUSY "HTTP/1.1 503 Later\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

/* Answers the first requests with one text each, later ones with the last.  NULL: no answer, but an
 * interrupt from the terminal. */
struct answers {
    const char *const *at;
    size_t len, asked;
    char keys[8][64]; /* Idempotency-Key of each */
};

static void answer(struct hostile_server *server)
{
    struct answers *answers = (struct answers *)(uintptr_t)server->script;

    while (hostile_read_head(server)) {
        size_t i = answers->asked < answers->len ? answers->asked : answers->len - 1;
        const char *key = strstr(server->head, "Idempotency-Key: ");

        if (key && answers->asked < 8) {
            snprintf(answers->keys[answers->asked], 64, "%.*s", (int)strcspn(key + 17, "\r"),
                     key + 17);
        }
        answers->asked++;
        if (!answers->at[i]) {
            kill(getpid(), SIGINT);
            hostile_hold(server);
            return;
        }
        hostile_say(server, answers->at[i]);
        if (!strstr(answers->at[i], "Content-Length") || strstr(answers->at[i], "close")) return;
    }
}

struct fixture {
    struct hostile_server server;
    struct answers answers;
    struct cli cli;
    char url[64];
};

static void begin(struct fixture *fixture, const char *const *texts, size_t len)
{
    *fixture = (struct fixture){.answers = {.at = texts, .len = len}};
    fixture->server.serve = answer;
    fixture->server.script = &fixture->answers;
    hostile_start(&fixture->server);
    snprintf(fixture->url, sizeof fixture->url, "http://127.0.0.1:%u", fixture->server.port);
    fixture->cli.settings.url = fixture->url;
}

static void end(struct fixture *fixture)
{
    cli_http_end(&fixture->cli);
    hostile_stop(&fixture->server);
    fl_arena_fini(&fixture->cli.arena);
}

static void requests_share_a_connection(void **state)
{
    static const char *const texts[] = {GOOD};
    struct fixture fixture;
    json_t *json = NULL;

    (void)state;
    begin(&fixture, texts, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cli_get(&fixture.cli, &json, "/v1/%d", i), CLI_OK);
        assert_int_equal(cli_int(json, "a"), 1);
        json_decref(json);
    }
    assert_int_equal(atomic_load(&fixture.server.served), 1);
    assert_int_equal(fixture.answers.asked, 3);
    end(&fixture);
}

static void what_may_pass_is_asked_again_under_one_key(void **state)
{
    static const char *const texts[] = {BUSY, "",
                                        OK "Content-Length: 9\r\nConnection: close\r\n\r\n{", GOOD};
    struct fixture fixture;
    json_t *json = NULL;

    (void)state;
    begin(&fixture, texts, 4);
    assert_int_equal(cli_post(&fixture.cli, &json, json_object(), "/v1/jobs"), CLI_OK);
    assert_int_equal(cli_int(json, "a"), 1);
    json_decref(json);
    assert_int_equal(fixture.answers.asked, 4);
    assert_int_equal(strlen(fixture.answers.keys[0]), strlen("cli-") + 32);
    for (int i = 1; i < 4; i++) {
        assert_string_equal(fixture.answers.keys[i], fixture.answers.keys[0]);
    }
    end(&fixture);
}

static void who_is_impatient_asks_once(void **state)
{
    static const char *const texts[] = {BUSY};
    struct cli_request request = {.method = "GET", .path = "/readyz", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    struct fixture fixture;

    (void)state;
    begin(&fixture, texts, 1);
    assert_true(cli_send(&fixture.cli, &request, &reply, &err));
    assert_int_equal(reply.status, 503);
    assert_int_equal(fixture.answers.asked, 1);
    end(&fixture);
}

/* Each ends at once, with an error that names the control plane. */
static void what_does_not_pass_is_an_error(void **state)
{
    static const struct {
        const char *text;
        enum fl_code code;
        const char *says;
    } all[] = {
        {"SSH-2.0-OpenSSH_9.2\r\n\r\n", FL_UNAVAILABLE, "cannot be reached"},
        {OK "Content-Length: 99999999999\r\n\r\n", FL_TORN, "larger than 64 MiB"},
        {"\x15\x03\x01", FL_UNAVAILABLE, "cannot be reached"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct cli_request request = {.method = "GET", .path = "/v1/jobs"};
        struct cli_reply reply = {0};
        struct fl_err err = {0};
        struct fixture fixture;

        begin(&fixture, &all[i].text, 1);
        assert_false(cli_send(&fixture.cli, &request, &reply, &err));
        assert_int_equal(err.code, all[i].code);
        if (!strstr(err.text, all[i].says) || !strstr(err.text, fixture.url)) {
            fail_msg("%zu: %s", i, err.text);
        }
        assert_int_equal(fixture.answers.asked, 1);
        end(&fixture);
    }
}

static void ca_and_certificate_errors_say_what_to_give(void **state)
{
    static const char *const texts[] = {GOOD};
    char path[] = "/tmp/fl-client-test-XXXXXX";
    int fd = mkstemp(path);
    struct cli_request request = {.method = "GET", .path = "/v1/jobs"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    struct trial_ca ca, other;
    struct fixture fixture;

    (void)state;
    trial_ca_init(&ca);
    trial_ca_init(&other);
    begin(&fixture, texts, 1);
    fixture.server.tls = ca.server;
    snprintf(fixture.url, sizeof fixture.url, "https://localhost:%u", fixture.server.port);
    fixture.cli.settings.ca_file = "/nonexistent/ca.pem";
    assert_false(cli_send(&fixture.cli, &request, &reply, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(err.text, "/nonexistent/ca.pem"));

    fixture.cli.settings.ca_file = path;
    assert_int_equal(write(fd, fl_ca_cert_pem(other.ca).at, fl_ca_cert_pem(other.ca).len),
                     fl_ca_cert_pem(other.ca).len);
    assert_false(cli_send(&fixture.cli, &request, &reply, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(err.text, "is not trusted"));
    assert_non_null(strstr(err.text, "--ca-file"));
    cli_http_end(&fixture.cli);

    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, fl_ca_cert_pem(ca.ca).at, fl_ca_cert_pem(ca.ca).len, 0),
                     fl_ca_cert_pem(ca.ca).len);
    if (!cli_send(&fixture.cli, &request, &reply, &err)) fail_msg("%s", err.text);
    assert_int_equal(reply.status, 200);
    close(fd);
    unlink(path);
    end(&fixture);
    trial_ca_fini(&other);
    trial_ca_fini(&ca);
}

static void the_environment_names_the_proxy(void **state)
{
    struct cli cli = {.settings = {.url = "https://lab.example"}};

    (void)state;
    unsetenv("https_proxy"), unsetenv("HTTPS_PROXY"), unsetenv("all_proxy"), unsetenv("ALL_PROXY");
    assert_null(cli_http_proxy(&cli).value);
    setenv("ALL_PROXY", "http://all:1", 1);
    setenv("http_proxy", "http://plain:1", 1);
    assert_string_equal(cli_http_proxy(&cli).value, "http://all:1");
    setenv("https_proxy", "", 1); /* as if it were not there */
    setenv("HTTPS_PROXY", "http://secure:1", 1);
    assert_string_equal(cli_http_proxy(&cli).value, "http://secure:1");
    assert_string_equal(cli_http_proxy(&cli).variable, "HTTPS_PROXY");
    cli.settings.url = "http://127.0.0.1:8080";
    assert_string_equal(cli_http_proxy(&cli).variable, "http_proxy");
    unsetenv("HTTPS_PROXY"), unsetenv("ALL_PROXY"), unsetenv("http_proxy");
}

static void a_request_goes_through_the_proxy_unless_exempt(void **state)
{
    static const char *const texts[] = {GOOD};
    char path[] = "/tmp/fl-client-test-XXXXXX";
    int fd = mkstemp(path);
    struct cli_request request = {.method = "GET", .path = "/v1/jobs"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    struct test_peer proxy = {0};
    struct trial_ca ca;
    struct fixture fixture;

    (void)state;
    trial_ca_init(&ca);
    assert_int_equal(write(fd, fl_ca_cert_pem(ca.ca).at, fl_ca_cert_pem(ca.ca).len),
                     fl_ca_cert_pem(ca.ca).len);
    close(fd);
    test_proxy_start(&proxy);
    setenv("https_proxy", proxy.url, 1);
    for (unsigned i = 0; i < 2; i++) {
        begin(&fixture, texts, 1);
        fixture.server.tls = ca.server;
        snprintf(fixture.url, sizeof fixture.url, "https://127.0.0.1:%u", fixture.server.port);
        fixture.cli.settings.ca_file = path;
        if (i == 1) setenv("no_proxy", "10.0.0.1, 127.0.0.1", 1);
        if (!cli_send(&fixture.cli, &request, &reply, &err)) fail_msg("%s", err.text);
        assert_int_equal(reply.status, 200);
        assert_int_equal(atomic_load(&proxy.served), 1);
        end(&fixture);
    }
    unsetenv("https_proxy"), unsetenv("no_proxy");
    unlink(path);
    test_peer_stop(&proxy);
    trial_ca_fini(&ca);
}

/* The last test: an interrupt is for good. */
static void an_interrupt_ends_a_wait(void **state)
{
    static const char *const texts[] = {NULL};
    struct cli_request request = {.method = "GET", .path = "/v1/jobs"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    struct fixture fixture;
    int64_t started = fl_clock_mono();

    (void)state;
    begin(&fixture, texts, 1);
    cli_catch_interrupt();
    assert_false(cli_send(&fixture.cli, &request, &reply, &err));
    assert_string_equal(err.text, "interrupted");
    assert_true(fl_clock_mono() - started < 5000);
    end(&fixture);
}

FL_TESTS(cmocka_unit_test(requests_share_a_connection),
         cmocka_unit_test(what_may_pass_is_asked_again_under_one_key),
         cmocka_unit_test(who_is_impatient_asks_once),
         cmocka_unit_test(what_does_not_pass_is_an_error),
         cmocka_unit_test(ca_and_certificate_errors_say_what_to_give),
         cmocka_unit_test(the_environment_names_the_proxy),
         cmocka_unit_test(a_request_goes_through_the_proxy_unless_exempt),
         cmocka_unit_test(an_interrupt_ends_a_wait))
