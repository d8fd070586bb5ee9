#include "controlplane/tunnel/session.h"

#include <string.h>

#include "controlplane/tunnel/order_sender.h"
#include "controlplane/tunnel/session_seal.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct session {
    struct session_shared *shared;
    struct tunnel_peer peer;
    fl_ms made_at, expires_at;
    struct translate_origin origin;
    struct fl_mux *mux;
    struct fl_streams *streams;
    struct order_sender orders;
    struct fl_err why;

    bool is_offered; /* the core has its HELLO, or will get it when a term begins */

    /* These wait for room in the inbox, in this order. */
    bool is_offer_held;        /* its HELLO waits */
    const struct fl_msg *held; /* the rest of a frame's messages; the mux owns them */
    size_t held_len;           /* 0: no message waits */
    struct fl_buf unread;      /* bytes that came behind that frame */

    uint16_t protocol;
    struct fl_msg hello; /* without its strings */
    bool has_images;
    struct session_seal seal;

    struct core_send bye; /* the BYE to send */
    char bye_text[201];
};

static void end(struct session *session);
static void tell_history(struct session *session, fl_ms now);

/* ---- its life -------------------------------------------------------------------------------- */

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct session *session = ctx;

    return fl_streams_pull(session->streams, stream, at, bytes_max);
}

static void on_changed(void *ctx)
{
    struct session *session = ctx;

    session->shared->changed(session->shared->ctx, session->origin.connection);
}

static void on_fail(void *ctx, const struct fl_err *err)
{
    struct session *session = ctx;

    session_refuse(session, err->code, err->text, session_link(session)->now);
}

static void make_streams(struct session *session)
{
    const struct tunnel_server_ports *ports = &session->shared->ports;
    struct fl_streams_owner owner = {session, on_changed, on_fail};
    struct fl_stream_kind documents = order_sender_kind(&session->orders);

    session->streams = fl_streams_create(session->mux, &owner);
    fl_streams_add(session->streams, &documents, 1);
    fl_streams_add(session->streams, ports->streams, ports->streams_len);
}

struct session *session_create(struct session_shared *shared, const struct tunnel_peer *peer,
                               uint64_t connection, fl_ms expires_at, fl_ms now)
{
    struct session *session = fl_new(struct session);
    struct fl_mux_config config = {.side = FL_LINK_HUB,
                                   .flow = shared->flow,
                                   .ping_ms = shared->translate.ping_ms,
                                   .dead_ms = shared->translate.dead_ms,
                                   .ctx = session,
                                   .pull = pull};

    session->shared = shared;
    session->peer = *peer;
    session->made_at = now;
    session->expires_at = expires_at;
    session->origin.connection = connection;
    session->origin.generation = peer->cert.generation;
    session->origin.expired_ms = (uint64_t)peer->expired_ms;
    session->mux = fl_mux_create(&config, now);
    make_streams(session);
    order_sender_init(&session->orders, &shared->ports, &shared->stats, session->mux,
                      session->streams);
    session->bye = (struct core_send){
        .kind = CORE_SEND_bye, .code = FL_UNAVAILABLE, .text = "come back later"};
    fl_buf_init(&session->unread, SESSION_UNREAD_BYTES_MAX);
    return session;
}

void session_destroy(struct session *session)
{
    if (!session) return;
    fl_streams_end(session->streams);
    fl_streams_destroy(session->streams);
    order_sender_fini(&session->orders);
    fl_mux_destroy(session->mux);
    fl_buf_fini(&session->unread);
    fl_free(session);
}

struct fl_streams *session_streams(struct session *session)
{
    return session->streams;
}

uint64_t session_connection(const struct session *session)
{
    return session->origin.connection;
}

struct fl_cluster session_cluster(const struct session *session)
{
    return session->origin.cluster;
}

uint64_t session_epoch(const struct session *session)
{
    return session->origin.session_epoch;
}

const struct fl_link *session_link(const struct session *session)
{
    return fl_mux_link(session->mux);
}

bool session_is_over(const struct session *session)
{
    return session_link(session)->state == FL_LINK_CLOSED;
}

const char *session_why(const struct session *session)
{
    if (session->why.text[0]) return session->why.text;
    return fl_link_why_name(session_link(session)->why);
}

/* ---- answers of the link --------------------------------------------------------------------- */

static void say_bye(struct session *session)
{
    struct fl_msg msg;

    translate_send(&session->bye, &session->shared->translate, session->protocol,
                   (struct fl_digest){0}, &msg);
    if (!fl_str_is_text(msg.bye.text)) msg.bye.text = (struct fl_str){0};
    fl_mux_put(session->mux, &msg);
}

