#include "tests/unit/controlplane/tunnel/tunnel_world.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "agent/tunnel/identity.h"
#include "agent/tunnel/identity_folder.h"
#include "shared/base/alloc.h"
#include "shared/base/buf.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/net.h"
#include "shared/tls/digest.h"
#include "shared/tls/key.h"
#include "tests/fl_test.h"

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

struct fl_uuid tunnel_world_uuid(uint8_t n)
{
    return (struct fl_uuid){.at = {1, [15] = n}};
}

/* ---- the fake engine ------------------------------------------------------------------------- */

static void push(struct tunnel_world *world, struct core_send send)
{
    fl_vec_push(&world->sends, send);
    fl_after_put(&world->send);
}

static void send_all(void *ctx)
{
    struct tunnel_world *world = ctx;

    while (world->sends.len) {
        struct core_send send = world->sends.at[0];

        fl_vec_remove(&world->sends, 0);
        tunnel_server_send(world->server, &send);
    }
}

static bool on_adopt(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct tunnel_world *world = ctx;
    const struct core_event *e = &event->event;

    if (world->is_bounded && world->room == 0 && e->kind != CORE_EV_session_lost) {
        engine_event_destroy(event);
        return fl_fail(err, FL_FULL, "the inbox is full");
    }
    if (world->is_bounded && world->room > 0) world->room--;
    if (world->on_event) world->on_event(world->hook_ctx, e);
    switch (e->kind) {
    case CORE_EV_session_open:
        world->opens++;
        world->resyncs += e->session_open.is_resync;
        world->last_open = *e;
        push(world, (struct core_send){.kind = e->session_open.is_resync ? CORE_SEND_resync
                                                                         : CORE_SEND_welcome,
                                       .cluster = e->session_open.cluster,
                                       .connection = e->session_open.connection,
                                       .session_epoch = ++world->session_epoch});
        break;
    case CORE_EV_session_lost:
        world->losts++;
        break;
    case CORE_EV_inventory:
        world->inventories += e->inventory.is_end;
        break;
    case CORE_EV_replica:
        world->replicas++;
        push(world, (struct core_send){.kind = CORE_SEND_ack,
                                       .cluster = e->replica.cluster,
                                       .connection = world->last_open.session_open.connection,
                                       .report_seq = e->replica.report_seq});
        break;
    case CORE_EV_nodes:
        world->nodes += e->nodes.len;
        break;
    default:
        fail_msg("an agent makes no such event");
    }
    engine_event_destroy(event);
    return true;
}

static bool on_peer(void *ctx, const struct tunnel_peer *peer, struct fl_str cluster_uid,
                    struct fl_cluster *ret_cluster, struct fl_err *err)
{
    struct tunnel_world *world = ctx;
    char uid[16];

    world->peers++;
    world->generation = peer->cert.generation;
    snprintf(uid, sizeof uid, "uid-%d", peer->cert.cluster.at[15]);
    if (world->refuses_peers || !fl_str_eq(cluster_uid, fl_str_c(uid))) {
        return fl_fail(err, FL_DENIED, "this cluster is revoked");
    }
    *ret_cluster = (struct fl_cluster){peer->cert.cluster.at[15]};
    return true;
}

static void fill_spec(struct tunnel_world *world, struct tunnel_spec *ret_spec)
{
    ret_spec->document = (struct fl_str){world->spec.document, world->spec.bytes};
    ret_spec->digest = fl_sha256(world->spec.document, world->spec.bytes);
    ret_spec->params = FL_STR("{\"lr\":\"0.1\"}");
}

static bool on_spec(void *ctx, uint64_t ticket, struct fl_cluster cluster,
                    struct fl_attempt attempt, struct tunnel_spec *ret_spec)
{
    struct tunnel_world *world = ctx;

    (void)cluster;
    (void)attempt;
    world->ticket = ticket;
    if (world->spec.is_late) return false;
    fill_spec(world, ret_spec);
    return true;
}

