/* tunnel_bench.c - what a control message costs a front thread, with and without tunnels beside it
 * that are idle.
 *
 *   tunnel_bench [--busy=64] [--idle=0] [--seconds=4] [--warm=1]
 *
 * The tunnels of one front run in this process, on one thread; fake agents in another: TLS 1.3 with
 * a client certificate, WebSocket, frames, credits and pings as real ones.  Each busy agent sends a
 * report as soon as its last is acknowledged; the idle ones answer pings.  value: reports a second;
 * own_cpu_us: CPU of the server's thread a report, acknowledgement and all that the idle ones cost
 * included. */
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/pem.h>

#include "bench/bench_help.h"
#include "bench/bench_help_socket.h"
#include "controlplane/tunnel/server.h"
#include "shared/base/alloc.h"
#include "shared/io/clock.h"
#include "shared/io/file.h"
#include "shared/io/loop.h"
#include "shared/link/mux.h"
#include "shared/tls/ca.h"
#include "shared/tls/key.h"

enum { EVENTS_MAX = 512, DIALS_MAX = 64, TICK_MS = 100, LIMIT_S = 300 };

static bool begins_with(struct fl_str text, const char *words)
{
    size_t len = strlen(words);

    return text.len > len && memcmp(text.at, words, len) == 0;
}

/* ---- the control plane ----------------------------------------------------------------------- */

struct hub {
    struct fl_loop *loop;
    struct tunnel_server *server;
    struct fl_ca *ca;
    struct fl_after after;
    FL_VEC(struct core_send) sends; /* this turn's */
    uint64_t *connections;          /* cluster n's is at n */
    size_t clusters;
    uint64_t sessions, reports, inventories;
    char dir[32];
    uint16_t port;
};

static void on_after(void *ctx)
{
    struct hub *hub = ctx;

    for (size_t i = 0; i < hub->sends.len; i++) {
        tunnel_server_send(hub->server, &hub->sends.at[i]);
    }
    hub->sends.len = 0;
}

static bool on_adopt(void *ctx, struct engine_event *event, struct fl_err *err)
{
    struct hub *hub = ctx;
    const struct core_event *e = &event->event;
    struct core_send send = {0};

    (void)err;
    if (e->kind == CORE_EV_session_open) {
        send.kind = CORE_SEND_welcome;
        send.cluster = e->session_open.cluster;
        send.connection = hub->connections[send.cluster.n] = e->session_open.connection;
        send.session_epoch = ++hub->sessions;
    } else if (e->kind == CORE_EV_replica) {
        send.kind = CORE_SEND_ack;
        send.cluster = e->replica.cluster;
        send.connection = hub->connections[send.cluster.n];
        send.report_seq = e->replica.report_seq;
        hub->reports++;
    } else if (e->kind == CORE_EV_session_lost) {
        bench_die("a tunnel was lost");
    }
    if (e->kind == CORE_EV_inventory) {
        hub->inventories += e->inventory.is_end;
    } else {
        fl_vec_push(&hub->sends, send);
        fl_after_put(&hub->after);
    }
    engine_event_destroy(event);
    return true;
}

static bool on_peer(void *ctx, const struct tunnel_peer *peer, struct fl_str cluster_uid,
                    struct fl_cluster *ret_cluster, struct fl_err *err)
{
    struct hub *hub = ctx;
    uint64_t number;
    struct fl_str digits = {cluster_uid.at + 4, cluster_uid.len > 4 ? cluster_uid.len - 4 : 0};

    (void)peer;
    if (!begins_with(cluster_uid, "uid-") || !fl_str_parse_u64(digits, &number) || number == 0 ||
        number > hub->clusters) {
        return fl_fail(err, FL_DENIED, "none of ours");
    }
    *ret_cluster = (struct fl_cluster){(uint32_t)number};
    return true;
}

static bool on_spec(void *ctx, uint64_t ticket, struct fl_cluster cluster,
                    struct fl_attempt attempt, struct tunnel_spec *ret_spec)
{
    (void)ctx;
    (void)ticket;
    (void)cluster;
    (void)attempt;
    (void)ret_spec;
    bench_die("no START is sent here");
}

static void on_renew(void *ctx, uint64_t connection, struct fl_cluster cluster,
                     const struct tunnel_peer *peer, struct fl_str csr)
{
    (void)ctx;
    (void)connection;
    (void)cluster;
    (void)peer;
    (void)csr;
    bench_die("no certificate ends so soon");
}