static void set_bye(struct session *session, enum fl_code code, const char *text)
{
    struct fl_str from = fl_str_c(text);
    size_t len = from.len < sizeof session->bye_text ? from.len : sizeof session->bye_text - 1;

    if (len) memcpy(session->bye_text, from.at, len);
    session->bye_text[len] = 0;
    session->bye.code = code;
    session->bye.text = session->bye_text;
}

static void act(struct session *session, enum fl_link_answer answer)
{
    switch (answer) {
    case FL_LINK_DO_BYE:
        if (session->why.text[0]) set_bye(session, session->why.code, session->why.text);
        say_bye(session);
        end(session);
        break;
    case FL_LINK_DO_CLOSE:
        end(session);
        break;
    default:
        break;
    }
}

static void step(struct session *session, enum fl_link_event_kind kind, fl_ms now)
{
    act(session, fl_mux_step(session->mux, kind, now));
}

/* Ends the session: tells the core and the streams, and drops all that waits. */
static void end(struct session *session)
{
    struct session_shared *shared = session->shared;

    fl_streams_end(session->streams);
    if (session->is_offered) {
        session->is_offered = false;
        shared->lost(shared->ctx, session->origin.cluster, session->origin.session_epoch,
                     session->origin.connection);
    }
    order_sender_clear(&session->orders);
    session->is_offer_held = false;
    session->held_len = 0;
    fl_buf_clear(&session->unread);
}

void session_refuse(struct session *session, enum fl_code code, const char *text, fl_ms now)
{
    if (session_is_over(session)) return;
    set_bye(session, code, text);
    fl_fail(&session->why, code, "%s", text ? text : "refused");
    step(session, FL_LINK_EV_refuse, now);
}

void session_supersede(struct session *session, fl_ms now)
{
    if (session_is_over(session)) return;
    session->is_offered = false; /* the core has replaced it by the newer session */
    set_bye(session, FL_CONFLICT, "a newer connection speaks for this cluster");
    step(session, FL_LINK_EV_supersede, now);
}

void session_stop(struct session *session, fl_ms now)
{
    set_bye(session, FL_UNAVAILABLE, "the control plane stops; come back");
    step(session, FL_LINK_EV_stop, now);
}

void session_closed(struct session *session, fl_ms now)
{
    step(session, FL_LINK_EV_lost, now);
}

fl_ms session_deadline(const struct session *session)
{
    fl_ms due = fl_mux_deadline(session->mux);

    return session_is_over(session) || due < session->expires_at ? due : session->expires_at;
}

void session_tick(struct session *session, fl_ms now)
{
    if (now >= session->expires_at) {
        session_refuse(session, FL_DENIED, "the certificate has expired", now);
    }
    /* We do not read its bytes, so its silence does not count. */
    if (session_is_held(session)) step(session, FL_LINK_EV_bytes, now);
    for (int i = 0; i < 4 && now >= fl_mux_deadline(session->mux); i++) {
        step(session, FL_LINK_EV_tick, now);
    }
    tell_history(session, now); /* a link that is up ticks at least as often as it pings */
}

/* ---- to the core ----------------------------------------------------------------------------- */

/* Gives an event to the inbox.  False: there is no room, and it must be offered again.  Without a
 * leader the event is dropped, since the session is offered anew when a term begins; any other
 * refusal ends the session. */
static bool adopt(struct session *session, struct engine_event *event, fl_ms now)
{
    struct tunnel_server_ports *ports = &session->shared->ports;
    bool is_open = event->event.kind == CORE_EV_session_open;
    struct fl_err err = {0};

    if (ports->adopt(ports->ctx, event, &err)) return true;
    if (err.code == FL_FULL) return false;
    if (err.code == FL_UNAVAILABLE || err.code == FL_NO_SPACE) return true;
    if (is_open) session->is_offered = false;
    session_refuse(session, err.code, err.text, now);
    return true;
}

bool session_is_held(const struct session *session)
{
    return session->is_offer_held || session->held_len > 0;
}

void session_offer(struct session *session, fl_ms now)
{
    struct engine_event *event;
    struct fl_err err = {0};
    size_t pos = 0;
    bool is_made;

    if (session->origin.cluster.n == 0 || session_is_over(session)) return;
    event = engine_event_create();
    session->origin.is_resync = session_link(session)->state == FL_LINK_UP;
    session->origin.age_ms = (uint64_t)(now - session->made_at);
    session->hello.hello.capabilities =
        session->has_images ? FL_STR("[\"" TRANSLATE_CAPABILITY_IMAGES "\"]") : FL_STR("[]");
    is_made = translate_next(&session->origin, &session->hello, 1, &pos, &event->arena,
                             &event->event, &err);
    fl_assert(is_made);
    session->is_offered = true;
    session->is_offer_held = !adopt(session, event, now);
    if (session->is_offer_held) session->is_offered = false;
}