static void on_renew(void *ctx, uint64_t connection, struct fl_cluster cluster,
                     const struct tunnel_peer *peer, struct fl_str bytes)
{
    struct tunnel_world *world = ctx;
    struct fl_csr csr = {0};
    struct fl_err err = {0};
    struct fl_buf pem;
    fl_ms now = fl_clock_wall();

    (void)cluster;
    assert_true(fl_csr_read(bytes, &csr, &err));
    assert_true(fl_uuid_eq(csr.cluster, peer->cert.cluster));
    world->renew_key = csr.key_sha256;
    if (world->renews_lost) {
        world->renews_lost--;
        fl_csr_fini(&csr);
        return;
    }
    fl_buf_init(&pem, FL_CERT_PEM_MAX);
    assert_true(fl_ca_sign_cluster(world->ca, csr.key, csr.cluster, peer->cert.generation + 1,
                                   now - 60000, now + FL_HOUR_MS, &pem, &err));
    tunnel_server_renewed(world->server, connection, FL_OK, (struct fl_str){0}, view(&pem));
    world->renews++;
    fl_buf_fini(&pem);
    fl_csr_fini(&csr);
}

static void on_log_frame(void *ctx, uint64_t connection, struct fl_cluster cluster,
                         struct fl_str payload)
{
    struct tunnel_world *world = ctx;

    (void)cluster;
    world->log_bytes += payload.len;
    if (world->on_log) world->on_log(world->hook_ctx, connection, payload);
    log_stream_consumed(tunnel_server_streams(world->server, connection), (uint32_t)payload.len);
}

static void on_log_closed(void *ctx, uint64_t connection, struct fl_cluster cluster)
{
    (void)ctx;
    (void)connection;
    (void)cluster;
}

/* ---- a kind of stream that is only here ------------------------------------------------------ */

static bool on_shell_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    struct fake_shell *shell = ctx;

    (void)err;
    shell->stream = stream;
    shell->opens++;
    if (shell->total) fl_stream_wants(stream, shell->total);
    return true;
}

static bool on_shell_data(void *ctx, struct fl_stream *stream, struct fl_str bytes,
                          struct fl_err *err)
{
    struct fake_shell *shell = ctx;

    (void)err;
    shell->got += bytes.len;
    if (!shell->is_stalled) fl_stream_consumed(stream, (uint32_t)bytes.len);
    return true;
}

static size_t on_shell_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct fake_shell *shell = ctx;
    size_t len = shell->total - shell->sent < bytes_max ? shell->total - shell->sent : bytes_max;

    (void)stream;
    memset(at, 'x', len);
    shell->sent += len;
    return len;
}

static void on_shell_close(void *ctx, struct fl_stream *stream, enum fl_code code,
                           struct fl_str text)
{
    struct fake_shell *shell = ctx;

    assert_ptr_equal(stream, shell->stream);
    shell->stream = NULL;
    shell->closes++;
    shell->code = code;
    snprintf(shell->text, sizeof shell->text, FL_STR_FMT, FL_STR_ARG(text));
}

static struct fl_stream_kind shell_kind(struct fake_shell *shell)
{
    return (struct fl_stream_kind){
        FL_FRAME_EXEC,       1, shell, on_shell_open, on_shell_data, on_shell_pull, on_shell_close,
        .holds_tunnel = true};
}

void fake_shell_open(struct fake_shell *shell, struct fl_streams *streams, fl_ms now,
                     uint64_t total)
{
    struct fl_err err = {0};

    assert_true(fl_streams_open(streams, FL_FRAME_EXEC, now, &shell->stream, &err));
    shell->total = total;
    shell->sent = 0;
    fl_stream_wants(shell->stream, total);
}

void tunnel_world_send(struct tunnel_world *world, enum core_send_kind kind,
                       struct fl_attempt attempt)
{
    uint32_t nodes[] = {0, 3};
    struct core_send send = {
        .kind = kind,
        .cluster = world->last_open.session_open.cluster,
        .connection = world->last_open.session_open.connection,
        .session_epoch = world->session_epoch,
        .attempt = attempt,
        .control_seq = ++world->control_seq,
        .nodes = nodes,
        .nodes_len = 2,
    };

