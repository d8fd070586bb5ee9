#include "controlplane/tunnel/session.h"

#include <string.h>

#include "controlplane/tunnel/order.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/link/blob.h"
#include "shared/link/mux.h"

/* A document on its way. */
struct blob {
    uint8_t header[FL_BLOB_HEADER_BYTES];
    struct fl_digest digest;
    const char *document; /* of the first order */
    size_t bytes, pos;    /* header included */
    bool is_going;
};

struct session {
    struct session_shared *shared;
    struct tunnel_peer cert;
    fl_ms made_at, expires_at;
    struct translate_peer peer;
    struct fl_mux *mux;
    struct fl_err why;

    bool is_offered; /* the core has its HELLO, or will have it when a term begins */

    /* What waits for room in the inbox, in this order. */
    bool is_offer_held;        /* its HELLO, also when it is the only one */
    const struct fl_msg *held; /* what is left of a frame, the mux's */
    size_t held_len;           /* 0: none */
    struct fl_buf unread;      /* what came behind it */

    uint16_t protocol;
    struct fl_msg hello; /* its strings are not kept, but for: */
    bool has_images;
    uint64_t job_highest;

    struct order_queue orders;
    uint32_t tickets;       /* the newest */
    struct fl_blobs *blobs; /* what the agent has; NULL until the first is sent */
    struct blob blob;
    uint32_t blob_stream; /* 0: none yet */

    uint32_t log_stream; /* 0: none */
    bool had_log;
    struct fl_buf log;    /* messages to the agent: u32 length and payload each */
    size_t log_pos;       /* of them, what went out */
    struct core_send bye; /* what to say when it is sent away */
    char bye_text[201];
};

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max);
static void end(struct session *session);

/* ---- its life ---------------------------------------------------------------------------------- */

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
    session->cert = *peer;
    session->made_at = now;
    session->expires_at = expires_at;
    session->peer.connection = connection;
    session->peer.generation = peer->cert.generation;
    session->mux = fl_mux_create(&config, now);
    session->bye = (struct core_send){
        .kind = CORE_SEND_bye, .code = FL_UNAVAILABLE, .text = "come back later"};
    fl_buf_init(&session->log, SESSION_LOG_BYTES_MAX);
    fl_buf_init(&session->unread, SESSION_UNREAD_BYTES_MAX);
    return session;
}

void session_destroy(struct session *session)
{
    if (!session) return;
    fl_mux_destroy(session->mux);
    order_clear(&session->orders);
    fl_blobs_destroy(session->blobs);
    fl_buf_fini(&session->log);
    fl_buf_fini(&session->unread);
    fl_free(session);
}

uint64_t session_connection(const struct session *session)
{
    return session->peer.connection;
}

struct fl_cluster session_cluster(const struct session *session)
{
    return session->peer.cluster;
}

uint64_t session_epoch(const struct session *session)
{
    return session->peer.session_epoch;
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

/* ---- what the link wants ----------------------------------------------------------------------- */

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

/* Over: the core hears it, the log too, and nothing waits any more. */
static void end(struct session *session)
{
    struct session_shared *shared = session->shared;

    if (session->had_log) {
        session->had_log = false;
        shared->ports.log_closed(shared->ports.ctx, session->peer.connection,
                                 session->peer.cluster);
    }
    if (session->is_offered) {
        session->is_offered = false;
        shared->lost(shared->ctx, session->peer.cluster, session->peer.session_epoch,
                     session->peer.connection);
    }
    order_clear(&session->orders);
    session->blob = (struct blob){0};
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
    session->is_offered = false; /* the core knows only the newer one */
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
    if (now >= session->expires_at)
        session_refuse(session, FL_DENIED, "the certificate has expired", now);
    /* Its silence is ours: what it says waits to be read. */
    if (session_is_held(session)) step(session, FL_LINK_EV_bytes, now);
    for (int i = 0; i < 4 && now >= fl_mux_deadline(session->mux); i++)
        step(session, FL_LINK_EV_tick, now);
}

/* ---- to the core ------------------------------------------------------------------------------- */

/* The inbox takes it, or the core will hear of it all again when a term begins; else the session is over.
 * False: there is no room, and it is to be told again. */
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

    if (session->peer.cluster.n == 0 || session_is_over(session)) return;
    event = engine_event_create();
    session->peer.is_resync = session_link(session)->state == FL_LINK_UP;
    session->peer.age_ms = (uint64_t)(now - session->made_at);
    session->hello.hello.job_highest = session->job_highest;
    session->hello.hello.capabilities =
        session->has_images ? FL_STR("[\"" TRANSLATE_CAPABILITY_IMAGES "\"]") : FL_STR("[]");
    is_made = translate_next(&session->peer, &session->hello, 1, &pos, &event->arena, &event->event,
                             &err);
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
    if (!ports->peer(ports->ctx, &session->cert, hello->cluster_uid, &session->peer.cluster,
                     &err)) {
        session->peer.cluster = (struct fl_cluster){0};
        session_refuse(session, err.code, err.text, now);
        return;
    }
    session->has_images = names(hello->capabilities, TRANSLATE_CAPABILITY_IMAGES);
    session->hello = (struct fl_msg){.kind = FL_MSG_hello, .hello = *hello};
    session->hello.hello.cluster_uid = session->hello.hello.version =
        session->hello.hello.capabilities = (struct fl_str){0};
    session->job_highest = hello->job_highest;
    session->protocol =
        hello->protocol_max < FL_PROTOCOL_MAX ? hello->protocol_max : FL_PROTOCOL_MAX;
    session_offer(session, now);
}

