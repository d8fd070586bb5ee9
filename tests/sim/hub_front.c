#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/tunnel/order_sender.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"
#include "tests/sim/hub_state.h"

enum { RETRY_MS = 5, SOCKET_BYTES_MAX = 64 << 20 };

/* ---- sessions -------------------------------------------------------------------------------- */

static struct hub_session *find_session(const struct hub *hub, uint64_t connection)
{
    for (size_t i = 0; i < hub->sessions.len; i++) {
        if (hub->sessions.at[i]->tunnel.connection == connection) return hub->sessions.at[i];
    }
    return NULL;
}

static void free_session(struct hub_session *session)
{
    session_destroy(session->session);
    tunnel_end_fini(&session->tunnel);
    fl_buf_fini(&session->socket);
    fl_vec_fini(&session->told);
    fl_free(session);
}

/* False: the engine has no room for it now.  Without a leader it is dropped: a new term does not
 * hear of it either. */
static bool tell_lost(struct hub *hub, const struct core_event *lost)
{
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    event->event = *lost;
    return hub_adopt(hub, event, &err) || (err.code != FL_FULL && err.code != FL_TOO_LARGE);
}

/* As the product's hand-over: an end finds room always, and what comes later stays behind it.
 * While ends wait no session begins, and each has two ends at most. */
static void on_lost(void *ctx, struct fl_cluster cluster, uint64_t session_epoch,
                    uint64_t connection)
{
    struct core_event lost = {.kind = CORE_EV_session_lost};
    struct hub *hub = ctx;

    lost.session_lost.cluster = cluster;
    lost.session_lost.session_epoch = session_epoch;
    lost.session_lost.connection = connection;
    sim_tell(hub->sim, "hub %llu: session %llu of cluster %llu is lost, connection %llu",
             hub->config.host, session_epoch, cluster.n, connection);
    if (hub->lost.len == 0) {
        if (tell_lost(hub, &lost)) return;
        sim_mark(hub->sim, MARK_session_end_waited);
        hub->lost_max = 2 * (1 + hub->sessions.len + hub->twins.len);
    }
    fl_assert(hub->lost.len < hub->lost_max);
    fl_vec_push(&hub->lost, lost);
}

/* Each session is flushed at the end of the turn anyway. */
static void on_changed(void *ctx, uint64_t connection)
{
    (void)ctx;
    (void)connection;
}

/* As much as the socket takes. */
static void flush(struct hub *hub, struct hub_session *session)
{
    while (tunnel_end_has_room(&session->tunnel) && session_has_output(session->session)) {
        if (!session_write(session->session, hub_clock(hub), &session->tunnel.out)) return;
        tunnel_end_send(&session->tunnel);
    }
}

/* Sends the session's last bytes and closes the connection. */
static void end_session(struct hub *hub, struct hub_session *session)
{
    enum fl_link_why why = session_link(session->session)->why;

    if (why == FL_LINK_WHY_silent) sim_mark(hub->sim, MARK_tunnel_half_open);
    if (why == FL_LINK_WHY_broke_a_rule) sim_mark(hub->sim, MARK_tunnel_garbage);
    if (why == FL_LINK_WHY_superseded) sim_mark(hub->sim, MARK_session_superseded);
    flush(hub, session);
    tunnel_end_close(&session->tunnel);
    for (size_t i = 0; i < hub->sessions.len; i++) {
        if (hub->sessions.at[i] != session) continue;
        fl_vec_remove(&hub->sessions, i);
        break;
    }
    free_session(session);
}

/* ---- the session's ports --------------------------------------------------------------------- */

/* Notes the end of a replica, under the newest session only: an older session's reports are
 * repeated. */
static void note_told(struct hub_session *session, const struct core_event *event)
{
    struct hub_told told = {event->replica.report_seq, event->replica.told.attempt,
                            event->replica.told.replica};

    if (event->kind != CORE_EV_replica || event->replica.told.replica == UINT32_MAX) return;
    if (event->replica.session_epoch != session_epoch(session->session)) return;
    if (fl_replica_state_is_last(event->replica.told.state)) fl_vec_push(&session->told, told);
}

