#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "tests/sim/hub_state.h"

enum { RETRY_LOST_MS = 100 };

/* --- sessions -------------------------------------------------------------------------------- */

static struct hub_session *find_session(const struct hub *hub, uint64_t connection)
{
    for (size_t i = 0; i < hub->sessions.len; i++) {
        if (hub->sessions.at[i]->peer.connection == connection) return hub->sessions.at[i];
    }
    return NULL;
}

static void free_session(struct hub_session *session)
{
    tunnel_end_fini(&session->tunnel);
    fl_vec_fini(&session->told);
    fl_free(session);
}

static void tell_lost(struct hub *hub, struct core_event lost)
{
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    sim_tell(hub->sim, "hub %llu: session %llu of cluster %llu is lost, connection %llu",
             hub->config.host, lost.session_lost.session_epoch, lost.session_lost.cluster.n,
             lost.session_lost.connection);
    event->event = lost;
    if (hub_adopt(hub, event, &err)) return;
    if (err.code == FL_FULL || err.code == FL_TOO_LARGE) fl_vec_push(&hub->lost, lost);
    /* Nobody leads: a term that begins is not told of it either. */
}

/* The connection is done with; the core hears that its session is over. */
static void end_session(struct hub *hub, struct hub_session *session)
{
    struct core_event lost = {.kind = CORE_EV_session_lost};

    if (session->tunnel.link.why == FL_LINK_WHY_silent) {
        sim_mark(hub->sim, MARK_tunnel_half_open);
    }
    if (session->tunnel.link.why == FL_LINK_WHY_broke_a_rule) {
        sim_mark(hub->sim, MARK_tunnel_garbage);
    }
    tunnel_end_close(&session->tunnel);
    if (session->is_offered) {
        lost.session_lost.cluster = session->peer.cluster;
        lost.session_lost.session_epoch = session->peer.session_epoch;
        lost.session_lost.connection = session->peer.connection;
        tell_lost(hub, lost);
    }
    for (size_t i = 0; i < hub->sessions.len; i++) {
        if (hub->sessions.at[i] != session) continue;
        fl_vec_remove(&hub->sessions, i);
        break;
    }
    free_session(session);
}

static void say_bye(struct hub *hub, struct hub_session *session)
{
    struct core_send send = {
        .kind = CORE_SEND_bye, .code = FL_UNAVAILABLE, .text = "another hub, or later"};
    struct fl_msg msg;

    if (session->has_bye) send = session->bye;
    translate_send(&send, &hub->translate, session->protocol, (struct fl_digest){0}, &msg);
    tunnel_end_put(&session->tunnel, &msg);
}

static void offer(struct hub *hub, struct hub_session *session);

/* False: the session is over and gone. */
static bool act(struct hub *hub, struct hub_session *session, enum fl_link_answer answer)
{
    struct fl_msg msg = {0};

    switch (answer) {
    case FL_LINK_DO_PING:
        msg.kind = FL_MSG_ping;
        msg.ping.nonce = session->tunnel.link.ping_nonce;
        tunnel_end_put(&session->tunnel, &msg);
        return true;
    case FL_LINK_DO_PONG:
        msg.kind = FL_MSG_pong;
        msg.pong.nonce = session->tunnel.link.pong_nonce;
        tunnel_end_put(&session->tunnel, &msg);
        return true;
    case FL_LINK_DO_BYE:
        say_bye(hub, session);
        end_session(hub, session);
        return false;
    case FL_LINK_DO_CLOSE:
        end_session(hub, session);
        return false;
    case FL_LINK_DO_WAIT:
    case FL_LINK_DO_GREET:
        return true;
    default:
        fl_unreachable("the other answers are an agent's");
    }
}

static bool link_step(struct hub *hub, struct hub_session *session, struct fl_link_event ev)
{
    ev.now = hub_clock(hub);
    return act(hub, session, fl_link_step(&session->tunnel.link, ev));
}

