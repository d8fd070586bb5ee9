#include "controlplane/tunnel/server.h"

#include <string.h>
#include <unistd.h>

#include "controlplane/tunnel/agent_sockets.h"
#include "controlplane/tunnel/cluster_index.h"
#include "controlplane/tunnel/order_sender.h"
#include "controlplane/tunnel/session.h"
#include "controlplane/tunnel/tunnel_listener.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/vec.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

#define MODULE "tunnel"

enum {
    REJOIN_LIFE_MS = 60000, /* a tunnel with an expired certificate, in which it is renewed */
    CLOSE_MS = 2000,        /* how long the last bytes may take */
    RETRY_HELD_MS = 5,      /* how soon to offer an event again that found no room */
};

struct conn {
    struct cluster_link link; /* must be first; under its session's cluster */
    struct tunnel_server *server;
    struct agent_socket *socket;
    uint64_t id;
    char address[FL_NET_TEXT_MAX];
    struct session *session; /* NULL: no tunnel yet */
    uint32_t handshake;      /* its number; 0: it is over */
    struct fl_timer timer;   /* handshake, then the session's deadline, then the last words */
    bool is_dirty;           /* in server->dirty */
    bool is_ending;          /* its session is over */
    bool is_held;            /* in server->held, or about to be tried again */
};

struct entry {
    uint64_t id;
    struct conn *conn;
};

struct tunnel_server {
    struct fl_loop *loop;
    struct tunnel_server_config config;
    struct session_shared shared;
    struct agent_sockets *sockets;
    struct tunnel_listener listener;
    struct handshakes *handshakes;
    struct fl_timer held_again;
    struct fl_after after;
    FL_VEC(struct entry) conns; /* by id, so the oldest first */
    struct cluster_index by_cluster;
    FL_VEC(uint64_t) dirty; /* connections changed in this turn; each once */
    FL_VEC(uint64_t) held;  /* connections that wait for room in the inbox, tried in turn */
    uint64_t ids;
    bool is_ending; /* in destroy: callbacks only free */
};

static struct conn *find(const struct tunnel_server *server, uint64_t id)
{
    size_t i = fl_vec_lower_bound(&server->conns, id, id);

    return i < server->conns.len && server->conns.at[i].id == id ? server->conns.at[i].conn : NULL;
}

static fl_ms now_of(const struct tunnel_server *server)
{
    return fl_loop_now(server->loop);
}

/* Has 'settle' look at the connection at the end of this turn. */
static void touch(struct conn *conn)
{
    if (conn->is_dirty) return;
    conn->is_dirty = true;
    fl_vec_push(&conn->server->dirty, conn->id);
    fl_after_put(&conn->server->after);
}

static void session_is_lost(void *ctx, struct fl_cluster cluster, uint64_t session_epoch,
                            uint64_t connection)
{
    struct tunnel_server *server = ctx;
    struct engine_event *event = engine_event_create();
    struct fl_err err = {0};

    event->event.kind = CORE_EV_session_lost;
    event->event.session_lost.cluster = cluster;
    event->event.session_lost.session_epoch = session_epoch;
    event->event.session_lost.connection = connection;
    if (server->shared.ports.adopt(server->shared.ports.ctx, event, &err)) return;
    fl_assert(err.code != FL_FULL); /* else no core leads, and a new term knows no session */
}

static void session_has_changed(void *ctx, uint64_t connection)
{
    struct conn *conn = find(ctx, connection);

    if (conn) touch(conn);
}

/* ---- the life of a connection ---------------------------------------------------------------- */

static void on_timer(void *ctx);

static struct conn *add_conn(struct tunnel_server *server, const struct fl_net_address *peer,
                             uint32_t handshake)
{
    struct conn *conn = fl_new(struct conn);

    conn->server = server;
    conn->id = (uint64_t)server->config.front << 48 | ++server->ids;
    conn->handshake = handshake;
    fl_net_print(peer, conn->address);
    fl_timer_init(&conn->timer, server->loop, on_timer, conn);
    fl_timer_in(&conn->timer, server->config.handshake_ms);
    fl_vec_push(&server->conns, (struct entry){conn->id, conn});
    return conn;
}

static void end_handshake(struct conn *conn, bool is_member)
{
    if (conn->handshake) handshakes_end(conn->server->handshakes, conn->handshake, is_member);
    conn->handshake = 0;
}