static struct fl_str view(const struct fl_buf *buf)
{
    return (struct fl_str){(const char *)buf->at, buf->len};
}

static void make_hub(struct hub *hub)
{
    struct tunnel_server_config config = tunnel_server_config_default();
    struct tunnel_server_ports ports = {
        .ctx = hub, .adopt = on_adopt, .peer = on_peer, .spec = on_spec, .renew = on_renew};
    struct fl_key *key = fl_key_create();
    char files[3][64];
    struct fl_net_address at;
    struct fl_buf cert, key_pem;
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();
    int dir_fd;

    fl_buf_init(&cert, 2 * FL_CERT_PEM_MAX);
    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    snprintf(hub->dir, sizeof hub->dir, "/tmp/fl-bench-XXXXXX");
    if (!mkdtemp(hub->dir)) bench_die("%s: %m", hub->dir);
    dir_fd = open(hub->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        snprintf(files[i], sizeof files[i], "%s/%d", hub->dir, i);
    }
    if (!fl_ca_create("bench", now, FL_HOUR_MS, &hub->ca, &err) ||
        !fl_ca_sign_server(hub->ca, key, (struct fl_ca_names){NULL, 0}, now - 1000,
                           now + FL_HOUR_MS, &cert, &err) ||
        !fl_key_write(key, &key_pem, &err) ||
        !fl_file_write(dir_fd, "0", cert.at, cert.len, 0600, &err) ||
        !fl_file_write(dir_fd, "1", key_pem.at, key_pem.len, 0600, &err) ||
        !fl_file_write(dir_fd, "2", fl_ca_cert_pem(hub->ca).at, fl_ca_cert_pem(hub->ca).len, 0600,
                       &err) ||
        !fl_net_parse(FL_STR("127.0.0.1:0"), &at, &err) ||
        !fl_net_listen(&at, (struct fl_net_listen){0}, &config.listen_fd, &err) ||
        !fl_net_local(config.listen_fd, &at, &err)) {
        bench_die("%s", err.text);
    }
    hub->port = fl_net_port(&at);
    config.certificate_file = files[0];
    config.key_file = files[1];
    config.ca_file = files[2];
    config.handshake_ms = LIMIT_S * 1000;
    config.handshakes.limits.cpu_percent = 1000;
    hub->loop = fl_loop_create();
    fl_after_init(&hub->after, hub->loop, on_after, hub);
    hub->server = tunnel_server_create(hub->loop, &config, &ports, &err);
    if (!hub->server) bench_die("%s", err.text);
    for (int i = 0; i < 3; i++) {
        unlink(files[i]);
    }
    rmdir(hub->dir);
    close(dir_fd);
    fl_key_destroy(key);
    fl_buf_fini(&cert);
    fl_buf_fini(&key_pem);
}

/* ---- the agents ------------------------------------------------------------------------------ */

struct agent {
    struct crowd *crowd;
    size_t number; /* from 1 */
    struct bench_socket socket;
    struct fl_mux *mux;
    uint64_t report_seq;
    bool is_dirty;
};

struct crowd {
    struct agent *agents;
    size_t len, busy_len, dialed, shaking;
    struct addrinfo *hub;
    SSL_CTX *tls;
    EVP_PKEY *key;
    X509 *cert;
    int poll_fd;
    fl_ms now;
    FL_VEC(struct agent *) dirty;
    struct fl_buf out;
};

static void touch(struct agent *agent)
{
    if (agent->is_dirty) return;
    agent->is_dirty = true;
    fl_vec_push(&agent->crowd->dirty, agent);
}

static void say(struct agent *agent, const struct fl_msg *msg)
{
    fl_mux_put(agent->mux, msg);
    touch(agent);
}

static void report(struct agent *agent)
{
    if (agent->number > agent->crowd->busy_len) return;
    say(agent, &(struct fl_msg){.kind = FL_MSG_replica,
                                .replica = {.report_seq = ++agent->report_seq,
                                            .attempt = {.job = {agent->number}, .n = 1},
                                            .state = FL_REPLICA_running}});
}

