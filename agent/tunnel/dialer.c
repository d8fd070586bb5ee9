#include "agent/tunnel/dialer.h"

#include <stdio.h>
#include <string.h>

#include "agent/tunnel/renewal.h"
#include "agent/tunnel/spec_receiver.h"
#include "agent/tunnel/tunnel_socket.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/version.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/tls/ca.h"
#include "shared/tls/digest.h"

#define MODULE "tunnel"

enum { CHANGE_MS = 1000 };     /* between two looks whether the tunnel may be changed for another */
enum { BUSY_BYTES = 1 << 20 }; /* with more control waiting, 'busy' is on */

struct agent_dialer {
    struct fl_loop *loop;
    struct agent_dialer_ports ports;
    char *server_name;
    struct tunnel_socket_config address;
    struct tunnel_socket *socket;
    struct agent_renewal *renewal;
    bool is_renewed; /* the identity is newer than the one in the last dial */
    char lost_why[256];

    struct fl_mux *mux;
    struct fl_streams *streams;
    struct spec_receiver *specs;
    struct fl_timer timer, change;
    struct fl_after after;
    bool is_opened; /* 'opened' was called, and 'closed' was not yet */
    bool is_busy;   /* the last call of 'busy' */
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

static void step(struct agent_dialer *dialer, enum fl_link_event_kind kind)
{
    act(dialer, fl_mux_step(dialer->mux, kind, now_of(dialer)));
    touch(dialer);
}

static void note_lost(struct agent_dialer *dialer, const char *why)
{
    if (!dialer->lost_why[0]) snprintf(dialer->lost_why, sizeof dialer->lost_why, "%s", why);
}

/* ---- out ------------------------------------------------------------------------------------- */

/* Writes as long as the socket takes bytes.  False: the socket is broken. */
static bool flush(struct agent_dialer *dialer)
{
    struct fl_buf *out;

    while (fl_link_is_connected(fl_mux_link(dialer->mux)) && fl_mux_has_output(dialer->mux) &&
           (out = tunnel_socket_room(dialer->socket))) {
        if (fl_mux_write(dialer->mux, now_of(dialer), out) == 0) break;
        if (!tunnel_socket_send(dialer->socket)) return false;
    }
    return true;
}

static void tell_busy(struct agent_dialer *dialer)
{
    size_t bytes = fl_mux_control_bytes(dialer->mux);
    bool is_busy = dialer->is_opened && bytes > (dialer->is_busy ? BUSY_BYTES / 2 : BUSY_BYTES);

    if (is_busy == dialer->is_busy) return;
    dialer->is_busy = is_busy;
    dialer->ports.busy(dialer->ports.ctx, is_busy);
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

/* ---- answers of the link --------------------------------------------------------------------- */

static void dial(struct agent_dialer *dialer)
{
    bool is_renewed = dialer->is_renewed;

    dialer->status.dials++;
    dialer->lost_why[0] = 0;
    dialer->is_renewed = false;
    fl_timer_off(&dialer->change);
    tunnel_socket_dial(dialer->socket, agent_renewal_identity(dialer->renewal), is_renewed);
}

static void close_tunnel(struct agent_dialer *dialer)
{
    enum fl_link_why why = fl_mux_link(dialer->mux)->why;
    bool was_opened = dialer->is_opened;

    if (!dialer->status.why[0] || why != FL_LINK_WHY_lost) {
        snprintf(dialer->status.why, sizeof dialer->status.why, "%s",
                 dialer->lost_why[0] ? dialer->lost_why : fl_link_why_name(why));
    }
    fl_log(FL_LOG_WARN, MODULE, was_opened ? "closed" : "not_connected",
           FL_LOG_S("hub", dialer->address.host), FL_LOG_N("port", dialer->address.port),
           FL_LOG_S("why", fl_link_why_name(why)), FL_LOG_S("text", dialer->lost_why),
           FL_LOG_N("again_ms", fl_mux_deadline(dialer->mux) - now_of(dialer)));
    dialer->is_opened = dialer->is_busy = false;
    fl_streams_end(dialer->streams);
    agent_renewal_closed(dialer->renewal);
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
    dialer->is_opened = true;
    dialer->status.sessions++;
    dialer->status.why[0] = 0;
    spec_receiver_begin(dialer->specs);
    fl_log(FL_LOG_INFO, MODULE, "opened", FL_LOG_S("hub", dialer->address.host),
           FL_LOG_N("port", dialer->address.port),
           FL_LOG_N("session", welcome->welcome.session_epoch));
    dialer->ports.opened(dialer->ports.ctx, dialer->streams);
    dialer->ports.message(dialer->ports.ctx, welcome, (struct fl_str){0});
}

/* ---- in -------------------------------------------------------------------------------------- */

static void take_message(struct agent_dialer *dialer, const struct fl_msg *msg)
{
    struct fl_str spec = {0};

    if (msg->kind == FL_MSG_renewed) {
        agent_renewal_answer(dialer->renewal, &msg->renewed);
        return;
    }
    if (msg->kind == FL_MSG_start && !spec_receiver_find(dialer->specs, msg->start.spec, &spec)) {
        spec = (struct fl_str){0};
    }
    dialer->ports.message(dialer->ports.ctx, msg, spec);
}

static void be_refused(struct agent_dialer *dialer, struct fl_str text)
{
    char why[256];

    agent_renewal_hurry(dialer->renewal);
    if (dialer->is_opened || !dialer->ports.refused) return;
    snprintf(why, sizeof why, FL_STR_FMT, FL_STR_ARG(text));
    dialer->ports.refused(dialer->ports.ctx, why);
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
        if (bye->code == FL_DENIED) be_refused(dialer, bye->text);
    }
    act(dialer, item->answer);
}

static void on_bytes(void *ctx, struct fl_str bytes)
{
    struct agent_dialer *dialer = ctx;
    struct fl_mux_item item;
    struct fl_err err = {0};

    while (fl_mux_receive(dialer->mux, &bytes, now_of(dialer), &item, &err)) {
        if (err.text[0]) snprintf(dialer->lost_why, sizeof dialer->lost_why, "%s", err.text);
        switch (item.kind) {
        case FL_MUX_ANSWER:
            take_answer(dialer, &item);
            break;
        case FL_MUX_MESSAGE:
            for (size_t i = 0; i < item.messages_len && dialer->is_opened; i++) {
                take_message(dialer, &item.messages[i]);
            }
            break;
        case FL_MUX_DATA:
        case FL_MUX_CLOSED:
            fl_streams_take(dialer->streams, &item);
            break;
        }
    }
    touch(dialer);
}

/* ---- the streams' owner ---------------------------------------------------------------------- */

static size_t on_pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct agent_dialer *dialer = ctx;