    tunnel_server_send(world->server, &send);
}

/* ---- files and sockets ----------------------------------------------------------------------- */

static void write_file(struct tunnel_world *world, const char *name, struct fl_str text,
                       char ret_path[TUNNEL_WORLD_PATH_MAX])
{
    struct fl_err err = {0};

    snprintf(ret_path, TUNNEL_WORLD_PATH_MAX, "%.80s/%s", world->dir, name);
    if (!fl_file_write(AT_FDCWD, ret_path, text.at, text.len, 0600, &err)) fail_msg("%s", err.text);
}

static void make_server(struct tunnel_world *world, uint32_t handshake_ms)
{
    static const char *const names[] = {"localhost", "127.0.0.1"};
    struct tunnel_server_config config = tunnel_server_config_default();
    struct tunnel_server_ports ports = {.ctx = world,
                                        .adopt = on_adopt,
                                        .peer = on_peer,
                                        .spec = on_spec,
                                        .renew = on_renew,
                                        .streams = world->streams,
                                        .streams_len = 2};
    char cert_file[TUNNEL_WORLD_PATH_MAX], key_file[TUNNEL_WORLD_PATH_MAX],
        ca_file[TUNNEL_WORLD_PATH_MAX];
    struct fl_key *key = fl_key_create();
    struct fl_net_address address;
    struct fl_buf cert, key_pem;
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();

    fl_buf_init(&cert, 2 * FL_CERT_PEM_MAX);
    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    assert_true(fl_ca_sign_server(world->ca, key, (struct fl_ca_names){names, 2}, now - 60000,
                                  now + FL_HOUR_MS, &cert, &err));
    assert_true(fl_key_write(key, &key_pem, &err));
    write_file(world, "server.pem", view(&cert), cert_file);
    write_file(world, "server.key", view(&key_pem), key_file);
    write_file(world, "ca.pem", fl_ca_cert_pem(world->ca), ca_file);
    fl_buf_fini(&cert);
    fl_buf_fini(&key_pem);
    fl_key_destroy(key);

    world->log_stream = (struct log_stream_ports){world, on_log_frame, on_log_closed};
    world->streams[0] = log_stream_kind(&world->log_stream);
    world->streams[1] = shell_kind(&world->shell);
    assert_true(fl_net_parse(FL_STR("127.0.0.1:0"), &address, &err));
    assert_true(fl_net_listen(&address, (struct fl_net_listen){0}, &config.listen_fd, &err));
    assert_true(fl_net_local(config.listen_fd, &address, &err));
    world->port = fl_net_port(&address);
    snprintf(world->hub, sizeof world->hub, "127.0.0.1:%u", world->port);
    config.front = 3;
    config.certificate_file = cert_file;
    config.key_file = key_file;
    config.ca_file = ca_file;
    config.has_tickets = true;
    memset(&config.ticket_key, 7, sizeof config.ticket_key);
    config.handshake_ms = handshake_ms ? handshake_ms : TUNNEL_WORLD_WAIT_MS;
    world->server = tunnel_server_create(world->loop, &config, &ports, &err);
    if (!world->server) fail_msg("%s", err.text);
}

void tunnel_world_init(struct tunnel_world *world, uint32_t handshake_ms)
{
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();

    memset(world, 0, sizeof *world);
    snprintf(world->dir, sizeof world->dir, "/tmp/fl-tunnel-XXXXXX");
    assert_non_null(mkdtemp(world->dir));
    world->loop = fl_loop_create();
    fl_after_init(&world->send, world->loop, send_all, world);
    assert_true(fl_ca_create("test", now, 24 * FL_HOUR_MS, &world->ca, &err));
    world->spec.document = fl_alloc(200);
    snprintf(world->spec.document, 200, "{\"command\":[\"true\"]}");
    world->spec.bytes = strlen(world->spec.document);
    make_server(world, handshake_ms);
}

