#include "agent/tunnel/enrol.h"
#include "agent/tunnel/identity_folder.h"

#include <stdlib.h>

#include <openssl/ssl.h>

#include "agent/tunnel/identity.h"
#include "shared/base/arena.h"
#include "shared/base/buf.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"
#include "shared/tls/base64.h"
#include "shared/tls/ca.h"
#include "shared/tls/context.h"
#include "shared/tls/digest.h"
#include "shared/tls/join_token.h"
#include "shared/tls/key.h"
#include "tests/fl_test.h"
#include "tests/unit/agent/tunnel/test_proxy.h"

struct control_plane {
    struct fl_ca *ca;
    struct test_peer api;
    struct fl_join_token token;
    char token_text[FL_JOIN_TOKEN_TEXT_MAX];
    char dir[64];
    unsigned status; /* its answer; 201: a certificate */
    unsigned unwell; /* so many times 503 first */
    bool lies_about_ca;
};

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static unsigned answer(void *ctx, struct fl_str body, char **ret_body)
{
    struct control_plane *cp = ctx;
    struct fl_arena arena = {0};
    const struct fl_json *root;
    struct fl_err err = {0};
    struct fl_buf pem, json;
    struct fl_json_out out = fl_json_out(&json);
    struct fl_csr csr = {0};
    uint8_t secret[32];
    fl_ms now = fl_clock_wall();

    if (cp->unwell) {
        cp->unwell--;
        *ret_body = strdup("{\"detail\":\"not yet\"}");
        return 503;
    }
    if (cp->status != 201) {
        *ret_body = strdup("{\"detail\":\"the token was used\"}");
        return cp->status;
    }
    assert_true(fl_json_parse(body, &arena, &root, NULL, &err));
    assert_true(fl_base64_parse(fl_json_member(root, FL_STR("token"))->text, secret, 32, &err));
    assert_memory_equal(secret, cp->token.secret, 32);
    assert_true(fl_str_eq(fl_json_member(root, FL_STR("uid"))->text, FL_STR("uid-7")));
    assert_true(fl_csr_read(fl_json_member(root, FL_STR("csr"))->text, &csr, &err));
    fl_buf_init(&pem, FL_CERT_PEM_MAX);
    fl_buf_init(&json, 4 * FL_CERT_PEM_MAX);
    assert_true(fl_ca_sign_cluster(cp->ca, csr.key, (struct fl_uuid){.at = {7}}, 1, now - 1000,
                                   now + FL_HOUR_MS, &pem, &err));
    fl_json_open(&out, NULL, '{');
    fl_json_put_str(&out, "certificate", view(&pem));
    fl_json_put_str(&out, "ca", cp->lies_about_ca ? view(&pem) : fl_ca_cert_pem(cp->ca));
    fl_json_close(&out, '}');
    *ret_body = strndup((const char *)json.at, json.len);
    fl_csr_fini(&csr);
    fl_buf_fini(&pem);
    fl_buf_fini(&json);
    fl_arena_fini(&arena);
    return 201;
}

static void begin(struct control_plane *cp)
{
    struct fl_key *key = fl_key_create();
    struct fl_buf cert, key_pem;
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();
    char url[64];

    memset(cp, 0, sizeof *cp);
    cp->status = 201;
    snprintf(cp->dir, sizeof cp->dir, "/tmp/fl-enrol-XXXXXX");
    assert_non_null(mkdtemp(cp->dir));
    assert_true(fl_ca_create("test", now, FL_HOUR_MS, &cp->ca, &err));
    fl_buf_init(&cert, 2 * FL_CERT_PEM_MAX);
    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    assert_true(fl_ca_sign_server(cp->ca, key, (struct fl_ca_names){NULL, 0}, now - 1000,
                                  now + FL_HOUR_MS, &cert, &err));
    assert_true(fl_key_write(key, &key_pem, &err));
    if (!fl_tls_server(&(struct fl_tls_server){.cert_pem = view(&cert), .key_pem = view(&key_pem)},
                       &cp->api.tls, &err)) {
        fail_msg("%s", err.text);
    }
    cp->api.answer = answer;
    cp->api.ctx = cp;
    test_https_start(&cp->api);
    snprintf(url, sizeof url, "https://127.0.0.1:%u", cp->api.port);
    assert_true(fl_join_token_init(&cp->token, fl_ca_sha256(cp->ca), fl_str_c(url),
                                   FL_STR("tunnel.example:8443"), &err));
    fl_join_token_print(&cp->token, cp->token_text);
    fl_key_destroy(key);
    fl_buf_fini(&cert);
    fl_buf_fini(&key_pem);
}

static void end(struct control_plane *cp)
{
    char command[96];

    test_peer_stop(&cp->api);
    SSL_CTX_free(cp->api.tls);
    fl_ca_destroy(cp->ca);
    snprintf(command, sizeof command, "rm -rf %s", cp->dir);
    assert_int_equal(system(command), 0);
}

struct outcome {
    bool is_done, is_good;
    struct fl_err err;
};

static void on_done(void *ctx, const struct fl_err *err)
{
    struct outcome *outcome = ctx;

    assert_false(outcome->is_done);
    outcome->is_done = true;
    outcome->is_good = !err;
    if (err) outcome->err = *err;
}

