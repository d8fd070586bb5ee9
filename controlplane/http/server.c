#include "controlplane/http/server.h"

#include <limits.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include "controlplane/http/connection.h"
#include "controlplane/http/tls.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"
#include "shared/tls/random.h"

#define ACCEPTS_MAX 64 /* in a turn, so that open connections get their turns, too */
#define FDS_FULL_MS 200
#define CROWDED_MS 5000
#define DYING_MAX 256 /* connections that ended in this turn and still have their slot */

struct http_listener {
    struct http_server *server;
    struct fl_watch watch;
    struct fl_timer timer; /* runs when descriptors ran out; accepting goes on when it fires */
    bool has_tls;
    int fd;
};

/* ---- accepting ------------------------------------------------------------------------------- */

/* A high descriptor tells that it is crowded now; a low one tells nothing, since it may be that of
 * one who just made room.  So for a while there are no more connections than there were. */
static size_t places(struct http_server *server, int fd)
{
    fl_ms now = fl_loop_now(server->loop);
    size_t places = server->counts.connections;

    if (fd > server->fd_max) {
        server->crowded_places = places > server->share ? places : server->share;
        server->crowded_until = now + CROWDED_MS;
    }
    return now < server->crowded_until && server->crowded_places < server->limits.connections_max
               ? server->crowded_places
               : server->limits.connections_max;
}

/* Room for one more; perhaps a stranger's connection ends for it.  False: all are members', and the
 * new one is closed. */
static bool has_room(struct http_server *server, int fd)
{
    size_t connections_max = places(server, fd);
    bool has_place = server->counts.connections < connections_max;
    bool has_more = server->counts.connections < connections_max + DYING_MAX;

    if (has_place && (fd <= server->fd_max || server->counts.connections < server->share)) {
        return true;
    }
    server->counts.shed++;
    if ((has_more && http_connection_make_room(server)) ||
        (server->counts.connections < server->limits.connections_max &&
         handshakes_make_room(server->handshakes))) {
        fl_log(FL_LOG_INFO, "http", "made_room", FL_LOG_N("connections_max", connections_max));
        return true;
    }
    fl_log(FL_LOG_WARN, "http", "shed", FL_LOG_N("connections_max", connections_max));
    close(fd);
    return false;
}

static void on_handshake(void *ctx, int fd, const struct fl_net_address *peer, uint32_t number)
{
    struct http_server *server = ctx;

    if (has_room(server, fd)) {
        http_connection_open(server, fd, peer, number);
    } else {
        handshakes_end(server->handshakes, number, false);
    }
}

/* Others need its place. */
static void on_handshake_dropped(void *ctx, void *owner)
{
    struct http_connection *connection = owner;

    (void)ctx;
    connection->handshake = 0;
    http_connection_cut(connection);
}

/* One that makes room has its descriptor until the end of the turn. */
static unsigned accepts_max(const struct http_server *server)
{
    return fl_loop_now(server->loop) < server->crowded_until ? 1 : ACCEPTS_MAX;
}

static void on_listener(void *ctx, unsigned events)
{
    struct http_listener *listener = ctx;
    struct http_server *server = listener->server;

    (void)events;
    for (unsigned accepts = 0; accepts < accepts_max(server); accepts++) {
        struct fl_net_address peer;
        int fd;

        switch (fl_net_accept(listener->fd, &fd, &peer)) {
        case FL_NET_ACCEPTED:
            break;
        case FL_NET_NOBODY:
            return;
        case FL_NET_AGAIN:
            continue;
        case FL_NET_FDS_FULL:
            fl_log(FL_LOG_WARN, "http", "no_descriptors",
                   FL_LOG_N("connections", server->counts.connections));
            fl_watch_set(&listener->watch, 0);
            fl_timer_in(&listener->timer, FDS_FULL_MS);
            return;
        }
        if (listener->has_tls) {
            handshakes_add(server->handshakes, fd, &peer);
        } else if (has_room(server, fd)) {
            http_connection_open(server, fd, &peer, 0);
        }
    }
}

static void on_listener_timer(void *ctx)
{
    struct http_listener *listener = ctx;

    fl_watch_set(&listener->watch, FL_WATCH_READ);
}

static void close_listeners(struct http_server *server)
{
    for (size_t i = 0; i < server->listeners.len; i++) {
        struct http_listener *listener = server->listeners.at[i];

        fl_timer_off(&listener->timer);
        fl_watch_off(&listener->watch);
        close(listener->fd);
        fl_free(listener);
    }
    fl_vec_clear(&server->listeners);
}

bool http_server_listen(struct http_server *server, int fd, struct ssl_ctx_st *tls,
                        struct fl_err *err)
{
    struct http_listener *listener;

    if (server->is_draining || (tls && !http_server_renew_tls(server, tls, err))) {
        close(fd);
        return server->is_draining ? fl_fail(err, FL_CONFLICT, "the server is ending") : false;
    }
    listener = fl_new(struct http_listener);
    listener->server = server;
    listener->fd = fd;
    listener->has_tls = tls != NULL;
    fl_timer_init(&listener->timer, server->loop, on_listener_timer, listener);
    fl_watch_init(&listener->watch, server->loop, fd, on_listener, listener);
    fl_watch_set(&listener->watch, FL_WATCH_READ);
    fl_vec_push(&server->listeners, listener);
    return true;
}

