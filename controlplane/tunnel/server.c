#include "controlplane/tunnel/server.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libwebsockets.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "controlplane/tunnel/cluster_index.h"
#include "controlplane/tunnel/listener_credentials.h"
#include "controlplane/tunnel/order_sender.h"
#include "controlplane/tunnel/session.h"
#include "controlplane/tunnel/tunnel_listener.h"
#include "controlplane/tunnel/unsent_session_ends.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/buf.h"
#include "shared/base/vec.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/link/mux.h"
#include "shared/tls/ca.h"
#include "shared/tls/context.h"

#define SUBPROTOCOL "fairlead.tunnel.1"
#define MODULE "tunnel"

enum {
    RX_BYTES = 4096,           /* libwebsockets' buffer for each connection */
    SERVICE_BYTES = 64 << 10,  /* the largest piece of input that libwebsockets hands on */
    NOTSENT_BYTES = 128 << 10, /* bytes in the kernel, behind which control would have to wait */
    UNSENT_MS = 30000,         /* a peer that acknowledges no byte for so long is gone */
    CLOSE_MS = 2000,           /* how long the last bytes may take */
    RETRY_HELD_MS = 5,         /* how soon to offer an event again that found no room */
};

struct conn {
    struct cluster_link link; /* must be first; under its session's cluster */
    struct tunnel_server *server;
    struct lws *wsi;
    uint64_t id;
    char address[FL_NET_TEXT_MAX];
    struct session *session; /* NULL: no tunnel yet */
    struct fl_timer timer;   /* handshake, then the session's deadline, then the last words */
    bool is_up;              /* the handshake is over */
    bool is_dirty;           /* in server->dirty */
    bool is_choked;          /* the socket takes no bytes now */
    bool is_ending;          /* its session is over */
    bool is_held;            /* in server->held, or about to be tried again */
    bool is_unread;          /* libwebsockets must read nothing */
    char why[128];           /* the fault of its certificate; "": none was found */
};

struct entry {
    uint64_t id;
    struct conn *conn;
};

struct tunnel_server {
    struct fl_loop *loop;
    struct tunnel_server_config config;
    struct session_shared shared;
    struct lws_context *context;
    struct lws_vhost *vhost;
    SSL_CTX *tls;    /* the vhost's */
    SSL_CTX *client; /* unused; without it libwebsockets makes one and leaks it */
    struct tunnel_listener listener;
    struct fl_timer held_again;
    struct fl_after after;
    FL_VEC(struct entry) conns; /* by id, so the oldest first */
    struct cluster_index by_cluster;
    struct conn *adopting;  /* the connection that libwebsockets is being given */
    FL_VEC(uint64_t) dirty; /* connections changed in this turn; each once */
    struct unsent_session_ends lost;
    FL_VEC(uint64_t) held; /* connections that wait for room in the inbox, tried in turn */
    struct fl_buf out;     /* LWS_PRE bytes, then the bytes to send */
    uint64_t ids;
    uint32_t handshakes;
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

    unsent_session_ends_add(&server->lost,
                            (struct unsent_session_end){cluster, session_epoch, connection});
}

static void session_has_changed(void *ctx, uint64_t connection)
{
    struct conn *conn = find(ctx, connection);

    if (conn) touch(conn);
}

/* ---- the life of a connection ---------------------------------------------------------------- */

static void on_timer(void *ctx);

static struct conn *add_conn(struct tunnel_server *server, const struct fl_net_address *peer)
{
    struct conn *conn = fl_new(struct conn);

    conn->server = server;
    conn->id = (uint64_t)server->config.front << 48 | ++server->ids;
    fl_net_print(peer, conn->address);
    fl_timer_init(&conn->timer, server->loop, on_timer, conn);
    fl_timer_in(&conn->timer, server->config.handshake_ms);
    fl_vec_push(&server->conns, (struct entry){conn->id, conn});
    server->handshakes++;
    server->shared.stats.accepted++;
    return conn;
}

/* Removes a connection whose socket is gone. */
static void remove_conn(struct conn *conn)
{
    struct tunnel_server *server = conn->server;
    size_t i = fl_vec_lower_bound(&server->conns, id, conn->id);

    fl_assert(i < server->conns.len && server->conns.at[i].conn == conn);
    fl_vec_remove(&server->conns, i);
    cluster_index_remove(&server->by_cluster, &conn->link);
    if (!conn->is_up) server->handshakes--;
    fl_timer_off(&conn->timer);
    session_destroy(conn->session);
    fl_free(conn);
}