static bool enrol(struct control_plane *cp, const char *proxy, fl_ms give_up_ms, struct fl_err *err)
{
    struct fl_loop *loop = fl_loop_create();
    struct outcome outcome = {0};
    struct agent_enrol_config config = {.join_token = cp->token_text,
                                        .cluster_uid = "uid-7",
                                        .store = identity_folder(cp->dir),
                                        .proxy = proxy,
                                        .timeout_ms = 60000,
                                        .give_up_ms = give_up_ms,
                                        .ctx = &outcome,
                                        .done = on_done};
    struct agent_enrol *enrol = agent_enrol_start(loop, &config);

    assert_false(outcome.is_done);
    for (fl_ms until = fl_clock_mono() + 60000; !outcome.is_done && fl_clock_mono() < until;) {
        fl_loop_turn(loop, 100);
    }
    assert_true(outcome.is_done);
    agent_enrol_destroy(enrol);
    fl_loop_destroy(loop);
    *err = outcome.err;
    return outcome.is_good;
}

static void a_join_token_becomes_an_identity(void **state)
{
    struct control_plane cp;
    struct agent_identity *identity = NULL;
    struct fl_err err;

    (void)state;
    begin(&cp);
    cp.unwell = 1; /* it is tried again */
    assert_false(agent_enrol_is_done(identity_folder(cp.dir)));
    if (!enrol(&cp, NULL, 60000, &err)) fail_msg("%s", err.text);
    assert_true(agent_enrol_is_done(identity_folder(cp.dir)));
    assert_true(agent_identity_load(identity_folder(cp.dir), &identity, &err));
    assert_string_equal(agent_identity_hub(identity), "tunnel.example:8443");
    assert_int_equal(agent_identity_cert(identity)->cluster.at[0], 7);
    assert_true(fl_str_eq(agent_identity_ca(identity), fl_ca_cert_pem(cp.ca)));
    agent_identity_destroy(identity);
    end(&cp);
}

static void what_is_hopeless_is_not_tried_again(void **state)
{
    struct control_plane cp;
    struct fl_err err;

    (void)state;
    begin(&cp);
    cp.status = 403;
    assert_false(enrol(&cp, NULL, 60000, &err));
    assert_int_equal(err.code, FL_DENIED);
    assert_non_null(strstr(err.text, "the token was used"));
    cp.status = 201;
    cp.lies_about_ca = true;
    assert_false(enrol(&cp, NULL, 60000, &err));
    assert_int_equal(err.code, FL_DENIED);
    cp.lies_about_ca = false;
    cp.token.ca_sha256.at[0] ^= 1; /* the server is not the one the token names */
    fl_join_token_print(&cp.token, cp.token_text);
    assert_false(enrol(&cp, NULL, 60000, &err));
    assert_int_equal(err.code, FL_DENIED);
    cp.token_text[20] ^= 1;
    assert_false(enrol(&cp, NULL, 60000, &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(agent_enrol_is_done(identity_folder(cp.dir)));
    end(&cp);
}

static void enrolment_goes_through_a_proxy(void **state)
{
    struct control_plane cp;
    struct test_peer proxy = {.login = "Proxy-Authorization: Basic dTpw"}; /* u:p */
    struct fl_err err;
    char url[80];

    (void)state;
    begin(&cp);
    test_proxy_start(&proxy);
    assert_false(enrol(&cp, proxy.url, 0, &err));
    assert_non_null(strstr(err.text, "407"));
    snprintf(url, sizeof url, "http://u:p@127.0.0.1:%u/", proxy.port);
    if (!enrol(&cp, url, 60000, &err)) fail_msg("%s", err.text);
    assert_int_equal(atomic_load(&proxy.served), 1);
    test_peer_stop(&proxy);
    end(&cp);
}

static void an_enrolment_can_be_called_off_at_any_time(void **state)
{
    struct control_plane cp;

    (void)state;
    begin(&cp);
    cp.unwell = 1000;
    for (int turns = 0; turns < 40; turns++) {
        struct fl_loop *loop = fl_loop_create();
        struct outcome outcome = {0};
        struct agent_enrol *enrol =
            agent_enrol_start(loop, &(struct agent_enrol_config){.join_token = cp.token_text,
                                                                 .cluster_uid = "uid-7",
                                                                 .store = identity_folder(cp.dir),
                                                                 .give_up_ms = 60000,
                                                                 .ctx = &outcome,
                                                                 .done = on_done});

        for (int i = 0; i < turns; i++) {
            fl_loop_turn(loop, 2);
        }
        agent_enrol_destroy(enrol);
        fl_loop_destroy(loop); /* asserts that nothing of it is left */
        assert_false(outcome.is_done);
    }
    end(&cp);
}

FL_TESTS(cmocka_unit_test(a_join_token_becomes_an_identity),
         cmocka_unit_test(what_is_hopeless_is_not_tried_again),
         cmocka_unit_test(enrolment_goes_through_a_proxy),
         cmocka_unit_test(an_enrolment_can_be_called_off_at_any_time))