    return fl_streams_pull(dialer->streams, stream, at, bytes_max);
}

static void on_changed(void *ctx)
{
    touch(ctx);
}

static void on_fail(void *ctx, const struct fl_err *err)
{
    struct agent_dialer *dialer = ctx;

    snprintf(dialer->lost_why, sizeof dialer->lost_why, "%s", err->text);
    step(dialer, FL_LINK_EV_broken);
}

static bool is_right(void *ctx, struct fl_digest digest, struct fl_str document)
{
    (void)ctx;
    return fl_digest_eq(fl_sha256(document.at, document.len), digest);
}

/* ---- the socket ------------------------------------------------------------------------------ */

static void on_opened(void *ctx)
{
    step(ctx, FL_LINK_EV_opened);
}

static void on_writable(void *ctx)
{
    touch(ctx);
}

static void on_lost(void *ctx, const char *why)
{
    struct agent_dialer *dialer = ctx;

    note_lost(dialer, why);
    step(dialer, FL_LINK_EV_lost);
}

/* ---- the certificate ------------------------------------------------------------------------- */

static bool is_up(void *ctx)
{
    return ((struct agent_dialer *)ctx)->is_opened;
}

static void put_renew(void *ctx, const struct fl_msg *renew)
{
    agent_dialer_put(ctx, renew);
}

/* Ends this tunnel, so that the next dial shows the new certificate; but not while a stream holds
 * it.  The control plane ends it with the old certificate, at the latest. */
static void change_tunnel(void *ctx)
{
    struct agent_dialer *dialer = ctx;

    if (fl_streams_hold_tunnel(dialer->streams)) {
        fl_timer_in(&dialer->change, CHANGE_MS);
        return;
    }
    snprintf(dialer->lost_why, sizeof dialer->lost_why, "the certificate was renewed");
    step(dialer, FL_LINK_EV_renewed);
}

static void on_renewed(void *ctx)
{
    struct agent_dialer *dialer = ctx;

    dialer->is_renewed = true;
    change_tunnel(dialer);
}

/* ---- its turns ------------------------------------------------------------------------------- */

static void tick(void *ctx)
{
    struct agent_dialer *dialer = ctx;

    for (int i = 0; i < 4 && now_of(dialer) >= fl_mux_deadline(dialer->mux); i++) {
        step(dialer, FL_LINK_EV_tick);
    }
    touch(dialer);
}

