/* load_bench.c - clients of the API: the rate at which fairleadd takes jobs, over TLS, each durable
 * before its answer.
 *
 *   load_bench CASE --api=HOST:PORT --token=FILE [--tls=1] [--seconds=4] [--warm=1]
 *                   [--connections=N] [--keyed=0] [--distinct=0] [--rate=0] [--figures=FILE]
 *                   [--open=12000]
 *   single     each of 256 connections posts one job as soon as the answer to its last is there;
 *              value: jobs a second; keyed: each with an Idempotency-Key of its own
 *   batch      each of 2 connections posts 500 jobs at a time as lines of JSON: the spec once, then
 *              160 bytes of parameters each; distinct: each line a whole document with a spec of 1
 *              KiB of its own
 *   life       as batch, but never more than 'open' jobs that have not ended, as the agents'
 *              figures have it (agents_bench); value: jobs a second whose end is durable.  A post
 *              that is refused because the control plane is full is sent again, and counted
 *   requests   as single, but GETs that nothing decides (/livez): 'single' without its job
 * rate: so many jobs a second at most.  One thread. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "bench/bench_help.h"
#include "bench/bench_help_figures.h"
#include "bench/bench_help_http.h"
#include "bench/bench_help_job.h"
#include "shared/base/alloc.h"
#include "shared/base/vec.h"

enum { EVENTS_MAX = 256, KEY_MAX = 96, WAIT_MS = 1, MINUTE_S = 60 };

enum load_case { SINGLE, BATCH, LIFE, REQUESTS, CASES };

static const char *const case_names[] = {"single", "batch", "life", "requests"};

struct client {
    struct bench_http http;
    int64_t sent_ns; /* 0: nothing is under way */
    bool is_writing;
};

struct load {
    struct bench_api api;
    enum load_case which;
    struct client *clients;
    size_t clients_len;
    int poll_fd;
    struct fl_buf body;
    FL_VEC(size_t) own_at; /* where in it each job has bytes of its own */
    uint64_t own_next;
    size_t request_jobs;
    double rate, open_max;
    bool is_keyed, is_distinct;
    const struct bench_figures *figures;
    uint64_t sent, answered; /* jobs */
    uint64_t requests, refused;
    int64_t began_ns;
    bool is_measuring;
    struct bench_samples took_ms;
};

/* ---- requests -------------------------------------------------------------------------------- */

#define JOB_MEMBERS                                                                                \
    "\"queue\":\"" BENCH_QUEUE "\",\"command\":[\"true\"],\"resources\":{\"cpu\":\"1\"}"

static void put_text(struct fl_buf *body, const char *text)
{
    (void)fl_buf_put(body, text, strlen(text));
}

static void put_params(struct load *load)
{
    char text[BENCH_PARAMS_BYTES];
    struct fl_str params = bench_params(load->own_next++, text);

    put_text(&load->body, "\"params\":{\"p\":\"");
    fl_vec_push(&load->own_at, load->body.len);
    (void)fl_buf_put(&load->body, params.at, params.len);
    put_text(&load->body, "\"}");
}

static void make_body(struct load *load)
{
    struct fl_buf *body = &load->body;

    fl_buf_clear(body);
    load->own_at.len = 0;
    if (load->which == REQUESTS) return;
    if (load->which == SINGLE) {
        put_text(body, "{" JOB_MEMBERS ",");
        put_params(load);
        put_text(body, "}");
        return;
    }
    if (!load->is_distinct) put_text(body, "{\"spec\":\"s\",\"job\":{" JOB_MEMBERS "}}\n");
    for (size_t i = 0; i < load->request_jobs; i++) {
        if (load->is_distinct) {
            char text[1200];

            snprintf(text, sizeof text, "{" JOB_MEMBERS ",\"env\":{\"N\":\"%zu.%zu.%0900d\"},",
                     (size_t)load->requests, i, 0);
            put_text(body, text);
        } else {
            put_text(body, "{\"use\":\"s\",");
        }
        put_params(load);
        put_text(body, "}\n");
    }
    if (body->is_over) bench_die("a body is too long");
}

/* The same body for other jobs. */
static void renew_body(struct load *load)
{
    for (size_t i = 0; i < load->own_at.len; i++) {
        bench_params_own(load->own_next++, (char *)load->body.at + load->own_at.at[i]);
    }
}

