#include "agent/tunnel/dialer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "agent/tunnel/identity.h"
#include "agent/tunnel/route.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/version.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/link/blob.h"
#include "shared/link/mux.h"
#include "shared/tls/ca.h"
#include "shared/tls/context.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"

#define SUBPROTOCOL "fairlead.tunnel.1"
#define MODULE "tunnel"

enum {
    RX_BYTES = 4096,
    SERVICE_BYTES = 64 << 10,
    UNSENT_MS = 30000,
    RENEW_LOOK_MS = 3600000, /* the wall may step: look again */
    RENEW_WAIT_MS = 30000,   /* for the answer */
    RENEW_RETRY_MAX_MS = 600000,
    BUSY_BYTES = 1 << 20, /* of control that waits: tell the engine to say less */
};

struct agent_dialer {
    struct fl_loop *loop;
    struct agent_dialer_ports ports;
    char *state_dir, *server_name;
    char host[FL_NET_HOST_MAX];
    uint16_t port;
    struct agent_route *route;

    struct agent_identity *identity;
    fl_ms renew_at; /* of the wall */
    struct fl_timer renew_timer;
    struct fl_key *renew_key; /* asked for, not answered yet */

    struct lws_context *context;
    struct lws_vhost *vhost; /* of the identity at hand */
    SSL_CTX *tls;
    struct lws *wsi;
    bool is_renewed; /* the vhost is of the identity before */
    bool is_lost;    /* the socket is gone, the link is to be told */
    bool is_choked;  /* waits for the socket */
    bool is_ending;  /* destroy: callbacks only tidy */
    char lost_why[256];

    struct fl_mux *mux;
    struct fl_timer timer;
    struct fl_after after;
    struct fl_buf out; /* LWS_PRE bytes, then what goes out */
    bool is_opened;    /* the engine was told */
    bool is_busy;      /* and this too */

    uint32_t log_stream, blob_stream; /* 0: none */
    uint64_t log_wants;
    struct fl_blobs *blobs;
    struct fl_blob_reader blob_reader;
    struct agent_dialer_status status;
};

static fl_ms now_of(const struct agent_dialer *dialer)
{
    return fl_loop_now(dialer->loop);
}

static void touch(struct agent_dialer *dialer)
{
    fl_after_put(&dialer->after);
}

static void act(struct agent_dialer *dialer, enum fl_link_answer answer);
static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len);

