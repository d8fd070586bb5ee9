#include "tests/store/api_help.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "controlplane/api/call_budget.h"
#include "controlplane/api/denial_budget.h"
#include "controlplane/front/spec_cache.h"
#include "controlplane/identity/identity.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/views/token_table.h"
#include "controlplane/views/views.h"
#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/net.h"
#include "shared/io/state_dir.h"
#include "shared/tls/context.h"
#include "tests/fl_test.h"
#include "tests/store/store_help.h"

enum { FRONTS = 2, REPLY_MAX = 64 << 20, SOCKET_WAIT_S = 60 };

struct help_hub {
    char folder[64], logs_folder[80], admin[128], api_url[80], tunnel_address[FL_NET_TEXT_MAX];
    char *conninfo;
    struct fl_state_dir *dir;
    struct identity *identity;
    SSL_CTX *tls, *client;
    struct views *views;
    struct spec_cache *specs;
    struct log_store *logs;
    struct fronts *fronts;
    struct call_budget requests;
    struct denial_budget denials;
    struct engine_thread *engine;
    struct fl_net_address api, tunnel;
};

static void must(bool is_good, const struct fl_err *err)
{
    if (!is_good) fail_msg("%s", err->text);
}

static void health(void *ctx, struct api_health *ret_health)
{
    struct help_hub *hub = ctx;

    *ret_health = (struct api_health){.is_leading = engine_thread_status(hub->engine).state ==
                                                    ENGINE_LEADING};
}

static void make_tls(struct help_hub *hub)
{
    struct fl_tls_server server = {0};
    struct fl_tls_client client = {.ca_pem = identity_ca_pem(hub->identity)};
    struct fl_buf cert, key;
    struct fl_err err = {0};

    fl_buf_init(&cert, FL_CERT_PEM_MAX);
    fl_buf_init(&key, FL_CERT_PEM_MAX);
    must(identity_server(hub->identity, &cert, &key, &err), &err);
    server.cert_pem = (struct fl_str){(const char *)cert.at, cert.len};
    server.key_pem = (struct fl_str){(const char *)key.at, key.len};
    must(fl_tls_server(&server, &hub->tls, &err), &err);
    must(fl_tls_client(&client, &hub->client, &err), &err);
    fl_buf_fini(&cert);
    fl_buf_fini(&key);
}

static void add_fronts(struct help_hub *hub)
{
    struct front_config config = {.api_tls = hub->tls,
                                  .waiting_max = 10000,
                                  .answer_ms = 60000,
                                  .drain_ms = 5000,
                                  .handshake_cpu = 50};
    int api_fds[FRONTS], tunnel_fds[FRONTS];
    struct fl_net_listen shared = {.is_shared = true};
    char address[FL_NET_TEXT_MAX];
    struct fl_err err = {0};

    must(fl_net_parse(FL_STR("127.0.0.1:0"), &hub->api, &err), &err);
    hub->tunnel = hub->api;
    for (int i = 0; i < FRONTS; i++) {
        must(fl_net_listen(&hub->api, shared, &api_fds[i], &err), &err);
        must(fl_net_local(api_fds[i], &hub->api, &err), &err);
        must(fl_net_listen(&hub->tunnel, shared, &tunnel_fds[i], &err), &err);
        must(fl_net_local(tunnel_fds[i], &hub->tunnel, &err), &err);
    }
    fl_net_print(&hub->api, address);
    snprintf(hub->api_url, sizeof hub->api_url, "https://%s", address);
    fl_net_print(&hub->tunnel, hub->tunnel_address);
    hub->requests.max = (size_t)512 << 20;
    hub->denials.rows_max = 100000;
    config.api = (struct api_config){.limits = http_limits_default(),
                                     .api_url = hub->api_url,
                                     .tunnel_address = hub->tunnel_address,
                                     .followers_max = 100,
                                     .heartbeat_ms = 1000,
                                     .log_grace_ms = FL_HOUR_MS,
                                     .query_ms = 30000,
                                     .token_life_max = 365 * 24 * FL_HOUR_MS,
                                     .budget = &hub->requests,
                                     .denials = &hub->denials};
    config.tunnel = tunnel_server_config_default();
    config.tunnel.certificate_file = identity_server_cert_path(hub->identity);
    config.tunnel.key_file = identity_server_key_path(hub->identity);
    config.tunnel.ca_file = identity_ca_path(hub->identity);
    for (int i = 0; i < FRONTS; i++) {
        config.number = (uint8_t)(i + 1);
        config.api_fd = api_fds[i];
        config.tunnel_fd = tunnel_fds[i];
        must(fronts_add(hub->fronts, &config, &err), &err);
    }
}

