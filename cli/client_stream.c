#include "cli/client_stream.h"

#include <string.h>

#include "cli/client.h"
#include "cli/http.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/problem.h"
#include "cli/status_line.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/io/clock.h"
#include "shared/io/loop.h"

enum {
    RETRY_FIRST_MS = 200,
    RETRY_MAX_MS = 5000,
    SILENT_MS = 45000, /* the server says something at least every 15 s */
    HELD_BYTES = 256 << 10,
    HELD_BYTES_MAX = 2 * HELD_BYTES, /* libcurl gives at most 64 KiB at once */
    PROBLEM_BYTES_MAX = 64 << 10,
    AWAY_SAID_MS = 3000
};

struct one {
    struct cli_streams *all;
    struct cli_stream what;
    struct fl_http_call *call; /* NULL: not open now */
    unsigned status;           /* its answer's; 0: none yet */
    struct fl_buf held;        /* bytes of the answer that were not read yet */
    bool is_ended;             /* its answer; 'err' says why, text "": as it should */
    struct fl_err err;
    struct fl_buf problem; /* an answer other than 200 */
    struct cli_event_reader *reader;
    bool is_done;
    int64_t again_at, wait_ms, away_since;
    bool has_said;
};

struct cli_streams {
    struct cli *cli;
    struct one *at[CLI_STREAMS_MAX];
    size_t len;
    int code;
};

static void give_up(struct one *one, int code)
{
    one->all->code = code;
    one->is_done = true;
}

/* Its word why; to come again would be refused. */
static void closed(struct one *one, const struct cli_event *event)
{
    json_t *body = json_loadb(event->data, event->data_len, 0, NULL);

    give_up(one, cli_fail(CLI_DENIED, "%s closed the stream: %s; log in anew: fairlead login",
                          one->all->cli->settings.url,
                          cli_plain(one->all->cli, cli_text(body, "text"))));
    json_decref(body);
}

static bool on_event(void *ctx, const struct cli_event *event)
{
    struct one *one = ctx;
    enum cli_stream_word word;

    if (strcmp(event->name, "closed") == 0) {
        closed(one, event);
        return false;
    }
    word = one->what.on_event(one->what.ctx, event);
    for (size_t i = 0; word == CLI_STREAM_ALL_DONE && i < one->all->len; i++) {
        one->all->at[i]->is_done = true;
    }
    one->is_done = word != CLI_STREAM_MORE;
    one->wait_ms = RETRY_FIRST_MS;
    return !one->is_done;
}

struct cli_streams *cli_streams_create(struct cli *cli)
{
    struct cli_streams *streams = fl_new(struct cli_streams);

    streams->cli = cli;
    return streams;
}

static void hang_up(struct one *one)
{
    fl_http_call_destroy(one->call);
    one->call = NULL;
}

void cli_streams_destroy(struct cli_streams *streams)
{
    if (!streams) return;
    for (size_t i = 0; i < streams->len; i++) {
        struct one *one = streams->at[i];

        hang_up(one);
        cli_event_reader_destroy(one->reader);
        fl_buf_fini(&one->held);
        fl_buf_fini(&one->problem);
        fl_free(one);
    }
    fl_free(streams);
}

void cli_streams_open(struct cli_streams *streams, const struct cli_stream *stream)
{
    struct one *one = fl_new(struct one);

    fl_assert(streams->len < CLI_STREAMS_MAX);
    one->all = streams;
    one->what = *stream;
    one->wait_ms = RETRY_FIRST_MS;
    one->reader = cli_event_reader_create(on_event, one);
    fl_buf_init(&one->held, HELD_BYTES_MAX);
    fl_buf_init(&one->problem, PROBLEM_BYTES_MAX + 1);
    streams->at[streams->len++] = one;
}

/* ---- the HTTP client's calls: bytes are held, and read in cli_streams_run -------------------- */

static void on_head(void *ctx)
{
    struct one *one = ctx;

    one->status = fl_http_call_status(one->call);
}

static void on_body(void *ctx, struct fl_str bytes)
{
    struct one *one = ctx;

    bool is_kept = fl_buf_put(&one->held, bytes.at, bytes.len);

    fl_assert(is_kept);
    if (one->held.len >= HELD_BYTES) fl_http_call_pause(one->call);
}

static void on_done(void *ctx, const struct fl_err *err)
{
    struct one *one = ctx;

    one->is_ended = true;
    if (err) one->err = *err;
}