/* Keeps the oldest report of its first node with the most room, to tell it again. */
static void keep_report(struct hub_session *session, const struct core_event *event)
{
    const struct core_node_report *node;

    if (event->kind != CORE_EV_nodes || event->nodes.len == 0) return;
    if (event->nodes.session_epoch != session_epoch(session->session)) return;
    node = &event->nodes.at[0];
    if (session->old_epoch == event->nodes.session_epoch &&
        session->old_node.free.cpu_milli >= node->free.cpu_milli) {
        return;
    }
    session->old_epoch = event->nodes.session_epoch;
    session->old_report = *event;
    session->old_node = *node;
    snprintf(session->old_name, sizeof(session->old_name), "%.*s", FL_STR_ARG(node->name));
    snprintf(session->old_labels, sizeof(session->old_labels), "%.*s", FL_STR_ARG(node->labels));
    snprintf(session->old_taints, sizeof(session->old_taints), "%.*s", FL_STR_ARG(node->taints));
}

static bool on_adopt(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct hub *hub = ctx;
    enum core_event_kind kind = event->event.kind;
    size_t told_len = hub->speaking ? hub->speaking->told.len : 0;

    if (kind == CORE_EV_session_open) {
        sim_tell(hub->sim, "hub %llu: connection %llu of cluster %llu is offered, resync %llu",
                 hub->config.host, event->event.session_open.connection,
                 event->event.session_open.cluster.n, event->event.session_open.is_resync);
        if (event->event.session_open.is_resync) sim_mark(hub->sim, MARK_session_resync);
    }
    if (hub->speaking) note_told(hub->speaking, &event->event);
    if (hub->speaking) keep_report(hub->speaking, &event->event);
    if (hub_adopt(hub, event, err)) return true;
    if (hub->speaking) hub->speaking->told.len = told_len;
    if (kind == CORE_EV_session_open && engine_breaker(hub->engine) == ENGINE_NOT_LEADING) {
        hub->turns_away = true; /* no term begins here soon */
    }
    return false;
}

static bool on_peer(void *ctx, const struct tunnel_peer *peer, struct fl_str cluster_uid,
                    struct fl_cluster *ret_cluster, struct fl_err *err)
{
    struct hub *hub = ctx;
    char uid[32];

    (void)peer; /* the net knows who dialed, as a certificate would */
    snprintf(uid, sizeof(uid), "uid-%u", hub->speaking->agent + 1);
    if (!fl_str_eq(cluster_uid, fl_str_c(uid))) return fl_fail(err, FL_DENIED, "another's name");
    *ret_cluster = hub->clusters[hub->speaking->agent];
    return true;
}

/* False: the job does not exist, or its document was never stored. */
static bool find_spec(struct hub *hub, struct fl_job job, struct tunnel_spec *ret_spec)
{
    struct row row;

    if (!fake_pg_find(db_pg(hub->db), ROW_TABLE_job, job.n, 0, 0, &row)) return false;
    *ret_spec = (struct tunnel_spec){.digest = row.job_new.spec};
    ret_spec->document = fake_client_spec(hub->client, row.job_new.spec);
    return ret_spec->document.at != NULL;
}

static void spec_arrives(void *ctx, uint64_t ticket, uint64_t job)
{
    struct hub *hub = ctx;
    struct hub_session *session = find_session(hub, order_sender_connection(ticket));
    struct tunnel_spec spec;
    bool is_found;

    if (!hub->is_up || !session) return;
    if (hub_stands_still(hub)) {
        sim_at(hub->sim, hub->paused_until + 1, spec_arrives, hub, ticket, job);
        return;
    }
    is_found = find_spec(hub, (struct fl_job){job}, &spec);
    session_spec(session->session, ticket, is_found ? &spec : NULL, hub_clock(hub));
    hub_work(hub);
}

static bool on_spec(void *ctx, uint64_t ticket, struct fl_cluster cluster,
                    struct fl_attempt attempt, struct tunnel_spec *ret_spec)
{
    struct hub *hub = ctx;

    (void)cluster;
    if (sim_chance(hub->sim, 600000) && find_spec(hub, attempt.job, ret_spec)) return true;
    sim_at(hub->sim, hub->sim->now + sim_between(hub->sim, 1, hub->config.spec_ms_max),
           spec_arrives, hub, ticket, attempt.job.n);
    return false;
}

static void on_renew(void *ctx, uint64_t connection, struct fl_cluster cluster,
                     const struct tunnel_peer *peer, struct fl_str csr)
{
    (void)ctx;
    (void)connection;
    (void)cluster;
    (void)peer;
    (void)csr;
    fl_unreachable("an agent here has no certificate to renew");
}

