/* kube_trial.h - a kube_client and the server that it talks to, over TLS on loopback. */
#pragma once

#include "agent/kube/kube_client.h"
#include "tests/unit/shared/http_client/http_trial.h"

enum { KUBE_TRIAL_REQUESTS_MAX = 16 };

struct kube_trial {
    struct trial_ca ca;
    struct hostile_server server; /* its 'script' is this struct */
    const void *answers;          /* the test's own, for 'serve' */
    size_t answers_len;
    char heads[KUBE_TRIAL_REQUESTS_MAX][1024]; /* as the server read the requests */
    struct fl_loop *loop;
    struct kube_client *client;
    char url[64];
    struct kube_config kube;
};

/* The test may change 'kube' before it begins. */
static inline void kube_trial_init(struct kube_trial *trial, const void *answers, size_t len)
{
    *trial = (struct kube_trial){.answers = answers, .answers_len = len};
    trial_ca_init(&trial->ca);
    trial->kube.token = FL_STR("secret");
}

static inline void kube_trial_begin(struct kube_trial *trial,
                                    void (*serve)(struct hostile_server *server),
                                    const struct kube_client_config *config)
{
    struct kube_client_config with = config ? *config : (struct kube_client_config){0};
    struct fl_err err = {0};

    trial->server = (struct hostile_server){.serve = serve, .script = trial};
    trial->server.tls = trial->kube.certificate.data.len ? trial->ca.demander : trial->ca.server;
    hostile_start(&trial->server);
    snprintf(trial->url, sizeof trial->url, "https://127.0.0.1:%u", trial->server.port);
    trial->kube.server = fl_str_c(trial->url);
    trial->kube.ca.data = fl_ca_cert_pem(trial->ca.ca);
    trial->loop = fl_loop_create();
    with.kube = &trial->kube;
    if (!kube_client_create(trial->loop, &with, &trial->client, &err)) fail_msg("%s", err.text);
}

static inline void kube_trial_end(struct kube_trial *trial)
{
    fl_loop_turn(trial->loop, 0);
    kube_client_destroy(trial->client);
    fl_loop_destroy(trial->loop);
    hostile_stop(&trial->server);
    trial_ca_fini(&trial->ca);
}

/* For 'serve': reads a request and notes its head.  False: the peer is gone; else *ret_i counts the
 * requests from 0. */
static inline bool kube_trial_read(struct hostile_server *server, unsigned *ret_i)
{
    struct kube_trial *trial = (struct kube_trial *)(uintptr_t)server->script;
    const char *length;
    char body[256];
    unsigned i;

    if (!hostile_read_head(server)) return false;
    i = atomic_load(&server->requests) - 1;
    assert_true(i < KUBE_TRIAL_REQUESTS_MAX && i < trial->answers_len);
    snprintf(trial->heads[i], sizeof trial->heads[i], "%.1023s", server->head);
    length = strstr(server->head, "Content-Length: ");
    if (length && !hostile_read(server, body, (size_t)atoi(length + 16))) return false;
    *ret_i = i;
    return true;
}