/* Gives the core what HELLO said; again, when a term begins, for the tunnels that are still there. */
static void offer(struct hub *hub, struct hub_session *session)
{
    struct fl_msg msg = {.kind = FL_MSG_hello, .hello = session->hello};
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};
    size_t pos = 0;

    session->peer.is_resync = session->tunnel.link.state == FL_LINK_UP;
    msg.hello.job_highest = session->job_highest;
    msg.hello.capabilities = session->has_images ? FL_STR("[\"images\"]") : FL_STR("[]");
    fl_assert(translate_next(&session->peer, &msg, 1, &pos, &event->arena, &event->event, &err));
    session->is_offered = true;
    sim_tell(hub->sim, "hub %llu: connection %llu of cluster %llu is offered, resync %llu",
             hub->config.host, session->peer.connection, session->peer.cluster.n,
             session->peer.is_resync);
    if (session->peer.is_resync) sim_mark(hub->sim, MARK_session_resync);
    if (hub_adopt(hub, event, &err)) return;
    if (err.code == FL_UNAVAILABLE || err.code == FL_NO_SPACE) {
        if (engine_breaker(hub->engine) != ENGINE_NOT_LEADING) return; /* a term begins soon */
    }
    session->is_offered = false;
    link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
}

/* Under the newest session only: what was said in an older one will be said again. */
static void note_told(struct hub_session *session, const struct core_event *event)
{
    struct hub_told told = {event->replica.report_seq, event->replica.attempt,
                            event->replica.replica};

    if (event->kind != CORE_EV_replica || event->replica.replica == UINT32_MAX) return;
    if (event->replica.session_epoch != session->peer.session_epoch) return;
    if (fl_replica_state_is_last(event->replica.state)) fl_vec_push(&session->told, told);
}

/* What the link let through goes to the core.  False: the session is over and gone. */
static bool hear(struct hub *hub, struct hub_session *session, const struct fl_msg *messages,
                 size_t len)
{
    size_t pos = 0;

    while (pos < len) {
        struct engine_event *event = engine_event_create();
        struct fl_err err = {0};

        if (!translate_next(&session->peer, messages, len, &pos, &event->arena, &event->event,
                            &err)) {
            engine_event_destroy(event);
            return link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_broken});
        }
        note_told(session, &event->event);
        if (hub_adopt(hub, event, &err)) continue;
        if (err.code == FL_UNAVAILABLE || err.code == FL_NO_SPACE) continue; /* RESYNC comes */
        return link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
    }
    return true;
}

static bool greet(struct hub *hub, struct hub_session *session, const struct fl_msg_hello *hello)
{
    uint64_t connection = session->peer.connection;
    char uid[32];

    snprintf(uid, sizeof(uid), "uid-%u", net_agent_of(hub->net, connection) + 1);
    if (!fl_str_eq(hello->cluster_uid, fl_str_c(uid)) || hello->protocol_min > FL_PROTOCOL_MAX ||
        hello->protocol_max < FL_PROTOCOL_MIN) {
        return link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
    }
    session->hello = *hello;
    session->hello.cluster_uid = session->hello.version = session->hello.capabilities =
        (struct fl_str){0};
    session->has_images = true;
    session->job_highest = hello->job_highest;
    session->protocol = FL_PROTOCOL_MAX;
    offer(hub, session);
    return find_session(hub, connection) != NULL;
}

/* One frame's messages: the link hears each, and what it lets pass is gathered for the core. */
static bool take_messages(struct hub *hub, struct hub_session *session,
                          const struct tunnel_messages *messages)
{
    uint64_t connection = session->peer.connection;
    size_t from = 0;

    for (size_t i = 0; i <= messages->len; i++) {
        bool is_for_core = false;

        if (i < messages->len) {
            if (!link_step(hub, session, tunnel_end_event(&messages->at[i], 0))) return false;
            is_for_core = messages->at[i].kind != FL_MSG_ping &&
                          messages->at[i].kind != FL_MSG_pong &&
                          messages->at[i].kind != FL_MSG_hello;
        }
        if (is_for_core) continue;
        if (i > from && !hear(hub, session, &messages->at[from], i - from)) return false;
        if (i < messages->len && messages->at[i].kind == FL_MSG_hello) {
            if (!greet(hub, session, &messages->at[i].hello)) return false;
        }
        from = i + 1;
    }
    return find_session(hub, connection) != NULL;
}