static void I6_a_superseded_session_writes_no_log(struct hub *hub,
                                                  const struct hub_session *session)
{
    if (session_epoch(session->session) >= hub->epoch_newest[session->agent]) return;
    sim_broken(hub->sim, "I6", "hub %u takes logs of session %" PRIu64 ", and %" PRIu64 " is newer",
               hub->config.host, session_epoch(session->session),
               hub->epoch_newest[session->agent]);
}

static void on_log_frame(void *ctx, uint64_t connection, struct fl_cluster cluster,
                         struct fl_str payload)
{
    struct hub *hub = ctx;
    struct fl_err err = {0};

    I6_a_superseded_session_writes_no_log(hub, hub->speaking);
    if (fake_log_store_frame(hub->logs, connection, cluster, payload, &err)) return;
    sim_broken(hub->sim, "I24", "agent %u sent a LOG frame that is none: %s",
               hub->speaking->agent + 1, err.text);
}

static void on_log_closed(void *ctx, uint64_t connection, struct fl_cluster cluster)
{
    struct hub *hub = ctx;

    (void)cluster;
    fake_log_store_closed(hub->logs, connection);
}

/* ---- the log store's ports ------------------------------------------------------------------- */

static void log_send(void *ctx, uint64_t connection, struct fl_str payload)
{
    struct hub *hub = ctx;
    struct hub_session *session = find_session(hub, connection);
    struct fl_err err = {0};

    if (!session || log_stream_put(session_streams(session->session), payload, &err)) return;
    /* Gone, or one that takes too little and is refused by now. */
    sim_tell(hub->sim, "hub %llu: nothing can be said of logs on connection %llu, code %llu",
             hub->config.host, connection, err.code);
}

static void log_consumed(void *ctx, uint64_t connection, uint32_t bytes)
{
    struct hub *hub = ctx;
    struct hub_session *session = find_session(hub, connection);

    if (!session || session_is_over(session->session)) return;
    tunnel_watch_consumed(&session->tunnel.watch, session->tunnel.watch.log_stream, bytes);
    log_stream_consumed(session_streams(session->session), bytes);
}

static void log_turned(void *ctx)
{
    hub_work(ctx);
}

static const struct fake_output *log_truth(void *ctx, struct fl_cluster cluster,
                                           struct fl_attempt attempt, uint32_t replica)
{
    struct hub *hub = ctx;

    return hub->config.truth(hub->config.truth_ctx, cluster, attempt, replica);
}

static bool on_seen(void *ctx, struct core_seen *ret_seen)
{
    return engine_seen(((struct hub *)ctx)->engine, ret_seen);
}

/* All hubs have one key. */
static void on_mac(void *ctx, const void *ptr, size_t len, uint8_t ret_mac[TUNNEL_MAC_BYTES])
{
    struct hub *hub = ctx;
    uint64_t a = fl_hash64(hub->sim->seed, ptr, len), b = fl_hash64(a, ptr, len);

    memcpy(ret_mac, &a, sizeof a);
    memcpy(ret_mac + sizeof a, &b, sizeof b);
}

void hub_front_init(struct hub *hub)
{
    const struct hub_config *config = &hub->config;
    struct fake_log_ports logs = {hub, log_truth, log_send, log_consumed, log_turned};

    hub->log_stream = (struct log_stream_ports){hub, on_log_frame, on_log_closed};
    hub->streams[0] = log_stream_kind(&hub->log_stream);
    hub->shared = (struct session_shared){
        .ports = {.ctx = hub,
                  .adopt = on_adopt,
                  .peer = on_peer,
                  .spec = on_spec,
                  .renew = on_renew,
                  .seen = on_seen,
                  .mac = on_mac,
                  .streams = hub->streams,
                  .streams_len = 1},
        .translate = {.stop_grace_ms = config->stop_grace_ms,
                      .ping_ms = FL_LINK_PING_MS,
                      .dead_ms = FL_LINK_DEAD_MS,
                      .stream_credit_bytes = config->flow.stream_bytes,
                      .tunnel_credit_bytes = config->flow.tunnel_bytes,
                      .capabilities = FL_STR("[]")},
        .flow = config->flow,
        .ctx = hub,
        .lost = on_lost,
        .changed = on_changed,
    };
    hub->config.logs.host = config->host;
    hub->config.logs.held_bytes_max = config->flow.stream_bytes_max;
    hub->logs = fake_log_store_create(hub->sim, &config->logs, &logs);
}

/* ---- from the net ---------------------------------------------------------------------------- */

