/* echo_bench.c - one hop of a job's start: 100 bytes over TLS 1.3 on loopback, and back.
 *
 *   echo_bench rtt [--seconds=4] [--warm=1]     value: the median round trip of two processes, us
 *
 * Blocking sockets, one message under way: the figure holds an idle system's wake-ups. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "tests/tls_pair.h"

enum { MESSAGE_BYTES = 100 };

static SSL *shake(SSL_CTX *tls, int fd, bool is_server)
{
    SSL *ssl = SSL_new(tls);

    if (!ssl || !SSL_set_fd(ssl, fd) || (is_server ? SSL_accept(ssl) : SSL_connect(ssl)) != 1) {
        bench_die("a handshake failed");
    }
    return ssl;
}

_Noreturn static void echo(SSL_CTX *tls, int fd)
{
    SSL *ssl = shake(tls, fd, true);
    char bytes[MESSAGE_BYTES];

    for (;;) {
        int n = SSL_read(ssl, bytes, sizeof bytes);

        if (n <= 0 || SSL_write(ssl, bytes, n) != n) _exit(0);
    }
}

static void ping(SSL *ssl)
{
    char bytes[MESSAGE_BYTES] = {0};

    if (SSL_write(ssl, bytes, sizeof bytes) != sizeof bytes ||
        SSL_read(ssl, bytes, sizeof bytes) != sizeof bytes) {
        bench_die("the echo is silent");
    }
}

static void run(SSL *ssl, double seconds, struct bench_samples *samples)
{
    int64_t end = bench_now_ns() + (int64_t)(seconds * 1e9);

    while (bench_now_ns() < end) {
        int64_t began = bench_now_ns();

        ping(ssl);
        bench_samples_add(samples, (double)(bench_now_ns() - began) * 1e-3);
    }
}

int main(int argc, char **argv)
{
    struct bench_samples warm_us = {0}, us = {0};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd, one = 1;
    socklen_t at_len = sizeof at;
    struct tls_pair tls;
    pid_t child;
    SSL *ssl;

    if (argc < 2) bench_die("which case?  rtt");
    bench_limit(120);
    tls = tls_pair_create();
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&at, &at_len) != 0) {
        bench_die("listen: %m");
    }
    child = fork();
    if (child < 0) bench_die("fork: %m");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fd = accept(listener, NULL, NULL);
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        echo(tls.server, fd);
    }
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) != 0) bench_die("connect: %m");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ssl = shake(tls.client, fd, false);
    run(ssl, bench_arg_number(argc, argv, "warm", 1), &warm_us);
    run(ssl, bench_arg_number(argc, argv, "seconds", 4), &us);
    printf("{\"case\": \"rtt\"");
    bench_field("value", bench_samples_at(&us, 0.5));
    bench_field("p99_us", bench_samples_at(&us, 0.99));
    bench_end();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    SSL_free(ssl);
    close(fd);
    close(listener);
    bench_samples_fini(&warm_us);
    bench_samples_fini(&us);
    tls_pair_destroy(&tls);
    return 0;
}