void hub_opened(struct hub *hub, uint64_t connection)
{
    struct hub_session *session;

    if (!hub->is_up) return;
    session = fl_new(struct hub_session);
    tunnel_end_init(&session->tunnel, hub->net, NET_HUB);
    tunnel_end_begin(&session->tunnel, connection);
    fl_link_init_hub(&session->tunnel.link, hub->translate.ping_ms, hub->translate.dead_ms,
                     hub_clock(hub));
    session->peer.connection = connection;
    session->peer.cluster = hub->clusters[net_agent_of(hub->net, connection)];
    fl_vec_push(&hub->sessions, session);
    hub_work(hub);
}

void hub_bytes(struct hub *hub, uint64_t connection, struct fl_str bytes)
{
    struct hub_session *session = find_session(hub, connection);
    struct tunnel_messages messages;
    bool is_broken = false;

    if (!hub->is_up || !session) return;
    if (!link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_bytes})) return;
    while (tunnel_end_receive(&session->tunnel, &bytes, &messages, &is_broken)) {
        if (!take_messages(hub, session, &messages)) {
            hub_work(hub);
            return;
        }
    }
    if (is_broken) link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_broken});
    hub_work(hub);
}

void hub_closed(struct hub *hub, uint64_t connection)
{
    struct hub_session *session = find_session(hub, connection);

    if (!hub->is_up || !session) return;
    link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_lost});
    hub_work(hub);
}

/* --- what the engine lets out ---------------------------------------------------------------- */

static void check_acks(struct hub *hub, struct hub_session *session, uint64_t report_seq)
{
    size_t kept = 0;

    for (size_t i = 0; i < session->told.len; i++) {
        struct hub_told told = session->told.at[i];

        if (told.report_seq > report_seq) {
            session->told.at[kept++] = told;
        } else {
            checks_acked_end(hub->checks, session->peer.cluster, told.attempt, told.replica);
        }
    }
    session->told.len = kept;
}

/* A newer session of this cluster began: connections that hold an older one are not heard any more, though
 * they look alive, and are closed.  Those that have none yet will have a newer one. */
static void supersede(struct hub *hub, const struct core_send *send)
{
    for (size_t i = hub->sessions.len; i > 0; i--) {
        struct hub_session *other = hub->sessions.at[i - 1];

        if (other->peer.cluster.n != send->cluster.n || other->peer.session_epoch == 0 ||
            other->peer.session_epoch >= send->session_epoch ||
            other->peer.connection == send->connection) {
            continue;
        }
        sim_mark(hub->sim, MARK_session_superseded);
        other->is_offered = false;
        link_step(hub, other, (struct fl_link_event){.kind = FL_LINK_EV_supersede});
    }
}

static struct fl_digest spec_digest(struct hub *hub, struct fl_job job)
{
    struct row row;

    if (!fake_pg_find_job(db_pg(hub->db), job, &row)) return (struct fl_digest){0};
    return row.job_new.spec;
}

/* WELCOME for a connection that is gone: the core is told so, now that the session has a number. */
static void send_to_nobody(struct hub *hub, const struct core_send *send)
{
    struct core_event lost = {.kind = CORE_EV_session_lost};

    if (send->kind != CORE_SEND_welcome && send->kind != CORE_SEND_resync) return;
    lost.session_lost.cluster = send->cluster;
    lost.session_lost.session_epoch = send->session_epoch;
    lost.session_lost.connection = send->connection;
    tell_lost(hub, lost);
}

void hub_front_send(void *ctx, const struct core_send *send)
{
    struct hub *hub = ctx;
    struct fl_digest spec = {0};
    struct hub_session *session;
    struct fl_msg msg;

    checks_send(hub->checks, send, hub->epoch);
    if (send->kind == CORE_SEND_welcome || send->kind == CORE_SEND_resync) supersede(hub, send);
    session = find_session(hub, send->connection);
    if (!session) {
        send_to_nobody(hub, send);
        return;
    }
    switch (send->kind) {
    case CORE_SEND_bye:
        session->bye = *send;
        session->has_bye = true;
        session->is_offered = false;
        link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
        return;
    case CORE_SEND_welcome:
    case CORE_SEND_resync:
        session->peer.session_epoch = send->session_epoch;
        fl_vec_clear(&session->told);
        if (send->kind == CORE_SEND_welcome &&
            !link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_welcome})) {
            return;
        }
        break;
    case CORE_SEND_start:
        spec = spec_digest(hub, send->attempt.job);
        if (send->attempt.job.n > session->job_highest) session->job_highest = send->attempt.job.n;
        break;
    case CORE_SEND_ack:
        check_acks(hub, session, send->report_seq);
        break;
    case CORE_SEND_go:
    case CORE_SEND_stop:
        break;
    }
    translate_send(send, &hub->translate, session->protocol, spec, &msg);
    tunnel_end_put(&session->tunnel, &msg);
}

