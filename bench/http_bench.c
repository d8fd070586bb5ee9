/* http_bench.c - the API's listener: the cost of a request, and of idle connections.
 *
 *   http_bench CASE [--connections=64] [--seconds=4] [--warm=1] [--plain=0]
 *
 * The server runs in this process, on one thread; its clients in another, on one thread as well, so
 * that on two processors neither waits for the other.  TLS 1.3, P-256.
 *   requests    each connection sends a GET of 100 bytes as soon as the answer to its last (200
 *               bytes) is there; value: requests a second
 *   idle        each has had one answer and keeps silent; value: bytes of our memory a connection
 *   followers   each follows a stream of events that says nothing; value: bytes of our memory a
 *               connection
 *   heads       each has sent 16,000 bytes of a head that does not end; value: bytes of our memory
 *               a connection
 * own_cpu_us is CPU of the server's thread: a request, else for a connection and second. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "controlplane/http/server.h"
#include "shared/base/alloc.h"
#include "shared/io/loop.h"
#include "shared/io/net.h"
#include "tests/tls_pair.h"

enum { HEAD_BYTES = 16000, EVENTS_MAX = 256 };

enum bench_case { REQUESTS, IDLE, FOLLOWERS, HEADS, CASES };

static const char *const case_names[] = {"requests", "idle", "followers", "heads"};

/* ---- the server ------------------------------------------------------------------------------ */

static uint64_t on_head(void *ctx, struct http_request *request)
{
    (void)ctx;
    (void)request;
    return 0;
}

static void on_request(void *ctx, struct http_request *request)
{
    static const struct fl_http_field headers[] = {
        {FL_STR("Content-Type"), FL_STR("application/json")}};

    (void)ctx;
    if (http_head(request)->path.len > 1) {
        http_stream_begin(request, 200, headers, 1);
        return;
    }
    http_answer(request, 200, headers, 1,
                FL_STR("{\"id\":\"job-abcdefg\",\"state\":\"running\",\"queue\":\"ml\","
                       "\"elements\":8,\"running\":8,\"priority\":0}\n"));
}

/* ---- the clients ----------------------------------------------------------------------------- */

struct load {
    struct tls_pair tls;
    struct fl_net_address at;
    enum bench_case which;
    size_t connections;
    bool is_plain;
};

struct peer {
    SSL *ssl;
    int fd;
};

static ssize_t peer_write(struct peer *peer, const char *bytes, size_t len)
{
    return peer->ssl ? SSL_write(peer->ssl, bytes, (int)len) : write(peer->fd, bytes, len);
}

static ssize_t peer_read(struct peer *peer, char *bytes, size_t len)
{
    return peer->ssl ? SSL_read(peer->ssl, bytes, (int)len) : read(peer->fd, bytes, len);
}

static void peer_open(const struct load *load, struct peer *peer)
{
    peer->fd = socket(load->at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (peer->fd < 0 || connect(peer->fd, &load->at.any, load->at.len) != 0) {
        bench_die("connect: %m");
    }
    if (load->is_plain) return;
    peer->ssl = SSL_new(load->tls.client);
    if (!peer->ssl || !SSL_set_fd(peer->ssl, peer->fd) || SSL_connect(peer->ssl) != 1) {
        bench_die("a handshake failed");
    }
}

static const char request_text[] =
    "GET / HTTP/1.1\r\nHost: 127.0.0.1:8474\r\nUser-Agent: bench/1\r\nAccept: */*\r\n"
    "Authorization: Bearer 0123456789\r\n\r\n";
static const char follow_text[] = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:8474\r\n\r\n";

static void peer_begin(const struct load *load, struct peer *peer)
{
    static char head[HEAD_BYTES];
    const char *text = load->which == FOLLOWERS ? follow_text : request_text;
    size_t len = strlen(text);

    if (load->which == HEADS) {
        memset(head, 'a', sizeof head);
        memcpy(head, request_text, sizeof request_text - 3);
        text = head;
        len = sizeof head;
    }
    if (peer_write(peer, text, len) != (ssize_t)len) bench_die("a request was not taken");
}

/* Runs until it is killed. */
_Noreturn static void run_clients(const struct load *load)
{
    struct peer *peers = fl_new_array(struct peer, load->connections);
    int poll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[EVENTS_MAX];
    char bytes[16384];

    for (size_t i = 0; i < load->connections; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[i]};

        peer_open(load, &peers[i]);
        peer_begin(load, &peers[i]);
        if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, peers[i].fd, &event) != 0) bench_die("epoll: %m");
    }
    for (;;) {
        int n = epoll_wait(poll_fd, events, EVENTS_MAX, -1);

        for (int i = 0; i < n; i++) {
            struct peer *peer = events[i].data.ptr;

            if (peer_read(peer, bytes, sizeof bytes) <= 0) bench_die("the server closed");
            if (load->which == REQUESTS) peer_begin(load, peer);
        }
    }
}