/* Removes a connection whose socket is gone. */
static void remove_conn(struct conn *conn)
{
    struct tunnel_server *server = conn->server;
    size_t i = fl_vec_lower_bound(&server->conns, id, conn->id);

    fl_assert(i < server->conns.len && server->conns.at[i].conn == conn);
    fl_vec_remove(&server->conns, i);
    cluster_index_remove(&server->by_cluster, &conn->link);
    end_handshake(conn, false);
    fl_timer_off(&conn->timer);
    session_destroy(conn->session);
    fl_free(conn);
}

static void note_refused(struct conn *conn, const char *why)
{
    conn->server->shared.stats.refused++;
    fl_log(FL_LOG_WARN, MODULE, "refused", FL_LOG_S("peer", conn->address), FL_LOG_S("why", why));
}

/* The session is over; its last bytes may still go out. */
static void begin_end(struct conn *conn)
{
    struct session_shared *shared = &conn->server->shared;
    enum fl_link_why why = session_link(conn->session)->why;

    conn->is_ending = true;
    if (why == FL_LINK_WHY_broke_a_rule) shared->stats.broken++;
    if (why == FL_LINK_WHY_superseded) shared->stats.superseded++;
    fl_log(why == FL_LINK_WHY_broke_a_rule ? FL_LOG_WARN : FL_LOG_INFO, MODULE, "closed",
           FL_LOG_N("cluster", session_cluster(conn->session).n), FL_LOG_S("peer", conn->address),
           FL_LOG_N("session", session_epoch(conn->session)),
           FL_LOG_S("why", fl_link_why_name(why)), FL_LOG_S("text", session_why(conn->session)));
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes as long as the socket takes bytes.  False: the socket is broken. */
static bool flush(struct conn *conn)
{
    fl_ms now = now_of(conn->server);
    struct fl_buf *out;

    while (session_has_output(conn->session) && (out = agent_socket_room(conn->socket))) {
        if (session_write(conn->session, now, out) == 0) break;
        if (!agent_socket_send(conn->socket)) return false;
    }
    return true;
}

/* Input is read only while it can go on to the engine. */
static void set_reading(struct conn *conn)
{
    struct tunnel_server *server = conn->server;
    bool is_held = session_is_held(conn->session);

    if (is_held && !conn->is_held) {
        conn->is_held = true;
        fl_vec_push(&server->held, conn->id);
        if (!fl_timer_is_on(&server->held_again)) fl_timer_in(&server->held_again, RETRY_HELD_MS);
    }
    agent_socket_set_reading(conn->socket, !is_held);
}

/* Resumes held connections until one finds no room; that one comes last the next time. */
static void retry_held(void *ctx)
{
    struct tunnel_server *server = ctx;
    size_t len = server->held.len, done = 0;
    bool has_room = true;

    while (done < len && has_room) {
        struct conn *conn = find(server, server->held.at[done++]);

        if (!conn) continue;
        has_room = session_resume(conn->session, now_of(server));
        conn->is_held = !has_room;
        if (conn->is_held) fl_vec_push(&server->held, conn->id);
        touch(conn);
    }
    memmove(server->held.at, server->held.at + done,
            (server->held.len - done) * sizeof *server->held.at);
    server->held.len -= done;
    if (server->held.len) fl_timer_in(&server->held_again, RETRY_HELD_MS);
}

/* At the end of a turn in which the connection was touched. */
static void settle(struct conn *conn)
{
    fl_ms due;

    if (!conn->session) return;
    set_reading(conn);
    if (session_is_over(conn->session) && !conn->is_ending) {
        begin_end(conn);
        fl_timer_in(&conn->timer, CLOSE_MS);
    }
    if (!flush(conn) || (conn->is_ending && !agent_socket_is_choked(conn->socket) &&
                         !session_has_output(conn->session))) {
        agent_socket_drop(conn->socket);
        return;
    }
    if (conn->is_ending) return;
    due = session_deadline(conn->session);
    if (!fl_timer_is_on(&conn->timer) || due < conn->timer.at) fl_timer_at(&conn->timer, due);
}

static void after_turn(void *ctx)
{
    struct tunnel_server *server = ctx;
    size_t len = server->dirty.len;

    for (size_t i = 0; i < len; i++) {
        struct conn *conn = find(server, server->dirty.at[i]);

        if (!conn) continue;
        conn->is_dirty = false;
        settle(conn);
    }
    /* Connections touched meanwhile come in the next turn, which is due at once. */
    memmove(server->dirty.at, server->dirty.at + len,
            (server->dirty.len - len) * sizeof *server->dirty.at);
    server->dirty.len -= len;
}

static void on_timer(void *ctx)
{
    struct conn *conn = ctx;

    if (conn->session && !conn->is_ending) {
        session_tick(conn->session, now_of(conn->server));
        touch(conn);
        return;
    }
    if (!conn->session) {
        conn->server->shared.stats.handshakes_late++;
        note_refused(conn, "no tunnel was made in time");
    }
    agent_socket_drop(conn->socket);
}

/* ---- accepting ------------------------------------------------------------------------------- */

static bool has_room(void *ctx)
{
    const struct tunnel_server *server = ctx;

    return server->conns.len < server->config.connections_max;
}

static void on_came(void *ctx, int fd, const struct fl_net_address *address)
{
    struct tunnel_server *server = ctx;

    server->shared.stats.accepted++;
    handshakes_add(server->handshakes, fd, address);
}

static void on_handshake(void *ctx, int fd, const struct fl_net_address *address, uint32_t number)
{
    struct tunnel_server *server = ctx;
    struct conn *conn;

    if (!has_room(server)) { /* others came while it waited */
        handshakes_end(server->handshakes, number, false);
        server->shared.stats.shed++;
        close(fd);
        return;
    }
    conn = add_conn(server, address, number);
    handshakes_own(server->handshakes, number, conn);
    agent_sockets_adopt(server->sockets, fd, conn, &conn->socket);
}

static bool is_ticket(void *ctx, struct fl_str ticket)
{
    const struct tunnel_server_config *config = &((struct tunnel_server *)ctx)->config;

    return config->has_tickets && fl_ticket_is_ours(&config->ticket_key, ticket);
}

/* Others need its place. */
static void on_handshake_dropped(void *ctx, void *owner)
{
    struct conn *conn = owner;

    (void)ctx;
    conn->handshake = 0;
    note_refused(conn, "its handshake made room for others");
    fl_timer_off(&conn->timer); /* it is logged */
    agent_socket_drop(conn->socket);
}

/* ---- from the socket ------------------------------------------------------------------------- */

static void on_opened(void *owner, const struct fl_cert *cert)
{
    struct conn *conn = owner;
    struct tunnel_server *server = conn->server;
    struct tunnel_peer peer = {.cert = *cert};
    fl_ms wall = fl_loop_wall(server->loop);
    fl_ms left = cert->until - wall;

    end_handshake(conn, true);
    memcpy(peer.address, conn->address, sizeof peer.address);
    if (cert->from > wall) {
        fl_log(FL_LOG_WARN, MODULE, "clock_skew", FL_LOG_S("peer", conn->address),
               FL_LOG_N("ms", cert->from - wall),
               FL_LOG_S("why", "its certificate, which we issued, begins in the future: our clock "
                               "was ahead then, or is behind now"));
    }
    if (left <= 0) { /* the core decides whether it may come back; then it renews */
        peer.expired_ms = left < 0 ? -left : 1;
        left = REJOIN_LIFE_MS;
    }
    conn->session =
        session_create(&server->shared, &peer, conn->id, now_of(server) + left, now_of(server));
    touch(conn);
}

static void on_bytes(void *owner, struct fl_str bytes)
{
    struct conn *conn = owner;
    struct tunnel_server *server = conn->server;

    session_bytes(conn->session, bytes, now_of(server));
    cluster_index_put(&server->by_cluster, &conn->link, session_cluster(conn->session));
    touch(conn);
}

static bool on_writable(void *owner)
{
    touch(owner);
    return flush(owner);
}

static void on_gone(void *owner, const char *why)
{
    struct conn *conn = owner;
    struct tunnel_server *server = conn->server;
    bool is_late = !fl_timer_is_on(&conn->timer); /* which is logged already */

    if (!conn->session && !server->is_ending && !is_late) note_refused(conn, why);
    if (conn->session && !server->is_ending && !session_is_over(conn->session)) {
        session_closed(conn->session, now_of(server));
        begin_end(conn);
    }
    remove_conn(conn);
}

static const struct agent_sockets_port sockets_port = {
    .opened = on_opened,
    .bytes = on_bytes,
    .writable = on_writable,
    .gone = on_gone,
};

/* ---- its life -------------------------------------------------------------------------------- */

/* The second half of a handshake, with the agent's certificate, is within libwebsockets, and costs
 * about as much as the first. */
static struct handshakes_config tunnel_handshakes(void)
{
    struct handshakes_config config = handshakes_config_default();

    config.begin_costs = 2;
    return config;
}

struct tunnel_server_config tunnel_server_config_default(void)
{
    return (struct tunnel_server_config){
        .listen_fd = -1,
        .handshake_ms = 5000,
        .connections_max = 20000,
        .handshakes = tunnel_handshakes(),
        .ping_ms = FL_LINK_PING_MS,
        .dead_ms = FL_LINK_DEAD_MS,
        .stop_grace_ms = 30000,
        .flow = fl_flow_limits(),
    };
}

static struct listener_files files_of(const struct tunnel_server_config *config)
{
    return (struct listener_files){
        .certificate = config->certificate_file, .key = config->key_file, .ca = config->ca_file};
}

struct tunnel_server *tunnel_server_create(struct fl_loop *loop,
                                           const struct tunnel_server_config *config,
                                           const struct tunnel_server_ports *ports,
                                           struct fl_err *err)
{
    struct tunnel_server *server = fl_new(struct tunnel_server);
    struct listener_files files = files_of(config);
    struct handshakes_config handshakes = config->handshakes;

    server->loop = loop;
    server->config = *config;
    server->shared = (struct session_shared){
        .ports = *ports,
        .translate = {.stop_grace_ms = config->stop_grace_ms,
                      .ping_ms = config->ping_ms,
                      .dead_ms = config->dead_ms,
                      .stream_credit_bytes = config->flow.stream_bytes,
                      .tunnel_credit_bytes = config->flow.tunnel_bytes,
                      .retry_after_ms = config->retry_after_ms,
                      .capabilities = FL_STR("[]")},
        .flow = config->flow,
        .ctx = server,
        .lost = session_is_lost,
        .changed = session_has_changed,
    };
    fl_timer_init(&server->held_again, loop, retry_held, server);
    fl_after_init(&server->after, loop, after_turn, server);
    server->sockets = agent_sockets_create(
        loop, &files, config->has_tickets ? &server->config.ticket_key : NULL, &sockets_port, err);
    if (!server->sockets) {
        close(config->listen_fd);
        tunnel_server_destroy(server);
        return NULL;
    }
    handshakes.limits.silent_ms = config->handshake_ms;
    server->handshakes = handshakes_create(loop, &handshakes,
                                           &(struct handshakes_port){.ctx = server,
                                                                     .begin = on_handshake,
                                                                     .drop = on_handshake_dropped,
                                                                     .is_ticket = is_ticket},
                                           config->known);
    tunnel_listener_init(&server->listener, loop, config->listen_fd,
                         &(struct tunnel_listener_port){server, has_room, on_came});
    return server;
}

void tunnel_server_destroy(struct tunnel_server *server)
{
    if (!server) return;
    server->is_ending = true;
    tunnel_listener_stop(&server->listener);
    while (server->conns.len) {
        agent_socket_drop(server->conns.at[server->conns.len - 1].conn->socket);
    }
    handshakes_destroy(server->handshakes);
    fl_after_off(&server->after);
    fl_timer_off(&server->held_again);
    agent_sockets_destroy(server->sockets);
    fl_vec_fini(&server->conns);
    cluster_index_fini(&server->by_cluster);
    fl_vec_fini(&server->dirty);
    fl_vec_fini(&server->held);
    fl_free(server);
}

bool tunnel_server_reload(struct tunnel_server *server, struct fl_err *err)
{
    struct listener_files files = files_of(&server->config);

    return agent_sockets_reload(server->sockets, &files, err);
}

/* ---- from the core --------------------------------------------------------------------------- */

uint16_t tunnel_server_front(uint64_t connection)
{
    return (uint16_t)(connection >> 48);
}

void tunnel_server_superseded(struct tunnel_server *server, struct fl_cluster cluster,
                              uint64_t session_epoch_newest, uint64_t connection)
{
    for (struct cluster_link *link = cluster_index_first(&server->by_cluster, cluster); link;
         link = link->next) {
        struct conn *conn = (struct conn *)link;
        uint64_t epoch = session_epoch(conn->session);

        if (epoch == 0 || epoch >= session_epoch_newest || conn->id == connection) continue;
        session_supersede(conn->session, now_of(server));
        touch(conn);
    }
}

void tunnel_server_send(struct tunnel_server *server, const struct core_send *send)
{
    struct conn *conn = find(server, send->connection);
    bool is_new = send->kind == CORE_SEND_welcome || send->kind == CORE_SEND_resync;

    if (is_new) {
        tunnel_server_superseded(server, send->cluster, send->session_epoch, send->connection);
    }
    if (conn && conn->session && !session_is_over(conn->session)) {
        session_send(conn->session, send, now_of(server));
        touch(conn);
    } else if (is_new) {
        /* The connection ended before its WELCOME.  From now on the session's epoch names the end
         * to the core. */
        session_is_lost(server, send->cluster, send->session_epoch, send->connection);
    }
}

void tunnel_server_began(struct tunnel_server *server)
{
    /* The oldest first: if two connections speak for a cluster, the newer one gets the newer
     * session. */
    for (size_t i = 0; i < server->conns.len; i++) {
        struct conn *conn = server->conns.at[i].conn;
        enum fl_link_state state;

        if (!conn->session) continue;
        state = session_link(conn->session)->state;
        if (state != FL_LINK_UP && state != FL_LINK_GREETED) continue;
        session_offer(conn->session, now_of(server));
        touch(conn);
    }
}

void tunnel_server_close_cluster(struct tunnel_server *server, struct fl_cluster cluster,
                                 enum fl_code code, const char *text)
{
    for (struct cluster_link *link = cluster_index_first(&server->by_cluster, cluster); link;
         link = link->next) {
        struct conn *conn = (struct conn *)link;

        session_refuse(conn->session, code, text, now_of(server));
        touch(conn);
    }
}

void tunnel_server_refused(struct tunnel_server *server, struct fl_cluster cluster,
                           enum fl_code code, const char *text)
{
    if (code == FL_UNAVAILABLE) return; /* a new term offers all sessions again */
    tunnel_server_close_cluster(server, cluster, code, text);
}

/* ---- answers --------------------------------------------------------------------------------- */

void tunnel_server_spec(struct tunnel_server *server, uint64_t ticket,
                        const struct tunnel_spec *spec)
{
    struct conn *conn =
        find(server, (uint64_t)server->config.front << 48 | order_sender_connection(ticket));

    if (!conn || !conn->session || session_is_over(conn->session)) return;
    if (session_spec(conn->session, ticket, spec, now_of(server))) touch(conn);
}

void tunnel_server_renewed(struct tunnel_server *server, uint64_t connection, enum fl_code code,
                           struct fl_str text, struct fl_str chain)
{
    struct conn *conn = find(server, connection);

    if (!conn || !conn->session || session_is_over(conn->session)) return;
    session_renewed(conn->session, code, text, chain);
    touch(conn);
}

struct fl_streams *tunnel_server_streams(struct tunnel_server *server, uint64_t connection)
{
    struct conn *conn = find(server, connection);

    return conn && conn->session ? session_streams(conn->session) : NULL;
}

struct fl_streams *tunnel_server_cluster_streams(struct tunnel_server *server,
                                                 struct fl_cluster cluster)
{
    for (struct cluster_link *link = cluster_index_first(&server->by_cluster, cluster); link;
         link = link->next) {
        const struct conn *conn = (struct conn *)link;

        if (!conn->session || session_is_over(conn->session)) continue;
        if (session_link(conn->session)->state == FL_LINK_UP) return session_streams(conn->session);
    }
    return NULL;
}

/* ---- its end, and figures -------------------------------------------------------------------- */

void tunnel_server_drain(struct tunnel_server *server)
{
    tunnel_listener_stop(&server->listener);
    handshakes_stop(server->handshakes);
    for (size_t i = 0; i < server->conns.len; i++) {
        struct conn *conn = server->conns.at[i].conn;

        if (!conn->session) continue;
        session_stop(conn->session, now_of(server));
        touch(conn);
    }
}

struct tunnel_server_stats tunnel_server_stats(const struct tunnel_server *server)
{
    struct tunnel_server_stats stats = server->shared.stats;
    struct handshakes_counts handshakes;

    stats.connections = server->conns.len;
    handshakes = handshakes_counts(server->handshakes);
    stats.shed += server->listener.shed + handshakes.dropped;
    stats.handshakes_late += handshakes.late;
    stats.tickets = handshakes.tickets;
    for (size_t i = 0; i < server->conns.len; i++) {
        const struct conn *conn = server->conns.at[i].conn;

        stats.sessions += conn->session && session_link(conn->session)->state == FL_LINK_UP;
        stats.held += conn->session && session_is_held(conn->session);
    }
    return stats;
}
