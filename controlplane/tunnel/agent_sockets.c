#include "controlplane/tunnel/agent_sockets.h"

#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libwebsockets.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "shared/link/mux.h"
#include "shared/tls/context.h"

#define SUBPROTOCOL "fairlead.tunnel.1"

enum {
    RX_BYTES = 4096,           /* libwebsockets' buffer for each connection */
    SERVICE_BYTES = 64 << 10,  /* the largest piece of input that libwebsockets hands on */
    NOTSENT_BYTES = 128 << 10, /* bytes in the kernel, behind which control would have to wait */
    WHY_BYTES = 128,
    TICKET_MS = 24 * 60 * 60 * 1000,
    UNSENT_MS = 30000, /* a peer that acknowledges no byte for so long is gone */
};

struct agent_socket {
    struct agent_sockets *sockets;
    void *owner;
    struct lws *wsi; /* NULL: libwebsockets has not begun with it */
    bool is_open;
    bool is_choked;
    bool is_unread;      /* libwebsockets must read nothing */
    char why[WHY_BYTES]; /* why it was refused; "": no reason was found */
};

struct agent_sockets {
    struct fl_loop *loop;
    struct agent_sockets_port port;
    struct lws_context *context;
    struct lws_vhost *vhost;
    SSL_CTX *tls;                  /* the vhost's */
    SSL_CTX *client;               /* unused; without it libwebsockets makes one and leaks it */
    struct agent_socket *adopting; /* the one that libwebsockets is being given */
    struct fl_buf out;             /* LWS_PRE bytes, then the bytes to send */
};

/* ---- writing and reading --------------------------------------------------------------------- */

struct fl_buf *agent_socket_room(struct agent_socket *socket)
{
    struct fl_buf *out = &socket->sockets->out;

    if (socket->is_choked) return NULL;
    if (lws_send_pipe_choked(socket->wsi)) {
        socket->is_choked = true;
        lws_callback_on_writable(socket->wsi);
        return NULL;
    }
    fl_buf_truncate(out, LWS_PRE);
    return out;
}

bool agent_socket_send(struct agent_socket *socket)
{
    struct fl_buf *out = &socket->sockets->out;
    size_t len = out->len - LWS_PRE;

    return lws_write(socket->wsi, out->at + LWS_PRE, len, LWS_WRITE_BINARY) >= (int)len;
}

bool agent_socket_is_choked(const struct agent_socket *socket)
{
    return socket->is_choked;
}

void agent_socket_set_reading(struct agent_socket *socket, bool is_reading)
{
    if (is_reading != socket->is_unread) return;
    socket->is_unread = !is_reading;
    lws_rx_flow_control(socket->wsi, is_reading);
}

