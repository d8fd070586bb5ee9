#include "shared/http_client/http_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "shared/tls/cert.h"
#include "shared/tls/digest.h"
#include "tests/unit/agent/tunnel/test_proxy.h"
#include "tests/unit/shared/http_client/http_trial.h"

#define HELLO "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-One:  two words \r\n\r\nhello"

/* ---- plain uses ------------------------------------------------------------------------------ */

static void greet(struct hostile_server *server)
{
    while (hostile_read_head(server) && hostile_say(server, HELLO)) {
        continue;
    }
}

static void an_answer_comes_over_tls(void **state)
{
    struct trial_ca ca;
    struct trial trial;
    struct hostile_server server = {.serve = greet};
    const struct fl_http_header headers[] = {{"Authorization", "Bearer x"}, {"X-Empty", ""}};

    (void)state;
    trial_ca_init(&ca);
    server.tls = ca.server;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){.tls.ca_pem = fl_ca_cert_pem(ca.ca)});
    for (unsigned i = 1; i <= 3; i++) {
        trial_run(&trial, &(struct fl_http_request){.method = "GET",
                                                    .url = hostile_url(&server, "/a/../b%2f?c=d"),
                                                    .headers = headers,
                                                    .headers_len = 2});
        if (!trial.is_whole) fail_msg("%s", trial.err.text);
        assert_int_equal(trial.status, 200);
        assert_true(fl_str_eq(trial_view(&trial.body), FL_STR("hello")));
        assert_true(fl_str_eq(fl_http_call_header(trial.call, "x-one"), FL_STR("two words")));
        assert_null(fl_http_call_header(trial.call, "x-on").at);
    }
    assert_int_equal(atomic_load(&server.served), 1); /* one connection for all */
    hostile_stop(&server);
    assert_non_null(strstr(server.head, "GET /a/../b%2f?c=d HTTP/1.1\r\n"));
    assert_non_null(strstr(server.head, "\r\nAuthorization: Bearer x\r\n"));
    assert_non_null(strstr(server.head, "\r\nX-Empty:\r\n"));
    assert_null(strstr(server.head, "Accept"));
    assert_null(strstr(server.head, "User-Agent"));
    trial_fini(&trial);
    trial_ca_fini(&ca);
}

static void redirect(struct hostile_server *server)
{
    char text[256];

    if (!hostile_read_head(server)) return;
    snprintf(text, sizeof text, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
             (const char *)server->script);
    hostile_say(server, text);
    hostile_hold(server);
}

static void a_redirect_is_an_answer_and_not_followed(void **state)
{
    struct hostile_server target = {.serve = greet}, server = {.serve = redirect};
    char location[128];
    struct trial trial;

    (void)state;
    hostile_start(&target);
    snprintf(location, sizeof location, "%s", hostile_url(&target, "/"));
    server.script = location;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    assert_true(trial.is_whole);
    assert_int_equal(trial.status, 302);
    assert_int_equal(atomic_load(&target.served), 0);
    trial_fini(&trial);
    hostile_stop(&server);
    hostile_stop(&target);
}

static void what_makes_no_request_is_refused(void **state)
{
    const struct fl_http_header split[] = {{"X-A", "b\r\nX-Evil: c"}}, space[] = {{"X A", "b"}};
    const struct fl_http_request bad[] = {
        {.method = "GET", .url = "ftp://127.0.0.1/"},
        {.method = "GET", .url = "file:///etc/passwd"},
        {.method = "GET", .url = "https://user:password@127.0.0.1/"},
        {.method = "GET", .url = "https://127.0.0.1:99999/"},
        {.method = "GET", .url = "http://127.0.0.1/\r\nX-Evil: c"},
        {.method = "GET", .url = ""},
        {.method = "GE T", .url = "http://127.0.0.1/"},
        {.method = "", .url = "http://127.0.0.1/"},
        {.method = "GET", .url = "http://127.0.0.1/", .headers = split, .headers_len = 1},
        {.method = "GET", .url = "http://127.0.0.1/", .headers = space, .headers_len = 1},
    };
    struct trial trial;

    (void)state;
    trial_init(&trial, &(struct fl_http_client_config){0});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        trial_run(&trial, &bad[i]);
        assert_false(trial.is_whole);
        if (trial.err.code != FL_INVALID) fail_msg("%zu: %s", i, trial.err.text);
    }
    trial_fini(&trial);
}