static const struct lws_protocols protocols[] = {
    {SUBPROTOCOL, on_event, 0, RX_BYTES, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

static void step(struct agent_dialer *dialer, enum fl_link_event_kind kind)
{
    act(dialer, fl_mux_step(dialer->mux, kind, now_of(dialer)));
    touch(dialer);
}

/* ---- the connection ---------------------------------------------------------------------------- */

static void note_why(struct agent_dialer *dialer, const char *why)
{
    snprintf(dialer->status.why, sizeof dialer->status.why, "%s", why);
}

/* A certificate is part of a vhost: each identity gets its own. */
static bool make_vhost(struct agent_dialer *dialer, struct fl_err *err)
{
    const struct agent_identity *identity = dialer->identity;
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS,
        .vhost_name = "tunnel",
        .alpn = "http/1.1",
    };

    if (!fl_tls_client(&(struct fl_tls_client){.ca_pem = agent_identity_ca(identity),
                                               .cert_pem = agent_identity_chain(identity),
                                               .key_pem = agent_identity_key(identity),
                                               .is_13_only = true},
                       &dialer->tls, err)) {
        return false;
    }
    /* Else it would take that one, whatever no_proxy says; ours is set for each connection. */
    if (getenv("http_proxy")) info.http_proxy_address = "";
    info.protocols = protocols;
    info.provided_client_ssl_ctx = dialer->tls;
    dialer->vhost = lws_create_vhost(dialer->context, &info);
    return dialer->vhost || fl_fail(err, FL_IO, "libwebsockets does not take the certificate");
}

static void drop_vhost(struct agent_dialer *dialer)
{
    if (dialer->vhost) lws_vhost_destroy(dialer->vhost);
    dialer->vhost = NULL;
    SSL_CTX_free(dialer->tls); /* what is still open holds it too */
    dialer->tls = NULL;
}

/* Not from within a callback about it: what libwebsockets holds is freed at once. */
static void drop_socket(struct agent_dialer *dialer)
{
    struct lws *wsi = dialer->wsi;

    dialer->wsi = NULL; /* what it says while it goes is not heard */
    dialer->is_lost = false;
    dialer->is_choked = false;
    agent_route_forget(dialer->route);
    if (!wsi) return;
    lws_set_opaque_user_data(wsi, NULL);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void lose(struct agent_dialer *dialer, struct fl_str why)
{
    dialer->wsi = NULL;
    dialer->is_lost = true;
    if (!dialer->lost_why[0] && why.len)
        snprintf(dialer->lost_why, sizeof dialer->lost_why, FL_STR_FMT, FL_STR_ARG(why));
    touch(dialer);
}

/* By number, so that libwebsockets, which would wait for a name server, asks none. */
static bool connect_to(struct agent_dialer *dialer, const struct fl_net_address *address)
{
    struct lws_client_connect_info info = {
        .context = dialer->context,
        .vhost = dialer->vhost,
        .port = dialer->port,
        .ssl_connection = LCCSCF_USE_SSL,
        .path = "/",
        .host = dialer->server_name,
        .origin = dialer->server_name,
        .protocol = SUBPROTOCOL,
        .local_protocol_name = SUBPROTOCOL,
        .pwsi = &dialer->wsi,
        .opaque_user_data = dialer,
    };
    const struct agent_proxy *proxy = agent_route_proxy(dialer->route);
    char numbers[FL_NET_TEXT_MAX], host[FL_NET_HOST_MAX];
    char proxy_text[FL_NET_TEXT_MAX + AGENT_PROXY_LOGIN_MAX + 1];
    struct fl_err err = {0};
    uint16_t port;

    fl_net_print(address, numbers);
    if (proxy->is_on) { /* the hub's name is the proxy's to look up */
        snprintf(proxy_text, sizeof proxy_text, "%s%s%s", proxy->login, proxy->login[0] ? "@" : "",
                 numbers);
        info.address = dialer->host;
        if (lws_set_proxy(dialer->vhost, proxy_text) != 0) return false;
    } else {
        if (!fl_net_split(fl_str_c(numbers), host, &port, &err)) return false;
        info.address = host;
    }
    if (lws_client_connect_via_info(&info)) return true;
    dialer->wsi = NULL;
    return false;
}

/* False: each address was tried in this dial. */
static bool try_next(struct agent_dialer *dialer)
{
    const struct fl_net_address *address;

    while ((address = agent_route_next(dialer->route))) {
        dialer->lost_why[0] = 0;
        if (connect_to(dialer, address)) return true;
        dialer->is_lost = false; /* it may have said so itself */
    }
    return false;
}

static void on_found(void *ctx)
{
    struct agent_dialer *dialer = ctx;

    if (!try_next(dialer)) lose(dialer, FL_STR("no connection can be made"));
}

static void on_not_found(void *ctx, const struct fl_err *err)
{
    lose(ctx, fl_str_c(err->text));
}

static void dial(struct agent_dialer *dialer)
{
    struct fl_err err = {0};

    dialer->status.dials++;
    dialer->lost_why[0] = 0;
    if (dialer->vhost || make_vhost(dialer, &err)) {
        agent_route_begin(dialer->route);
    } else {
        drop_vhost(dialer);
        lose(dialer, fl_str_c(err.text));
    }
}

/* ---- out --------------------------------------------------------------------------------------- */

/* Writes as long as the socket takes it; false: it is broken. */
static bool flush(struct agent_dialer *dialer)
{
    while (dialer->wsi && !dialer->is_choked && fl_link_is_connected(fl_mux_link(dialer->mux)) &&
           fl_mux_has_output(dialer->mux)) {
        size_t len;

        if (lws_send_pipe_choked(dialer->wsi)) {
            dialer->is_choked = true;
            lws_callback_on_writable(dialer->wsi);
            break;
        }
        fl_buf_truncate(&dialer->out, LWS_PRE);
        len = fl_mux_write(dialer->mux, now_of(dialer), &dialer->out);
        if (len == 0) break;
        if (lws_write(dialer->wsi, dialer->out.at + LWS_PRE, len, LWS_WRITE_BINARY) < (int)len)
            return false;
    }
    return true;
}

static void tell_busy(struct agent_dialer *dialer)
{
    size_t bytes = fl_mux_control_bytes(dialer->mux);
    bool is_busy = dialer->is_opened && bytes > (dialer->is_busy ? BUSY_BYTES / 2 : BUSY_BYTES);

    if (is_busy == dialer->is_busy) return;
    dialer->is_busy = is_busy;
    if (dialer->ports.busy) dialer->ports.busy(dialer->ports.ctx, is_busy);
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct agent_dialer *dialer = ctx;

    if (stream != dialer->log_stream) return 0;
    return dialer->ports.log_pull(dialer->ports.ctx, at, bytes_max);
}

static void put_hello(struct agent_dialer *dialer)
{
    struct fl_msg msg = {.kind = FL_MSG_hello};
    struct fl_err err = {0};

    msg.hello.protocol_min = FL_PROTOCOL_MIN;
    msg.hello.protocol_max = FL_PROTOCOL_MAX;
    msg.hello.version = FL_STR(FL_VERSION);
    msg.hello.capabilities = FL_STR("[]");
    dialer->ports.hello(dialer->ports.ctx, &msg.hello);
    if (fl_msg_check(&msg, &err)) {
        fl_mux_put(dialer->mux, &msg);
        return;
    }
    fl_log(FL_LOG_ERROR, MODULE, "hello", FL_LOG_ERR(&err));
    step(dialer, FL_LINK_EV_lost);
}

/* ---- what the link wants ----------------------------------------------------------------------- */

static void close_tunnel(struct agent_dialer *dialer)
{
    enum fl_link_why why = fl_mux_link(dialer->mux)->why;
    bool was_opened = dialer->is_opened;

    if (!dialer->status.why[0] || why != FL_LINK_WHY_lost)
        note_why(dialer, dialer->lost_why[0] ? dialer->lost_why : fl_link_why_name(why));
    fl_log(FL_LOG_WARN, MODULE, was_opened ? "closed" : "not_connected",
           FL_LOG_S("hub", dialer->host), FL_LOG_N("port", dialer->port),
           FL_LOG_S("why", fl_link_why_name(why)), FL_LOG_S("text", dialer->lost_why),
           FL_LOG_N("again_ms", fl_mux_deadline(dialer->mux) - now_of(dialer)));
    dialer->is_opened = dialer->is_busy = false;
    dialer->log_stream = dialer->blob_stream = 0;
    if (dialer->renew_key) { /* the answer will not come */
        fl_key_destroy(dialer->renew_key);
        dialer->renew_key = NULL;
        fl_timer_in(&dialer->renew_timer, FL_SECOND_MS);
    }
    if (was_opened) dialer->ports.closed(dialer->ports.ctx, dialer->status.why);
}

static void act(struct agent_dialer *dialer, enum fl_link_answer answer)
{
    switch (answer) {
    case FL_LINK_DO_DIAL:
        dial(dialer);
        break;
    case FL_LINK_DO_HELLO:
        put_hello(dialer);
        break;
    case FL_LINK_DO_CLOSE:
        close_tunnel(dialer); /* the socket goes at the end of the turn: this may be its callback */
        break;
    default:
        break;
    }
}

static void begin(struct agent_dialer *dialer, const struct fl_msg *welcome)
{
    struct fl_err err = {0};

    dialer->is_opened = true;
    dialer->status.sessions++;
    dialer->status.why[0] = 0;
    fl_blobs_destroy(dialer->blobs);
    dialer->blobs = fl_blobs_create(true);
    if (!fl_mux_open(dialer->mux, FL_FRAME_LOG, now_of(dialer), &dialer->log_stream, &err)) {
        fl_log(FL_LOG_ERROR, MODULE, "log_stream", FL_LOG_ERR(&err));
    }
    fl_mux_wants(dialer->mux, dialer->log_stream, dialer->log_wants);
    fl_log(FL_LOG_INFO, MODULE, "opened", FL_LOG_S("hub", dialer->host),
           FL_LOG_N("port", dialer->port), FL_LOG_N("session", welcome->welcome.session_epoch));
    dialer->ports.opened(dialer->ports.ctx);
    dialer->ports.message(dialer->ports.ctx, welcome, (struct fl_str){0});
}

/* ---- the certificate --------------------------------------------------------------------------- */

static void plan_renewal(struct agent_dialer *dialer, bool is_fresh)
{
    const struct fl_cert *cert = agent_identity_cert(dialer->identity);

    dialer->status.expires_at = cert->until;
    dialer->renew_at = agent_identity_renew_at(cert, is_fresh, fl_loop_wall(dialer->loop));
    fl_timer_in(&dialer->renew_timer, 0);
}

static void retry_renewal(struct agent_dialer *dialer, const char *why)
{
    fl_ms left = agent_identity_cert(dialer->identity)->until - fl_loop_wall(dialer->loop);
    fl_ms wait = left / 4;

    fl_key_destroy(dialer->renew_key);
    dialer->renew_key = NULL;
    if (wait < FL_SECOND_MS) wait = FL_SECOND_MS;
    if (wait > RENEW_RETRY_MAX_MS) wait = RENEW_RETRY_MAX_MS;
    fl_log(FL_LOG_WARN, MODULE, "not_renewed", FL_LOG_S("why", why), FL_LOG_I("left_ms", left),
           FL_LOG_N("again_ms", wait));
    fl_timer_in(&dialer->renew_timer, wait);
}

static void ask_renewal(struct agent_dialer *dialer)
{
    struct fl_err err = {0};
    struct fl_buf csr;
    struct fl_msg msg = {.kind = FL_MSG_renew};

    fl_buf_init(&csr, FL_CSR_BYTES_MAX);
    if (agent_identity_next_key(dialer->state_dir, &dialer->renew_key, &err) &&
        fl_csr_write(dialer->renew_key, agent_identity_cert(dialer->identity)->cluster, &csr,
                     &err)) {
        msg.renew.csr = (struct fl_str){(const char *)csr.at, csr.len};
        agent_dialer_put(dialer, &msg);
        fl_timer_in(&dialer->renew_timer, RENEW_WAIT_MS);
    } else {
        retry_renewal(dialer, err.text);
    }
    fl_buf_fini(&csr);
}

static void on_renew_timer(void *ctx)
{
    struct agent_dialer *dialer = ctx;
    fl_ms wall = fl_loop_wall(dialer->loop);

    if (dialer->renew_key) {
        retry_renewal(dialer, "no answer in time");
    } else if (wall < dialer->renew_at) {
        fl_ms in = dialer->renew_at - wall;

        fl_timer_in(&dialer->renew_timer, in < RENEW_LOOK_MS ? in : RENEW_LOOK_MS);
    } else if (dialer->is_opened) {
        ask_renewal(dialer);
    } else {
        fl_timer_in(&dialer->renew_timer, FL_SECOND_MS);
    }
}

static bool take_identity(struct agent_dialer *dialer, struct fl_str chain, struct fl_err *err)
{
    struct agent_identity *identity;
    struct fl_buf key;
    bool is_stored;

    fl_buf_init(&key, FL_KEY_PEM_MAX);
    is_stored =
        fl_key_write(dialer->renew_key, &key, err) &&
        agent_identity_store(dialer->state_dir, (struct fl_str){(const char *)key.at, key.len},
                             chain, (struct fl_str){0}, (struct fl_str){0}, err);
    if (key.at) fl_secret_wipe(key.at, key.len);
    fl_buf_fini(&key);
    if (!is_stored || !agent_identity_load(dialer->state_dir, &identity, err)) return false;
    agent_identity_destroy(dialer->identity);
    dialer->identity = identity;
    return true;
}

static void take_renewed(struct agent_dialer *dialer, const struct fl_msg_renewed *renewed)
{
    struct fl_err err = {0};

    if (!dialer->renew_key) return; /* its wait was over */
    if (renewed->code != FL_OK) {
        fl_fail(&err, FL_DENIED, FL_STR_FMT, FL_STR_ARG(renewed->text));
    } else if (take_identity(dialer, renewed->chain, &err)) {
        fl_key_destroy(dialer->renew_key);
        dialer->renew_key = NULL;
        dialer->status.renewals++;
        plan_renewal(dialer, true);
        dialer->is_renewed = true; /* the next dial shows the new one; this tunnel goes for it */
        fl_log(FL_LOG_INFO, MODULE, "renewed",
               FL_LOG_I("until", agent_identity_cert(dialer->identity)->until));
        snprintf(dialer->lost_why, sizeof dialer->lost_why, "the certificate was renewed");
        step(dialer, FL_LINK_EV_renewed);
        return;
    }
    retry_renewal(dialer, err.text);
}

/* ---- what comes in ----------------------------------------------------------------------------- */

static void take_message(struct agent_dialer *dialer, const struct fl_msg *msg)
{
    struct fl_str spec = {0};

    if (msg->kind == FL_MSG_renewed) {
        take_renewed(dialer, &msg->renewed);
        return;
    }
    if (msg->kind == FL_MSG_start && !fl_blobs_find(dialer->blobs, msg->start.spec, &spec))
        spec = (struct fl_str){0};
    dialer->ports.message(dialer->ports.ctx, msg, spec);
}

/* False: what came is not what its header says. */
static bool take_blobs(struct agent_dialer *dialer, struct fl_str bytes, struct fl_err *err)
{
    for (;;) {
        struct fl_digest digest;
        struct fl_str blob;

        switch (fl_blob_reader_next(&dialer->blob_reader, &bytes, &digest, &blob, err)) {
        case FL_BLOB_MORE:
            return true;
        case FL_BLOB_BAD:
            return false;
        case FL_BLOB_READY:
            if (!fl_digest_eq(fl_sha256(blob.at, blob.len), digest))
                return fl_fail(err, FL_TORN, "a document is not what its digest says");
            fl_blobs_add(dialer->blobs, digest, blob);
            break;
        }
    }
}

static void take_data(struct agent_dialer *dialer, const struct fl_mux_item *item,
                      struct fl_err *err)
{
    uint32_t len = (uint32_t)item->bytes.len;

    if (item->stream == dialer->log_stream) {
        dialer->ports.log_frame(dialer->ports.ctx, item->bytes);
    } else if (item->type == FL_FRAME_BLOB) {
        if (item->is_new) {
            if (dialer->blob_stream) /* one at a time */
                fl_mux_close(dialer->mux, dialer->blob_stream, FL_CONFLICT, (struct fl_str){0});
            dialer->blob_stream = item->stream;
            fl_blob_reader_fini(&dialer->blob_reader);
            fl_blob_reader_init(&dialer->blob_reader);
        }
        if (!take_blobs(dialer, item->bytes, err)) {
            step(dialer, FL_LINK_EV_broken);
            return;
        }
    } else {
        fl_mux_close(dialer->mux, item->stream, FL_UNSUPPORTED, FL_STR("not taken here"));
    }
    fl_mux_consumed(dialer->mux, item->stream, len);
}

static void take_closed(struct agent_dialer *dialer, const struct fl_mux_item *item)
{
    if (item->stream == dialer->blob_stream) dialer->blob_stream = 0;
    if (item->stream != dialer->log_stream) return;
    /* Logs live on it: without it the tunnel is of no use. */
    snprintf(dialer->lost_why, sizeof dialer->lost_why, "the LOG stream was closed: " FL_STR_FMT,
             FL_STR_ARG(item->bytes));
    step(dialer, FL_LINK_EV_lost);
}

static void take_answer(struct agent_dialer *dialer, const struct fl_mux_item *item)
{
    if (item->answer == FL_LINK_DO_BEGIN) {
        begin(dialer, item->messages);
        return;
    }
    if (item->messages_len && item->messages->kind == FL_MSG_bye) {
        const struct fl_msg_bye *bye = &item->messages->bye;

        snprintf(dialer->lost_why, sizeof dialer->lost_why, "%s: " FL_STR_FMT,
                 fl_code_name((enum fl_code)bye->code), FL_STR_ARG(bye->text));
    }
    act(dialer, item->answer);
}

static void take_bytes(struct agent_dialer *dialer, struct fl_str bytes)
{
    struct fl_mux_item item;
    struct fl_err err = {0};

    while (fl_mux_receive(dialer->mux, &bytes, now_of(dialer), &item, &err)) {
        if (err.text[0]) snprintf(dialer->lost_why, sizeof dialer->lost_why, "%s", err.text);
        switch (item.kind) {
        case FL_MUX_ANSWER:
            take_answer(dialer, &item);
            break;
        case FL_MUX_MESSAGE:
            for (size_t i = 0; i < item.messages_len && dialer->is_opened; i++)
                take_message(dialer, &item.messages[i]);
            break;
        case FL_MUX_DATA:
            take_data(dialer, &item, &err);
            break;
        case FL_MUX_CLOSED:
            take_closed(dialer, &item);
            break;
        }
    }
    touch(dialer);
}

/* ---- what libwebsockets says ------------------------------------------------------------------- */

/* libwebsockets checks this too; what its flags can talk it out of is not to be trusted. */
static bool is_hub(const struct agent_dialer *dialer)
{
    SSL *ssl = lws_get_ssl(dialer->wsi);
    X509 *cert = ssl ? SSL_get1_peer_certificate(ssl) : NULL;
    bool is_good = cert && SSL_get_verify_result(ssl) == X509_V_OK &&
                   (X509_check_host(cert, dialer->server_name, 0, 0, NULL) == 1 ||
                    X509_check_ip_asc(cert, dialer->server_name, 0) == 1);

    X509_free(cert);
    return is_good;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    struct agent_dialer *dialer = wsi ? lws_get_opaque_user_data(wsi) : NULL;

    (void)user;
    if (!dialer || dialer->is_ending || (dialer->wsi && dialer->wsi != wsi)) return 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        if (!is_hub(dialer)) {
            lose(dialer, FL_STR("the control plane's certificate is not good"));
            return -1;
        }
        fl_net_set_user_timeout(lws_get_socket_fd(wsi), UNSENT_MS);
        agent_route_good(dialer->route);
        step(dialer, FL_LINK_EV_opened);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        take_bytes(dialer, (struct fl_str){in, len});
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        dialer->is_choked = false;
        touch(dialer);
        return flush(dialer) ? 0 : -1;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        lose(dialer, (struct fl_str){in, in ? len : 0});
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
        lose(dialer, (struct fl_str){0});
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        if (dialer->wsi == wsi) lose(dialer, (struct fl_str){0});
        return 0;
    default:
        return 0;
    }
}

static void on_lws_log(int level, const char *line)
{
    struct fl_str text = fl_str_c(line);

    while (text.len && text.at[text.len - 1] == '\n')
        text.len--;
    fl_log(level & LLL_ERR ? FL_LOG_WARN : FL_LOG_DEBUG, "lws", "says", FL_LOG_STR("text", text));
}

/* ---- its turns --------------------------------------------------------------------------------- */

static void tick(void *ctx)
{
    struct agent_dialer *dialer = ctx;

    for (int i = 0; i < 4 && now_of(dialer) >= fl_mux_deadline(dialer->mux); i++)
        step(dialer, FL_LINK_EV_tick);
    touch(dialer);
}

static void after_turn(void *ctx)
{
    struct agent_dialer *dialer = ctx;
    enum fl_link_state state;

    if (dialer->is_lost) {
        dialer->is_lost = false;
        if (fl_mux_link(dialer->mux)->state != FL_LINK_DIALING || !try_next(dialer))
            step(dialer, FL_LINK_EV_lost);
    }
    if (!flush(dialer)) step(dialer, FL_LINK_EV_lost);
    state = fl_mux_link(dialer->mux)->state;
    if (state == FL_LINK_DOWN || state == FL_LINK_CLOSED) drop_socket(dialer);
    if (dialer->is_renewed && !dialer->wsi) {
        dialer->is_renewed = false;
        drop_vhost(dialer);
    }
    tell_busy(dialer);
    fl_timer_at(&dialer->timer, fl_mux_deadline(dialer->mux));
}

/* ---- its life ---------------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    struct fl_str s = fl_str_c(text);
    char *copy = fl_alloc(s.len + 1);

    if (s.len) memcpy(copy, s.at, s.len);
    return copy;
}

static bool start(struct agent_dialer *dialer, const struct agent_dialer_config *config,
                  struct fl_err *err)
{
    void *loops[1] = {fl_loop_ev(dialer->loop)};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .options = LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
        .foreign_loops = loops,
        .pt_serv_buf_size = SERVICE_BYTES,
    };
    struct agent_route_port route = {dialer, on_found, on_not_found};
    const char *hub;

    if (!agent_identity_load(config->state_dir, &dialer->identity, err)) return false;
    hub = config->hub ? config->hub : agent_identity_hub(dialer->identity);
    if (!fl_net_split(fl_str_c(hub), dialer->host, &dialer->port, err))
        return fl_err_wrap(err, "the tunnel's address");
    if (!agent_route_create(dialer->loop, config->proxy, config->no_proxy, dialer->host,
                            dialer->port, &route, &dialer->route, err)) {
        return false;
    }
    lws_set_log_level(LLL_ERR | LLL_WARN, on_lws_log);
    dialer->context = lws_create_context(&info);
    return dialer->context || fl_fail(err, FL_IO, "libwebsockets does not start");
}

struct agent_dialer *agent_dialer_create(struct fl_loop *loop,
                                         const struct agent_dialer_config *config,
                                         const struct agent_dialer_ports *ports, struct fl_err *err)
{
    struct agent_dialer *dialer = fl_new(struct agent_dialer);
    struct fl_mux_config mux = {.side = FL_LINK_AGENT,
                                .flow = fl_flow_limits(),
                                .seed = config->seed,
                                .ctx = dialer,
                                .pull = pull};

    dialer->loop = loop;
    dialer->ports = *ports;
    dialer->state_dir = copy_of(config->state_dir);
    dialer->server_name = copy_of(config->server_name ? config->server_name : FL_TLS_SERVER_NAME);
    dialer->mux = fl_mux_create(&mux, now_of(dialer));
    fl_blob_reader_init(&dialer->blob_reader);
    fl_buf_init(&dialer->out, LWS_PRE + FL_MUX_WRITE_BYTES_MAX);
    (void)fl_buf_put(&dialer->out, (uint8_t[LWS_PRE]){0}, LWS_PRE);
    fl_timer_init(&dialer->timer, loop, tick, dialer);
    fl_timer_init(&dialer->renew_timer, loop, on_renew_timer, dialer);
    fl_after_init(&dialer->after, loop, after_turn, dialer);
    if (!start(dialer, config, err)) {
        agent_dialer_destroy(dialer);
        return NULL;
    }
    plan_renewal(dialer, false);
    fl_timer_at(&dialer->timer, fl_mux_deadline(dialer->mux));
    return dialer;
}

void agent_dialer_destroy(struct agent_dialer *dialer)
{
    if (!dialer) return;
    dialer->is_ending = true;
    drop_socket(dialer);
    fl_timer_off(&dialer->timer);
    fl_timer_off(&dialer->renew_timer);
    fl_after_off(&dialer->after);
    if (dialer->context) lws_context_destroy(dialer->context); /* its vhosts with it */
    SSL_CTX_free(dialer->tls);
    agent_route_destroy(dialer->route);
    fl_mux_destroy(dialer->mux);
    fl_blobs_destroy(dialer->blobs);
    fl_blob_reader_fini(&dialer->blob_reader);
    fl_buf_fini(&dialer->out);
    fl_key_destroy(dialer->renew_key);
    agent_identity_destroy(dialer->identity);
    fl_free(dialer->state_dir);
    fl_free(dialer->server_name);
    fl_free(dialer);
}

/* ---- from the engine --------------------------------------------------------------------------- */

void agent_dialer_put(struct agent_dialer *dialer, const struct fl_msg *msg)
{
    if (!dialer->is_opened) return;
    fl_mux_put(dialer->mux, msg);
    touch(dialer);
}

void agent_dialer_log_wants(struct agent_dialer *dialer, uint64_t bytes)
{
    dialer->log_wants = bytes;
    if (!dialer->is_opened) return;
    fl_mux_wants(dialer->mux, dialer->log_stream, bytes);
    touch(dialer);
}

bool agent_dialer_is_up(const struct agent_dialer *dialer)
{
    return dialer->is_opened;
}

struct agent_dialer_status agent_dialer_status(const struct agent_dialer *dialer)
{
    struct agent_dialer_status status = dialer->status;

    status.is_up = dialer->is_opened;
    return status;
}