/* Whether a JSON array of strings names the capability. */
static bool names(struct fl_str list, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i + len + 2 <= list.len; i++) {
        if (list.at[i] == '"' && memcmp(&list.at[i + 1], name, len) == 0 &&
            list.at[i + 1 + len] == '"') {
            return true;
        }
    }
    return false;
}

static void greet(struct session *session, const struct fl_msg_hello *hello, fl_ms now)
{
    struct tunnel_server_ports *ports = &session->shared->ports;
    struct fl_err err = {0};

    if (hello->protocol_min > FL_PROTOCOL_MAX || hello->protocol_max < FL_PROTOCOL_MIN) {
        fl_fail(&err, FL_UNSUPPORTED,
                "the agent (" FL_STR_FMT ") speaks protocol %u to %u, this control plane %d to %d",
                FL_STR_ARG(hello->version), hello->protocol_min, hello->protocol_max,
                FL_PROTOCOL_MIN, FL_PROTOCOL_MAX);
        session_refuse(session, err.code, err.text, now);
        return;
    }
    if (!ports->peer(ports->ctx, &session->peer, hello->cluster_uid, &session->origin.cluster,
                     &err)) {
        session->origin.cluster = (struct fl_cluster){0};
        session_refuse(session, err.code, err.text, now);
        return;
    }
    session->origin.seen = session_seal_hear(ports, session->origin.cluster, hello->seal);
    session->has_images = names(hello->capabilities, TRANSLATE_CAPABILITY_IMAGES);
    session->hello = (struct fl_msg){.kind = FL_MSG_hello, .hello = *hello};
    session->hello.hello.seal = session->hello.hello.cluster_uid = session->hello.hello.version =
        session->hello.hello.capabilities = (struct fl_str){0};
    session->protocol =
        hello->protocol_max < FL_PROTOCOL_MAX ? hello->protocol_max : FL_PROTOCOL_MAX;
    session_offer(session, now);
}

/* Turns messages into events.  The first that finds no room is held, with all behind it. */
static void hear(struct session *session, const struct fl_msg *messages, size_t len, fl_ms now)
{
    struct tunnel_server_ports *ports = &session->shared->ports;
    size_t pos = 0;

    session->held_len = 0;
    while (pos < len && !session_is_over(session)) {
        struct engine_event *event;
        size_t from = pos;

        if (messages[pos].kind == FL_MSG_renew) {
            ports->renew(ports->ctx, session->origin.connection, session->origin.cluster,
                         &session->peer, messages[pos].renew.csr);
            pos++;
            continue;
        }
        event = engine_event_create();
        if (!translate_next(&session->origin, messages, len, &pos, &event->arena, &event->event,
                            &session->why)) {
            engine_event_destroy(event);
            step(session, FL_LINK_EV_broken, now);
            return;
        }
        if (adopt(session, event, now)) continue;
        session->held = &messages[from];
        session->held_len = len - from;
        return;
    }
}

/* ---- in -------------------------------------------------------------------------------------- */

/* Reads as far as it may; *bytes is the rest. */
static void receive(struct session *session, struct fl_str *bytes, fl_ms now)
{
    struct fl_mux_item item;

    while (!session_is_over(session) && !session_is_held(session) &&
           fl_mux_receive(session->mux, bytes, now, &item, &session->why)) {
        switch (item.kind) {
        case FL_MUX_ANSWER:
            if (item.answer == FL_LINK_DO_GREET) {
                greet(session, &item.messages->hello, now);
            } else {
                act(session, item.answer);
            }
            break;
        case FL_MUX_MESSAGE:
            session->shared->stats.messages_in += item.messages_len;
            hear(session, item.messages, item.messages_len, now);
            break;
        case FL_MUX_DATA:
        case FL_MUX_CLOSED:
            fl_streams_take(session->streams, &item);
            break;
        }
    }
}

void session_bytes(struct session *session, struct fl_str bytes, fl_ms now)
{
    session->shared->stats.bytes_in += bytes.len;
    receive(session, &bytes, now);
    if (session_is_over(session) || bytes.len == 0) return;
    if (!fl_buf_put(&session->unread, bytes.at, bytes.len)) {
        session_refuse(session, FL_FULL, "too much came while the engine had no room", now);
    }
}