/* ---- trust ----------------------------------------------------------------------------------- */

static void show_peer(struct hostile_server *server)
{
    struct fl_cert cert = {0};
    struct fl_err err = {0};
    char text[256];

    if (!hostile_read_head(server)) return;
    snprintf(text, sizeof text, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n",
             fl_cert_of_cluster(server->ssl, &cert, &err) ? 200 + cert.cluster.at[0] : 403);
    hostile_say(server, text);
    hostile_hold(server);
}

static void both_sides_prove_who_they_are(void **state)
{
    struct trial_ca ca, other;
    struct hostile_server server = {.serve = show_peer};
    struct trial trial;
    struct fl_http_client_config config = {0};

    (void)state;
    trial_ca_init(&ca);
    trial_ca_init(&other);
    server.tls = ca.demander;
    hostile_start(&server);

    config.tls = (struct fl_tls_client){.ca_pem = fl_ca_cert_pem(ca.ca),
                                        .cert_pem = trial_view(&ca.client_pem),
                                        .key_pem = trial_view(&ca.client_key_pem)};
    trial_init(&trial, &config);
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    if (!trial.is_whole) fail_msg("%s", trial.err.text);
    assert_int_equal(trial.status, 207);
    trial_fini(&trial);

    config.tls.cert_pem = config.tls.key_pem = (struct fl_str){0}; /* presents nothing */
    trial_init(&trial, &config);
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    assert_false(trial.is_whole);
    trial_fini(&trial);

    config.tls.cert_pem = trial_view(&ca.client_pem);
    config.tls.key_pem = trial_view(&other.client_key_pem); /* another's key */
    trial_init(&trial, &config);
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    assert_int_equal(trial.err.code, FL_INVALID);
    trial_fini(&trial);

    hostile_stop(&server);
    trial_ca_fini(&ca);
    trial_ca_fini(&other);
}

static void talk_first(struct hostile_server *server)
{
    hostile_say(server, HELLO);
    hostile_hold(server);
}

/* One call of a new client; its error's code, -1: a whole answer. */
static int outcome(const struct fl_http_client_config *config, const char *url)
{
    struct trial trial;
    int code;

    trial_init(&trial, config);
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = url});
    code = trial.is_whole ? -1 : (int)trial.err.code;
    trial_fini(&trial);
    return code;
}

static void only_the_server_that_is_meant_is_trusted(void **state)
{
    struct trial_ca ca, other;
    struct hostile_server server = {.serve = greet}, old = {.serve = greet},
                          clear = {.serve = talk_first};
    struct fl_digest pin, wrong;
    struct fl_http_client_config by_ca = {0}, by_other = {0}, by_system = {0}, by_pin = {0},
                                 by_wrong = {0};
    char there[128], named[128];

    (void)state;
    trial_ca_init(&ca);
    trial_ca_init(&other);
    server.tls = ca.server;
    old.tls = ca.expired;
    hostile_start(&server);
    hostile_start(&old);
    hostile_start(&clear);
    pin = wrong = fl_ca_sha256(ca.ca);
    wrong.at[31] ^= 1;
    by_ca.tls.ca_pem = fl_ca_cert_pem(ca.ca);
    by_other.tls.ca_pem = fl_ca_cert_pem(other.ca);
    by_pin.tls.ca_sha256 = &pin;
    by_wrong.tls.ca_sha256 = &wrong;
    snprintf(there, sizeof there, "%s", hostile_url(&server, "/"));

    assert_int_equal(outcome(&by_ca, there), -1);
    assert_int_equal(outcome(&by_pin, there), -1);
    assert_int_equal(outcome(&by_wrong, there), FL_DENIED);
    assert_int_equal(outcome(&by_other, there), FL_DENIED);
    assert_int_equal(outcome(&by_system, there), FL_DENIED);
    assert_int_equal(outcome(&by_ca, hostile_url(&old, "/")), FL_DENIED);
    assert_int_equal(outcome(&by_pin, hostile_url(&old, "/")), FL_DENIED);

    /* A name instead of that of the URL. */
    snprintf(named, sizeof named, "https://127.0.0.2:%u/",
             server.port);                                    /* that name is not in it */
    assert_int_equal(outcome(&by_ca, named), FL_UNAVAILABLE); /* without a listener */
    by_ca.server_name = by_pin.server_name = "elsewhere.example";
    assert_int_equal(outcome(&by_ca, there), FL_DENIED);
    assert_int_equal(outcome(&by_pin, there), FL_DENIED);
    by_ca.server_name = by_pin.server_name = FL_TLS_SERVER_NAME;
    assert_int_equal(outcome(&by_ca, there), -1);
    assert_int_equal(outcome(&by_pin, there), -1);

    /* No TLS there. */
    snprintf(named, sizeof named, "https://127.0.0.1:%u/", clear.port);
    assert_int_equal(outcome(&by_ca, named), FL_IO);
    by_ca.tls.ca_pem = FL_STR("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n");
    assert_int_equal(outcome(&by_ca, there), FL_INVALID);

    hostile_stop(&server);
    assert_non_null(strstr(server.head, "Host: 127.0.0.1:")); /* not that of the certificate */
    hostile_stop(&old);
    hostile_stop(&clear);
    trial_ca_fini(&ca);
    trial_ca_fini(&other);
}

