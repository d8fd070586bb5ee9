#include "agent/tunnel/enrol.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/tunnel/identity.h"
#include "shared/base/alloc.h"
#include "shared/base/api_limits.h"
#include "shared/base/arena.h"
#include "shared/base/prng.h"
#include "shared/http_client/http_client.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"
#include "shared/tls/base64.h"
#include "shared/tls/ca.h"
#include "shared/tls/cert.h"
#include "shared/tls/digest.h"
#include "shared/tls/join_token.h"
#include "shared/tls/key.h"
#include "shared/tls/random.h"

#define MODULE "enrol"

enum { TRY_MS = 20000, WAIT_MIN_MS = 500, WAIT_MAX_MS = 30000, ANSWER_BYTES_MAX = 256 << 10 };

enum state {
    ENROL_ASKING,  /* a request is under way */
    ENROL_WAITING, /* for the next try */
    ENROL_DONE,    /* 'done' is called at the end of this turn, or was */
};

struct agent_enrol {
    struct agent_enrol_config config;
    struct fl_loop *loop;
    enum state state;
    struct fl_join_token token;
    char host[FL_NET_HOST_MAX], url[FL_NET_HOST_MAX + 32];
    bool is_tls;
    struct fl_http_client *client;
    struct fl_http_call *call;
    struct fl_timer timer; /* starts the next try */
    struct fl_after after; /* calls 'done' */
    fl_ms give_up_at, ceiling_ms;
    struct fl_prng prng;
    struct fl_err err; /* why the newest try failed; text "": it succeeded */
    struct fl_buf key_pem, body, answer;
    struct fl_arena arena; /* holds the newest answer */
};

bool agent_enrol_is_done(struct identity_store store)
{
    struct agent_identity *identity = NULL;
    struct fl_err err = {0};
    bool is_done = agent_identity_load(store, &identity, &err);

    agent_identity_destroy(identity);
    return is_done;
}

struct fl_uuid agent_enrol_cluster(struct identity_store store)
{
    struct agent_identity *identity = NULL;
    struct fl_uuid cluster = {0};
    struct fl_err err = {0};

    if (agent_identity_load(store, &identity, &err)) {
        cluster = agent_identity_cert(identity)->cluster;
    }
    agent_identity_destroy(identity);
    return cluster;
}

/* ---- the request ----------------------------------------------------------------------------- */

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
           strncmp(host, "127.", 4) == 0;
}

static bool read_url(struct agent_enrol *enrol, struct fl_err *err)
{
    const char *url = enrol->config.api_url ? enrol->config.api_url : enrol->token.api_url;
    struct fl_str address;
    uint16_t port;

    enrol->is_tls = strncasecmp(url, "https://", 8) == 0;
    if (!enrol->is_tls && strncasecmp(url, "http://", 7) != 0) {
        return fl_fail(err, FL_INVALID,
                       "the API's address begins with neither https:// nor http://");
    }
    address = fl_str_c(url + (enrol->is_tls ? 8 : 7));
    while (address.len && address.at[address.len - 1] == '/') {
        address.len--;
    }
    if (!fl_net_split(address, enrol->host, &port, err)) {
        return fl_err_wrap(err, "the API's address");
    }
    snprintf(enrol->url, sizeof enrol->url, "http%s://" FL_STR_FMT "/v1/enrol",
             enrol->is_tls ? "s" : "", FL_STR_ARG(address));
    return enrol->is_tls || is_loopback(enrol->host) ||
           fl_fail(err, FL_INVALID, "without TLS the API may only be on this host");
}

static bool write_body(struct agent_enrol *enrol, struct fl_err *err)
{
    struct fl_key *key = NULL;
    char secret[FL_BASE64_LEN(sizeof enrol->token.secret) + 1];
    struct fl_buf csr;
    struct fl_json_out out = fl_json_out(&enrol->body);
    bool is_made;

    fl_buf_init(&csr, FL_CSR_BYTES_MAX);
    is_made = agent_identity_next_key(enrol->config.store, &key, err) &&
              fl_csr_write(key, (struct fl_uuid){0}, &csr, err) &&
              fl_key_write(key, &enrol->key_pem, err);
    fl_key_destroy(key);
    fl_base64_print(enrol->token.secret, sizeof enrol->token.secret, secret);
    fl_json_open(&out, NULL, '{');
    fl_json_put_cstr(&out, "token", secret);
    fl_json_put_cstr(&out, "uid", enrol->config.cluster_uid);
    fl_json_put_str(&out, "csr", (struct fl_str){(const char *)csr.at, csr.len});
    fl_json_close(&out, '}');
    fl_secret_wipe(secret, sizeof secret);
    fl_buf_fini(&csr);
    return is_made;
}