bool session_resume(struct session *session, fl_ms now)
{
    struct fl_str bytes;

    if (session_is_over(session)) return true;
    step(session, FL_LINK_EV_bytes, now);
    if (session->is_offer_held) session_offer(session, now);
    if (session->is_offer_held) return false;
    hear(session, session->held, session->held_len, now);
    bytes = (struct fl_str){(const char *)session->unread.at, session->unread.len};
    receive(session, &bytes, now);
    if (!session_is_held(session)) {   /* all is read, or the session is over */
        fl_buf_fini(&session->unread); /* saves memory: it is seldom needed */
        fl_buf_init(&session->unread, SESSION_UNREAD_BYTES_MAX);
        return true;
    }
    if (bytes.len) memmove(session->unread.at, bytes.at, bytes.len);
    fl_buf_truncate(&session->unread, bytes.len);
    return false;
}

/* ---- sends of the core ----------------------------------------------------------------------- */

static void put(struct session *session, const struct fl_msg *msg)
{
    session->shared->stats.messages_out++;
    fl_mux_put(session->mux, msg);
}

bool session_spec(struct session *session, uint64_t ticket, const struct tunnel_spec *spec,
                  fl_ms now)
{
    return order_sender_spec(&session->orders, ticket, spec, now);
}

/* Tells the agent how far the database is, if it is time. */
static void tell_history(struct session *session, fl_ms now)
{
    struct fl_msg msg;

    if (session_link(session)->state != FL_LINK_UP || session_is_over(session)) return;
    if (session_seal_tell(&session->seal, &session->shared->ports, session->origin.cluster, now,
                          &msg)) {
        put(session, &msg);
    }
}

/* Sends START, GO, STOP or ACK, in their order. */
static void order_send(struct session *session, const struct core_send *send, fl_ms now)
{
    struct fl_msg msg;

    if (session_link(session)->state != FL_LINK_UP) {
        return; /* the order belongs to a term that is over */
    }
    translate_send(send, &session->shared->translate, session->protocol, (struct fl_digest){0},
                   &msg);
    order_sender_send(&session->orders, &msg, now);
    tell_history(session, now);
}

/* Sends WELCOME or RESYNC; orders that wait belong to the term before and are dropped. */
static void begin_session(struct session *session, const struct core_send *send, fl_ms now)
{
    struct fl_stream_peer peer = {session->origin.connection, session->origin.cluster};
    struct core_send again = *send;
    struct fl_msg msg;

    order_sender_begin(&session->orders, peer);
    fl_streams_set_peer(session->streams, peer);
    session->origin.session_epoch = send->session_epoch;
    if (session_link(session)->state == FL_LINK_UP) {
        again.kind = CORE_SEND_resync; /* the session was offered twice, and this answer is late */
    } else {
        step(session, FL_LINK_EV_welcome, now);
    }
    if (session_is_over(session)) return;
    translate_send(&again, &session->shared->translate, session->protocol, (struct fl_digest){0},
                   &msg);
    put(session, &msg);
    tell_history(session, now);
}

void session_send(struct session *session, const struct core_send *send, fl_ms now)
{
    if (session_is_over(session)) return;
    switch (send->kind) {
    case CORE_SEND_bye:
        session->is_offered = false;
        session_refuse(session, send->code, send->text, now);
        break;
    case CORE_SEND_welcome:
    case CORE_SEND_resync:
        begin_session(session, send, now);
        break;
    case CORE_SEND_start:
    case CORE_SEND_go:
    case CORE_SEND_stop:
    case CORE_SEND_ack:
        order_send(session, send, now);
        break;
    }
}

void session_renewed(struct session *session, enum fl_code code, struct fl_str text,
                     struct fl_str chain)
{
    struct fl_msg msg = {.kind = FL_MSG_renewed,
                         .renewed = {.code = (uint16_t)code, .text = text, .chain = chain}};
    struct fl_err err = {0};

    if (session_link(session)->state != FL_LINK_UP) return;
    if (!fl_msg_check(&msg, &err)) {
        msg.renewed = (struct fl_msg_renewed){.code = FL_INVALID,
                                              .text = FL_STR("the answer does not fit a message")};
    }
    put(session, &msg);
}

/* ---- out ------------------------------------------------------------------------------------- */

bool session_has_output(const struct session *session)
{
    return fl_mux_has_output(session->mux);
}

size_t session_write(struct session *session, fl_ms now, struct fl_buf *out)
{
    size_t wrote = fl_mux_write(session->mux, now, out);

    order_sender_wrote(&session->orders, now);
    session->shared->stats.bytes_out += wrote;
    return wrote;
}