static void on_head_look(void *ctx)
{
    struct trial *trial = ctx;
    struct fl_cert cert;
    struct fl_err err = {0};
    X509 *x509 = fl_http_call_certificate(trial->call);
    char subject[64], cut[6];

    trial_on_head(trial);
    assert_non_null(x509);
    assert_true(fl_cert_of(x509, &cert, &err));
    assert_true(cert.until > fl_clock_wall());
    fl_cert_subject(x509, subject, sizeof subject);
    assert_string_equal(subject, "CN = fairlead control plane");
    fl_cert_subject(x509, cut, sizeof cut);
    assert_string_equal(cut, "CN = ");
}

static void the_servers_certificate_can_be_looked_at(void **state)
{
    struct trial_ca ca;
    struct hostile_server server = {.serve = greet};
    struct trial trial;

    (void)state;
    trial_ca_init(&ca);
    server.tls = ca.server;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){.tls.ca_pem = fl_ca_cert_pem(ca.ca)});
    trial.port.head = on_head_look;
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    assert_true(trial.is_whole);
    trial_fini(&trial);
    hostile_stop(&server);
    trial_ca_fini(&ca);
}

/* ---- callbacks that take part ---------------------------------------------------------------- */

static void on_head_destroy(void *ctx)
{
    struct trial *trial = ctx;

    trial->heads++;
    fl_http_call_destroy(trial->call);
    trial->call = NULL;
}

static void on_body_destroy(void *ctx, struct fl_str bytes)
{
    trial_on_body(ctx, bytes);
    on_head_destroy(ctx);
}

static size_t on_pull_destroy(void *ctx, uint8_t *at, size_t bytes_max)
{
    (void)at, (void)bytes_max;
    on_head_destroy(ctx);
    return 0;
}

static void on_done_destroy(void *ctx, const struct fl_err *err)
{
    trial_on_done(ctx, err);
    on_head_destroy(ctx);
}

static void a_call_may_be_destroyed_from_each_of_its_callbacks(void **state)
{
    struct hostile_server server = {.serve = greet};
    const struct fl_http_port ports[] = {
        {NULL, on_head_destroy, trial_on_body, trial_on_done, NULL},
        {NULL, trial_on_head, on_body_destroy, trial_on_done, NULL},
        {NULL, trial_on_head, trial_on_body, trial_on_done, on_pull_destroy},
        {NULL, trial_on_head, trial_on_body, on_done_destroy, NULL},
    };
    struct trial trial;

    (void)state;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){0});
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        trial.port = ports[i];
        trial.port.ctx = &trial;
        trial_begin(&trial, &(struct fl_http_request){.method = ports[i].pull ? "POST" : "GET",
                                                      .url = hostile_url(&server, "/"),
                                                      .pull_bytes = 4});
        while (trial.call) {
            fl_loop_turn(trial.loop, 10);
        }
        for (int n = 0; n < 5; n++) {
            fl_loop_turn(trial.loop, 2);
        }
        assert_int_equal(trial.is_done, i == 3);
    }
    trial_begin(&trial,
                &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    fl_http_call_destroy(trial.call); /* before libcurl has heard of it */
    trial.call = NULL;
    trial_fini(&trial);
    hostile_stop(&server);
}