static void act(struct agent *agent, enum fl_link_answer answer)
{
    struct fl_msg hello = {.kind = FL_MSG_hello};
    char uid[32];

    if (answer == FL_LINK_DO_CLOSE) bench_die("agent %zu was sent away", agent->number);
    if (answer != FL_LINK_DO_HELLO) return;
    snprintf(uid, sizeof uid, "uid-%zu", agent->number);
    hello.hello = (struct fl_msg_hello){.protocol_min = FL_PROTOCOL_MIN,
                                        .protocol_max = FL_PROTOCOL_MAX,
                                        .boot = agent->number,
                                        .cluster_uid = fl_str_c(uid),
                                        .version = FL_STR("fake"),
                                        .capabilities = FL_STR("[]")};
    say(agent, &hello);
}

static void hear(void *ctx, struct fl_str bytes)
{
    struct agent *agent = ctx;
    struct fl_mux_item item;
    struct fl_err err = {0};

    while (fl_mux_receive(agent->mux, &bytes, agent->crowd->now, &item, &err)) {
        if (item.kind == FL_MUX_ANSWER && item.answer == FL_LINK_DO_BEGIN) {
            say(agent, &(struct fl_msg){.kind = FL_MSG_inventory_begin,
                                        .inventory_begin = {item.messages->welcome.session_epoch}});
            say(agent, &(struct fl_msg){.kind = FL_MSG_inventory_end});
            report(agent);
        } else if (item.kind == FL_MUX_ANSWER) {
            act(agent, item.answer);
        } else if (item.kind == FL_MUX_MESSAGE) {
            for (size_t i = 0; i < item.messages_len; i++) {
                if (item.messages[i].kind == FL_MSG_ack) report(agent);
            }
        }
    }
    if (err.text[0]) bench_die("agent %zu: %s", agent->number, err.text);
    touch(agent);
}

static void on_socket(struct agent *agent)
{
    bool is_opened;

    if (!bench_socket_step(&agent->socket, agent->crowd->poll_fd, agent, hear, agent, &is_opened)) {
        bench_die("agent %zu: the connection was closed", agent->number);
    }
    if (is_opened) {
        agent->crowd->shaking--;
        act(agent, fl_mux_step(agent->mux, FL_LINK_EV_opened, agent->crowd->now));
    }
    touch(agent);
}

static void settle(struct crowd *crowd)
{
    for (size_t i = 0; i < crowd->dirty.len; i++) {
        struct agent *agent = crowd->dirty.at[i];

        agent->is_dirty = false;
        while (bench_socket_has_room(&agent->socket) && fl_mux_has_output(agent->mux)) {
            fl_buf_clear(&crowd->out);
            if (fl_mux_write(agent->mux, crowd->now, &crowd->out) == 0) break;
            if (!bench_socket_send(&agent->socket, crowd->poll_fd, agent, view(&crowd->out))) {
                bench_die("agent %zu: the connection was closed", agent->number);
            }
        }
    }
    crowd->dirty.len = 0;
}

static size_t no_log(void *ctx, uint32_t stream, uint8_t *at, size_t bytes_max)
{
    (void)ctx;
    (void)stream;
    (void)at;
    (void)bytes_max;
    return 0;
}

static void dial_some(struct crowd *crowd)
{
    while (crowd->dialed < crowd->len && crowd->shaking < DIALS_MAX) {
        struct agent *agent = &crowd->agents[crowd->dialed++];
        struct fl_mux_config config = {.side = FL_LINK_AGENT,
                                       .flow = fl_flow_limits(),
                                       .seed = crowd->dialed,
                                       .ctx = agent,
                                       .pull = no_log};

        agent->crowd = crowd;
        agent->number = crowd->dialed;
        agent->mux = fl_mux_create(&config, crowd->now);
        act(agent, fl_mux_step(agent->mux, FL_LINK_EV_tick, crowd->now)); /* it dials at once */
        crowd->shaking++;
        if (!bench_socket_dial(&agent->socket, crowd->hub, crowd->tls, crowd->cert, crowd->key,
                               crowd->poll_fd, agent)) {
            bench_die("agent %zu cannot dial", agent->number);
        }
    }
}

/* Runs until it is killed. */
_Noreturn static void run_crowd(struct crowd *crowd)
{
    struct epoll_event events[EVENTS_MAX];
    fl_ms tick_at = 0;

    crowd->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    fl_buf_init(&crowd->out, FL_MUX_WRITE_BYTES_MAX);
    for (;;) {
        int n;

        crowd->now = fl_clock_mono();
        dial_some(crowd);
        settle(crowd);
        n = epoll_wait(crowd->poll_fd, events, EVENTS_MAX, TICK_MS);
        crowd->now = fl_clock_mono();
        for (int i = 0; i < n; i++) {
            on_socket(events[i].data.ptr);
        }
        if (crowd->now < tick_at) continue;
        tick_at = crowd->now + TICK_MS;
        for (size_t i = 0; i < crowd->dialed; i++) {
            struct agent *agent = &crowd->agents[i];

            if (crowd->now < fl_mux_deadline(agent->mux)) continue;
            act(agent, fl_mux_step(agent->mux, FL_LINK_EV_tick, crowd->now));
            touch(agent);
        }
    }
}

