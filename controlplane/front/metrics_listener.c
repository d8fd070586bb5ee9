#include "controlplane/front/metrics_listener.h"

#include "controlplane/api/auth.h"
#include "controlplane/api/caller.h"
#include "controlplane/http/server.h"
#include "controlplane/identity/identity.h"
#include "shared/base/alloc.h"
#include "shared/io/loop.h"
#include "shared/io/metrics.h"

enum { TEXT_BYTES_MAX = 16 << 20 };

struct metrics_listener {
    struct metrics_listener_parts parts;
    struct http_server *http;
    struct api_callers callers;
    struct fl_buf text;
};

static void answer(struct http_request *request, unsigned status, struct fl_str body)
{
    static const struct fl_http_field headers[] = {
        {{"Content-Type", 12}, {"text/plain; version=0.0.4", 25}},
        {{"WWW-Authenticate", 16}, {"Bearer", 6}},
    };

    http_answer(request, status, headers, status == 401 ? 2 : 1, body);
}

static uint64_t on_head(void *ctx, struct http_request *request)
{
    struct metrics_listener *server = ctx;
    const struct fl_http_head *head = http_head(request);
    struct token_grant token;
    struct api_route route = {.need = API_NEED_read};
    fl_ms at = token_table_time(server->parts.tokens, fl_loop_now(server->parts.loop));
    bool has_token = api_caller(head, &server->callers, server->parts.tokens,
                                identity_pepper(server->parts.identity), at, &token);
    enum api_verdict verdict = api_may(&route, has_token ? &token : NULL, at);

    if (verdict == API_WHO) {
        answer(request, 401, FL_STR("a token with scope read, for all queues, is needed\n"));
    } else if (verdict == API_MAY_NOT || !api_may_see_figures(&token)) {
        answer(request, 403, FL_STR("the token lacks the scope read, or is for one queue\n"));
    } else if (!fl_str_eq(head->path, FL_STR("/metrics")) ||
               (head->method != FL_HTTP_GET && head->method != FL_HTTP_HEAD)) {
        answer(request, 404, FL_STR("only GET /metrics is here\n"));
    }
    return 0;
}

static void on_request(void *ctx, struct http_request *request)
{
    struct metrics_listener *server = ctx;

    fl_buf_clear(&server->text);
    if (fl_metrics_write(server->parts.metrics, &server->text)) {
        answer(request, 200, (struct fl_str){(const char *)server->text.at, server->text.len});
    } else {
        answer(request, 500, FL_STR("there are more metrics than fit an answer\n"));
    }
}

struct metrics_listener *metrics_listener_create(const struct metrics_listener_parts *parts,
                                                 struct fl_err *err)
{
    struct metrics_listener *server = fl_new(struct metrics_listener);
    struct http_port port = {.ctx = server, .on_head = on_head, .on_request = on_request};
    struct http_limits limits = parts->limits;

    limits.connections_max = METRICS_CONNECTIONS_MAX;
    server->parts = *parts;
    fl_buf_init(&server->text, TEXT_BYTES_MAX);
    server->http = http_server_create(parts->loop, &limits, port, err);
    if (!server->http || !http_server_listen(server->http, parts->listen_fd, parts->tls, err)) {
        metrics_listener_destroy(server);
        return NULL;
    }
    return server;
}

void metrics_listener_destroy(struct metrics_listener *server)
{
    if (!server) return;
    http_server_destroy(server->http);
    fl_buf_fini(&server->text);
    api_callers_wipe(&server->callers);
    fl_free(server);
}