/* Its newest certificate; now and then a thief's, who has the one before. */
static uint64_t certificate_of(const struct hub *hub, uint32_t agent, bool *ret_is_old)
{
    const struct fake_pg *pg = db_pg(hub->db);

    *ret_is_old = false;
    for (size_t i = 0; i < fake_pg_len(pg, ROW_TABLE_cluster); i++) {
        struct row_cluster_put row = fake_pg_row(pg, ROW_TABLE_cluster, i).cluster_put;

        if (row.cluster != hub->clusters[agent].n) continue;
        *ret_is_old = row.generation > 1 && sim_chance(hub->sim, 15000);
        return *ret_is_old ? row.generation - 1 : row.generation;
    }
    return 0;
}

/* Now and then a certificate has expired, an old one more often: for some hours, or for so long
 * that it counts no more. */
static fl_ms expired_ms(const struct hub *hub, bool is_old)
{
    fl_ms rejoin_ms = (fl_ms)hub->config.engine.core.rejoin_ms;

    if (!sim_chance(hub->sim, is_old ? 300000 : hub->config.expired_ppm)) return 0;
    return sim_chance(hub->sim, 800000) ? sim_between(hub->sim, 1, rejoin_ms)
                                        : sim_between(hub->sim, rejoin_ms + 1, 2 * rejoin_ms);
}

void hub_opened(struct hub *hub, uint64_t connection)
{
    struct tunnel_peer peer = {0};
    struct hub_session *session;
    bool is_old = false;

    if (!hub->is_up) return;
    peer.cert.generation = certificate_of(hub, net_agent_of(hub->net, connection), &is_old);
    peer.expired_ms = expired_ms(hub, is_old);
    session = fl_new(struct hub_session);
    session->agent = net_agent_of(hub->net, connection);
    session->session = session_create(&hub->shared, &peer, connection, INT64_MAX, hub_clock(hub));
    tunnel_end_init(&session->tunnel, hub->sim, hub->net, NET_HUB, &hub->shared.flow);
    tunnel_end_begin(&session->tunnel, connection);
    fl_buf_init(&session->socket, SOCKET_BYTES_MAX);
    fl_vec_push(&hub->sessions, session);
    hub_work(hub);
}

void hub_bytes(struct hub *hub, uint64_t connection, struct fl_str bytes)
{
    struct hub_session *session = find_session(hub, connection);

    if (!hub->is_up || !session) return;
    tunnel_watch_in(&session->tunnel.watch, bytes);
    if (session_is_held(session->session)) {
        bool is_kept = fl_buf_put(&session->socket, bytes.at, bytes.len);

        fl_assert(is_kept);
        return;
    }
    hub->speaking = session;
    session_bytes(session->session, bytes, hub_clock(hub));
    hub->speaking = NULL;
    hub_work(hub);
}

/* The engine had no room for what it said; when it has, it is read again. */
static void resume(struct hub *hub, struct hub_session *session)
{
    sim_mark(hub->sim, MARK_session_held);
    hub->speaking = session;
    if (session_resume(session->session, hub_clock(hub)) && session->socket.len) {
        struct fl_buf socket = session->socket;

        fl_buf_init(&session->socket, SOCKET_BYTES_MAX);
        session_bytes(session->session, (struct fl_str){(const char *)socket.at, socket.len},
                      hub_clock(hub));
        fl_buf_fini(&socket);
    }
    hub->speaking = NULL;
}

void hub_closed(struct hub *hub, uint64_t connection)
{
    struct hub_session *session = find_session(hub, connection);

    if (!hub->is_up || !session) return;
    session_closed(session->session, hub_clock(hub));
    hub_work(hub);
}

/* ---- the engine's ports ---------------------------------------------------------------------- */

static void check_acks(struct hub *hub, struct hub_session *session, uint64_t report_seq)
{
    size_t kept = 0;

    for (size_t i = 0; i < session->told.len; i++) {
        struct hub_told told = session->told.at[i];

        if (told.report_seq > report_seq) {
            session->told.at[kept++] = told;
        } else {
            checks_acked_end(hub->checks, session_cluster(session->session), told.attempt,
                             told.replica);
        }
    }
    session->told.len = kept;
}

/* A newer session of this cluster began: connections that hold an older one are not heard any more,
 * though they look alive, and are closed.  Those that have none yet will have a newer one. */
static void supersede(struct hub *hub, const struct core_send *send)
{
    for (size_t i = 0; i < hub->sessions.len; i++) {
        struct session *other = hub->sessions.at[i]->session;

        if (session_cluster(other).n != send->cluster.n || session_epoch(other) == 0 ||
            session_epoch(other) >= send->session_epoch ||
            session_connection(other) == send->connection) {
            continue;
        }
        session_supersede(other, hub_clock(hub));
    }
}