struct chain {
    struct trial first, second;
    const struct hostile_server *server;
};

static void on_body_start_another(void *ctx, struct fl_str bytes)
{
    struct chain *chain = ctx;

    trial_on_body(&chain->first, bytes);
    chain->second.call = fl_http_call_start(
        chain->first.client,
        &(struct fl_http_request){.method = "GET", .url = hostile_url(chain->server, "/")},
        &chain->second.port);
}

static void a_callback_may_start_another_call(void **state)
{
    struct hostile_server server = {.serve = greet};
    struct chain chain = {.server = &server};

    (void)state;
    hostile_start(&server);
    trial_init(&chain.first, &(struct fl_http_client_config){.connections_max = 1});
    trial_init(&chain.second, &(struct fl_http_client_config){0});
    chain.first.port.ctx = &chain;
    chain.first.port.body = on_body_start_another;
    trial_run(&chain.first,
              &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    while (!chain.second.is_done) {
        fl_loop_turn(chain.first.loop, 10);
    }
    assert_true(chain.second.is_whole);
    assert_int_equal(atomic_load(&server.served), 1);
    fl_http_call_destroy(chain.second.call);
    chain.second.call = NULL;
    trial_fini(&chain.second);
    trial_fini(&chain.first);
    hostile_stop(&server);
}

/* ---- connections ----------------------------------------------------------------------------- */

/* The descriptors of this process that are connected to 'port', and how many a child inherits. */
static unsigned connections_to(uint16_t port, unsigned *ret_inherited)
{
    unsigned found = 0;

    *ret_inherited = 0;
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_in peer = {0};
        socklen_t len = sizeof peer;

        if (getpeername(fd, (struct sockaddr *)&peer, &len) < 0) continue;
        if (peer.sin_family != AF_INET || ntohs(peer.sin_port) != port) continue;
        found++;
        if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC)) (*ret_inherited)++;
    }
    return found;
}

static void a_child_inherits_no_connection(void **state)
{
    struct hostile_server server = {.serve = greet};
    struct trial trial;
    unsigned inherited;

    (void)state;
    hostile_start(&server);
    trial_init(&trial, &(struct fl_http_client_config){0});
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    assert_true(trial.is_whole);
    assert_int_equal(connections_to(server.port, &inherited), 1); /* it is kept */
    assert_int_equal(inherited, 0);
    trial_fini(&trial);
    hostile_stop(&server);
}

static void reads_on(struct hostile_server *server)
{
    hostile_read_head(server);
    hostile_hold(server);
}

static void says_at_once(struct hostile_server *server)
{
    hostile_say(server, "HTTP/1.1 500 You\r\nContent-Length: 5\r\n\r\nspoke");
    hostile_hold(server);
}

static void a_connection_alone_can_be_asked_for(void **state)
{
    void (*const serves[])(struct hostile_server *) = {reads_on, says_at_once, hostile_reset};
    struct fl_http_request request = {.method = "GET", .is_connect_only = true, .connect_ms = 500};
    struct trial trial;
    unsigned inherited;

    (void)state;
    for (size_t i = 0; i < sizeof serves / sizeof *serves; i++) {
        struct hostile_server server = {.serve = serves[i]};

        hostile_start(&server);
        trial_init(&trial, &(struct fl_http_client_config){0});
        request.url = hostile_url(&server, "/");
        trial_run(&trial, &request);
        if (serves[i] == hostile_reset && !trial.is_whole) { /* reset before it was looked at */
            assert_int_equal(trial.err.code, FL_UNAVAILABLE);
        } else if (!trial.is_whole) {
            fail_msg("%zu: %s", i, trial.err.text);
        }
        assert_int_equal(trial.heads, 0);
        assert_int_equal(atomic_load(&server.requests), 0);
        assert_int_equal(connections_to(server.port, &inherited), 0); /* none is kept */
        trial_fini(&trial);
        hostile_stop(&server);
    }
    trial_init(&trial, &(struct fl_http_client_config){0});
    request.url = "http://127.0.0.1:1/";
    trial_run(&trial, &request);
    assert_int_equal(trial.err.code, FL_UNAVAILABLE);
    trial_fini(&trial);
}

