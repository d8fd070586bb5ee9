#include "agent/tunnel/tunnel_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "agent/tunnel/route.h"
#include "shared/base/alloc.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/link/mux.h"
#include "shared/tls/cert.h"
#include "shared/tls/context.h"
#include "shared/tls/ticket.h"

#define SUBPROTOCOL "fairlead.tunnel.1"

enum {
    RX_BYTES = 4096,
    SERVICE_BYTES = 64 << 10,
    UNSENT_MS = 30000,
};

struct tunnel_socket {
    struct fl_loop *loop;
    struct tunnel_socket_config config;
    struct tunnel_socket_port port;
    struct agent_route *route;
    struct lws_context *context;
    struct lws_vhost *vhost; /* holds the identity */
    SSL_CTX *tls;
    struct lws *wsi;
    struct fl_after after;
    struct fl_buf out; /* LWS_PRE bytes, then the bytes to send */
    bool is_dialing;   /* further addresses may be tried */
    bool is_lost;      /* 'lost' is called at the end of the turn */
    bool is_choked;    /* the socket takes no bytes now; 'writable' follows */
    bool is_ending;    /* in destroy: callbacks only free */
    char why[256];     /* why the connection was lost */
};

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len);

static const struct lws_protocols protocols[] = {
    {SUBPROTOCOL, on_event, 0, RX_BYTES, 0, NULL, 0},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

static void lose(struct tunnel_socket *socket, struct fl_str why)
{
    socket->wsi = NULL;
    socket->is_lost = true;
    if (!socket->why[0] && why.len) {
        snprintf(socket->why, sizeof socket->why, FL_STR_FMT, FL_STR_ARG(why));
    }
    fl_after_put(&socket->after);
}

/* ---- the identity ---------------------------------------------------------------------------- */

/* A certificate is part of a vhost: each identity gets its own. */
static bool make_vhost(struct tunnel_socket *socket, const struct agent_identity *identity,
                       struct fl_err *err)
{
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS,
        .vhost_name = "tunnel",
        .alpn = "http/1.1",
        .protocols = protocols,
    };

    if (!fl_tls_client(&(struct fl_tls_client){.ca_pem = agent_identity_ca(identity),
                                               .cert_pem = agent_identity_chain(identity),
                                               .key_pem = agent_identity_key(identity),
                                               .is_13_only = true,
                                               .is_early_accepted = true},
                       &socket->tls, err)) {
        return false;
    }
    fl_ticket_keep(socket->tls); /* for as long as it has this identity */
    /* Else libwebsockets would use http_proxy despite no_proxy; we set ours for each connection. */
    if (getenv("http_proxy")) info.http_proxy_address = "";
    info.provided_client_ssl_ctx = socket->tls;
    socket->vhost = lws_create_vhost(socket->context, &info);
    return socket->vhost || fl_fail(err, FL_IO, "libwebsockets does not take the certificate");
}

static void drop_vhost(struct tunnel_socket *socket)
{
    if (socket->vhost) lws_vhost_destroy(socket->vhost);
    socket->vhost = NULL;
    SSL_CTX_free(socket->tls); /* an open socket holds it too */
    socket->tls = NULL;
}

/* ---- dialing --------------------------------------------------------------------------------- */

/* Connects by number: with a name, libwebsockets would wait for a name server. */
static bool connect_to(struct tunnel_socket *socket, const struct fl_net_address *address)
{
    struct lws_client_connect_info info = {
        .context = socket->context,
        .vhost = socket->vhost,
        .port = socket->config.port,
        .ssl_connection = LCCSCF_USE_SSL,
        .path = "/",
        .host = socket->config.server_name,
        .origin = socket->config.server_name,
        .protocol = SUBPROTOCOL,
        .local_protocol_name = SUBPROTOCOL,
        .pwsi = &socket->wsi,
        .opaque_user_data = socket,
    };
    const struct fl_proxy *proxy = agent_route_proxy(socket->route);
    char numbers[FL_NET_TEXT_MAX], host[FL_NET_HOST_MAX];
    char proxy_text[FL_NET_TEXT_MAX + FL_PROXY_LOGIN_MAX + 1];
    struct fl_err err = {0};
    uint16_t port;

    fl_net_print(address, numbers);
    if (proxy->is_on) { /* the proxy looks up the hub's name */
        snprintf(proxy_text, sizeof proxy_text, "%s%s%s", proxy->login, proxy->login[0] ? "@" : "",
                 numbers);
        info.address = socket->config.host;
        if (lws_set_proxy(socket->vhost, proxy_text) != 0) return false;
    } else {
        if (!fl_net_split(fl_str_c(numbers), host, &port, &err)) return false;
        info.address = host;
    }
    if (lws_client_connect_via_info(&info)) return true;
    socket->wsi = NULL;
    return false;
}