static struct hub_twin *find_twin(struct hub *hub, uint64_t connection)
{
    for (size_t i = 0; i < hub->twins.len; i++) {
        if (hub->twins.at[i].connection == connection) return &hub->twins.at[i];
    }
    return NULL;
}

/* True: it was for a twin, who keeps silent. */
static bool send_twin(struct hub *hub, const struct core_send *send, bool is_new)
{
    struct hub_twin *twin = find_twin(hub, send->connection);

    if (!twin) return false;
    if (is_new) twin->session_epoch = send->session_epoch;
    if (send->kind == CORE_SEND_bye) twin->cluster.n = 0; /* it goes */
    return true;
}

void hub_front_send(void *ctx, const struct core_send *send)
{
    struct hub *hub = ctx;
    bool is_new = send->kind == CORE_SEND_welcome || send->kind == CORE_SEND_resync;
    struct hub_session *session;

    hub_before_send(hub);
    checks_send(hub->checks, send, engine_epoch(hub->engine));
    if (is_new) supersede(hub, send);
    if (send_twin(hub, send, is_new)) return;
    session = find_session(hub, send->connection);
    if (!session || session_is_over(session->session)) {
        /* The connection went while the core thought about it: now its session has a number. */
        if (is_new) on_lost(hub, send->cluster, send->session_epoch, send->connection);
        return;
    }
    if (is_new) {
        fl_vec_clear(&session->told);
        hub->epoch_newest[session->agent] = send->session_epoch;
    }
    if (send->kind == CORE_SEND_ack) check_acks(hub, session, send->report_seq);
    session_send(session->session, send, hub_clock(hub));
}

