/* follow_bench.c - one reader of a job's output, live: how old each line is when it arrives.
 *
 *   follow_bench stream --api=HOST:PORT --token=FILE --job=JOB [--tls=1] [--seconds=4] [--warm=1]
 *
 * value: the 99th percentile, in ms, of the lines' age.  They carry the time they were made
 * (bench_help_lines.h); the text around them is ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "bench/bench_help_http.h"

enum { STAMP_DIGITS = 19, READ_BYTES = 65536 };

static void take(const char *bytes, size_t len, bool is_measuring, struct bench_samples *age_ms)
{
    const char *end = bytes + len;

    for (const char *at = bytes; (at = memchr(at, '@', (size_t)(end - at))); at++) {
        char stamp[STAMP_DIGITS + 1] = "";

        if (end - at <= STAMP_DIGITS) return; /* cut by a read: one line less */
        memcpy(stamp, at + 1, STAMP_DIGITS);
        if (strspn(stamp, "0123456789") != STAMP_DIGITS || !is_measuring) continue;
        bench_samples_add(age_ms, (double)(bench_now_ns() - strtoll(stamp, NULL, 10)) * 1e-6);
    }
}

int main(int argc, char **argv)
{
    const char *job = bench_arg(argc, argv, "job", NULL);
    double seconds = bench_arg_number(argc, argv, "seconds", 4);
    double warm = bench_arg_number(argc, argv, "warm", 1);
    struct bench_samples age_ms = {0};
    static char bytes[READ_BYTES];
    struct bench_http http;
    struct bench_api api;
    char path[256];
    int64_t from;

    if (argc < 2 || strcmp(argv[1], "stream") != 0 || !job) bench_die("which case, which --job?");
    bench_limit((unsigned)(seconds + warm + 60));
    bench_api_init(&api, argc, argv);
    bench_http_open(&http, &api);
    snprintf(path, sizeof path, "/v1/jobs/%s/logs/stream", job);
    bench_http_begin(&http, &api, "GET", path, "", (struct fl_str){0});
    if (http.ssl ? SSL_write(http.ssl, http.out.at, (int)http.out.len) <= 0
                 : write(http.fd, http.out.at, http.out.len) <= 0) {
        bench_die("the request was not taken");
    }
    from = bench_now_ns();
    for (;;) {
        double at_s = (double)(bench_now_ns() - from) * 1e-9;
        ssize_t n =
            http.ssl ? SSL_read(http.ssl, bytes, sizeof bytes) : read(http.fd, bytes, sizeof bytes);

        if (n <= 0) bench_die("the stream ended");
        if (at_s >= warm + seconds) break;
        take(bytes, (size_t)n, at_s >= warm, &age_ms);
    }
    if (age_ms.values.len == 0) bench_die("no line came");
    printf("{\"case\": \"follow\"");
    bench_field("value", bench_samples_at(&age_ms, 0.99));
    bench_field("p50_ms", bench_samples_at(&age_ms, 0.5));
    bench_field("lines", (double)age_ms.values.len);
    bench_end();
    bench_samples_fini(&age_ms);
    bench_http_close(&http);
    bench_api_fini(&api);
    return 0;
}
