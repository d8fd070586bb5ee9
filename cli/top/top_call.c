#include "cli/top/top_call.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"

enum { CONNECT_MS = 5000, SILENT_MS = 20000, BYTES_MAX = 16 << 20 };

void top_call_init(struct top_call *call, struct cli *cli, struct cli_http *http)
{
    *call = (struct top_call){.cli = cli, .http = http};
    fl_buf_init(&call->body, BYTES_MAX);
}

static void hang_up(struct top_call *call)
{
    fl_http_call_destroy(call->call);
    call->call = NULL;
    call->is_done = false;
}

void top_call_fini(struct top_call *call)
{
    hang_up(call);
    fl_buf_fini(&call->body);
}

/* ---- the HTTP client's calls ----------------------------------------------------------------- */

static void on_head(void *ctx)
{
    struct top_call *call = ctx;

    call->status = fl_http_call_status(call->call);
}

static void on_body(void *ctx, struct fl_str bytes)
{
    struct top_call *call = ctx;

    FL_IGNORE(fl_buf_put(&call->body, bytes.at, bytes.len)); /* the client has the same limit */
}

static void on_done(void *ctx, const struct fl_err *err)
{
    struct top_call *call = ctx;

    call->is_done = true;
    if (err) call->err = *err;
}

/* ---- one request ----------------------------------------------------------------------------- */

void top_call_start(struct top_call *call, const char *method, const char *path)
{
    struct fl_http_port port = {.ctx = call, .head = on_head, .body = on_body, .done = on_done};
    struct fl_arena outer = cli_begin_turn(call->cli);
    struct cli_http_request request;

    hang_up(call);
    fl_buf_clear(&call->body);
    call->status = 0;
    call->err = (struct fl_err){0};
    cli_http_request(call->cli, path, &request);
    request.http.method = method;
    request.http.connect_ms = CONNECT_MS;
    request.http.head_ms = request.http.idle_ms = SILENT_MS;
    request.http.body_bytes_max = BYTES_MAX;
    cli_http_put_header(&request, "Accept", "application/json");
    call->call = fl_http_call_start(call->http->client, &request.http, &port);
    cli_end_turn(call->cli, outer);
}

bool top_call_is_open(const struct top_call *call)
{
    return call->call;
}

static void tell_problem(const struct top_call *call, const json_t *body, char why[TOP_WHY_BYTES])
{
    const char *detail = cli_text(body, "detail");

    if (!*detail) detail = cli_text(body, "title");
    snprintf(why, TOP_WHY_BYTES, "%u %s", call->status, *detail ? detail : "without a word why");
}

bool top_call_take(struct top_call *call, struct top_answer *ret_answer)
{
    json_t *body;

    if (!call->is_done) return false;
    *ret_answer = (struct top_answer){.status = call->status};
    body = json_loadb((const char *)call->body.at, call->body.len, 0, NULL);
    if (call->err.code) {
        ret_answer->status = 0;
        snprintf(ret_answer->why, TOP_WHY_BYTES, "%s", call->err.text);
    } else if (call->status < 200 || call->status > 299) {
        tell_problem(call, body, ret_answer->why);
    } else if (!body) {
        snprintf(ret_answer->why, TOP_WHY_BYTES, "the answer is no JSON");
    } else {
        ret_answer->json = json_incref(body);
    }
    json_decref(body);
    hang_up(call);
    return true;
}