void hub_front_began(void *ctx, uint64_t epoch, fl_ms core_ahead_ms)
{
    struct hub *hub = ctx;

    (void)core_ahead_ms;
    sim_tell(hub->sim, "hub %llu leads, epoch %llu", hub->config.host, epoch);
    /* The oldest first: if two speak for one cluster, the newer one gets the newer session. */
    for (size_t i = 0; i < hub->sessions.len; i++) {
        struct session *session = hub->sessions.at[i]->session;
        enum fl_link_state state = session_link(session)->state;

        if (state == FL_LINK_UP || state == FL_LINK_GREETED) session_offer(session, hub_clock(hub));
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void mind_sessions(struct hub *hub, fl_ms *due)
{
    fl_ms now = hub_clock(hub);

    for (size_t i = hub->sessions.len; i > 0; i--) {
        struct hub_session *session = hub->sessions.at[i - 1];

        if (session_is_held(session->session)) resume(hub, session);
        if (now >= session_deadline(session->session)) session_tick(session->session, now);
        if (session_is_held(session->session) && now + RETRY_MS < *due) {
            *due = now + RETRY_MS;
        }
        if (session_is_over(session->session)) {
            end_session(hub, session);
            continue;
        }
        flush(hub, session);
        if (session_has_output(session->session) && now + TUNNEL_CHOKED_MS < *due) {
            *due = now + TUNNEL_CHOKED_MS;
        }
        if (session_deadline(session->session) < *due) *due = session_deadline(session->session);
    }
}

static void retry_lost(struct hub *hub)
{
    while (hub->lost.len > 0) {
        struct core_event lost = hub->lost.at[0];

        fl_vec_remove(&hub->lost, 0);
        if (tell_lost(hub, &lost)) continue;
        fl_vec_insert(&hub->lost, 0, lost);
        return;
    }
}

void hub_front_mind(struct hub *hub, fl_ms *due)
{
    if (hub->turns_away) hub_front_turn_away(hub);
    if (hub->lost.len) retry_lost(hub);
    mind_sessions(hub, due);
    if (hub->lost.len && hub_clock(hub) + RETRY_MS < *due) *due = hub_clock(hub) + RETRY_MS;
}

void hub_front_turn_away(struct hub *hub)
{
    hub->turns_away = false;
    for (size_t i = 0; i < hub->sessions.len; i++) {
        session_refuse(hub->sessions.at[i]->session, FL_UNAVAILABLE, "another hub, or later",
                       hub_clock(hub));
    }
}

void hub_front_drop(struct hub *hub)
{
    for (size_t i = 0; i < hub->sessions.len; i++) {
        free_session(hub->sessions.at[i]);
    }
    fl_vec_clear(&hub->sessions);
    fl_vec_clear(&hub->lost);
    fl_vec_clear(&hub->twins);
    hub->turns_away = false;
}

/* ---- lies ------------------------------------------------------------------------------------ */

void hub_stale_report(struct hub *hub, struct fl_attempt attempt, struct fl_cluster cluster)
{
    if (!hub->is_up || hub_stands_still(hub)) return;
    for (size_t i = 0; i < hub->sessions.len; i++) {
        const struct session *session = hub->sessions.at[i]->session;
        struct translate_origin old = {.cluster = cluster,
                                       .connection = session_connection(session),
                                       .session_epoch = session_epoch(session)};
        struct fl_msg msg = {.kind = FL_MSG_replica};
        struct engine_event *event;
        struct fl_err err = {0};
        size_t pos = 0;

        if (session_cluster(session).n != cluster.n || old.session_epoch < 2) continue;
        old.heard_epoch = old.session_epoch - 1;
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

static struct hub_session *newest_session(struct hub *hub, struct fl_cluster cluster)
{
    struct hub_session *newest = NULL;

    if (!hub->is_up || hub_stands_still(hub)) return NULL;
    for (size_t i = 0; i < hub->sessions.len; i++) {
        struct hub_session *session = hub->sessions.at[i];

        if (session_cluster(session->session).n != cluster.n) continue;
        if (session_epoch(session->session) == 0 || session_is_over(session->session)) continue;
        if (newest && session_epoch(newest->session) > session_epoch(session->session)) continue;
        newest = session;
    }
    return newest;
}

bool hub_report_again(struct hub *hub, struct fl_cluster cluster)
{
    struct hub_session *session = newest_session(hub, cluster);
    struct engine_event *event;
    struct core_node_report *node;
    struct fl_err err = {0};

    if (!session || session->old_epoch != session_epoch(session->session)) return false;
    event = engine_event_create();
    node = fl_arena_array(&event->arena, struct core_node_report, 1);
    *node = session->old_node;
    node->name = fl_str_c(fl_arena_printf(&event->arena, "%s", session->old_name));
    node->labels = fl_str_c(fl_arena_printf(&event->arena, "%s", session->old_labels));
    node->taints = fl_str_c(fl_arena_printf(&event->arena, "%s", session->old_taints));
    event->event = session->old_report;
    event->event.nodes.at = node;
    event->event.nodes.len = 1;
    if (!hub_adopt(hub, event, &err)) return true;
    hub_work(hub);
    return true;
}

bool hub_lost_late(struct hub *hub, struct fl_cluster cluster)
{
    struct hub_session *session = newest_session(hub, cluster);

    if (!session || session_epoch(session->session) < 2 || hub->lost.len > 0) return false;
    on_lost(hub, cluster, session_epoch(session->session) - 1, 0);
    hub_work(hub);
    return true;
}

/* ---- twins ----------------------------------------------------------------------------------- */

static void twin_goes(void *ctx, uint64_t connection, uint64_t b)
{
    struct hub *hub = ctx;
    struct hub_twin *twin = find_twin(hub, connection);

    (void)b;
    if (!twin) return;
    if (hub->is_up && twin->cluster.n) {
        on_lost(hub, twin->cluster, twin->session_epoch, twin->connection);
        hub_work(hub);
    }
    fl_vec_remove(&hub->twins, (size_t)(twin - hub->twins.at));
}

void hub_twin(struct hub *hub, struct fl_cluster cluster, uint64_t boot, fl_ms until)
{
    struct hub_session *session = newest_session(hub, cluster);
    struct engine_event *event;
    struct hub_twin twin = {.cluster = cluster, .boot = boot};
    bool is_old;
    struct fl_err err = {0};

    if (!session) return;
    twin.connection = UINT64_MAX / 2 + ++hub->twins_told;
    twin.generation = certificate_of(hub, session->agent, &is_old);
    event = engine_event_create();
    event->event.kind = CORE_EV_session_open;
    event->event.session_open.cluster = cluster;
    event->event.session_open.connection = twin.connection;
    event->event.session_open.generation = twin.generation;
    event->event.session_open.boot = boot;
    sim_tell(hub->sim, "hub %llu: a twin of cluster %llu's agent says HELLO", hub->config.host,
             cluster.n);
    if (!hub_adopt(hub, event, &err)) return;
    fl_vec_push(&hub->twins, twin);
    sim_fault(hub->sim, FAULT_agent_twin);
    sim_at(hub->sim, until, twin_goes, hub, twin.connection, 0);
    hub_work(hub);
}