static void make_crowd(struct crowd *crowd, const struct hub *hub)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    struct fl_key *key = fl_key_create();
    struct fl_buf key_pem, cert;
    struct fl_err err = {0};
    fl_ms now = fl_clock_wall();
    char port[8];
    BIO *bio;

    fl_buf_init(&key_pem, FL_KEY_PEM_MAX);
    fl_buf_init(&cert, FL_CERT_PEM_MAX);
    if (!fl_key_write(key, &key_pem, &err) ||
        !fl_ca_sign_cluster(hub->ca, key, (struct fl_uuid){.at = {1}}, 1, now - 1000,
                            now + FL_HOUR_MS, &cert, &err)) {
        bench_die("%s", err.text);
    }
    bio = BIO_new_mem_buf(key_pem.at, (int)key_pem.len);
    crowd->key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    bio = BIO_new_mem_buf(cert.at, (int)cert.len);
    crowd->cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    crowd->tls = SSL_CTX_new(TLS_client_method());
    snprintf(port, sizeof port, "%u", hub->port);
    if (!crowd->key || !crowd->cert || !crowd->tls ||
        getaddrinfo("127.0.0.1", port, &hints, &crowd->hub) != 0) {
        bench_die("no client");
    }
    SSL_CTX_set_mode(crowd->tls, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                     SSL_MODE_RELEASE_BUFFERS);
    crowd->agents = fl_new_array(struct agent, crowd->len);
    fl_key_destroy(key);
    fl_buf_fini(&key_pem);
    fl_buf_fini(&cert);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void turn_for(struct fl_loop *loop, double seconds)
{
    int64_t end = bench_now_ns() + (int64_t)(seconds * 1e9);

    for (int64_t left = end - bench_now_ns(); left > 0; left = end - bench_now_ns()) {
        fl_loop_turn(loop, left / 1000000 + 1);
    }
}

int main(int argc, char **argv)
{
    size_t busy = (size_t)bench_arg_number(argc, argv, "busy", 64);
    size_t idle = (size_t)bench_arg_number(argc, argv, "idle", 0);
    double seconds = bench_arg_number(argc, argv, "seconds", 4);
    struct hub hub = {.clusters = busy + idle};
    struct crowd crowd = {.len = busy + idle, .busy_len = busy};
    double cpu_s, done, took_s;
    uint64_t reports;
    int64_t began_ns;
    pid_t child;

    bench_limit(LIMIT_S);
    if (busy == 0) bench_die("--busy is at least 1");
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){65536, 65536});
    hub.connections = fl_new_array(uint64_t, busy + idle + 1);
    make_hub(&hub);
    make_crowd(&crowd, &hub);
    child = fork();
    if (child < 0) bench_die("fork: %m");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_crowd(&crowd);
    }
    while (hub.inventories < busy + idle) {
        fl_loop_turn(hub.loop, 20);
    }
    turn_for(hub.loop, bench_arg_number(argc, argv, "warm", 1));
    reports = hub.reports;
    cpu_s = bench_thread_cpu_s();
    began_ns = bench_now_ns();
    turn_for(hub.loop, seconds);
    took_s = (double)(bench_now_ns() - began_ns) * 1e-9;
    cpu_s = bench_thread_cpu_s() - cpu_s;
    done = (double)(hub.reports - reports);

    printf("{\"case\": \"tunnel-%zu-%zu\"", busy, idle);
    bench_field("value", done / took_s);
    bench_field("seconds", took_s);
    bench_field("own_cpu_us", cpu_s * 1e6 / done);
    bench_end();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    tunnel_server_destroy(hub.server);
    fl_loop_destroy(hub.loop);
    fl_ca_destroy(hub.ca);
    fl_vec_fini(&hub.sends);
    fl_free(hub.connections);
    fl_free(crowd.agents);
    freeaddrinfo(crowd.hub);
    SSL_CTX_free(crowd.tls);
    EVP_PKEY_free(crowd.key);
    X509_free(crowd.cert);
    return 0;
}