static void note_refused(struct conn *conn, const char *why)
{
    conn->server->shared.stats.refused++;
    fl_log(FL_LOG_WARN, MODULE, "refused", FL_LOG_S("peer", conn->address), FL_LOG_S("why", why));
}

/* Not from within a callback of this connection: libwebsockets frees its part at once. */
static void drop_socket(struct conn *conn)
{
    lws_set_timeout(conn->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
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
    struct tunnel_server *server = conn->server;
    fl_ms now = now_of(server);

    while (!conn->is_choked && session_has_output(conn->session)) {
        size_t len;

        if (lws_send_pipe_choked(conn->wsi)) {
            conn->is_choked = true;
            lws_callback_on_writable(conn->wsi);
            break;
        }
        fl_buf_truncate(&server->out, LWS_PRE);
        len = session_write(conn->session, now, &server->out);
        if (len == 0) break;
        if (lws_write(conn->wsi, server->out.at + LWS_PRE, len, LWS_WRITE_BINARY) < (int)len) {
            return false;
        }
    }
    return true;
}

/* Input is read only while it can go on to the engine.  This changes between callbacks, when
 * libwebsockets and TLS hold no unread bytes: they could not be handed over later. */
static void set_reading(struct conn *conn)
{
    struct tunnel_server *server = conn->server;
    bool is_held = session_is_held(conn->session);

    if (is_held && !conn->is_held) {
        conn->is_held = true;
        fl_vec_push(&server->held, conn->id);
        if (!fl_timer_is_on(&server->held_again)) fl_timer_in(&server->held_again, RETRY_HELD_MS);
    }
    if (is_held == conn->is_unread) return;
    conn->is_unread = is_held;
    lws_rx_flow_control(conn->wsi, !is_held);
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
    if (!flush(conn) ||
        (conn->is_ending && !conn->is_choked && !session_has_output(conn->session))) {
        drop_socket(conn);
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
    drop_socket(conn);
}

/* ---- accepting ------------------------------------------------------------------------------- */

static bool has_room(void *ctx)
{
    const struct tunnel_server *server = ctx;

    return server->conns.len < server->config.connections_max &&
           server->handshakes < server->config.handshakes_max;
}

static void on_came(void *ctx, int fd, const struct fl_net_address *address)
{
    struct tunnel_server *server = ctx;
    int notsent = NOTSENT_BYTES;
    struct conn *conn;

    /* Both calls only improve the connection, so failures do not matter. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &notsent, sizeof notsent);
    fl_net_set_user_timeout(fd, UNSENT_MS);
    conn = add_conn(server, address);
    server->adopting = conn;
    /* The first callback binds the connection; if libwebsockets fails before, we free it here. */
    if (!lws_adopt_socket_vhost(server->vhost, fd) && server->adopting) {
        note_refused(conn, "no TLS");
        remove_conn(conn);
    }
    server->adopting = NULL;
}

/* ---- callbacks of libwebsockets -------------------------------------------------------------- */

static int on_established(struct conn *conn)
{
    struct tunnel_server *server = conn->server;
    struct tunnel_peer peer = {0};
    struct fl_err err = {0};

    conn->is_up = true;
    server->handshakes--;
    /* A second check of the certificate, which does not rely on the handshake's callbacks. */
    if (!fl_cert_of_cluster(lws_get_ssl(conn->wsi), &peer.cert, &err)) {
        note_refused(conn, err.text);
        return -1;
    }
    memcpy(peer.address, conn->address, sizeof peer.address);
    conn->session = session_create(&server->shared, &peer, conn->id,
                                   now_of(server) + peer.cert.until - fl_loop_wall(server->loop),
                                   now_of(server));
    touch(conn);
    return 0;
}

/* Whether the upgrade is to a WebSocket with our subprotocol; any other is refused. */
static bool is_ours(struct lws *wsi, const char *upgrade)
{
    char protocol[64];

    return upgrade && strcmp(upgrade, "websocket") == 0 &&
           lws_hdr_copy(wsi, protocol, sizeof protocol, WSI_TOKEN_PROTOCOL) > 0 &&
           strcmp(protocol, SUBPROTOCOL) == 0;
}

static int on_verify(struct conn *conn, X509_STORE_CTX *store, bool is_good)
{
    if (!is_good && conn && !conn->why[0]) {
        snprintf(conn->why, sizeof conn->why, "certificate: %s",
                 X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
    }
    return !is_good; /* 0 accepts the certificate */
}

static void set_tls(struct tunnel_server *server, SSL_CTX *tls)
{
    server->tls = tls;
    fl_tls_limit(tls);
    SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
    /* No session is resumed, so that each connection's certificate is checked. */
    SSL_CTX_set_num_tickets(tls, 0);
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
}

static void on_destroy(struct conn *conn)
{
    struct tunnel_server *server = conn->server;

    if (!conn->is_up && !server->is_ending && !fl_timer_is_on(&conn->timer)) {
        remove_conn(conn); /* its handshake was late, which is logged already */
        return;
    }
    if (!conn->is_up && !server->is_ending) {
        note_refused(conn, conn->why[0] ? conn->why : "no TLS, no certificate, or no WebSocket");
    }
    if (conn->session && !server->is_ending && !session_is_over(conn->session)) {
        session_closed(conn->session, now_of(server));
        begin_end(conn);
    }
    if (server->adopting == conn) server->adopting = NULL;
    remove_conn(conn);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    struct lws_context *context = wsi ? lws_get_context(wsi) : NULL;
    struct tunnel_server *server = context ? lws_context_user(context) : NULL;
    struct conn *conn = wsi ? lws_get_opaque_user_data(wsi) : NULL;

    if (!server) return 0; /* the context is being made, or is gone */
    if (!conn && server->adopting && !server->adopting->wsi &&
        reason == LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED) {
        conn = server->adopting;
        conn->wsi = wsi;
        lws_set_opaque_user_data(wsi, conn);
    }
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        set_tls(server, user);
        return 0;
    case LWS_CALLBACK_OPENSSL_PERFORM_CLIENT_CERT_VERIFICATION:
        return on_verify(conn, user, len != 0);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return is_ours(wsi, in) ? 0 : -1;
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION:
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return -1; /* this listener serves no pages */
    case LWS_CALLBACK_ESTABLISHED:
        return conn ? on_established(conn) : -1;
    case LWS_CALLBACK_RECEIVE:
        if (!conn || !conn->session) return -1;
        session_bytes(conn->session, (struct fl_str){in, len}, now_of(server));
        cluster_index_put(&server->by_cluster, &conn->link, session_cluster(conn->session));
        touch(conn);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        if (!conn || !conn->session) return 0;
        conn->is_choked = false;
        touch(conn);
        return flush(conn) ? 0 : -1;
    case LWS_CALLBACK_WSI_DESTROY:
        if (!conn) return 0;
        lws_set_opaque_user_data(wsi, NULL);
        on_destroy(conn);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {SUBPROTOCOL, on_event, 0, RX_BYTES, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

static void on_lws_log(int level, const char *line)
{
    struct fl_str text = fl_str_c(line);

    while (text.len && text.at[text.len - 1] == '\n') {
        text.len--;
    }
    fl_log(level & LLL_ERR ? FL_LOG_WARN : FL_LOG_DEBUG, "lws", "says", FL_LOG_STR("text", text));
}

/* ---- its life -------------------------------------------------------------------------------- */

struct tunnel_server_config tunnel_server_config_default(void)
{
    return (struct tunnel_server_config){
        .listen_fd = -1,
        .handshake_ms = 5000,
        .handshakes_max = 256,
        .handshakes_per_second = 500,
        .connections_max = 20000,
        .ping_ms = FL_LINK_PING_MS,
        .dead_ms = FL_LINK_DEAD_MS,
        .stop_grace_ms = 30000,
        .flow = fl_flow_limits(),
    };
}

static bool start_lws(struct tunnel_server *server, struct fl_err *err)
{
    /* libwebsockets sends no pings: the link does, and libwebsockets' timers are a sorted list,
     * which is slow with thousands. */
    static const lws_retry_bo_t no_pings = {0};
    void *loops[1] = {fl_loop_ev(server->loop)};
    uint64_t options =
        LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
        LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX |
        LWS_SERVER_OPTION_REQUIRE_VALID_OPENSSL_CLIENT_CERT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .options = options,
        .foreign_loops = loops,
        .user = server,
        .pt_serv_buf_size = SERVICE_BYTES,
        .retry_and_idle_policy = &no_pings,
        .vhost_name = "tunnel",
        .alpn = "http/1.1",
        .ssl_cert_filepath = server->config.certificate_file,
        .ssl_private_key_filepath = server->config.key_file,
        .ssl_ca_filepath = server->config.ca_file,
        .provided_client_ssl_ctx = server->client,
        .ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_TLSv1_2,
    };

    lws_set_log_level(LLL_ERR | LLL_WARN, on_lws_log);
    server->context = lws_create_context(&info);
    if (!server->context) return fl_fail(err, FL_IO, "libwebsockets does not start");
    server->vhost = lws_create_vhost(server->context, &info);
    if (!server->vhost || !server->tls) {
        return fl_fail(err, FL_IO, "libwebsockets does not take the certificate");
    }
    return true;
}

struct tunnel_server *tunnel_server_create(struct fl_loop *loop,
                                           const struct tunnel_server_config *config,
                                           const struct tunnel_server_ports *ports,
                                           struct fl_err *err)
{
    struct tunnel_server *server;

    if (!listener_credentials_check(config, err)) {
        close(config->listen_fd);
        return NULL;
    }
    server = fl_new(struct tunnel_server);
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
    server->client = SSL_CTX_new(TLS_client_method());
    fl_assert(server->client);
    fl_buf_init(&server->out, LWS_PRE + FL_MUX_WRITE_BYTES_MAX);
    (void)fl_buf_put(&server->out, (uint8_t[LWS_PRE]){0}, LWS_PRE);
    unsent_session_ends_init(&server->lost, loop, &server->shared.ports);
    fl_timer_init(&server->held_again, loop, retry_held, server);
    fl_after_init(&server->after, loop, after_turn, server);
    if (!start_lws(server, err)) {
        close(config->listen_fd);
        tunnel_server_destroy(server);
        return NULL;
    }
    tunnel_listener_init(&server->listener, loop, config->listen_fd, config->handshakes_per_second,
                         &(struct tunnel_listener_port){server, has_room, on_came});
    return server;
}

void tunnel_server_destroy(struct tunnel_server *server)
{
    if (!server) return;
    server->is_ending = true;
    tunnel_listener_stop(&server->listener);
    while (server->conns.len) {
        drop_socket(server->conns.at[server->conns.len - 1].conn);
    }
    fl_after_off(&server->after);
    fl_timer_off(&server->held_again);
    if (server->context) lws_context_destroy(server->context);
    SSL_CTX_free(server->client);
    fl_vec_fini(&server->conns);
    cluster_index_fini(&server->by_cluster);
    fl_vec_fini(&server->dirty);
    unsent_session_ends_fini(&server->lost);
    fl_vec_fini(&server->held);
    fl_buf_fini(&server->out);
    fl_free(server);
}

bool tunnel_server_reload(struct tunnel_server *server, struct fl_err *err)
{
    if (!listener_credentials_check(&server->config, err)) return false;
    if (SSL_CTX_use_certificate_chain_file(server->tls, server->config.certificate_file) == 1 &&
        SSL_CTX_use_PrivateKey_file(server->tls, server->config.key_file, SSL_FILETYPE_PEM) == 1) {
        return true;
    }
    return fl_tls_fail(NULL, "the listener's certificate", err);
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
        unsent_session_ends_add(
            &server->lost,
            (struct unsent_session_end){send->cluster, send->session_epoch, send->connection});
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

/* ---- its end, and figures -------------------------------------------------------------------- */

void tunnel_server_drain(struct tunnel_server *server)
{
    tunnel_listener_stop(&server->listener);
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

    stats.connections = server->conns.len;
    stats.shed = server->listener.shed;
    for (size_t i = 0; i < server->conns.len; i++) {
        const struct conn *conn = server->conns.at[i].conn;

        stats.sessions += conn->session && session_link(conn->session)->state == FL_LINK_UP;
        stats.held += conn->session && session_is_held(conn->session);
    }
    return stats;
}
