#include "controlplane/api/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/media_type.h"
#include "shared/base/assert.h"
#include "shared/json/json_out.h"

/* A request that becomes a follower has done so by then. */
enum { WANTED_MS = 30000, CLOSED_BYTES_MAX = 256 };

static uint64_t streams_of(const struct api *api, const char *token)
{
    uint64_t n = 0;

    (void)fl_map_find(&api->streams_of, token, strlen(token), &n);
    return n;
}

static void count_streams(struct api *api, const char *token, uint64_t n)
{
    if (n == 0) {
        fl_map_remove(&api->streams_of, token, strlen(token));
    } else {
        fl_map_put(&api->streams_of, token, strlen(token), n);
    }
}

/* Whether there is room for one more, and this token has not its share yet. */
static bool may_stream(struct api_call *call)
{
    uint64_t streams_max = call->config->followers_max;
    uint64_t share = streams_max * call->config->limits.token_percent / 100;
    uint64_t own = streams_of(call->api, call->token.id);

    if (call->api->streams >= streams_max) {
        api_fail(call, FL_UNAVAILABLE, "%" PRIu64 " streams are open here already, all there are",
                 streams_max);
    } else if (own > 0 && own >= share) {
        api_fail_status(call, 429, FL_FULL,
                        "this token has %" PRIu64 " streams open here, the most for one: end some "
                        "(settings followers_max, http_token_percent)",
                        own);
    } else {
        return true;
    }
    return false;
}

static void enter(struct api_stream *stream)
{
    struct api *api = stream->api;

    count_streams(api, stream->token.id, streams_of(api, stream->token.id) + 1);
    stream->prev = NULL;
    stream->next = api->streams_first;
    if (stream->next) stream->next->prev = stream;
    api->streams_first = stream;
    if (api->streams++ == 0) fl_timer_in(&api->tokens_look, STREAM_TOKEN_MS);
}

/* It has no request any more. */
static void leave(struct api_stream *stream)
{
    struct api *api = stream->api;

    fl_timer_off(&stream->heartbeat);
    stream->request = NULL;
    if (stream->next) stream->next->prev = stream->prev;
    if (stream->prev) {
        stream->prev->next = stream->next;
    } else {
        api->streams_first = stream->next;
    }
    api->streams--;
    count_streams(api, stream->token.id, streams_of(api, stream->token.id) - 1);
}

static void on_gone(void *ctx, struct http_request *request)
{
    struct api_stream *stream = ctx;

    (void)request;
    leave(stream);
    stream->on_gone(stream);
}

static void on_room(void *ctx, struct http_request *request)
{
    struct api_stream *stream = ctx;

    (void)request;
    stream->on_room(stream);
}

static void on_drain(void *ctx, struct http_request *request)
{
    (void)request;
    api_stream_end(ctx);
}

static void on_heartbeat(void *ctx)
{
    struct api_stream *stream = ctx;
    struct fl_str text = stream->is_sse ? FL_STR(":\n\n") : FL_STR("\n");

    fl_timer_in(&stream->heartbeat, stream->api->config.heartbeat_ms);
    /* A peer that has not even taken what was there before needs no sign of life. */
    if (stream->is_mid) return;
    if (stream->is_sse && stream->sign) text = stream->sign(stream);
    if (!http_stream_put(stream->request, text)) return;
}

bool api_stream_form(struct api_call *call, bool *ret_is_sse)
{
    struct fl_str accept = api_header(call, "accept");
    struct media_wish lines = media_wish_for(accept, "application/x-ndjson");
    struct media_wish events = media_wish_for(accept, "text/event-stream");
    /* If both are named, and wanted alike, the first one counts. */
    bool is_first = lines.is_named && (!events.is_named || lines.place < events.place);

    if (lines.weight == 0 && events.weight == 0) {
        api_fail_status(call, 406, FL_UNSUPPORTED,
                        "this is text/event-stream or application/x-ndjson");
        return false;
    }
    *ret_is_sse = events.weight > lines.weight || (events.weight == lines.weight && !is_first);
    return true;
}

