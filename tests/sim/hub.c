#include "tests/sim/hub.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/tunnel/translate.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "shared/base/vec.h"
#include "tests/sim/tunnel_end.h"

enum { RENEW_MS = 2000, LEASE_MS = FAKE_PG_TTL_MS * 2 / 3, AGENTS_MAX = NET_AGENTS_MAX };

/* The end of something that an agent told, until it is acknowledged. */
struct told_end {
    uint64_t report_seq;
    struct fl_attempt attempt;
    uint32_t replica;
};

struct session {
    struct tunnel_end tunnel;
    struct translate_peer peer;
    struct fl_msg_hello hello; /* its strings are not kept */
    bool has_images;
    bool is_offered; /* the core has its HELLO, or will have it when a term begins */
    uint16_t protocol;
    uint64_t job_highest;
    FL_VEC(struct told_end) told;
    struct core_send bye; /* what to say when the core sends it away */
    bool has_bye;
};

struct hub {
    struct sim *sim;
    struct net *net;
    struct db *db;
    struct fake_client *client;
    struct checks *checks;
    struct hub_config config;
    struct translate_config translate;
    char instance[16];
    struct fl_cluster clusters[AGENTS_MAX];
    uint64_t boot;
    bool is_up;
    fl_ms paused_until;
    fl_ms clock_offset;
    int64_t drift_ppm;
    fl_ms wake_at;

    struct db_client *db_client;
    struct engine *engine;
    uint64_t epoch; /* of its term */
    fl_ms lease_at; /* the lease is good from here on, by our clock */
    fl_ms take_sent_at, renew_at, renew_sent_at;
    uint64_t renewal;
    FL_VEC(struct session *) sessions; /* by connection */
    FL_VEC(struct core_event) lost;    /* session_lost that the engine had no room for */
    size_t requests_open;
    uint64_t turns;
};

static void work(struct hub *hub);

static fl_ms clock_now(const struct hub *hub)
{
    fl_ms now = hub->sim->now;

    return hub->clock_offset + now + now * hub->drift_ppm / 1000000;
}

static fl_ms true_time(const struct hub *hub, fl_ms clock)
{
    fl_ms in = clock - clock_now(hub);

    if (in <= 0) return hub->sim->now;
    return hub->sim->now + in - in * hub->drift_ppm / 1000000 + 1;
}

static bool is_paused(const struct hub *hub)
{
    return hub->sim->now < hub->paused_until;
}

/* --- sessions -------------------------------------------------------------------------------- */

static struct session *find_session(const struct hub *hub, uint64_t connection)
{
    for (size_t i = 0; i < hub->sessions.len; i++) {
        if (hub->sessions.at[i]->peer.connection == connection) return hub->sessions.at[i];
    }
    return NULL;
}

static void free_session(struct session *session)
{
    tunnel_end_fini(&session->tunnel);
    fl_vec_fini(&session->told);
    fl_free(session);
}

static bool adopt(struct hub *hub, struct engine_event *event, struct fl_err *err)
{
    bool is_request = event->event.request != 0;
    bool is_taken = engine_adopt(hub->engine, event, err);

    if (is_taken && is_request) hub->requests_open++;
    return is_taken;
}

static void tell_lost(struct hub *hub, struct core_event lost)
{
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    sim_tell(hub->sim, "hub %llu: session %llu of cluster %llu is lost, connection %llu",
             hub->config.host, lost.session_lost.session_epoch, lost.session_lost.cluster.n,
             lost.session_lost.connection);
    event->event = lost;
    if (adopt(hub, event, &err)) return;
    if (err.code == FL_FULL || err.code == FL_TOO_LARGE) fl_vec_push(&hub->lost, lost);
    /* Nobody leads: a term that begins is not told of it either. */
}

/* The connection is done with; the core hears that its session is over. */
static void end_session(struct hub *hub, struct session *session)
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

