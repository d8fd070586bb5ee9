#include "agent/tunnel/enrol.h"

#include <poll.h>
#include <string.h>
#include <strings.h>

#include <openssl/ssl.h>

#include "agent/tunnel/https.h"
#include "agent/tunnel/identity.h"
#include "agent/tunnel/proxy.h"
#include "shared/base/arena.h"
#include "shared/base/prng.h"
#include "shared/io/clock.h"
#include "shared/io/log.h"
#include "shared/json/json.h"
#include "shared/json/json_out.h"
#include "shared/tls/base64.h"
#include "shared/tls/ca.h"
#include "shared/tls/cert.h"
#include "shared/tls/context.h"
#include "shared/tls/digest.h"
#include "shared/tls/join_token.h"
#include "shared/tls/key.h"
#include "shared/tls/random.h"

#define MODULE "enrol"

enum { TRY_MS = 20000, WAIT_MIN_MS = 500, WAIT_MAX_MS = 30000, LOOK_MS = 100 };

struct attempt {
    const struct agent_enrol_config *config;
    struct fl_join_token token;
    const char *tunnel;
    char host[FL_NET_HOST_MAX];
    uint16_t port;
    struct agent_proxy proxy;
    SSL_CTX *tls; /* NULL: in the clear */
    struct agent_https_names *names;
    struct fl_buf key_pem, body, answer;
    struct fl_arena arena;
};

bool agent_enrol_is_done(const char *state_dir)
{
    struct agent_identity *identity = NULL;
    struct fl_err err = {0};
    bool is_done = agent_identity_load(state_dir, &identity, &err);

    agent_identity_destroy(identity);
    return is_done;
}

/* ---- what is asked ----------------------------------------------------------------------------- */

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
           strncmp(host, "127.", 4) == 0;
}

static bool read_url(struct attempt *attempt, struct fl_err *err)
{
    const char *url = attempt->config->api_url ? attempt->config->api_url : attempt->token.api_url;
    bool is_tls = strncasecmp(url, "https://", 8) == 0;
    struct fl_str address;

    if (!is_tls && strncasecmp(url, "http://", 7) != 0)
        return fl_fail(err, FL_INVALID,
                       "the API's address begins with neither https:// nor http://");
    address = fl_str_c(url + (is_tls ? 8 : 7));
    while (address.len && address.at[address.len - 1] == '/')
        address.len--;
    if (!fl_net_split(address, attempt->host, &attempt->port, err))
        return fl_err_wrap(err, "the API's address");
    if (!is_tls) {
        return is_loopback(attempt->host) ||
               fl_fail(err, FL_INVALID, "without TLS the API may only be on this host");
    }
    return fl_tls_client(&(struct fl_tls_client){.ca_sha256 = &attempt->token.ca_sha256},
                         &attempt->tls, err);
}

static bool write_body(struct attempt *attempt, struct fl_err *err)
{
    struct fl_key *key = NULL;
    char secret[FL_BASE64_LEN(sizeof attempt->token.secret) + 1];
    struct fl_buf csr;
    struct fl_json_out out = fl_json_out(&attempt->body);
    bool is_made;

    fl_buf_init(&csr, FL_CSR_BYTES_MAX);
    is_made = agent_identity_next_key(attempt->config->state_dir, &key, err) &&
              fl_csr_write(key, (struct fl_uuid){0}, &csr, err) &&
              fl_key_write(key, &attempt->key_pem, err);
    fl_key_destroy(key);
    fl_base64_print(attempt->token.secret, sizeof attempt->token.secret, secret);
    fl_json_begin_object(&out);
    fl_json_put_field_str(&out, FL_STR("token"), fl_str_c(secret));
    fl_json_put_field_str(&out, FL_STR("uid"), fl_str_c(attempt->config->cluster_uid));
    fl_json_put_field_str(&out, FL_STR("csr"), (struct fl_str){(const char *)csr.at, csr.len});
    fl_json_end_object(&out);
    fl_secret_wipe(secret, sizeof secret);
    fl_buf_fini(&csr);
    return is_made;
}

static bool prepare(struct attempt *attempt, struct fl_err *err)
{
    const struct agent_enrol_config *config = attempt->config;
    struct fl_str uid = fl_str_c(config->cluster_uid);

    if (!fl_join_token_parse(fl_str_c(config->join_token), &attempt->token, err)) {
        err->code = FL_INVALID;
        return fl_err_wrap(err, "the join token");
    }
    if (uid.len == 0 || uid.len > 64 || !fl_str_is_text(uid))
        return fl_fail(err, FL_INVALID, "the cluster's uid is not 1 to 64 bytes of text");
    attempt->tunnel = config->tunnel ? config->tunnel : attempt->token.tunnel;
    return read_url(attempt, err) &&
           agent_proxy_for(config->proxy, config->no_proxy, attempt->host, attempt->port,
                           &attempt->proxy, err) &&
           write_body(attempt, err);
}

/* ---- what is answered -------------------------------------------------------------------------- */

static struct fl_str member(const struct fl_json *root, const char *name)
{
    const struct fl_json *found = fl_json_member(root, fl_str_c(name));

    return found && found->kind == FL_JSON_STRING ? found->text : (struct fl_str){0};
}

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