static bool prepare(struct agent_enrol *enrol, struct fl_err *err)
{
    struct agent_enrol_config *config = &enrol->config;
    struct fl_str uid = fl_str_c(config->cluster_uid);

    if (!fl_join_token_parse(fl_str_c(config->join_token), &enrol->token, err)) {
        err->code = FL_INVALID;
        return fl_err_wrap(err, "the join token");
    }
    if (uid.len == 0 || uid.len > FL_CLUSTER_UID_BYTES_MAX || !fl_str_is_text(uid)) {
        return fl_fail(
            err, FL_INVALID,
            "the cluster's uid is not 1 to " FL_QUOTE(FL_CLUSTER_UID_BYTES_MAX) " bytes of text");
    }
    if (!config->tunnel) config->tunnel = enrol->token.tunnel;
    return read_url(enrol, err) && write_body(enrol, err);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static struct fl_str member(const struct fl_json *root, const char *name)
{
    const struct fl_json *found = fl_json_member(root, fl_str_c(name));

    return found && found->kind == FL_JSON_STRING ? found->text : (struct fl_str){0};
}

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

/* Fails with the control plane's own reason. */
static bool take_problem(struct agent_enrol *enrol, unsigned status, struct fl_err *err)
{
    bool may_help = status >= 500 || status == 408 || status == 425 || status == 429;
    const struct fl_json *root = NULL;
    struct fl_err bad = {0};
    struct fl_str detail = {0};

    if (fl_json_parse(view(&enrol->answer), &enrol->arena, &root, NULL, &bad)) {
        detail = member(root, "detail");
        if (detail.len == 0) detail = member(root, "title");
    }
    if (detail.len > 200) detail = (struct fl_str){0};
    return fl_fail(err, may_help ? FL_UNAVAILABLE : FL_DENIED, "the control plane says %u %.*s",
                   status, FL_STR_ARG(detail));
}

static bool take_answer(struct agent_enrol *enrol, struct fl_err *err)
{
    const struct fl_json *root = NULL;
    struct fl_cert ca;
    struct fl_str ca_pem;

    if (!fl_json_parse(view(&enrol->answer), &enrol->arena, &root, NULL, err)) {
        err->code = FL_UNAVAILABLE;
        return fl_err_wrap(err, "the control plane's answer");
    }
    ca_pem = member(root, "ca");
    if (!fl_cert_read(ca_pem, &ca, err) || !fl_digest_eq(ca.sha256, enrol->token.ca_sha256)) {
        return fl_fail(err, FL_DENIED, "the CA in the answer is not the one the token names");
    }
    if (agent_identity_store(enrol->config.store, view(&enrol->key_pem),
                             member(root, "certificate"), ca_pem, fl_str_c(enrol->config.tunnel),
                             err)) {
        return true;
    }
    if (err->code == FL_INVALID) err->code = FL_DENIED; /* the certificate is not for our key */
    return fl_err_wrap(err, "the new identity");
}

/* ---- trying ---------------------------------------------------------------------------------- */

static void enter(struct agent_enrol *enrol, enum state state)
{
    enrol->state = state;
    if (state == ENROL_DONE) fl_after_put(&enrol->after);
}

static void on_after(void *ctx)
{
    struct agent_enrol *enrol = ctx;
    struct fl_err err = enrol->err;

    if (!err.text[0]) {
        fl_log(FL_LOG_INFO, MODULE, "enrolled", FL_LOG_S("api", enrol->host),
               FL_LOG_S("tunnel", enrol->config.tunnel));
    }
    enrol->config.done(enrol->config.ctx, err.text[0] ? &err : NULL); /* may destroy it */
}

/* Ends the enrolment, or waits for the next try: enrol->err says how this one went. */
static void end_try(struct agent_enrol *enrol)
{
    fl_ms wait_ms = fl_prng_between(&enrol->prng, WAIT_MIN_MS, enrol->ceiling_ms);

    if (!enrol->err.text[0] || enrol->err.code != FL_UNAVAILABLE ||
        fl_loop_now(enrol->loop) + wait_ms > enrol->give_up_at) {
        enter(enrol, ENROL_DONE);
        return;
    }
    fl_log(FL_LOG_WARN, MODULE, "again", FL_LOG_S("api", enrol->host), FL_LOG_ERR(&enrol->err),
           FL_LOG_N("in_ms", wait_ms));
    enrol->ceiling_ms = 2 * enrol->ceiling_ms < WAIT_MAX_MS ? 2 * enrol->ceiling_ms : WAIT_MAX_MS;
    enter(enrol, ENROL_WAITING);
    fl_timer_in(&enrol->timer, wait_ms);
}

static void on_body(void *ctx, struct fl_str bytes)
{
    struct agent_enrol *enrol = ctx;

    fl_buf_put(&enrol->answer, bytes.at, bytes.len); /* the call has the same limit */
}

static void on_done(void *ctx, const struct fl_err *err)
{
    struct agent_enrol *enrol = ctx;
    unsigned status = fl_http_call_status(enrol->call);
    bool is_good = false;

    if (err) {
        enrol->err = *err;
        if (err->code != FL_DENIED && err->code != FL_INVALID) enrol->err.code = FL_UNAVAILABLE;
    } else if (status == 200 || status == 201) {
        is_good = take_answer(enrol, &enrol->err);
    } else {
        (void)take_problem(enrol, status, &enrol->err);
    }
    if (is_good) enrol->err.text[0] = 0;
    end_try(enrol);
}

static void ask(void *ctx)
{
    static const struct fl_http_header headers[] = {{"Content-Type", "application/json"},
                                                    {"Accept", "application/json"}};
    struct agent_enrol *enrol = ctx;
    fl_ms timeout_ms = enrol->config.timeout_ms > 0 ? enrol->config.timeout_ms : TRY_MS;
    struct fl_http_request request = {
        .method = "POST",
        .url = enrol->url,
        .headers = headers,
        .headers_len = sizeof headers / sizeof *headers,
        .body = view(&enrol->body),
        .connect_ms = timeout_ms,
        .head_ms = timeout_ms,
        .whole_ms = timeout_ms,
        .body_bytes_max = ANSWER_BYTES_MAX,
    };
    struct fl_http_port port = {.ctx = enrol, .body = on_body, .done = on_done};

    enter(enrol, ENROL_ASKING);
    fl_buf_clear(&enrol->answer);
    fl_arena_reset(&enrol->arena);
    fl_http_call_destroy(enrol->call);
    enrol->call = fl_http_call_start(enrol->client, &request, &port);
}

struct agent_enrol *agent_enrol_start(struct fl_loop *loop, const struct agent_enrol_config *config)
{
    struct agent_enrol *enrol = fl_new(struct agent_enrol);
    struct fl_http_client_config client = {
        .tls.ca_sha256 = &enrol->token.ca_sha256,
        .server_name = config->server_name ? config->server_name : FL_TLS_SERVER_NAME,
    };

    enrol->config = *config;
    enrol->loop = loop;
    enrol->give_up_at = fl_loop_now(loop) + config->give_up_ms;
    enrol->ceiling_ms = 2 * WAIT_MIN_MS;
    fl_prng_seed(&enrol->prng, fl_random_u64());
    fl_timer_init(&enrol->timer, loop, ask, enrol);
    fl_after_init(&enrol->after, loop, on_after, enrol);
    fl_buf_init(&enrol->key_pem, FL_KEY_PEM_MAX);
    fl_buf_init(&enrol->body, 4 * FL_CSR_BYTES_MAX);
    fl_buf_init(&enrol->answer, ANSWER_BYTES_MAX);
    if (!prepare(enrol, &enrol->err)) {
        enter(enrol, ENROL_DONE);
        return enrol;
    }
    if (enrol->is_tls) { /* without TLS a proxy would see the secret */
        client.proxy = config->proxy;
        client.no_proxy = config->no_proxy;
    }
    if (!fl_http_client_create(loop, &client, &enrol->client, &enrol->err)) {
        enter(enrol, ENROL_DONE);
        return enrol;
    }
    ask(enrol);
    return enrol;
}

void agent_enrol_destroy(struct agent_enrol *enrol)
{
    if (!enrol) return;
    fl_timer_off(&enrol->timer);
    fl_after_off(&enrol->after);
    fl_http_call_destroy(enrol->call);
    fl_http_client_destroy(enrol->client);
    if (enrol->key_pem.at) fl_secret_wipe(enrol->key_pem.at, enrol->key_pem.len);
    if (enrol->body.at) fl_secret_wipe(enrol->body.at, enrol->body.len);
    fl_secret_wipe(&enrol->token, sizeof enrol->token);
    fl_buf_fini(&enrol->key_pem);
    fl_buf_fini(&enrol->body);
    fl_buf_fini(&enrol->answer);
    fl_arena_fini(&enrol->arena);
    fl_free(enrol);
}
