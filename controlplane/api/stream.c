#include "controlplane/api/stream.h"

#include <string.h>

#include "controlplane/api/api_state.h"

/* A request that becomes a follower has done so by then. */
enum { WANTED_MS = 30000 };

static void on_gone(void *ctx, struct http_request *request)
{
    struct api_stream *stream = ctx;

    (void)request;
    fl_timer_off(&stream->heartbeat);
    stream->request = NULL;
    stream->api->streams--;
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

    fl_timer_in(&stream->heartbeat, stream->api->config.heartbeat_ms);
    /* A peer that has not even taken what was there before needs no sign of life. */
    if (!http_stream_put(stream->request, stream->is_sse ? FL_STR(":\n\n") : FL_STR("\n"))) return;
}

bool api_stream_form(struct api_call *call, bool *ret_is_sse)
{
    struct fl_str accept = api_header(call, "accept");
    const char *lines = accept.len > 0 ? memmem(accept.at, accept.len, "ndjson", 6) : NULL;
    const char *events =
        accept.len > 0 ? memmem(accept.at, accept.len, "text/event-stream", 17) : NULL;
    bool wants_lines = lines && (!events || lines < events); /* both: the first one counts */
    bool wants_events = accept.len == 0 || events || memmem(accept.at, accept.len, "*/*", 3);

    if (!wants_lines && !wants_events) {
        api_fail_status(call, 406, FL_UNSUPPORTED,
                        "this is text/event-stream or application/x-ndjson");
        return false;
    }
    *ret_is_sse = !wants_lines;
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

    if (call->api->streams >= call->config->followers_max) {
        api_fail(call, FL_UNAVAILABLE, "%u streams are open here already, the most there can be",
                 call->config->followers_max);
        return false;
    }
    for (size_t i = 0; i < call->headers_len; i++) {
        headers[headers_len++] = call->headers[i];
    }
    stream->api = call->api;
    stream->is_sse = strcmp(content_type, "text/event-stream") == 0;
    stream->is_quiet = strcmp(content_type, "text/plain") == 0;
    api_call_count(call, 200);
    stream->request = api_call_release(call);
    stream->api->streams++;
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
    fl_timer_off(&stream->heartbeat);
    stream->request = NULL;
    stream->api->streams--;
    http_stream_end(request);
    stream->on_gone(stream);
}

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