void tunnel_world_fini(struct tunnel_world *world)
{
    char command[TUNNEL_WORLD_PATH_MAX + 16];

    fl_after_off(&world->send);
    tunnel_server_destroy(world->server);
    fl_loop_destroy(world->loop);
    fl_ca_destroy(world->ca);
    fl_vec_fini(&world->sends);
    fl_free(world->spec.document);
    snprintf(command, sizeof command, "rm -rf %s", world->dir);
    assert_int_equal(system(command), 0);
}

void tunnel_world_identity(struct tunnel_world *world, const char *state_dir, uint8_t n,
                           const struct fl_ca *signer, fl_ms lifetime_ms)
{
    struct fl_key *key = fl_key_create();
    struct fl_err err = {0};
    struct fl_buf key_pem, cert;
    fl_ms now = fl_clock_wall();
    fl_ms from = lifetime_ms < 0 ? now + 2 * lifetime_ms : now - FL_SECOND_MS;

    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    fl_buf_init(&cert, FL_CERT_PEM_MAX);
    assert_true(fl_key_write(key, &key_pem, &err));
    assert_true(fl_ca_sign_cluster(signer, key, tunnel_world_uuid(n), 1, from, now + lifetime_ms,
                                   &cert, &err));
    mkdir(state_dir, 0700);
    if (!agent_identity_store(identity_folder(state_dir), view(&key_pem), view(&cert),
                              fl_ca_cert_pem(world->ca), fl_str_c(world->hub), &err)) {
        fail_msg("%s", err.text);
    }
    fl_buf_fini(&key_pem);
    fl_buf_fini(&cert);
    fl_key_destroy(key);
}

/* ---- the fake agent -------------------------------------------------------------------------- */

static void note(struct fake_agent *agent, char letter)
{
    size_t len = strlen(agent->order);

    if (len + 1 < sizeof agent->order) agent->order[len] = letter;
}

static void report(struct fake_agent *agent, struct fl_attempt attempt, enum fl_replica_state state)
{
    agent_dialer_put(agent->dialer, &(struct fl_msg){.kind = FL_MSG_replica,
                                                     .replica = {.report_seq = ++agent->report_seq,
                                                                 .attempt = attempt,
                                                                 .state = state}});
}

static void list(struct fake_agent *agent, uint64_t session_epoch)
{
    agent_dialer_put(agent->dialer,
                     &(struct fl_msg){.kind = FL_MSG_inventory_begin,
                                      .inventory_begin = {.session_epoch = session_epoch}});
    agent_dialer_put(agent->dialer,
                     &(struct fl_msg){.kind = FL_MSG_node, .node = {.name = FL_STR("n")}});
    agent_dialer_put(agent->dialer, &(struct fl_msg){.kind = FL_MSG_inventory_end});
}

static void on_hello(void *ctx, struct fl_msg_hello *hello)
{
    struct fake_agent *agent = ctx;

    hello->cluster_uid = fl_str_c(agent->uid);
    hello->boot = 7;
}

static void on_opened(void *ctx, struct fl_streams *streams)
{
    struct fake_agent *agent = ctx;
    struct fl_err err = {0};

    assert_true(agent_dialer_is_up(agent->dialer));
    assert_true(
        fl_streams_open(streams, FL_FRAME_LOG, fl_loop_now(agent->world->loop), &agent->log, &err));
    fl_stream_wants(agent->log, agent->log_total);
}