/* False: each address was tried in this dial. */
static bool try_next(struct tunnel_socket *socket)
{
    const struct fl_net_address *address;

    while ((address = agent_route_next(socket->route))) {
        socket->why[0] = 0;
        if (connect_to(socket, address)) return true;
        socket->is_lost = false; /* a callback may have set it */
    }
    return false;
}

static void on_found(void *ctx)
{
    struct tunnel_socket *socket = ctx;

    if (!try_next(socket)) lose(socket, FL_STR("no connection can be made"));
}

static void on_not_found(void *ctx, const struct fl_err *err)
{
    lose(ctx, fl_str_c(err->text));
}

void tunnel_socket_dial(struct tunnel_socket *socket, const struct agent_identity *identity,
                        bool is_changed)
{
    struct fl_err err = {0};

    socket->why[0] = 0;
    socket->is_dialing = true;
    if (is_changed) drop_vhost(socket);
    if (socket->vhost || make_vhost(socket, identity, &err)) {
        agent_route_begin(socket->route);
    } else {
        drop_vhost(socket);
        lose(socket, fl_str_c(err.text));
    }
}

/* Not from within a callback of this connection: libwebsockets frees it at once. */
void tunnel_socket_drop(struct tunnel_socket *socket)
{
    struct lws *wsi = socket->wsi;

    socket->wsi = NULL; /* so its last callbacks are ignored */
    socket->is_lost = socket->is_choked = socket->is_dialing = false;
    agent_route_forget(socket->route);
    if (!wsi) return;
    lws_set_opaque_user_data(wsi, NULL);
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void after_turn(void *ctx)
{
    struct tunnel_socket *socket = ctx;

    if (!socket->is_lost) return;
    socket->is_lost = false;
    if (socket->is_dialing && try_next(socket)) return;
    socket->is_dialing = false;
    socket->port.lost(socket->port.ctx, socket->why);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct fl_buf *tunnel_socket_room(struct tunnel_socket *socket)
{
    if (!socket->wsi || socket->is_dialing || socket->is_choked) return NULL;
    if (lws_send_pipe_choked(socket->wsi)) {
        socket->is_choked = true;
        lws_callback_on_writable(socket->wsi);
        return NULL;
    }
    fl_buf_truncate(&socket->out, LWS_PRE);
    return &socket->out;
}

bool tunnel_socket_send(struct tunnel_socket *socket)
{
    size_t len = socket->out.len - LWS_PRE;

    return lws_write(socket->wsi, socket->out.at + LWS_PRE, len, LWS_WRITE_BINARY) >= (int)len;
}

/* ---- libwebsockets' callbacks ---------------------------------------------------------------- */

/* Once a connection, which is rare. */
static void note_skew(const struct tunnel_socket *socket, X509 *x509)
{
    struct fl_err err = {0};
    struct fl_cert cert;
    fl_ms wall = fl_loop_wall(socket->loop);

    if (!fl_cert_of(x509, &cert, &err) || cert.from <= wall) return;
    fl_log(FL_LOG_WARN, "tunnel", "clock_skew", FL_LOG_N("ms", cert.from - wall),
           FL_LOG_S("why", "the control plane's certificate begins in the future: this clock is "
                           "behind, or the control plane's was ahead"));
}

/* libwebsockets checks this too, but its flags can switch that off. */
static bool is_hub(const struct tunnel_socket *socket)
{
    const char *name = socket->config.server_name;
    SSL *ssl = lws_get_ssl(socket->wsi);
    X509 *cert = ssl ? fl_ticket_server(ssl) : NULL;
    bool is_good = cert && (X509_check_host(cert, name, 0, 0, NULL) == 1 ||
                            X509_check_ip_asc(cert, name, 0) == 1);

    if (is_good) note_skew(socket, cert);
    return is_good;
}

static int on_established(struct tunnel_socket *socket)
{
    if (!is_hub(socket)) {
        lose(socket, FL_STR("the control plane's certificate is not good"));
        return -1;
    }
    fl_net_set_user_timeout(lws_get_socket_fd(socket->wsi), UNSENT_MS);
    agent_route_good(socket->route);
    socket->is_dialing = false;
    socket->port.opened(socket->port.ctx);
    return 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    struct tunnel_socket *socket = wsi ? lws_get_opaque_user_data(wsi) : NULL;

    (void)user;
    if (!socket || socket->is_ending || (socket->wsi && socket->wsi != wsi)) return 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        return on_established(socket);
    case LWS_CALLBACK_CLIENT_RECEIVE:
        socket->port.bytes(socket->port.ctx, (struct fl_str){in, len});
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        socket->is_choked = false;
        socket->port.writable(socket->port.ctx);
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        lose(socket, (struct fl_str){in, in ? len : 0});
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
        lose(socket, (struct fl_str){0});
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        if (socket->wsi == wsi) lose(socket, (struct fl_str){0});
        return 0;
    default:
        return 0;
    }
}

static void on_lws_log(int level, const char *line)
{
    struct fl_str text = fl_str_c(line);

    while (text.len && text.at[text.len - 1] == '\n') {
        text.len--;
    }
    fl_log(level & LLL_ERR ? FL_LOG_WARN : FL_LOG_DEBUG, "lws", "says", FL_LOG_STR("text", text));
}

/* ---- its life -------------------------------------------------------------------------------- */

static bool start(struct tunnel_socket *socket, struct fl_loop *loop, struct fl_err *err)
{
    void *loops[1] = {fl_loop_ev(loop)};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .options = LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
        .foreign_loops = loops,
        .pt_serv_buf_size = SERVICE_BYTES,
    };
    struct agent_route_port route = {socket, on_found, on_not_found};

    if (!agent_route_create(loop, socket->config.proxy, socket->config.no_proxy,
                            socket->config.host, socket->config.port, &route, &socket->route,
                            err)) {
        return false;
    }
    lws_set_log_level(LLL_ERR | LLL_WARN, on_lws_log);
    socket->context = lws_create_context(&info);
    return socket->context || fl_fail(err, FL_IO, "libwebsockets does not start");
}

struct tunnel_socket *tunnel_socket_create(struct fl_loop *loop,
                                           const struct tunnel_socket_config *config,
                                           const struct tunnel_socket_port *port,
                                           struct fl_err *err)
{
    struct tunnel_socket *socket = fl_new(struct tunnel_socket);

    socket->loop = loop;
    socket->config = *config;
    socket->port = *port;
    fl_buf_init(&socket->out, LWS_PRE + FL_MUX_WRITE_BYTES_MAX);
    (void)fl_buf_put(&socket->out, (uint8_t[LWS_PRE]){0}, LWS_PRE);
    fl_after_init(&socket->after, loop, after_turn, socket);
    if (start(socket, loop, err)) return socket;
    tunnel_socket_destroy(socket);
    return NULL;
}

void tunnel_socket_destroy(struct tunnel_socket *socket)
{
    if (!socket) return;
    socket->is_ending = true;
    tunnel_socket_drop(socket);
    fl_after_off(&socket->after);
    if (socket->context) lws_context_destroy(socket->context); /* with its vhosts */
    SSL_CTX_free(socket->tls);
    agent_route_destroy(socket->route);
    fl_buf_fini(&socket->out);
    fl_free(socket);
}