void agent_socket_drop(struct agent_socket *socket)
{
    lws_set_timeout(socket->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void end(struct agent_socket *socket, const char *why)
{
    struct agent_sockets *sockets = socket->sockets;

    if (sockets->adopting == socket) sockets->adopting = NULL;
    sockets->port.gone(socket->owner, socket->why[0] ? socket->why : why);
    fl_free(socket);
}

void agent_sockets_adopt(struct agent_sockets *sockets, int fd, void *owner,
                         struct agent_socket **ret_socket)
{
    struct agent_socket *socket = fl_new(struct agent_socket);
    int notsent = NOTSENT_BYTES;

    /* Both calls only improve the connection, so failures do not matter. */
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &notsent, sizeof notsent);
    fl_net_set_user_timeout(fd, UNSENT_MS);
    socket->sockets = sockets;
    socket->owner = owner;
    *ret_socket = socket;
    sockets->adopting = socket;
    /* The first callback binds the socket; if libwebsockets fails before, we free it here. */
    if (!lws_adopt_socket_vhost(sockets->vhost, fd) && sockets->adopting) end(socket, "no TLS");
    sockets->adopting = NULL;
}

/* ---- callbacks of libwebsockets -------------------------------------------------------------- */

static int on_established(struct agent_socket *socket)
{
    SSL *ssl = lws_get_ssl(socket->wsi);
    struct fl_cert cert;
    struct fl_err err = {0};

    /* A second check of the certificate, which does not rely on the handshake's callbacks. */
    if (!fl_ticket_shown(ssl, &cert) && !fl_cert_of_cluster(ssl, &cert, &err)) {
        snprintf(socket->why, sizeof socket->why, "%.*s", WHY_BYTES - 1, err.text);
        return -1;
    }
    socket->is_open = true;
    socket->sockets->port.opened(socket->owner, &cert);
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

static int on_verify(struct agent_socket *socket, X509_STORE_CTX *store, bool is_good)
{
    if (!is_good && socket && !socket->why[0]) {
        snprintf(socket->why, sizeof socket->why, "certificate: %s",
                 X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
    }
    return !is_good; /* 0 accepts the certificate */
}

static void set_tls(struct agent_sockets *sockets, SSL_CTX *tls)
{
    sockets->tls = tls;
    fl_tls_limit(tls);
    SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
    /* We issued it, so its generation counts, and our clock alone: server.c looks at its end. */
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(tls), X509_V_FLAG_NO_CHECK_TIME);
    SSL_CTX_set_num_tickets(tls, 0);
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    struct lws_context *context = wsi ? lws_get_context(wsi) : NULL;
    struct agent_sockets *sockets = context ? lws_context_user(context) : NULL;
    struct agent_socket *socket = wsi ? lws_get_opaque_user_data(wsi) : NULL;

    if (!sockets) return 0; /* the context is being made, or is gone */
    if (!socket && sockets->adopting && !sockets->adopting->wsi &&
        reason == LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED) {
        socket = sockets->adopting;
        socket->wsi = wsi;
        lws_set_opaque_user_data(wsi, socket);
    }
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        set_tls(sockets, user);
        return 0;
    case LWS_CALLBACK_OPENSSL_PERFORM_CLIENT_CERT_VERIFICATION:
        return on_verify(socket, user, len != 0);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return is_ours(wsi, in) ? 0 : -1;
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION:
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return -1; /* this listener serves no pages */
    case LWS_CALLBACK_ESTABLISHED:
        return socket ? on_established(socket) : -1;
    case LWS_CALLBACK_RECEIVE:
        if (!socket || !socket->is_open) return -1;
        sockets->port.bytes(socket->owner, (struct fl_str){in, len});
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        if (!socket || !socket->is_open) return 0;
        socket->is_choked = false;
        return sockets->port.writable(socket->owner) ? 0 : -1;
    case LWS_CALLBACK_WSI_DESTROY:
        if (!socket) return 0;
        lws_set_opaque_user_data(wsi, NULL);
        end(socket, "no TLS, no certificate, or no WebSocket");
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

static bool start_lws(struct agent_sockets *sockets, const struct listener_files *files,
                      struct fl_err *err)
{
    /* libwebsockets sends no pings: the link does, and libwebsockets' timers are a sorted list,
     * which is slow with thousands. */
    static const lws_retry_bo_t no_pings = {0};
    void *loops[1] = {fl_loop_ev(sockets->loop)};
    uint64_t options =
        LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
        LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX |
        LWS_SERVER_OPTION_REQUIRE_VALID_OPENSSL_CLIENT_CERT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .options = options,
        .foreign_loops = loops,
        .user = sockets,
        .pt_serv_buf_size = SERVICE_BYTES,
        .retry_and_idle_policy = &no_pings,
        .vhost_name = "tunnel",
        .alpn = "http/1.1",
        .ssl_cert_filepath = files->certificate,
        .ssl_private_key_filepath = files->key,
        .ssl_ca_filepath = files->ca,
        .provided_client_ssl_ctx = sockets->client,
        .ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 | SSL_OP_NO_TLSv1_2,
    };

    lws_set_log_level(LLL_ERR | LLL_WARN, on_lws_log);
    sockets->context = lws_create_context(&info);
    if (!sockets->context) return fl_fail(err, FL_IO, "libwebsockets does not start");
    sockets->vhost = lws_create_vhost(sockets->context, &info);
    if (!sockets->vhost || !sockets->tls) {
        return fl_fail(err, FL_IO, "libwebsockets does not take the certificate");
    }
    return true;
}

struct agent_sockets *agent_sockets_create(struct fl_loop *loop, const struct listener_files *files,
                                           const struct fl_ticket_key *key,
                                           const struct agent_sockets_port *port,
                                           struct fl_err *err)
{
    struct agent_sockets *sockets;

    if (!listener_credentials_check(files, err)) return NULL;
    sockets = fl_new(struct agent_sockets);
    sockets->loop = loop;
    sockets->port = *port;
    sockets->client = SSL_CTX_new(TLS_client_method());
    fl_assert(sockets->client);
    fl_buf_init(&sockets->out, LWS_PRE + FL_MUX_WRITE_BYTES_MAX);
    (void)fl_buf_put(&sockets->out, (uint8_t[LWS_PRE]){0}, LWS_PRE);
    if (!start_lws(sockets, files, err)) {
        agent_sockets_destroy(sockets);
        return NULL;
    }
    /* Not earlier: libwebsockets names its sessions by an address of this process. */
    if (key) fl_ticket_serve(sockets->tls, key, TICKET_MS);
    return sockets;
}

void agent_sockets_destroy(struct agent_sockets *sockets)
{
    if (!sockets) return;
    if (sockets->context) lws_context_destroy(sockets->context);
    SSL_CTX_free(sockets->client);
    fl_buf_fini(&sockets->out);
    fl_free(sockets);
}

bool agent_sockets_reload(struct agent_sockets *sockets, const struct listener_files *files,
                          struct fl_err *err)
{
    if (!listener_credentials_check(files, err)) return false;
    if (SSL_CTX_use_certificate_chain_file(sockets->tls, files->certificate) == 1 &&
        SSL_CTX_use_PrivateKey_file(sockets->tls, files->key, SSL_FILETYPE_PEM) == 1) {
        return true;
    }
    return fl_tls_fail(NULL, "the listener's certificate", err);
}