void hub_front_began(void *ctx, uint64_t epoch)
{
    struct hub *hub = ctx;

    sim_tell(hub->sim, "hub %llu leads, epoch %llu", hub->config.host, epoch);
    /* The oldest first: of two that speak for one cluster, the newest gets the newest session. */
    for (size_t i = 0; i < hub->sessions.len;) {
        struct hub_session *session = hub->sessions.at[i];

        if (session->tunnel.link.state == FL_LINK_UP ||
            session->tunnel.link.state == FL_LINK_GREETED) {
            offer(hub, session);
        }
        if (i < hub->sessions.len && hub->sessions.at[i] == session) i++;
    }
}

/* --- time ------------------------------------------------------------------------------------ */

static void tick_sessions(struct hub *hub, fl_ms *due)
{
    for (size_t i = hub->sessions.len; i > 0; i--) {
        struct hub_session *session = hub->sessions.at[i - 1];
        bool is_there = true;

        for (int t = 0; is_there && t < 4 && hub_clock(hub) >= session->tunnel.link.deadline; t++) {
            is_there = link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_tick});
        }
        if (!is_there) continue;
        tunnel_end_flush(&session->tunnel);
        if (session->tunnel.link.deadline < *due) *due = session->tunnel.link.deadline;
    }
}

static void retry_lost(struct hub *hub)
{
    size_t len = hub->lost.len;

    for (size_t i = 0; i < len; i++) {
        struct core_event lost = hub->lost.at[0];

        fl_vec_remove(&hub->lost, 0);
        tell_lost(hub, lost);
    }
}

void hub_front_mind(struct hub *hub, fl_ms *due)
{
    if (hub->lost.len) retry_lost(hub);
    tick_sessions(hub, due);
    if (hub->lost.len && hub_clock(hub) + RETRY_LOST_MS < *due)
        *due = hub_clock(hub) + RETRY_LOST_MS;
}

void hub_front_turn_away(struct hub *hub)
{
    for (size_t i = hub->sessions.len; i > 0; i--) {
        struct hub_session *session = hub->sessions.at[i - 1];

        session->is_offered = false;
        link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
    }
}

void hub_front_drop(struct hub *hub)
{
    for (size_t i = 0; i < hub->sessions.len; i++) {
        free_session(hub->sessions.at[i]);
    }
    fl_vec_clear(&hub->sessions);
    fl_vec_clear(&hub->lost);
}

/* --- lies ------------------------------------------------------------------------------------ */

void hub_stale_report(struct hub *hub, struct fl_attempt attempt, struct fl_cluster cluster)
{
    if (!hub->is_up || hub_stands_still(hub)) return;
    for (size_t i = 0; i < hub->sessions.len; i++) {
        struct translate_peer old = hub->sessions.at[i]->peer;
        struct fl_msg msg = {.kind = FL_MSG_replica};
        struct engine_event *event;
        struct fl_err err = {0};
        size_t pos = 0;

        if (old.cluster.n != cluster.n || old.heard_epoch < 2) continue;
        old.heard_epoch--;
        msg.replica = (struct fl_msg_replica){UINT64_MAX / 2,         attempt, 0, FL_REPLICA_exited,
                                              CHECKS_LIE_OLD_SESSION, 0,       0};
        event = engine_event_create();
        fl_assert(translate_next(&old, &msg, 1, &pos, &event->arena, &event->event, &err));
        if (!hub_adopt(hub, event, &err)) return;
        sim_fault(hub->sim, FAULT_agent_evil);
        sim_mark(hub->sim, MARK_session_superseded);
        sim_tell(hub->sim, "hub %llu: a report of cluster %llu's session before about job %llu",
                 hub->config.host, cluster.n, attempt.job.n);
        hub_work(hub);
        return;
    }
}