bool http_server_renew_tls(struct http_server *server, struct ssl_ctx_st *tls, struct fl_err *err)
{
    if (!http_tls_setup(tls, err)) return false;
    SSL_CTX_up_ref(tls);
    SSL_CTX_free(server->tls);
    server->tls = tls;
    return true;
}

/* ---- the end of a turn ----------------------------------------------------------------------- */

/* Those of this turn, or as many as there is time for; one connection a turn at least. */
static void work_dirty(struct http_server *server, bool may_wait)
{
    struct http_connection *last = server->dirty_last, *connection;
    bool is_last = !last;

    while (!is_last) {
        if (may_wait && server->worked_us == fl_loop_now_us(server->loop) &&
            http_server_is_late(server)) {
            break;
        }
        connection = server->dirty_first;
        fl_assert(connection); /* the last of this turn is still to come */
        is_last = connection == last;
        server->dirty_first = connection->next_dirty;
        if (!server->dirty_first) server->dirty_last = NULL;
        connection->is_dirty = false;
        http_connection_work(connection);
    }
    if (server->dirty_first) fl_after_put(&server->after);
}

static void on_after(void *ctx)
{
    struct http_server *server = ctx;

    work_dirty(server, true);
    if (server->is_draining && !server->first && server->on_end) {
        void (*on_end)(void *) = server->on_end;

        fl_timer_off(&server->drain_timer);
        server->on_end = NULL;
        on_end(server->end_ctx); /* the last step, since it may destroy the server */
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

static void on_drain_timer(void *ctx)
{
    struct http_server *server = ctx;

    for (struct http_connection *c = server->first; c; c = c->next) {
        http_connection_cut(c);
    }
    fl_after_put(&server->after);
}

void http_server_admit(struct http_server *server, const struct http_admission *admission)
{
    struct handshakes_config config = handshakes_config_default();
    struct handshakes_port port = {
        .ctx = server, .begin = on_handshake, .drop = on_handshake_dropped};

    config.begin_costs = 0;
    config.limits.silent_ms = server->limits.handshake_ms;
    if (admission->cpu_percent) config.limits.cpu_percent = admission->cpu_percent;
    if (admission->descriptors) {
        server->fd_max = (int)(admission->descriptors / 4 * 3);
        handshakes_share(&config, admission->descriptors, admission->listeners);
        server->share = config.crowded_max;
    }
    handshakes_destroy(server->handshakes);
    server->handshakes = handshakes_create(server->loop, &config, &port, admission->known);
}

struct http_server *http_server_create(struct fl_loop *loop, const struct http_limits *limits,
                                       struct http_port port, struct fl_err *err)
{
    struct http_server *server;

    if (!http_limits_check(limits, err)) return NULL;
    server = fl_new(struct http_server);
    server->fd_max = INT_MAX;
    server->traces.seed = fl_random_u64();
    server->loop = loop;
    server->limits = *limits;
    server->port = port;
    fl_slab_init(&server->connections, sizeof(struct http_connection),
                 (uint32_t)limits->connections_max + DYING_MAX);
    server->shares.limits = &server->limits;
    http_pool_init(&server->pool, limits);
    fl_after_init(&server->after, loop, on_after, server);
    http_server_admit(server, &(struct http_admission){0});
    fl_timer_init(&server->drain_timer, loop, on_drain_timer, server);
    return server;
}

void http_server_destroy(struct http_server *server)
{
    if (!server) return;
    server->on_end = NULL;
    close_listeners(server);
    for (struct http_connection *c = server->first; c; c = c->next) {
        http_connection_cut(c);
    }
    work_dirty(server, false); /* every connection is cut and dirty now: this frees them all */
    fl_assert(!server->first);
    handshakes_destroy(server->handshakes);
    SSL_CTX_free(server->tls);
    fl_after_off(&server->after);
    fl_timer_off(&server->drain_timer);
    fl_slab_fini(&server->connections);
    http_shares_fini(&server->shares);
    fl_vec_fini(&server->listeners);
    http_pool_fini(&server->pool);
    fl_free(server);
}

void http_server_drain(struct http_server *server, fl_ms bound_ms, void (*on_end)(void *ctx),
                       void *ctx)
{
    fl_assert(!server->is_draining);
    server->is_draining = true;
    server->on_end = on_end;
    server->end_ctx = ctx;
    close_listeners(server);
    handshakes_stop(server->handshakes);
    for (struct http_connection *c = server->first; c; c = c->next) {
        http_connection_drain(c);
    }
    fl_timer_in(&server->drain_timer, bound_ms);
    fl_after_put(&server->after);
}

struct http_counts http_server_counts(const struct http_server *server)
{
    struct http_counts counts = server->counts;

    counts.unsent_bytes = server->shares.unsent_bytes;
    return counts;
}