static void dial(struct one *one, struct cli_http *http)
{
    struct cli *cli = one->all->cli;
    struct fl_http_port port = {.ctx = one, .head = on_head, .body = on_body, .done = on_done};
    struct cli_http_request request;

    cli_event_reader_restart(one->reader);
    fl_buf_clear(&one->held);
    fl_buf_clear(&one->problem);
    one->status = 0;
    one->is_ended = false;
    one->err = (struct fl_err){0};
    cli_http_request(cli, one->what.path, &request);
    request.http.head_ms = request.http.idle_ms = SILENT_MS;
    request.http.body_bytes_max = UINT64_MAX;
    cli_http_put_header(&request, "Accept", "text/event-stream");
    if (*cli_event_reader_id(one->reader)) {
        cli_http_put_header(&request, "Last-Event-ID", cli_event_reader_id(one->reader));
    }
    one->call = fl_http_call_start(http->client, &request.http, &port);
}

/* ---- reading the answer ---------------------------------------------------------------------- */

static void come_again(struct one *one, const char *why)
{
    int64_t now = fl_clock_mono();

    if (!one->away_since) one->away_since = now;
    if (!one->has_said && now - one->away_since >= AWAY_SAID_MS) {
        cli_status_line_clear();
        fprintf(stderr, "fairlead: %s is away (%s); going on where it was as soon as it is back\n",
                one->all->cli->settings.url, why);
        one->has_said = true;
    }
    one->again_at = now + one->wait_ms;
    one->wait_ms = one->wait_ms * 2 < RETRY_MAX_MS ? one->wait_ms * 2 : RETRY_MAX_MS;
}

static void read_events(struct one *one, struct fl_str bytes)
{
    struct fl_err err = {0};

    if (one->has_said) {
        cli_status_line_clear();
        fputs("fairlead: connected again\n", stderr);
    }
    one->has_said = false;
    one->away_since = 0;
    if (!cli_event_reader_take(one->reader, bytes, &err)) {
        give_up(one, cli_fail(CLI_INTERNAL, "%s: %s", one->what.path, err.text));
    }
}

static void read_held(struct one *one)
{
    struct fl_buf taken = one->held;
    struct fl_arena outer;

    if (!taken.len) return;
    outer = cli_begin_turn(one->all->cli);
    fl_buf_init(&one->held, HELD_BYTES_MAX); /* a callback that waits lets more come */
    fl_http_call_resume(one->call);
    if (one->status == 200) {
        read_events(one, (struct fl_str){(const char *)taken.at, taken.len});
    } else if (one->problem.len + taken.len <= PROBLEM_BYTES_MAX) {
        fl_buf_put(&one->problem, taken.at, taken.len);
    }
    fl_buf_fini(&taken);
    cli_end_turn(one->all->cli, outer);
}

static void end(struct one *one)
{
    struct cli_streams *all = one->all;
    unsigned status = one->status;

    hang_up(one);
    if (status && status != 200 && status != 503 && status != 429) {
        fl_buf_put_u8(&one->problem, 0);
        give_up(one, cli_problem(all->cli, one->what.path, (const char *)one->problem.at, status));
    } else if (one->err.code == FL_DENIED || one->err.code == FL_INVALID) {
        give_up(one, cli_fail(CLI_UNREACHABLE, "%s: %s", all->cli->settings.url, one->err.text));
    } else {
        come_again(one, one->err.text[0] ? one->err.text : "it closed");
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static bool is_all_done(const struct cli_streams *streams)
{
    for (size_t i = 0; i < streams->len; i++) {
        if (!streams->at[i]->is_done) return false;
    }
    return true;
}

static void step(struct one *one, struct cli_http *http)
{
    if (one->is_done) {
        hang_up(one);
    } else if (!one->call && fl_clock_mono() >= one->again_at) {
        dial(one, http);
    } else if (one->call) {
        read_held(one);
        if (!one->is_done && one->is_ended) end(one);
    }
}

int cli_streams_run(struct cli_streams *streams, int64_t deadline)
{
    struct fl_err err = {0};
    struct cli_http *http;

    if (!cli_http(streams->cli, &http, &err)) return cli_fail_err(&err);
    while (!is_all_done(streams) && !streams->code) {
        if (cli_is_interrupted()) return CLI_CANCELLED;
        if (deadline && fl_clock_mono() >= deadline) return CLI_TIMED_OUT;
        for (size_t i = 0; i < streams->len; i++) {
            step(streams->at[i], http);
        }
        fflush(stdout);
        if (!is_all_done(streams)) fl_loop_turn(http->loop, CLI_HTTP_TURN_MS);
    }
    return streams->code;
}
