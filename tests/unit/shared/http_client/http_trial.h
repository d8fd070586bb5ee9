/* http_trial.h - a client under test: its loop, one call at a time and what came of it; a CA. */
#pragma once

#include <openssl/ssl.h>

#include "shared/base/buf.h"
#include "shared/http_client/http_client.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"
#include "shared/tls/ca.h"
#include "shared/tls/key.h"
#include "tests/fl_test.h"
#include "tests/unit/shared/http_client/hostile_server.h"

enum { TRIAL_TURNS_MS = 20000, TRIAL_BODY_MAX = 64 << 20 };

struct trial {
    struct fl_loop *loop;
    struct fl_http_client *client;
    struct fl_http_call *call;
    struct fl_buf body;
    unsigned status, heads;
    bool is_done, is_whole;
    struct fl_err err;
    struct fl_http_port port; /* may be changed before trial_begin */
};

static inline struct fl_str trial_view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static inline void trial_on_head(void *ctx)
{
    struct trial *trial = ctx;

    trial->heads++;
    trial->status = fl_http_call_status(trial->call);
}

static inline void trial_on_body(void *ctx, struct fl_str bytes)
{
    struct trial *trial = ctx;

    assert_int_equal(trial->heads, 1);
    assert_true(fl_buf_put(&trial->body, bytes.at, bytes.len));
}

static inline void trial_on_done(void *ctx, const struct fl_err *err)
{
    struct trial *trial = ctx;

    assert_false(trial->is_done);
    trial->is_done = true;
    trial->is_whole = !err;
    if (err) trial->err = *err;
}

static inline void trial_init(struct trial *trial, const struct fl_http_client_config *config)
{
    struct fl_err err = {0};

    *trial = (struct trial){.loop = fl_loop_create()};
    if (!fl_http_client_create(trial->loop, config, &trial->client, &err)) fail_msg("%s", err.text);
    trial->port = (struct fl_http_port){trial, trial_on_head, trial_on_body, trial_on_done, NULL};
    fl_buf_init(&trial->body, TRIAL_BODY_MAX);
}

static inline void trial_fini(struct trial *trial)
{
    fl_http_call_destroy(trial->call);
    fl_loop_turn(trial->loop, 0);
    fl_http_client_destroy(trial->client);
    fl_loop_destroy(trial->loop);
    fl_buf_fini(&trial->body);
}

/* Starts anew: earlier results are forgotten. */
static inline void trial_begin(struct trial *trial, const struct fl_http_request *request)
{
    fl_http_call_destroy(trial->call);
    fl_buf_clear(&trial->body);
    trial->status = trial->heads = 0;
    trial->is_done = trial->is_whole = false;
    trial->err = (struct fl_err){0};
    fl_loop_turn(trial->loop, 0);
    trial->call = fl_http_call_start(trial->client, request, &trial->port);
    assert_false(trial->is_done);
}

static inline void trial_await(struct trial *trial)
{
    fl_ms until = fl_clock_mono() + TRIAL_TURNS_MS;

    while (!trial->is_done) {
        fl_loop_turn(trial->loop, 100);
        if (fl_clock_mono() > until) fail_msg("the call does not end");
    }
}

static inline void trial_run(struct trial *trial, const struct fl_http_request *request)
{
    trial_begin(trial, request);
    trial_await(trial);
}

/* ---- certificates ---------------------------------------------------------------------------- */

struct trial_ca {
    struct fl_ca *ca;
    SSL_CTX *server;   /* its certificate is for "localhost" and 127.0.0.1 */
    SSL_CTX *demander; /* the same, and clients must show a certificate of this CA */
    SSL_CTX *expired;
    struct fl_buf client_pem, client_key_pem;
};

static inline SSL_CTX *trial_server(struct trial_ca *trial, fl_ms until, bool demands)
{
    static const char *const names[] = {"localhost", "127.0.0.1"};
    struct fl_key *key = fl_key_create();
    struct fl_buf cert, key_pem;
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();
    SSL_CTX *context = NULL;

    fl_buf_init(&cert, 2 * FL_CERT_PEM_MAX);
    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    assert_true(fl_ca_sign_server(trial->ca, key, (struct fl_ca_names){names, 2}, now - 100000,
                                  until, &cert, &err));
    assert_true(fl_key_write(key, &key_pem, &err));
    assert_true(
        fl_tls_server(&(struct fl_tls_server){.cert_pem = trial_view(&cert),
                                              .key_pem = trial_view(&key_pem),
                                              .client_ca_pem = demands ? fl_ca_cert_pem(trial->ca)
                                                                       : (struct fl_str){0}},
                      &context, &err));
    fl_key_destroy(key);
    fl_buf_fini(&cert);
    fl_buf_fini(&key_pem);
    return context;
}

static inline void trial_ca_init(struct trial_ca *trial)
{
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();

    assert_true(fl_ca_create("test", now, FL_HOUR_MS, &trial->ca, &err));
    trial->server = trial_server(trial, now + FL_HOUR_MS, false);
    trial->demander = trial_server(trial, now + FL_HOUR_MS, true);
    trial->expired = trial_server(trial, now - 1000, false);
    fl_buf_init(&trial->client_pem, FL_CERT_PEM_MAX);
    fl_buf_init(&trial->client_key_pem, FL_KEY_PEM_MAX);
    assert_true(fl_ca_sign_cluster(trial->ca, key, (struct fl_uuid){.at = {7}}, 1, now - 1000,
                                   now + FL_HOUR_MS, &trial->client_pem, &err));
    assert_true(fl_key_write(key, &trial->client_key_pem, &err));
    fl_key_destroy(key);
}

static inline void trial_ca_fini(struct trial_ca *trial)
{
    SSL_CTX_free(trial->server);
    SSL_CTX_free(trial->demander);
    SSL_CTX_free(trial->expired);
    fl_ca_destroy(trial->ca);
    fl_buf_fini(&trial->client_pem);
    fl_buf_fini(&trial->client_key_pem);
}