static void read_admin(struct help_hub *hub)
{
    fl_ms end = help_now() + 2 * (fl_ms)HELP_WAIT_MS;
    struct fl_err err = {0};
    struct fl_buf text;

    while (!token_table_has_admin(hub->views->tokens, 0)) {
        if (help_now() > end) fail_msg("waited in vain for the first token");
        usleep(5000);
    }
    fl_buf_init(&text, sizeof hub->admin - 1);
    must(fl_file_read(fl_state_dir_fd(hub->dir), "admin-token", &text, &err), &err);
    memcpy(hub->admin, text.at, text.len - 1); /* without the end of the line */
    fl_buf_fini(&text);
}

struct help_hub *help_hub_start(void)
{
    return help_hub_start_on(help_database());
}

struct help_hub *help_hub_start_on(char *conninfo)
{
    struct help_hub *hub = fl_new(struct help_hub);
    struct identity_config identity = identity_config_default();
    struct engine_thread_config config = engine_thread_config_default();
    struct front_shared shared = {.health = health, .health_ctx = hub};
    struct engine_thread_ports ports;
    struct log_store_config logs;
    struct fl_err err = {0};

    snprintf(hub->folder, sizeof hub->folder, "/tmp/fl-api-test.XXXXXX");
    assert_non_null(mkdtemp(hub->folder));
    hub->conninfo = conninfo;
    must(fl_state_dir_open(hub->folder, &hub->dir, &err), &err);
    must(identity_open(hub->dir, &identity, fl_clock_wall(), &hub->identity, &err), &err);
    make_tls(hub);
    snprintf(hub->logs_folder, sizeof hub->logs_folder, "%s/logs", hub->folder);
    logs = log_store_config_default(hub->logs_folder);
    hub->logs = log_store_create(&logs, &err);
    must(hub->logs != NULL, &err);
    hub->views = shared.views = views_create();
    hub->specs = shared.specs = spec_cache_create(1 << 20);
    shared.identity = hub->identity;
    shared.logs = hub->logs;
    shared.dir = hub->dir;
    shared.conninfo = hub->conninfo;
    hub->fronts = fronts_create(&shared);
    add_fronts(hub);
    ports = fronts_ports(hub->fronts);
    config.store.conninfo = hub->conninfo;
    config.store.instance = fl_state_dir_instance(hub->dir);
    config.engine.seed = 1;
    hub->engine = engine_thread_create(&config, &ports);
    fronts_start(hub->fronts, hub->engine);
    read_admin(hub);
    return hub;
}

void help_hub_stop(struct help_hub *hub)
{
    char command[128];

    fronts_drain(hub->fronts);
    engine_thread_stop(hub->engine);
    fronts_destroy(hub->fronts);
    engine_thread_destroy(hub->engine);
    log_store_destroy(hub->logs);
    spec_cache_destroy(hub->specs);
    views_destroy(hub->views);
    SSL_CTX_free(hub->tls);
    SSL_CTX_free(hub->client);
    identity_close(hub->identity);
    fl_state_dir_close(hub->dir);
    snprintf(command, sizeof command, "rm -rf %s", hub->folder);
    assert_int_equal(system(command), 0);
    fl_free(hub->conninfo);
    fl_free(hub);
}

const char *help_hub_conninfo(const struct help_hub *hub)
{
    return hub->conninfo;
}

const char *help_hub_admin(const struct help_hub *hub)
{
    return hub->admin;
}

struct fl_digest help_hub_ca(const struct help_hub *hub)
{
    return identity_ca_sha256(hub->identity);
}

/* ---- clients --------------------------------------------------------------------------------- */