static void say_bye(struct hub *hub, struct session *session)
{
    struct core_send send = {
        .kind = CORE_SEND_bye, .code = FL_UNAVAILABLE, .text = "another hub, or later"};
    struct fl_msg msg;

    if (session->has_bye) send = session->bye;
    translate_send(&send, &hub->translate, session->protocol, (struct fl_digest){0}, &msg);
    tunnel_end_put(&session->tunnel, &msg);
}

static void offer(struct hub *hub, struct session *session);

/* False: the session is over and gone. */
static bool act(struct hub *hub, struct session *session, enum fl_link_answer answer)
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

static bool link_step(struct hub *hub, struct session *session, struct fl_link_event ev)
{
    ev.now = clock_now(hub);
    return act(hub, session, fl_link_step(&session->tunnel.link, ev));
}

/* Gives the core what HELLO said; again, when a term begins, for the tunnels that are still there. */
static void offer(struct hub *hub, struct session *session)
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
    if (adopt(hub, event, &err)) return;
    if (err.code == FL_UNAVAILABLE || err.code == FL_NO_SPACE) {
        if (engine_breaker(hub->engine) != ENGINE_NOT_LEADING) return; /* a term begins soon */
    }
    session->is_offered = false;
    link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
}

/* Under the newest session only: what was said in an older one will be said again. */
static void note_told(struct session *session, const struct core_event *event)
{
    struct told_end told = {event->replica.report_seq, event->replica.attempt,
                            event->replica.replica};

    if (event->kind != CORE_EV_replica || event->replica.replica == UINT32_MAX) return;
    if (event->replica.session_epoch != session->peer.session_epoch) return;
    if (fl_replica_state_is_last(event->replica.state)) fl_vec_push(&session->told, told);
}

/* What the link let through goes to the core.  False: the session is over and gone. */
static bool hear(struct hub *hub, struct session *session, const struct fl_msg *messages,
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
        if (adopt(hub, event, &err)) continue;
        if (err.code == FL_UNAVAILABLE || err.code == FL_NO_SPACE) continue; /* RESYNC comes */
        return link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
    }
    return true;
}

static bool greet(struct hub *hub, struct session *session, const struct fl_msg_hello *hello)
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
static bool take_messages(struct hub *hub, struct session *session,
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
    struct session *session;

    if (!hub->is_up) return;
    session = fl_new(struct session);
    tunnel_end_init(&session->tunnel, hub->net, NET_HUB);
    tunnel_end_begin(&session->tunnel, connection);
    fl_link_init_hub(&session->tunnel.link, hub->translate.ping_ms, hub->translate.dead_ms,
                     clock_now(hub));
    session->peer.connection = connection;
    session->peer.cluster = hub->clusters[net_agent_of(hub->net, connection)];
    fl_vec_push(&hub->sessions, session);
    work(hub);
}

void hub_bytes(struct hub *hub, uint64_t connection, struct fl_str bytes)
{
    struct session *session = find_session(hub, connection);
    struct tunnel_messages messages;
    bool is_broken = false;

    if (!hub->is_up || !session) return;
    if (!link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_bytes})) return;
    while (tunnel_end_receive(&session->tunnel, &bytes, &messages, &is_broken)) {
        if (!take_messages(hub, session, &messages)) {
            work(hub);
            return;
        }
    }
    if (is_broken) link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_broken});
    work(hub);
}

void hub_closed(struct hub *hub, uint64_t connection)
{
    struct session *session = find_session(hub, connection);

    if (!hub->is_up || !session) return;
    link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_lost});
    work(hub);
}

/* --- what the engine lets out ---------------------------------------------------------------- */