static void a_connection_alone_goes_through_a_proxy(void **state)
{
    struct test_peer proxy = {.login = "Proxy-Authorization: Basic dTpw"}; /* u:p */
    struct hostile_server server = {.serve = reads_on};
    struct fl_http_client_config config = {.proxy = proxy.url};
    struct fl_http_request request = {.method = "GET", .is_connect_only = true};
    struct trial trial;
    char url[80];

    (void)state;
    hostile_start(&server);
    test_proxy_start(&proxy);
    request.url = hostile_url(&server, "/");
    trial_init(&trial, &config);
    trial_run(&trial, &request);
    assert_int_equal(trial.err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(trial.err.text, "407"));
    trial_fini(&trial);
    assert_int_equal(atomic_load(&server.served), 0);

    snprintf(url, sizeof url, "http://u:p@127.0.0.1:%u/", proxy.port);
    config.proxy = url;
    trial_init(&trial, &config);
    trial_run(&trial, &request);
    if (!trial.is_whole) fail_msg("%s", trial.err.text);
    assert_int_equal(atomic_load(&proxy.served), 1);
    trial_fini(&trial);
    test_peer_stop(&proxy);
    hostile_stop(&server);
}

/* ---- proxies --------------------------------------------------------------------------------- */

static void a_call_goes_through_a_proxy(void **state)
{
    struct trial_ca ca;
    struct test_peer proxy = {.login = "Proxy-Authorization: Basic dTpw"}; /* u:p */
    struct hostile_server server = {.serve = greet};
    struct fl_http_client_config config = {0};
    struct trial trial;
    char url[80];

    (void)state;
    trial_ca_init(&ca);
    server.tls = ca.server;
    hostile_start(&server);
    test_proxy_start(&proxy);
    config.tls.ca_pem = fl_ca_cert_pem(ca.ca);
    config.proxy = proxy.url;
    trial_init(&trial, &config);
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    assert_int_equal(trial.err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(trial.err.text, "407"));
    trial_fini(&trial);

    snprintf(url, sizeof url, "http://u:p@127.0.0.1:%u/", proxy.port);
    config.proxy = url;
    config.server_name = FL_TLS_SERVER_NAME;
    trial_init(&trial, &config);
    trial_run(&trial, &(struct fl_http_request){.method = "GET", .url = hostile_url(&server, "/")});
    if (!trial.is_whole) fail_msg("%s", trial.err.text);
    assert_int_equal(trial.status, 200);
    assert_int_equal(trial.heads, 1); /* the proxy's is not among them */
    assert_int_equal(atomic_load(&proxy.served), 1);
    trial_fini(&trial);

    setenv("https_proxy", "http://127.0.0.1:1", 1); /* is not looked at */
    config.proxy = NULL;
    assert_int_equal(outcome(&config, hostile_url(&server, "/")), -1);
    unsetenv("https_proxy");
    config.proxy = url;
    config.no_proxy = "127.0.0.1";
    assert_int_equal(outcome(&config, hostile_url(&server, "/")), -1);
    assert_int_equal(atomic_load(&proxy.served), 1);
    config.proxy = "socks5://127.0.0.1:1";
    config.no_proxy = NULL;
    assert_int_equal(outcome(&config, hostile_url(&server, "/")), FL_INVALID);
    test_peer_stop(&proxy);
    hostile_stop(&server);
    trial_ca_fini(&ca);
}

FL_TESTS(cmocka_unit_test(an_answer_comes_over_tls),
         cmocka_unit_test(a_redirect_is_an_answer_and_not_followed),
         cmocka_unit_test(what_makes_no_request_is_refused),
         cmocka_unit_test(both_sides_prove_who_they_are),
         cmocka_unit_test(only_the_server_that_is_meant_is_trusted),
         cmocka_unit_test(the_servers_certificate_can_be_looked_at),
         cmocka_unit_test(a_call_may_be_destroyed_from_each_of_its_callbacks),
         cmocka_unit_test(a_callback_may_start_another_call),
         cmocka_unit_test(a_child_inherits_no_connection),
         cmocka_unit_test(a_connection_alone_can_be_asked_for),
         cmocka_unit_test(a_connection_alone_goes_through_a_proxy),
         cmocka_unit_test(a_call_goes_through_a_proxy))