/* What the link let through; what finds no room is held, with all that is behind it. */
static void hear(struct session *session, const struct fl_msg *messages, size_t len, fl_ms now)
{
    struct tunnel_server_ports *ports = &session->shared->ports;
    size_t pos = 0;

    session->held_len = 0;
    while (pos < len && !session_is_over(session)) {
        struct engine_event *event;
        size_t from = pos;

        if (messages[pos].kind == FL_MSG_renew) {
            ports->renew(ports->ctx, session->peer.connection, session->peer.cluster,
                         &session->cert, messages[pos].renew.csr);
            pos++;
            continue;
        }
        event = engine_event_create();
        if (!translate_next(&session->peer, messages, len, &pos, &event->arena, &event->event,
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

/* ---- streams ----------------------------------------------------------------------------------- */

static void take_data(struct session *session, const struct fl_mux_item *item)
{
    struct tunnel_server_ports *ports = &session->shared->ports;

    if (item->type != FL_FRAME_LOG) {
        fl_mux_close(session->mux, item->stream, FL_UNSUPPORTED, FL_STR("not taken here"));
        return;
    }
    if (item->is_new && session->log_stream == 0) session->log_stream = item->stream;
    if (item->stream != session->log_stream) {
        fl_mux_close(session->mux, item->stream, FL_FULL, FL_STR("there is a LOG stream already"));
        return;
    }
    session->had_log = true;
    ports->log_frame(ports->ctx, session->peer.connection, session->peer.cluster, item->bytes);
}

static void take_closed(struct session *session, const struct fl_mux_item *item)
{
    struct tunnel_server_ports *ports = &session->shared->ports;

    if (item->stream != session->log_stream) return;
    session->log_stream = 0;
    fl_buf_clear(&session->log);
    session->log_pos = 0;
    if (!session->had_log) return;
    session->had_log = false;
    ports->log_closed(ports->ctx, session->peer.connection, session->peer.cluster);
}

/* As far as it may go; *bytes is what is left. */
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
            take_data(session, &item);
            break;
        case FL_MUX_CLOSED:
            take_closed(session, &item);
            break;
        }
    }
}

void session_bytes(struct session *session, struct fl_str bytes, fl_ms now)
{
    session->shared->stats.bytes_in += bytes.len;
    receive(session, &bytes, now);
    if (session_is_over(session) || bytes.len == 0) return;
    if (!fl_buf_put(&session->unread, bytes.at, bytes.len))
        session_refuse(session, FL_FULL, "too much came while the engine had no room", now);
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
    if (!session_is_held(session)) {   /* all is read, or it is over */
        fl_buf_fini(&session->unread); /* it may be long until the next time */
        fl_buf_init(&session->unread, SESSION_UNREAD_BYTES_MAX);
        return true;
    }
    if (bytes.len) memmove(session->unread.at, bytes.at, bytes.len);
    fl_buf_truncate(&session->unread, bytes.len);
    return false;
}

void session_log_consumed(struct session *session, uint32_t bytes)
{
    if (session->log_stream) fl_mux_consumed(session->mux, session->log_stream, bytes);
}

bool session_log_put(struct session *session, struct fl_str payload, fl_ms now, struct fl_err *err)
{
    fl_assert(payload.len > 0 && payload.len <= FL_FRAME_PAYLOAD_MAX);
    if (session->log_stream == 0 || session_is_over(session))
        return fl_fail(err, FL_ABSENT, "the LOG stream is not open");
    if (session->log.len + 4 + payload.len > SESSION_LOG_BYTES_MAX && session->log_pos) {
        size_t left = session->log.len - session->log_pos;

        memmove(session->log.at, session->log.at + session->log_pos, left);
        fl_buf_truncate(&session->log, left);
        session->log_pos = 0;
    }
    if (session->log.len + 4 + payload.len > SESSION_LOG_BYTES_MAX) {
        fl_fail(err, FL_FULL, "the agent takes too little of its LOG stream");
        session_refuse(session, FL_FULL, err ? err->text : NULL, now);
        return false;
    }
    (void)fl_buf_put_u32(&session->log, (uint32_t)payload.len);
    (void)fl_buf_put(&session->log, payload.at, payload.len);
    fl_mux_wants(session->mux, session->log_stream, session->log.len - session->log_pos);
    return true;
}

/* Whole payloads, as many as fit. */
static size_t pull_log(struct session *session, uint8_t *at, size_t bytes_max)
{
    size_t len = 0;

    while (session->log_pos < session->log.len) {
        struct fl_reader reader =
            fl_reader(session->log.at + session->log_pos, session->log.len - session->log_pos);
        uint32_t payload_bytes = fl_read_u32(&reader);

        if (payload_bytes > bytes_max - len) break;
        memcpy(at + len, fl_read_raw(&reader, payload_bytes).at, payload_bytes);
        len += payload_bytes;
        session->log_pos += reader.pos;
    }
    if (session->log_pos == session->log.len) {
        fl_buf_clear(&session->log);
        session->log_pos = 0;
    }
    return len;
}

static size_t pull_blob(struct blob *blob, uint8_t *at, size_t bytes_max)
{
    size_t len = 0;

    while (len < bytes_max && blob->pos < blob->bytes) {
        bool is_header = blob->pos < FL_BLOB_HEADER_BYTES;
        const void *from = is_header ? (const void *)(blob->header + blob->pos)
                                     : blob->document + (blob->pos - FL_BLOB_HEADER_BYTES);
        size_t part = (is_header ? FL_BLOB_HEADER_BYTES : blob->bytes) - blob->pos;

        if (part > bytes_max - len) part = bytes_max - len;
        memcpy(at + len, from, part);
        blob->pos += part;
        len += part;
    }
    return len;
}

static size_t pull(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    struct session *session = ctx;

    if (stream == session->log_stream) return pull_log(session, at, bytes_max);
    if (stream == session->blob_stream && session->blob.is_going)
        return pull_blob(&session->blob, at, bytes_max);
    return 0;
}

/* ---- what the core sends ----------------------------------------------------------------------- */

static void put(struct session *session, const struct fl_msg *msg)
{
    session->shared->stats.messages_out++;
    fl_mux_put(session->mux, msg);
}

static bool has_blob(const struct session *session, struct fl_digest digest)
{
    return session->blobs && fl_blobs_find(session->blobs, digest, NULL);
}

static uint64_t next_ticket(struct session *session)
{
    return session->peer.connection << 32 | ++session->tickets;
}

uint64_t session_ticket_connection(uint64_t ticket)
{
    return ticket >> 32;
}

static void ask(struct session *session, struct order *order, fl_ms now)
{
    struct tunnel_server_ports *ports = &session->shared->ports;
    struct tunnel_spec spec = {0};
    uint64_t ticket = order->ticket;

    if (ports->spec(ports->ctx, ticket, session->peer.cluster, order->msg.start.attempt, &spec))
        (void)session_spec(session, ticket, &spec, now);
}

/* The first order's document sets out; false: the tunnel has no room for a stream. */
static bool begin_blob(struct session *session, struct order *order, fl_ms now)
{
    struct fl_err err = {0};

    if (session->blob_stream == 0 &&
        !fl_mux_open(session->mux, FL_FRAME_BLOB, now, &session->blob_stream, &err)) {
        return false;
    }
    session->blob = (struct blob){.digest = order->msg.start.spec,
                                  .document = order->document,
                                  .bytes = FL_BLOB_HEADER_BYTES + order->document_bytes,
                                  .is_going = true};
    fl_blob_header(session->blob.digest, (uint32_t)order->document_bytes, session->blob.header);
    fl_mux_wants(session->mux, session->blob_stream, session->blob.bytes);
    session->shared->stats.specs_sent++;
    return true;
}

/* Lets go what may. */
static void drain(struct session *session, fl_ms now)
{
    struct order *order;

    while ((order = session->orders.first)) {
        if (order->state == ORDER_WAITS) return;
        if (order->state == ORDER_TO_SEND && !has_blob(session, order->msg.start.spec)) {
            if (!session->blob.is_going && order->document) {
                if (!begin_blob(session, order, now)) return;
            } else if (!session->blob.is_going) {
                order_ask_again(&session->orders, order, next_ticket(session));
                ask(session, order, now);
                return;
            }
            if (session->blob.pos < session->blob.bytes) return;
            if (!session->blobs) session->blobs = fl_blobs_create(false);
            fl_blobs_add(session->blobs, session->blob.digest,
                         (struct fl_str){order->document, order->document_bytes});
            session->blob = (struct blob){0};
        }
        put(session, &order->msg);
        order_pop(&session->orders);
    }
}

bool session_spec(struct session *session, uint64_t ticket, const struct tunnel_spec *spec,
                  fl_ms now)
{
    struct order *order = order_find(&session->orders, ticket);

    if (!order) return false;
    if (!spec || spec->document.len > FL_BLOB_BYTES_MAX || spec->params.len > 32768) {
        order->state = ORDER_READY; /* the agent has no such document and refuses the START */
    } else {
        order_fill(&session->orders, order, spec, has_blob(session, spec->digest));
    }
    if (session->orders.document_bytes > SESSION_DOCUMENT_BYTES_MAX) {
        session_refuse(session, FL_FULL, "too many job documents wait to be sent", now);
        return true;
    }
    drain(session, now);
    return true;
}

static void order_start(struct session *session, const struct fl_msg *msg, fl_ms now)
{
    struct tunnel_server_ports *ports = &session->shared->ports;
    uint64_t ticket = next_ticket(session);
    struct tunnel_spec spec = {0};
    struct fl_msg ready = *msg;
    struct order *order;

    if (!ports->spec(ports->ctx, ticket, session->peer.cluster, msg->start.attempt, &spec)) {
        order_push_start(&session->orders, msg, ticket);
        return;
    }
    if (session->orders.len == 0 && has_blob(session, spec.digest) && spec.params.len <= 32768) {
        ready.start.spec = spec.digest; /* nothing to wait for, nothing to copy */
        ready.start.params = spec.params;
        put(session, &ready);
        return;
    }
    order = order_push_start(&session->orders, msg, ticket);
    fl_assert(order);
    (void)session_spec(session, ticket, &spec, now);
}

/* START, GO, STOP, ACK: in their order. */
static void order_send(struct session *session, const struct core_send *send, fl_ms now)
{
    struct fl_msg msg;

    if (session_link(session)->state != FL_LINK_UP) return; /* of a term that is over */
    translate_send(send, &session->shared->translate, session->protocol, (struct fl_digest){0},
                   &msg);
    if (session->orders.len == SESSION_ORDERS_MAX) {
        session_refuse(session, FL_FULL, "too much waits to be told to the agent", now);
    } else if (send->kind == CORE_SEND_start) {
        if (send->attempt.job.n > session->job_highest) session->job_highest = send->attempt.job.n;
        order_start(session, &msg, now);
    } else if (session->orders.len) {
        order_push(&session->orders, &msg);
    } else {
        put(session, &msg);
    }
}

/* WELCOME, or RESYNC: all that waits is of the term before. */
static void begin_session(struct session *session, const struct core_send *send, fl_ms now)
{
    struct core_send again = *send;
    struct fl_msg msg;

    order_clear(&session->orders);
    if (session->blob.is_going) {
        /* What is half out cannot be taken back: the agent forgets the stream. */
        fl_mux_close(session->mux, session->blob_stream, FL_CONFLICT, FL_STR("a new term"));
        session->blob_stream = 0;
        session->blob = (struct blob){0};
    }
    session->peer.session_epoch = send->session_epoch;
    if (session_link(session)->state == FL_LINK_UP) {
        again.kind = CORE_SEND_resync; /* a HELLO that waited for a term was offered twice */
    } else {
        step(session, FL_LINK_EV_welcome, now);
    }
    if (session_is_over(session)) return;
    translate_send(&again, &session->shared->translate, session->protocol, (struct fl_digest){0},
                   &msg);
    put(session, &msg);
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

/* ---- out --------------------------------------------------------------------------------------- */

bool session_has_output(const struct session *session)
{
    return fl_mux_has_output(session->mux);
}

size_t session_write(struct session *session, fl_ms now, struct fl_buf *out)
{
    size_t wrote = fl_mux_write(session->mux, now, out);

    if (session->blob.is_going && session->blob.pos == session->blob.bytes) drain(session, now);
    session->shared->stats.bytes_out += wrote;
    return wrote;
}