/* ---- measuring ------------------------------------------------------------------------------- */

static size_t memory_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static void turn_for(struct fl_loop *loop, double seconds)
{
    int64_t end = bench_now_ns() + (int64_t)(seconds * 1e9);

    for (int64_t left = end - bench_now_ns(); left > 0; left = end - bench_now_ns()) {
        fl_loop_turn(loop, left / 1000000 + 1);
    }
}

static bool is_loaded(const struct load *load, struct http_server *server)
{
    struct http_counts counts = http_server_counts(server);

    switch (load->which) {
    case REQUESTS:
    case IDLE:
        return counts.requests >= load->connections;
    case FOLLOWERS:
        return counts.streams == load->connections;
    case HEADS:
        return counts.bytes_in >= load->connections * HEAD_BYTES;
    case CASES:
        break;
    }
    return false;
}

static void measure(const struct load *load, struct fl_loop *loop, struct http_server *server,
                    double warm_s, double seconds, size_t empty_bytes)
{
    struct bench_meter meter;
    uint64_t requests;
    double cpu_s, done;

    while (!is_loaded(load, server)) {
        fl_loop_turn(loop, 20);
    }
    turn_for(loop, warm_s);
    bench_meter_init(&meter, NULL);
    bench_meter_start(&meter);
    requests = http_server_counts(server).requests;
    cpu_s = bench_thread_cpu_s();
    turn_for(loop, seconds);
    bench_meter_stop(&meter);
    done = (double)(http_server_counts(server).requests - requests);
    if (load->which != REQUESTS) done = (double)load->connections * seconds;
    meter.own_cpu_s = bench_thread_cpu_s() - cpu_s;

    printf("{\"case\": \"http-%s%s-%zu\"", case_names[load->which], load->is_plain ? "-plain" : "",
           load->connections);
    if (load->which == REQUESTS) {
        bench_field("value", done / ((double)meter.at_ns * 1e-9));
    } else {
        bench_field("value", (double)(memory_bytes() - empty_bytes) / (double)load->connections);
    }
    bench_field("seconds", (double)meter.at_ns * 1e-9);
    bench_field("own_cpu_us", meter.own_cpu_s * 1e6 / done);
    bench_end();
    bench_meter_fini(&meter);
}

int main(int argc, char **argv)
{
    struct load load = {.which = CASES};
    struct http_limits limits = http_limits_default();
    struct http_port port = {NULL, on_head, on_request};
    struct fl_net_address any;
    struct http_server *server;
    struct fl_loop *loop;
    struct fl_err err = {0};
    size_t empty_bytes;
    int listener;
    pid_t child;

    for (size_t i = 0; i < CASES && argc > 1; i++) {
        if (strcmp(argv[1], case_names[i]) == 0) load.which = (enum bench_case)i;
    }
    if (load.which == CASES) bench_die("which case?  requests, idle, followers, heads");
    load.connections = (size_t)bench_arg_number(argc, argv, "connections", 64);
    load.is_plain = bench_arg_number(argc, argv, "plain", 0) != 0;
    bench_limit(300);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){65536, 65536});
    limits.head_ms = limits.idle_ms = FL_HOUR_MS;
    limits.connections_max = load.connections + 16;

    load.tls = tls_pair_create();
    loop = fl_loop_create();
    server = http_server_create(loop, &limits, port, &err);
    if (!server || !fl_net_parse(FL_STR("127.0.0.1:0"), &any, &err) ||
        !fl_net_listen(&any, (struct fl_net_listen){0}, &listener, &err) ||
        !fl_net_local(listener, &load.at, &err) ||
        !http_server_listen(server, listener, load.is_plain ? NULL : load.tls.server, &err)) {
        bench_die("%s", err.text);
    }
    child = fork();
    if (child < 0) bench_die("fork: %m");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_clients(&load);
    }
    empty_bytes = memory_bytes();
    measure(&load, loop, server, bench_arg_number(argc, argv, "warm", 1),
            bench_arg_number(argc, argv, "seconds", 4), empty_bytes);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    http_server_destroy(server);
    fl_loop_destroy(loop);
    tls_pair_destroy(&load.tls);
    return 0;
}