static void after_turn(void *ctx)
{
    struct agent_dialer *dialer = ctx;
    enum fl_link_state state;

    if (!flush(dialer)) step(dialer, FL_LINK_EV_lost);
    state = fl_mux_link(dialer->mux)->state;
    if (state == FL_LINK_DOWN || state == FL_LINK_CLOSED) tunnel_socket_drop(dialer->socket);
    tell_busy(dialer);
    fl_timer_at(&dialer->timer, fl_mux_deadline(dialer->mux));
}

/* ---- its life -------------------------------------------------------------------------------- */

static bool start(struct agent_dialer *dialer, const struct agent_dialer_config *config,
                  struct fl_err *err)
{
    struct tunnel_socket_port socket = {dialer, on_opened, on_bytes, on_writable, on_lost};
    struct agent_renewal_port renewal = {dialer, is_up, put_renew, on_renewed};
    const char *hub = config->hub;

    if (!agent_renewal_create(dialer->loop, config->store, &renewal, &dialer->renewal, err)) {
        return false;
    }
    if (!hub) hub = agent_identity_hub(agent_renewal_identity(dialer->renewal));
    if (!fl_net_split(fl_str_c(hub), dialer->address.host, &dialer->address.port, err)) {
        return fl_err_wrap(err, "the tunnel's address");
    }
    dialer->address.server_name = dialer->server_name;
    dialer->address.proxy = config->proxy;
    dialer->address.no_proxy = config->no_proxy;
    dialer->socket = tunnel_socket_create(dialer->loop, &dialer->address, &socket, err);
    return dialer->socket != NULL;
}

static void make_streams(struct agent_dialer *dialer, const struct agent_dialer_config *config)
{
    struct fl_streams_owner owner = {dialer, on_changed, on_fail};
    struct spec_receiver_port specs = {dialer, is_right};
    struct fl_stream_kind documents;

    dialer->specs = spec_receiver_create(&specs);
    documents = spec_receiver_stream(dialer->specs);
    dialer->streams = fl_streams_create(dialer->mux, &owner);
    fl_streams_add(dialer->streams, &documents, 1);
    fl_streams_add(dialer->streams, config->streams, config->streams_len);
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
                                .pull = on_pull};

    fl_assert(ports->busy); /* without it an inventory is pushed whole, and breaks the link */
    dialer->loop = loop;
    dialer->ports = *ports;
    dialer->server_name =
        fl_str_dup(fl_str_c(config->server_name ? config->server_name : FL_TLS_SERVER_NAME));
    dialer->mux = fl_mux_create(&mux, now_of(dialer));
    make_streams(dialer, config);
    fl_timer_init(&dialer->timer, loop, tick, dialer);
    fl_timer_init(&dialer->change, loop, change_tunnel, dialer);
    fl_after_init(&dialer->after, loop, after_turn, dialer);
    if (!start(dialer, config, err)) {
        agent_dialer_destroy(dialer);
        return NULL;
    }
    fl_timer_at(&dialer->timer, fl_mux_deadline(dialer->mux));
    return dialer;
}

void agent_dialer_destroy(struct agent_dialer *dialer)
{
    if (!dialer) return;
    fl_timer_off(&dialer->timer);
    fl_timer_off(&dialer->change);
    fl_after_off(&dialer->after);
    fl_streams_end(dialer->streams);
    tunnel_socket_destroy(dialer->socket);
    agent_renewal_destroy(dialer->renewal);
    fl_streams_destroy(dialer->streams);
    spec_receiver_destroy(dialer->specs);
    fl_mux_destroy(dialer->mux);
    fl_free(dialer->server_name);
    fl_free(dialer);
}

/* ---- from the engine ------------------------------------------------------------------------- */

void agent_dialer_put(struct agent_dialer *dialer, const struct fl_msg *msg)
{
    if (!dialer->is_opened) return;
    fl_mux_put(dialer->mux, msg);
    touch(dialer);
}

bool agent_dialer_reload(struct agent_dialer *dialer, struct fl_err *err)
{
    if (!agent_renewal_reload(dialer->renewal, err)) return false;
    dialer->is_renewed = true;
    return true;
}

bool agent_dialer_is_up(const struct agent_dialer *dialer)
{
    return dialer->is_opened;
}

struct fl_streams *agent_dialer_streams(struct agent_dialer *dialer)
{
    return dialer->is_opened ? dialer->streams : NULL;
}

struct agent_dialer_status agent_dialer_status(const struct agent_dialer *dialer)
{
    struct agent_dialer_status status = dialer->status;

    status.is_up = dialer->is_opened;
    status.renewals = agent_renewal_count(dialer->renewal);
    status.expires_at = agent_identity_cert(agent_renewal_identity(dialer->renewal))->until;
    return status;
}