/* Why not, in the control plane's own words. */
static bool take_problem(struct attempt *attempt, unsigned status, struct fl_err *err)
{
    bool may_help = status >= 500 || status == 408 || status == 425 || status == 429;
    const struct fl_json *root = NULL;
    struct fl_err bad = {0};
    struct fl_str detail = {0};

    if (fl_json_parse(view(&attempt->answer), &attempt->arena, &root, NULL, &bad)) {
        detail = member(root, "detail");
        if (detail.len == 0) detail = member(root, "title");
    }
    if (detail.len > 200) detail = (struct fl_str){0};
    return fl_fail(err, may_help ? FL_UNAVAILABLE : FL_DENIED, "the control plane says %u %.*s",
                   status, FL_STR_ARG(detail));
}

static bool take_answer(struct attempt *attempt, struct fl_err *err)
{
    const struct fl_json *root = NULL;
    struct fl_cert ca;
    struct fl_str ca_pem;

    if (!fl_json_parse(view(&attempt->answer), &attempt->arena, &root, NULL, err)) {
        err->code = FL_UNAVAILABLE;
        return fl_err_wrap(err, "the control plane's answer");
    }
    ca_pem = member(root, "ca");
    if (!fl_cert_read(ca_pem, &ca, err) || !fl_digest_eq(ca.sha256, attempt->token.ca_sha256)) {
        return fl_fail(err, FL_DENIED, "the CA in the answer is not the one the token names");
    }
    if (agent_identity_store(attempt->config->state_dir, view(&attempt->key_pem),
                             member(root, "certificate"), ca_pem, fl_str_c(attempt->tunnel), err)) {
        return true;
    }
    if (err->code == FL_INVALID) err->code = FL_DENIED; /* no certificate of ours */
    return fl_err_wrap(err, "the new identity");
}

static bool try_once(struct attempt *attempt, struct fl_err *err)
{
    const struct agent_enrol_config *config = attempt->config;
    fl_ms timeout_ms = config->timeout_ms > 0 ? config->timeout_ms : TRY_MS;
    struct agent_https https = {
        .names = attempt->names,
        .host = attempt->host,
        .port = attempt->port,
        .proxy = &attempt->proxy,
        .tls = attempt->tls,
        .server_name = config->server_name ? config->server_name : FL_TLS_SERVER_NAME,
        .deadline = fl_clock_mono() + timeout_ms,
        .ctx = config->ctx,
        .should_stop = config->should_stop,
    };
    unsigned status;

    fl_buf_clear(&attempt->answer);
    fl_arena_reset(&attempt->arena);
    if (!agent_https_post(&https, "/v1/enrol", view(&attempt->body), &status, &attempt->answer,
                          err)) {
        return false;
    }
    if (status != 200 && status != 201) return take_problem(attempt, status, err);
    return take_answer(attempt, err);
}

/* ---- trying ------------------------------------------------------------------------------------ */

/* False: it shall stop. */
static bool wait_for(const struct agent_enrol_config *config, fl_ms wait_ms)
{
    fl_ms until = fl_clock_mono() + wait_ms;

    for (;;) {
        fl_ms left = until - fl_clock_mono();

        if (config->should_stop && config->should_stop(config->ctx)) return false;
        if (left <= 0) return true;
        poll(NULL, 0, (int)(left < LOOK_MS ? left : LOOK_MS));
    }
}

static bool try_until(struct attempt *attempt, struct fl_err *err)
{
    fl_ms give_up_at = fl_clock_mono() + attempt->config->give_up_ms;
    fl_ms ceiling_ms = 2 * WAIT_MIN_MS;
    struct fl_prng prng;

    fl_prng_seed(&prng, fl_random_u64());
    for (;;) {
        fl_ms wait_ms;

        if (try_once(attempt, err)) return true;
        wait_ms = fl_prng_between(&prng, WAIT_MIN_MS, ceiling_ms);
        if (err->code != FL_UNAVAILABLE || fl_clock_mono() + wait_ms > give_up_at) return false;
        fl_log(FL_LOG_WARN, MODULE, "again", FL_LOG_S("api", attempt->host), FL_LOG_ERR(err),
               FL_LOG_N("in_ms", wait_ms));
        if (!wait_for(attempt->config, wait_ms)) return fl_fail(err, FL_UNAVAILABLE, "stopped");
        ceiling_ms = 2 * ceiling_ms < WAIT_MAX_MS ? 2 * ceiling_ms : WAIT_MAX_MS;
    }
}

bool agent_enrol(const struct agent_enrol_config *config, struct fl_err *err)
{
    struct attempt attempt = {.config = config};
    struct fl_err why = {0};
    bool is_done;

    attempt.names = agent_https_names_create();
    fl_buf_init(&attempt.key_pem, FL_KEY_PEM_MAX);
    fl_buf_init(&attempt.body, 4 * FL_CSR_BYTES_MAX);
    fl_buf_init(&attempt.answer, AGENT_HTTPS_ANSWER_MAX);
    is_done = prepare(&attempt, &why) && try_until(&attempt, &why);
    if (is_done) {
        fl_log(FL_LOG_INFO, MODULE, "enrolled", FL_LOG_S("api", attempt.host),
               FL_LOG_S("tunnel", attempt.tunnel));
    }
    agent_https_names_destroy(attempt.names);
    SSL_CTX_free(attempt.tls);
    if (attempt.key_pem.at) fl_secret_wipe(attempt.key_pem.at, attempt.key_pem.len);
    if (attempt.body.at) fl_secret_wipe(attempt.body.at, attempt.body.len);
    fl_secret_wipe(&attempt.token, sizeof attempt.token);
    fl_buf_fini(&attempt.key_pem);
    fl_buf_fini(&attempt.body);
    fl_buf_fini(&attempt.answer);
    fl_arena_fini(&attempt.arena);
    if (!is_done && err) *err = why;
    return is_done;
}