bool api_stream_open(struct api_stream *stream, struct api_call *call, const char *content_type)
{
    static const struct http_watcher watcher = {
        .on_gone = on_gone, .on_room = on_room, .on_drain = on_drain};
    struct fl_http_field headers[4 + API_HEADERS_MAX] = {
        {FL_STR("Content-Type"), fl_str_c(content_type)},
        {FL_STR("Cache-Control"), FL_STR("no-store, no-transform")},
        {FL_STR("X-Accel-Buffering"), FL_STR("no")},
        {FL_STR("X-Content-Type-Options"), FL_STR("nosniff")},
    };
    size_t headers_len = 4;

    if (!may_stream(call)) return false;
    for (size_t i = 0; i < call->headers_len; i++) {
        headers[headers_len++] = call->headers[i];
    }
    stream->api = call->api;
    stream->is_sse = strcmp(content_type, "text/event-stream") == 0;
    stream->is_quiet = strcmp(content_type, "text/plain") == 0;
    api_call_count(call, 200);
    stream->request = api_call_release(call);
    stream->token = token_hold_of(&call->token);
    stream->is_page = call->is_page;
    stream->session = call->session.key;
    enter(stream);
    fl_timer_init(&stream->heartbeat, stream->api->parts.loop, on_heartbeat, stream);
    if (!stream->is_quiet) fl_timer_in(&stream->heartbeat, stream->api->config.heartbeat_ms);
    http_watch(stream->request, &watcher, stream);
    http_stream_begin(stream->request, 200, headers, headers_len);
    return true;
}

bool api_stream_put(struct api_stream *stream, struct fl_str piece)
{
    if (!http_stream_put(stream->request, piece)) return false;
    if (!stream->is_quiet) fl_timer_in(&stream->heartbeat, stream->api->config.heartbeat_ms);
    return true;
}

size_t api_stream_room(struct api_stream *stream, size_t bytes_min)
{
    return http_stream_room(stream->request, bytes_min);
}

void api_stream_end(struct api_stream *stream)
{
    struct http_request *request = stream->request;

    if (!request) return;
    leave(stream);
    http_stream_end(request);
    stream->on_gone(stream);
}

/* ---- tokens that count no more --------------------------------------------------------------- */

struct verdict {
    const char *reason, *text; /* NULL: the token counts */
};

static struct verdict look_at_token(const struct api_stream *stream, fl_ms at)
{
    const struct api *api = stream->api;

    if (stream->is_page && !session_table_lives(api->config.sessions, &stream->session,
                                                fl_loop_now(api->parts.loop))) {
        return (struct verdict){"SessionEnded", "the session of this stream is over"};
    }
    switch (token_table_fate(api->parts.tokens, &stream->token, at)) {
    case TOKEN_COUNTS:
        break;
    case TOKEN_EXPIRED:
        return (struct verdict){"TokenExpired", "the token of this stream has expired"};
    case TOKEN_REVOKED:
        return (struct verdict){"TokenRevoked", "the token of this stream was revoked"};
    case TOKEN_ROTATED:
        return (struct verdict){"TokenRotated", "the token of this stream has a new secret"};
    }
    return (struct verdict){0};
}

static void write_closed(struct fl_buf *text, bool is_sse, const struct verdict *why)
{
    static const char event[] = "event: closed\ndata: ";
    struct fl_json_out json = fl_json_out(text);

    if (is_sse) fl_buf_put(text, event, sizeof event - 1);
    fl_json_open(&json, NULL, '{');
    fl_json_put_cstr(&json, "type", "closed");
    fl_json_put_cstr(&json, "reason", why->reason);
    fl_json_put_cstr(&json, "text", why->text);
    fl_json_close(&json, '}');
    fl_buf_put(text, "\n\n", is_sse ? 2 : 1);
    fl_assert(!text->is_over); /* the words are constants */
}

/* A stream that ends well without the word would say that this was all. */
static void close_stream(struct api_stream *stream, const struct verdict *why)
{
    struct fl_buf text;
    bool is_put;

    fl_buf_init(&text, CLOSED_BYTES_MAX);
    write_closed(&text, stream->is_sse, why);
    is_put = !stream->is_quiet && !stream->is_mid &&
             http_stream_put(stream->request, (struct fl_str){(const char *)text.at, text.len});
    fl_buf_fini(&text);
    if (is_put) {
        api_stream_end(stream);
    } else {
        http_stream_cut(stream->request);
    }
}

void api_streams_look(void *ctx)
{
    struct api *api = ctx;
    fl_ms at = token_table_time(api->parts.tokens, fl_loop_now(api->parts.loop));
    struct api_stream *next;

    for (struct api_stream *stream = api->streams_first; stream; stream = next) {
        struct verdict verdict = look_at_token(stream, at);

        next = stream->next;
        if (verdict.reason) close_stream(stream, &verdict);
    }
    if (api->streams > 0) fl_timer_in(&api->tokens_look, STREAM_TOKEN_MS);
}

/* ---- rows ------------------------------------------------------------------------------------ */

void api_want_rows(struct api *api)
{
    api->rows_wanted_at = fl_loop_now(api->parts.loop);
    api->parts.want_rows(api->parts.want_rows_ctx);
}

bool api_wants_rows(const struct api *api)
{
    return api->followers.len + api->tails.len > 0 ||
           fl_loop_now(api->parts.loop) < api->rows_wanted_at + WANTED_MS;
}