static void on_message(void *ctx, const struct fl_msg *msg, struct fl_str spec)
{
    struct fake_agent *agent = ctx;

    switch (msg->kind) {
    case FL_MSG_welcome:
        agent->welcomes++;
        note(agent, 'W');
        list(agent, msg->welcome.session_epoch);
        break;
    case FL_MSG_resync:
        agent->resyncs++;
        note(agent, 'R');
        list(agent, msg->resync.session_epoch);
        break;
    case FL_MSG_start:
        agent->starts++;
        note(agent, 'S');
        agent->spec_bytes = spec.len;
        agent->last = msg->start.attempt;
        snprintf(agent->spec, sizeof agent->spec, FL_STR_FMT, FL_STR_ARG(spec));
        snprintf(agent->params, sizeof agent->params, FL_STR_FMT, FL_STR_ARG(msg->start.params));
        report(agent, msg->start.attempt, FL_REPLICA_created);
        break;
    case FL_MSG_go:
        agent->gos++;
        note(agent, 'G');
        report(agent, msg->go.attempt, FL_REPLICA_running);
        break;
    case FL_MSG_stop:
        agent->stops++;
        note(agent, 'T');
        report(agent, msg->stop.attempt, FL_REPLICA_exited);
        break;
    case FL_MSG_ack:
        agent->acks++;
        break;
    default:
        fail_msg("not for the engine");
    }
}

static void on_closed(void *ctx, const char *why)
{
    struct fake_agent *agent = ctx;

    (void)why;
    agent->closes++;
}

static void on_busy(void *ctx, bool is_on)
{
    struct fake_agent *agent = ctx;

    agent->is_busy = is_on;
}

static bool on_log_open(void *ctx, struct fl_stream *stream, struct fl_err *err)
{
    (void)ctx;
    (void)stream;
    return fl_fail(err, FL_UNSUPPORTED, "the agent opens it");
}

static bool on_log_data(void *ctx, struct fl_stream *stream, struct fl_str bytes,
                        struct fl_err *err)
{
    struct fake_agent *agent = ctx;

    (void)err;
    agent->log_got += bytes.len;
    fl_stream_consumed(stream, (uint32_t)bytes.len);
    return true;
}

static size_t on_log_pull(void *ctx, struct fl_stream *stream, uint8_t *at, size_t bytes_max)
{
    struct fake_agent *agent = ctx;
    size_t len = bytes_max;

    (void)stream;
    if (agent->log_total - agent->log_sent < len) len = agent->log_total - agent->log_sent;
    memset(at, 'l', len);
    agent->log_sent += len;
    return len;
}

static void on_log_close(void *ctx, struct fl_stream *stream, enum fl_code code, struct fl_str text)
{
    (void)stream;
    (void)code;
    (void)text;
    ((struct fake_agent *)ctx)->log = NULL;
}

void fake_agent_log(struct fake_agent *agent, uint64_t bytes)
{
    agent->log_total = bytes;
    fl_stream_wants(agent->log, bytes - agent->log_sent);
}

void fake_agent_init(struct tunnel_world *world, struct fake_agent *agent, uint8_t n)
{
    memset(agent, 0, sizeof *agent);
    agent->world = world;
    snprintf(agent->state_dir, sizeof agent->state_dir, "%.80s/agent-%d", world->dir, n);
    snprintf(agent->uid, sizeof agent->uid, "uid-%d", n);
    tunnel_world_identity(world, agent->state_dir, n, world->ca, FL_HOUR_MS);
}

void fake_agent_dial(struct fake_agent *agent, const char *proxy)
{
    struct fl_stream_kind streams[] = {
        {FL_FRAME_LOG, 1, agent, on_log_open, on_log_data, on_log_pull, on_log_close},
        shell_kind(&agent->shell)};
    struct agent_dialer_config config = {.store = identity_folder(agent->state_dir),
                                         .proxy = proxy,
                                         .seed = (uint64_t)(uintptr_t)agent,
                                         .streams = streams,
                                         .streams_len = 2};
    struct agent_dialer_ports ports = {.ctx = agent,
                                       .hello = on_hello,
                                       .opened = on_opened,
                                       .message = on_message,
                                       .closed = on_closed,
                                       .busy = on_busy};
    struct fl_err err = {0};

    agent->dialer = agent_dialer_create(agent->world->loop, &config, &ports, &err);
    if (!agent->dialer) fail_msg("%s", err.text);
}

void fake_agent_fini(struct fake_agent *agent)
{
    agent_dialer_destroy(agent->dialer);
    agent->dialer = NULL;
}
