#include "bench/bench_help_enrol.h"

#include <openssl/pem.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_help.h"
#include "shared/tls/base64.h"
#include "shared/tls/ca.h"
#include "shared/tls/join_token.h"
#include "shared/tls/key.h"

enum { THREADS = 64, BODY_MAX = 4096 };

struct share {
    const struct bench_api *api;
    const char *name;
    struct bench_identity *at;
    size_t from, step, len;
    struct bench_figures *figures;
};

static struct fl_str str_of(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

/* PEM has line ends, and nothing else that JSON writes otherwise. */
static void put_pem(struct fl_buf *body, struct fl_str pem)
{
    for (size_t i = 0; i < pem.len; i++) {
        if (pem.at[i] == '\n') {
            (void)fl_buf_put(body, "\\n", 2);
        } else {
            (void)fl_buf_put(body, &pem.at[i], 1);
        }
    }
}

static X509 *read_cert(struct fl_str escaped)
{
    char pem[FL_CERT_PEM_MAX];
    size_t len = 0;
    X509 *cert;
    BIO *bio;

    for (size_t i = 0; i < escaped.len && len < sizeof pem; i++) {
        bool is_end = escaped.at[i] == '\\' && i + 1 < escaped.len && escaped.at[i + 1] == 'n';

        pem[len++] = is_end ? '\n' : escaped.at[i];
        i += is_end;
    }
    bio = BIO_new_mem_buf(pem, (int)len);
    cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    if (!cert) bench_die("the certificate that came cannot be read");
    return cert;
}

static void make_key(struct bench_identity *identity, struct fl_buf *ret_csr)
{
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};
    struct fl_buf pem;
    BIO *bio;

    fl_buf_init(&pem, FL_KEY_PEM_MAX);
    fl_buf_init(ret_csr, FL_CSR_BYTES_MAX);
    if (!fl_key_write(key, &pem, &err) || !fl_csr_write(key, (struct fl_uuid){0}, ret_csr, &err)) {
        bench_die("%s", err.text);
    }
    bio = BIO_new_mem_buf(pem.at, (int)pem.len);
    identity->key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    fl_buf_fini(&pem);
    fl_key_destroy(key);
}

static void enrol_one(const struct share *share, struct bench_http *http, size_t i)
{
    static const char json[] = "Content-Type: application/json\r\n";
    struct bench_http_answer answer;
    struct fl_join_token token;
    struct fl_err err = {0};
    struct fl_buf body, csr;
    char path[128], uid[64], secret[FL_BASE64_LEN(sizeof token.secret) + 1];

    snprintf(path, sizeof path, "/v1/clusters/%s-%zu/join-tokens", share->name, i);
    snprintf(uid, sizeof uid, "fake-%s-%zu", share->name, i);
    answer = bench_http_ask(http, share->api, "POST", path, json, FL_STR("{}"));
    if (answer.status != 201) {
        bench_die("%s: %d " FL_STR_FMT, path, answer.status, FL_STR_ARG(answer.body));
    }
    if (!fl_join_token_parse(bench_http_member(answer.body, "token"), &token, &err)) {
        bench_die("%s", err.text);
    }
    fl_base64_print(token.secret, sizeof token.secret, secret);
    make_key(&share->at[i], &csr);
    fl_buf_init(&body, BODY_MAX);
    (void)fl_buf_put(&body, "{\"token\":\"", 10);
    (void)fl_buf_put(&body, secret, strlen(secret));
    (void)fl_buf_put(&body, "\",\"uid\":\"", 9);
    (void)fl_buf_put(&body, uid, strlen(uid));
    (void)fl_buf_put(&body, "\",\"csr\":\"", 9);
    put_pem(&body, str_of(&csr));
    if (!fl_buf_put(&body, "\"}", 2)) bench_die("a request is too long");
    answer = bench_http_ask(http, share->api, "POST", "/v1/enrol", json, str_of(&body));
    if (answer.status / 100 != 2) {
        bench_die("enrol: %d " FL_STR_FMT, answer.status, FL_STR_ARG(answer.body));
    }
    share->at[i].cert = read_cert(bench_http_member(answer.body, "certificate"));
    share->figures->enrolled++;
    fl_buf_fini(&body);
    fl_buf_fini(&csr);
}

static void *enrol_some(void *arg)
{
    const struct share *share = arg;
    struct bench_http http;

    bench_http_open(&http, share->api);
    for (size_t i = share->from; i < share->len; i += share->step) {
        enrol_one(share, &http, i);
    }
    bench_http_close(&http);
    return NULL;
}

void bench_enrol(const struct bench_api *api, const char *name, struct bench_identity *ret,
                 size_t len, struct bench_figures *figures)
{
    struct share shares[THREADS];
    pthread_t threads[THREADS];
    size_t threads_len = len < THREADS ? len : THREADS;

    for (size_t i = 0; i < threads_len; i++) {
        shares[i] = (struct share){.api = api,
                                   .name = name,
                                   .at = ret,
                                   .from = i,
                                   .step = threads_len,
                                   .len = len,
                                   .figures = figures};
        if (pthread_create(&threads[i], NULL, enrol_some, &shares[i]) != 0) bench_die("no thread");
    }
    for (size_t i = 0; i < threads_len; i++) {
        pthread_join(threads[i], NULL);
    }
}

void bench_identity_fini(struct bench_identity *identity)
{
    EVP_PKEY_free(identity->key);
    X509_free(identity->cert);
}