static void watch(struct load *load, struct client *client, bool is_writing, int op)
{
    struct epoll_event event = {.events = is_writing ? EPOLLOUT : EPOLLIN, .data.ptr = client};

    if (op == EPOLL_CTL_MOD && client->is_writing == is_writing) return;
    client->is_writing = is_writing;
    if (epoll_ctl(load->poll_fd, op, client->http.fd, &event) != 0) bench_die("epoll: %m");
}

static void go_on(struct load *load, struct client *client);

static bool may_begin(const struct load *load)
{
    double jobs = (double)(load->sent + load->request_jobs);

    if (load->rate > 0 && jobs > load->rate * (double)(bench_now_ns() - load->began_ns) * 1e-9) {
        return false;
    }
    return load->which != LIFE || jobs - (double)load->figures->ended <= load->open_max;
}

static void begin(struct load *load, struct client *client)
{
    bool is_lines = load->which == BATCH || load->which == LIFE;
    char more[KEY_MAX + 64];
    int len = 0;

    if (!may_begin(load)) return;
    if (load->is_distinct) {
        make_body(load);
    } else {
        renew_body(load);
    }
    load->requests++;
    if (load->which != REQUESTS) {
        len = snprintf(more, sizeof more, "Content-Type: application/%s\r\n",
                       is_lines ? "x-ndjson" : "json");
    }
    if (load->is_keyed) {
        len += snprintf(more + len, sizeof more - (size_t)len, "Idempotency-Key: bench-%d-%zu\r\n",
                        (int)getpid(), (size_t)load->requests);
    }
    more[len] = 0;
    client->sent_ns = bench_now_ns();
    bench_http_begin(&client->http, &load->api, load->which == REQUESTS ? "GET" : "POST",
                     load->which == REQUESTS ? "/livez"
                     : is_lines              ? "/v1/jobs:batch"
                                             : "/v1/jobs",
                     more, (struct fl_str){(const char *)load->body.at, load->body.len});
    load->sent += load->request_jobs;
    go_on(load, client);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void check(const struct load *load, const struct bench_http_answer *answer)
{
    bool is_good = answer->status == (load->which == SINGLE ? 201 : 200);

    if (load->which == BATCH || load->which == LIFE) {
        is_good = is_good && !memmem(answer->body.at, answer->body.len, "problem", 7);
    }
    if (!is_good) {
        size_t len = answer->body.len < 400 ? answer->body.len : 400;

        bench_die("answered with %d: %.*s", answer->status, (int)len, answer->body.at);
    }
}

static void go_on(struct load *load, struct client *client)
{
    struct bench_http_answer answer;
    enum bench_http_state state = bench_http_step(&client->http, &answer);

    if (state != BENCH_HTTP_DONE) {
        watch(load, client, state == BENCH_HTTP_WRITE, EPOLL_CTL_MOD);
        return;
    }
    if (load->which == LIFE && answer.status == 429) { /* it is full: in the next turn, once more */
        load->sent -= load->request_jobs;
        load->refused++;
        client->sent_ns = 0;
        return;
    }
    check(load, &answer);
    load->answered += load->request_jobs;
    if (load->is_measuring) {
        bench_samples_add(&load->took_ms, (double)(bench_now_ns() - client->sent_ns) * 1e-6);
    }
    client->sent_ns = 0;
    begin(load, client);
}

static void turn(struct load *load)
{
    struct epoll_event events[EVENTS_MAX];
    bool may_wait_long = load->rate <= 0 && load->which != LIFE;
    int n = epoll_wait(load->poll_fd, events, EVENTS_MAX, may_wait_long ? 100 : WAIT_MS);

    for (int i = 0; i < n; i++) {
        struct client *client = events[i].data.ptr;

        if (client->sent_ns) go_on(load, client);
    }
    if (may_wait_long) return;
    for (size_t i = 0; i < load->clients_len; i++) {
        if (!load->clients[i].sent_ns) begin(load, &load->clients[i]);
    }
}

static uint64_t done(const struct load *load)
{
    return load->which == LIFE ? load->figures->ended : load->answered;
}

static void turn_until(struct load *load, int64_t end_ns)
{
    while (bench_now_ns() < end_ns) {
        turn(load);
    }
}

static void start(struct load *load)
{
    load->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    load->clients = fl_new_array(struct client, load->clients_len);
    for (size_t i = 0; i < load->clients_len; i++) {
        struct client *client = &load->clients[i];

        bench_http_open(&client->http, &load->api);
        if (fcntl(client->http.fd, F_SETFL, O_NONBLOCK) != 0) bench_die("fcntl: %m");
        watch(load, client, false, EPOLL_CTL_ADD);
    }
    load->began_ns = bench_now_ns();
    for (size_t i = 0; i < load->clients_len; i++) {
        begin(load, &load->clients[i]);
    }
}

/* The first and the last minute of a window, or the first and last third of a short one. */
static void measure(struct load *load, double seconds)
{
    double part_s = seconds >= 3 * MINUTE_S ? MINUTE_S : seconds / 3;
    int64_t from = bench_now_ns();
    uint64_t at_start = done(load), at_first, at_last, at_end;
    struct bench_meter meter;

    bench_meter_init(&meter, NULL);
    bench_meter_start(&meter);
    load->is_measuring = true;
    turn_until(load, from + (int64_t)(part_s * 1e9));
    at_first = done(load);
    turn_until(load, from + (int64_t)((seconds - part_s) * 1e9));
    at_last = done(load);
    turn_until(load, from + (int64_t)(seconds * 1e9));
    at_end = done(load);
    bench_meter_stop(&meter);
    if (at_end == at_start) bench_die("nothing was done");

    printf("{\"case\": \"%s\"", case_names[load->which]);
    bench_field("value", (double)(at_end - at_start) / ((double)meter.at_ns * 1e-9));
    bench_field("jobs", (double)(at_end - at_start));
    bench_field("seconds", (double)meter.at_ns * 1e-9);
    bench_field("first_per_s", (double)(at_first - at_start) / part_s);
    bench_field("last_per_s", (double)(at_end - at_last) / part_s);
    bench_field("p50_ms", bench_samples_at(&load->took_ms, 0.5));
    bench_field("p99_ms", bench_samples_at(&load->took_ms, 0.99));
    bench_field("load_cpu_s", meter.own_cpu_s);
    if (load->which == LIFE) bench_field("refused", (double)load->refused);
    bench_end();
    bench_meter_fini(&meter);
}

int main(int argc, char **argv)
{
    struct load load = {.which = CASES};
    const char *figures = bench_arg(argc, argv, "figures", NULL);
    double seconds, warm;

    for (size_t i = 0; i < CASES && argc > 1; i++) {
        if (strcmp(argv[1], case_names[i]) == 0) load.which = (enum load_case)i;
    }
    if (load.which == CASES) bench_die("which case?  single, batch, life, requests");
    bench_api_init(&load.api, argc, argv);
    seconds = bench_arg_number(argc, argv, "seconds", 4);
    warm = bench_arg_number(argc, argv, "warm", 1);
    load.request_jobs = load.which == BATCH || load.which == LIFE
                            ? (size_t)bench_arg_number(argc, argv, "jobs", BENCH_REQUEST_JOBS)
                            : 1;
    load.clients_len =
        (size_t)bench_arg_number(argc, argv, "connections", load.request_jobs > 1 ? 2 : 256);
    load.is_keyed = bench_arg_number(argc, argv, "keyed", 0) != 0;
    load.is_distinct = bench_arg_number(argc, argv, "distinct", 0) != 0;
    load.rate = bench_arg_number(argc, argv, "rate", 0);
    load.open_max = bench_arg_number(argc, argv, "open", 12000);
    bench_limit((unsigned)(seconds + warm + 60));
    fl_buf_init(&load.body, 8 << 20);
    make_body(&load);
    if (load.which == LIFE) {
        if (!figures) bench_die("life needs --figures");
        load.figures = bench_figures_map(figures);
        load.open_max += (double)load.figures->ended;
    }
    start(&load);
    turn_until(&load, load.began_ns + (int64_t)(warm * 1e9));
    measure(&load, seconds);
    for (size_t i = 0; i < load.clients_len; i++) {
        bench_http_close(&load.clients[i].http);
    }
    bench_samples_fini(&load.took_ms);
    fl_buf_fini(&load.body);
    fl_vec_fini(&load.own_at);
    fl_free(load.clients);
    bench_api_fini(&load.api);
    return 0;
}