static SSL *dial(const struct help_hub *hub, int *ret_fd)
{
    struct timeval wait = {.tv_sec = SOCKET_WAIT_S};
    struct fl_err err = {0};
    SSL *ssl = SSL_new(hub->client);

    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(*ret_fd >= 0);
    setsockopt(*ret_fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    setsockopt(*ret_fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    assert_int_equal(connect(*ret_fd, &hub->api.any, hub->api.len), 0);
    must(fl_tls_expect(ssl, FL_TLS_SERVER_NAME, &err), &err);
    SSL_set_fd(ssl, *ret_fd);
    assert_int_equal(SSL_connect(ssl), 1);
    return ssl;
}

static struct fl_str copy(struct fl_arena *arena, const void *at, size_t len)
{
    return (struct fl_str){fl_arena_copy(arena, at, len), len};
}

/* Takes the chunks' lengths out. */
static struct fl_str unchunk(struct fl_arena *arena, struct fl_str body)
{
    struct fl_buf plain;
    struct fl_str all;

    fl_buf_init(&plain, REPLY_MAX);
    while (body.len > 0) {
        char *end;
        size_t len = strtoul(body.at, &end, 16), head = (size_t)(end - body.at) + 2;

        if (len == 0 || head + len + 2 > body.len) break;
        fl_buf_put(&plain, body.at + head, len);
        body.at += head + len + 2;
        body.len -= head + len + 2;
    }
    all = copy(arena, plain.at, plain.len);
    fl_buf_fini(&plain);
    return all;
}

static struct help_reply parse(struct fl_arena *arena, const struct fl_buf *bytes)
{
    const char *text = (const char *)bytes->at;
    const char *end = bytes->len > 0 ? memmem(text, bytes->len, "\r\n\r\n", 4) : NULL;
    struct help_reply reply = {0};
    struct fl_err err = {0};

    if (!end) fail_msg("no head came in %zu bytes", bytes->len);
    reply.head = copy(arena, text, (size_t)(end - text));
    reply.body = copy(arena, end + 4, bytes->len - reply.head.len - 4);
    reply.status = atoi(reply.head.at + 9);
    if (memmem(reply.head.at, reply.head.len, "chunked", 7)) {
        reply.body = unchunk(arena, reply.body);
    }
    if (!fl_json_parse(reply.body, arena, &reply.json, NULL, &err)) reply.json = NULL;
    return reply;
}

struct help_reply help_call(const struct help_hub *hub, struct fl_arena *arena, const char *token,
                            const char *method, const char *path, const char *headers,
                            const char *body, const char *until)
{
    struct help_reply reply;
    struct fl_buf bytes;
    char piece[8192], *request;
    int fd, got;
    fl_ms end;
    SSL *ssl = dial(hub, &fd);

    request = fl_arena_printf(
        arena,
        "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s%s%s%s%sContent-Length: %zu\r\n\r\n%s",
        method, path, token ? "Authorization: Bearer " : "", token ? token : "",
        token ? "\r\n" : "",
        body && (!headers || !strstr(headers, "Content-Type"))
            ? "Content-Type: application/json\r\n"
            : "",
        headers ? headers : "", body ? strlen(body) : 0, body ? body : "");
    for (size_t sent = 0, len = strlen(request); sent < len; sent += (size_t)got) {
        got = SSL_write(ssl, request + sent, (int)(len - sent)); /* a record at a time */
        assert_true(got > 0);
    }
    fl_buf_init(&bytes, REPLY_MAX);
    end = help_now() + (fl_ms)SOCKET_WAIT_S * 1000;
    while (help_now() < end && (got = SSL_read(ssl, piece, sizeof piece)) > 0) {
        assert_true(fl_buf_put(&bytes, piece, (size_t)got));
        if (until && memmem(bytes.at, bytes.len, until, strlen(until))) break;
    }
    if (until && !(bytes.len > 0 && memmem(bytes.at, bytes.len, until, strlen(until)))) {
        fail_msg("'%s' did not come: %.*s", until, (int)bytes.len, (char *)bytes.at);
    }
    reply = parse(arena, &bytes);
    fl_buf_fini(&bytes);
    SSL_free(ssl);
    close(fd);
    return reply;
}

struct fl_str help_text(const struct fl_json *object, const char *key)
{
    const struct fl_json *member = object ? fl_json_member(object, fl_str_c(key)) : NULL;

    if (!member) fail_msg("there is no '%s'", key);
    return member ? member->text : (struct fl_str){0};
}