static void check_acks(struct hub *hub, struct session *session, uint64_t report_seq)
{
    size_t kept = 0;

    for (size_t i = 0; i < session->told.len; i++) {
        struct told_end told = session->told.at[i];

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
        struct session *other = hub->sessions.at[i - 1];

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

static void on_send(void *ctx, const struct core_send *send)
{
    struct hub *hub = ctx;
    struct fl_digest spec = {0};
    struct session *session;
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

static void on_answer(void *ctx, const struct core_answer *answer)
{
    struct hub *hub = ctx;

    if (hub->requests_open == 0) {
        sim_broken(hub->sim, "I15", "request %" PRIu64 " is answered twice", answer->request);
    }
    hub->requests_open--;
    checks_answer(hub->checks, answer);
    fake_client_answer(hub->client, answer, hub->epoch);
}

static void on_began(void *ctx, uint64_t epoch)
{
    struct hub *hub = ctx;

    sim_tell(hub->sim, "hub %llu leads, epoch %llu", hub->config.host, epoch);
    /* The oldest first: of two that speak for one cluster, the newest gets the newest session. */
    for (size_t i = 0; i < hub->sessions.len;) {
        struct session *session = hub->sessions.at[i];

        if (session->tunnel.link.state == FL_LINK_UP ||
            session->tunnel.link.state == FL_LINK_GREETED) {
            offer(hub, session);
        }
        if (i < hub->sessions.len && hub->sessions.at[i] == session) i++;
    }
}

static void on_quarantine(void *ctx, const struct core_event *event, const char *why)
{
    struct hub *hub = ctx;

    sim_tell(hub->sim, "hub %llu: quarantine of event kind %llu, request %llu", hub->config.host,
             event->kind, event->request >> 8);
    checks_quarantine(hub->checks, event, why);
    sim_mark(hub->sim, MARK_poison_alone);
}

static void on_notice(void *ctx, const struct core_batch *batch)
{
    (void)ctx;
    (void)batch;
}

static void on_take(void *ctx, uint64_t batch_from)
{
    struct hub *hub = ctx;

    hub->take_sent_at = clock_now(hub);
    db_take(hub->db_client, batch_from);
}

static void on_load(void *ctx)
{
    db_load(((struct hub *)ctx)->db_client);
}

static void on_commit(void *ctx, const struct core_batch *batch, uint64_t epoch)
{
    db_commit(((struct hub *)ctx)->db_client, batch, epoch);
}

static void on_drop(void *ctx)
{
    db_drop(((struct hub *)ctx)->db_client);
}

static void on_lookup(void *ctx, uint64_t lookup, struct fl_tenant tenant, struct fl_str key)
{
    db_lookup(((struct hub *)ctx)->db_client, lookup, tenant, key);
}

/* --- what the database answers --------------------------------------------------------------- */

/* The lease's age is looked at before anything else is done: a process that stood still must not act on
 * what it believed before. */
static void mind_lease(struct hub *hub)
{
    if (engine_state(hub->engine) == ENGINE_STANDBY || engine_state(hub->engine) == ENGINE_TAKING) {
        return;
    }
    if (clock_now(hub) - hub->lease_at < LEASE_MS) return;
    sim_tell(hub->sim, "hub %llu: its lease is too old", hub->config.host);
    sim_mark(hub->sim, MARK_lease_too_old);
    engine_lease_lost(hub->engine, clock_now(hub));
}

static void db_taken(void *ctx, const struct engine_taken *taken)
{
    struct hub *hub = ctx;

    hub->lease_at = hub->take_sent_at;
    hub->renew_at = hub->take_sent_at + RENEW_MS;
    hub->renewal++; /* those of the term before count no more */
    hub->renew_sent_at = 0;
    /* Answers of batches that proved durable go out in here, and they were the old term's. */
    engine_taken(hub->engine, taken, clock_now(hub));
    hub->epoch = taken->epoch;
    work(hub);
}

static void db_take_failed(void *ctx, enum fl_code why)
{
    struct hub *hub = ctx;

    engine_take_failed(hub->engine, why, clock_now(hub));
    if (why == FL_DEPOSED) { /* agents do better elsewhere */
        for (size_t i = hub->sessions.len; i > 0; i--) {
            struct session *session = hub->sessions.at[i - 1];

            session->is_offered = false;
            link_step(hub, session, (struct fl_link_event){.kind = FL_LINK_EV_refuse});
        }
    }
    work(hub);
}

static void db_row(void *ctx, const struct row *row)
{
    engine_load_row(((struct hub *)ctx)->engine, row);
}

static void db_loaded(void *ctx, bool is_good)
{
    struct hub *hub = ctx;

    mind_lease(hub);
    engine_loaded(hub->engine, is_good, clock_now(hub));
    work(hub);
}

static void db_committed(void *ctx, uint64_t batch, enum engine_commit result, const char *text)
{
    struct hub *hub = ctx;

    mind_lease(hub);
    if (engine_state(hub->engine) == ENGINE_LEADING) {
        engine_committed(hub->engine, batch, result, text, clock_now(hub));
    }
    work(hub);
}

static void db_found(void *ctx, uint64_t lookup, const struct fl_digest *body_sha,
                     struct fl_str answer, bool is_good)
{
    struct hub *hub = ctx;

    mind_lease(hub);
    engine_found(hub->engine, lookup, body_sha, answer, is_good, clock_now(hub));
    work(hub);
}

static void db_renewed(void *ctx, uint64_t renewal, enum fl_code result)
{
    struct hub *hub = ctx;

    if (renewal != hub->renewal) return;
    if (result == FL_OK) {
        hub->lease_at = hub->renew_sent_at;
        hub->renew_at = hub->renew_sent_at + RENEW_MS;
    } else if (result == FL_DEPOSED) {
        engine_lease_lost(hub->engine, clock_now(hub));
    } else {
        hub->renew_at = clock_now(hub) + RENEW_MS / 4;
    }
    hub->renew_sent_at = 0;
    work(hub);
}

/* --- its loop -------------------------------------------------------------------------------- */

static void wake(void *ctx, uint64_t boot, uint64_t at)
{
    struct hub *hub = ctx;

    if (boot != hub->boot || !hub->is_up || hub->wake_at != (fl_ms)at) return;
    hub->wake_at = 0;
    work(hub);
}

static void plan_wake(struct hub *hub, fl_ms at)
{
    if (at < hub->paused_until) at = hub->paused_until;
    if (at < hub->sim->now) at = hub->sim->now;
    if (hub->wake_at && hub->wake_at >= hub->sim->now && hub->wake_at <= at) return;
    hub->wake_at = at;
    sim_at(hub->sim, at, wake, hub, hub->boot, (uint64_t)at);
}

static fl_ms renew(struct hub *hub)
{
    if (engine_state(hub->engine) != ENGINE_LEADING &&
        engine_state(hub->engine) != ENGINE_LOADING) {
        return INT64_MAX;
    }
    if (hub->renew_sent_at) return hub->lease_at + LEASE_MS;
    if (clock_now(hub) < hub->renew_at) return hub->renew_at;
    hub->renew_sent_at = clock_now(hub);
    hub->renewal++;
    db_renew(hub->db_client, hub->renewal, hub->epoch);
    return hub->lease_at + LEASE_MS;
}

static void mind_sessions(struct hub *hub, fl_ms *due)
{
    for (size_t i = hub->sessions.len; i > 0; i--) {
        struct session *session = hub->sessions.at[i - 1];
        bool is_there = true;

        for (int t = 0; is_there && t < 4 && clock_now(hub) >= session->tunnel.link.deadline; t++) {
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

/* The end of every turn. */
static void work(struct hub *hub)
{
    fl_ms due = INT64_MAX, renew_due;

    if (!hub->is_up) return;
    if (is_paused(hub)) {
        plan_wake(hub, hub->paused_until + 1);
        return;
    }
    mind_lease(hub);
    if (hub->lost.len) retry_lost(hub);
    for (int i = 0; i < 8 && engine_deadline(hub->engine) <= clock_now(hub); i++) {
        engine_turn(hub->engine, clock_now(hub));
    }
    mind_sessions(hub, &due);
    renew_due = renew(hub);
    if (renew_due < due) due = renew_due;
    if (engine_deadline(hub->engine) < due) due = engine_deadline(hub->engine);
    if (hub->lost.len && clock_now(hub) + 100 < due) due = clock_now(hub) + 100;
    if (due != INT64_MAX)
        plan_wake(hub, due <= clock_now(hub) ? hub->sim->now + 1 : true_time(hub, due));
    if (++hub->turns % 64 == 0) hub_check(hub, false);
}

/* --- requests -------------------------------------------------------------------------------- */

void hub_request(struct hub *hub, uint64_t request)
{
    struct engine_event *event;
    struct core_answer refused = {.request = request};
    struct fl_err err = {0};

    fl_assert(hub->is_up && !is_paused(hub));
    mind_lease(hub);
    event = fake_client_build(hub->client, request);
    if (!adopt(hub, event, &err)) {
        refused.code = err.code;
        refused.text = err.text;
        fake_client_answer(hub->client, &refused, hub->epoch);
    }
    work(hub);
}

void hub_stale_report(struct hub *hub, struct fl_attempt attempt, struct fl_cluster cluster)
{
    if (!hub->is_up || is_paused(hub)) return;
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
        if (!adopt(hub, event, &err)) return;
        sim_fault(hub->sim, FAULT_agent_evil);
        sim_mark(hub->sim, MARK_session_superseded);
        sim_tell(hub->sim, "hub %llu: a report of cluster %llu's session before about job %llu",
                 hub->config.host, cluster.n, attempt.job.n);
        work(hub);
        return;
    }
}

/* --- life ------------------------------------------------------------------------------------ */

struct hub *hub_create(struct sim *sim, struct net *net, struct db *db, struct fake_client *client,
                       struct checks *checks, const struct hub_config *config)
{
    struct hub *hub = fl_new(struct hub);

    hub->sim = sim;
    hub->net = net;
    hub->db = db;
    hub->client = client;
    hub->checks = checks;
    hub->config = *config;
    snprintf(hub->instance, sizeof(hub->instance), "hub%u", config->host);
    hub->translate = (struct translate_config){
        .stop_grace_ms = config->stop_grace_ms,
        .ping_ms = FL_LINK_PING_MS,
        .dead_ms = FL_LINK_DEAD_MS,
        .stream_credit_bytes = 1 << 18,
        .tunnel_credit_bytes = 1 << 22,
        .capabilities = FL_STR("[]"),
    };
    return hub;
}

static void drop_process(struct hub *hub)
{
    hub->is_up = false;
    db_client_destroy(hub->db_client);
    engine_destroy(hub->engine);
    hub->engine = NULL;
    for (size_t i = 0; i < hub->sessions.len; i++)
        free_session(hub->sessions.at[i]);
    fl_vec_clear(&hub->sessions);
    fl_vec_clear(&hub->lost);
    hub->requests_open = 0;
}

void hub_destroy(struct hub *hub)
{
    if (!hub) return;
    if (hub->is_up) drop_process(hub);
    fl_vec_fini(&hub->sessions);
    fl_vec_fini(&hub->lost);
    fl_free(hub);
}

void hub_start(struct hub *hub)
{
    struct engine_ports ports = {
        .ctx = hub,
        .take = on_take,
        .load = on_load,
        .commit = on_commit,
        .drop = on_drop,
        .lookup = on_lookup,
        .began = on_began,
        .answer = on_answer,
        .send = on_send,
        .notice = on_notice,
        .quarantine = on_quarantine,
    };
    struct db_ports db_ports = {
        .ctx = hub,
        .taken = db_taken,
        .take_failed = db_take_failed,
        .row = db_row,
        .loaded = db_loaded,
        .committed = db_committed,
        .found = db_found,
        .renewed = db_renewed,
    };

    if (hub->is_up) return;
    sim_tell(hub->sim, "hub %llu starts", hub->config.host);
    hub->boot++;
    hub->is_up = true;
    hub->wake_at = 0;
    hub->epoch = 0;
    hub->paused_until = 0;
    hub->renew_sent_at = 0;
    hub->clock_offset = sim_between(hub->sim, 0, 1000000000);
    hub->drift_ppm = sim_between(hub->sim, -10000, 10000);
    hub->db_client =
        db_client_create(hub->db, &db_ports, hub->instance, hub->config.engine.away_ms);
    hub->config.engine.seed = fl_hash_u64(hub->sim->seed, hub->boot);
    hub->engine = engine_create(&hub->config.engine, &ports, clock_now(hub));
    work(hub);
}

void hub_kill(struct hub *hub, bool is_silent)
{
    if (!hub->is_up) return;
    sim_tell(hub->sim, "hub %llu is killed, silently %llu", hub->config.host, is_silent);
    net_host_gone(hub->net, NET_HUB, hub->config.host, is_silent);
    drop_process(hub);
}

void hub_stop(struct hub *hub)
{
    if (!hub->is_up) return;
    sim_tell(hub->sim, "hub %llu stops in good order", hub->config.host);
    if (hub_leads(hub)) db_release(hub->db_client);
    net_host_gone(hub->net, NET_HUB, hub->config.host, false);
    drop_process(hub);
}

void hub_pause(struct hub *hub, fl_ms until)
{
    if (!hub->is_up) return;
    sim_tell(hub->sim, "hub %llu stands still until %llu", hub->config.host, until);
    hub->paused_until = until;
    net_pause_host(hub->net, NET_HUB, hub->config.host, until);
    db_client_pause(hub->db_client, until);
    plan_wake(hub, until + 1); /* sockets are read before a clock is believed */
}

bool hub_is_paused(const struct hub *hub)
{
    return hub->is_up && is_paused(hub);
}

bool hub_is_up(const struct hub *hub)
{
    return hub->is_up;
}

bool hub_leads(const struct hub *hub)
{
    return hub->is_up && engine_state(hub->engine) == ENGINE_LEADING;
}

void hub_set_cluster(struct hub *hub, uint32_t agent, struct fl_cluster cluster)
{
    hub->clusters[agent] = cluster;
}

void hub_room(struct hub *hub, uint64_t job_below)
{
    if (!hub->is_up || is_paused(hub)) return;
    engine_room(hub->engine, job_below, (uint64_t)1 << 40);
    work(hub);
}

bool hub_check(struct hub *hub, bool with_reload)
{
    struct engine_stats stats;

    if (!hub->is_up) return false;
    checks_engine(hub->checks, hub->engine, &hub->config.engine);
    stats = engine_stats(hub->engine);
    /* With nothing in flight its state is what is durable, unless another has written since. */
    if (!with_reload || !hub_leads(hub) || stats.inflight_len > 0 ||
        hub->epoch != fake_pg_epoch(db_pg(hub->db))) {
        return false;
    }
    checks_reload(hub->checks, engine_core(hub->engine));
    return true;
}

uint64_t hub_epoch(const struct hub *hub)
{
    return hub->epoch;
}

void hub_tell(const struct hub *hub)
{
    struct engine_stats stats = hub_stats(hub);

    sim_tell(hub->sim, "hub %llu: up %llu, engine's state %llu, breaker %llu, epoch %llu",
             hub->config.host, hub->is_up, hub->is_up ? engine_state(hub->engine) : 0,
             hub->is_up ? engine_breaker(hub->engine) : 0, hub->epoch);
    sim_tell(hub->sim, "   waiting %llu, in flight %llu, sessions %llu, wakes at %llu, due in %lld",
             stats.inbox_len, stats.inflight_len, hub->sessions.len, hub->wake_at,
             hub->is_up ? engine_deadline(hub->engine) - clock_now(hub) : 0);
}

size_t hub_requests_open(const struct hub *hub)
{
    return hub->requests_open;
}

struct engine_stats hub_stats(const struct hub *hub)
{
    return hub->is_up ? engine_stats(hub->engine) : (struct engine_stats){0};
}
