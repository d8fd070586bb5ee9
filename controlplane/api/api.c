#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/caller.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/media_type.h"
#include "controlplane/api/stream.h"
#include "controlplane/identity/identity.h"
#include "controlplane/views/views_refill.h"
#include "shared/base/hash.h"

/* ---- the caller and the route ---------------------------------------------------------------- */

/* After a start, or without the database for a while, an unknown token looks the same as one that
 * is not read yet; and what belongs to a token, its queues and clusters, is not there before the
 * end of a load. */
static bool is_too_early(const struct api_call *call, bool has_token)
{
    struct fl_str text;
    const struct fl_http_field *field =
        fl_http_head_find(http_head(call->request), FL_STR("authorization"));

    if (call->route && call->route->need == API_NEED_nothing) return false;
    if (!call->is_page && (!field || !api_bearer(field->value, &text))) return false;
    return !token_table_is_loaded(call->parts->tokens) ||
           (!has_token && token_table_may_lack(call->parts->tokens));
}

enum { EMPTY_BODY_MAX = 64, OWNER_SEED = 1, TYPE_SHOWN_MAX = 100 };

/* Many clients send '{}' with every POST: an action that takes nothing takes that, too. */
static bool takes_nothing(const struct api_route *route)
{
    return route->body_max == 0 && route->method == API_POST;
}

static uint64_t body_max(const struct api_call *call)
{
    const struct http_limits *limits = &call->config->limits;

    if (call->route->body_max == API_BODY) return limits->body_bytes_max;
    if (call->route->body_max == API_BODY_BATCH) return limits->batch_bytes_max;
    return takes_nothing(call->route) ? EMPTY_BODY_MAX : call->route->body_max;
}

/* A number for the token, to count its connections. */
static uint64_t owner_of(const struct token_grant *token)
{
    return fl_hash64(OWNER_SEED, token->id, strlen(token->id)) | 1;
}

/* The connection becomes the token's, if that has not its share of this front. */
static bool claim(struct api_call *call)
{
    const struct http_limits *limits = &call->config->limits;

    switch (http_claim(call->request, owner_of(&call->token))) {
    case HTTP_CLAIM_CONNECTIONS:
        api_fail_status(
            call, 429, FL_FULL,
            "this token has %zu %% of all connections open, the most for one: use fewer "
            "(setting http_token_percent)",
            limits->token_percent);
        return false;
    case HTTP_CLAIM_UNSENT:
        api_fail_unsent(call);
        return false;
    case HTTP_CLAIM_RATE:
        api_fail_status(call, 429, FL_FULL,
                        "this token sends more than %zu requests a second, the most for one: send "
                        "fewer, or many jobs in one (setting http_token_rate)",
                        limits->token_rate);
        return false;
    case HTTP_CLAIMED:
    case HTTP_CLAIM_BODIES: /* the server's own answer */
    case HTTP_CLAIMS_LEN:
        break;
    }
    return true;
}

/* A kubelet that asks for readiness has no token. */
static bool is_probe(const struct api_call *call, const struct fl_http_head *head)
{
    return call->route->takes_probes && !call->is_page &&
           !fl_http_head_find(head, FL_STR("authorization"));
}

/* A page shows its session's cookie, and then has the rights of the session's token. */
static bool find_session(struct api_call *call, const struct fl_http_head *head)
{
    struct fl_str text = page_cookie_find(&call->config->cookie, head);

    if (text.len == 0 || fl_http_head_find(head, FL_STR("authorization"))) return false;
    call->is_page = session_table_find(call->config->sessions, text, call->now, &call->session);
    return call->is_page &&
           api_caller_again(&call->session.token, call->parts->tokens, call->at, &call->token);
}

static bool find_caller(struct api_call *call, const struct fl_http_head *head)
{
    return api_caller(head, &call->api->callers, call->parts->tokens,
                      identity_pepper(call->parts->identity), call->at, &call->token) ||
           find_session(call, head);
}

/* False: it was answered. */
static bool is_own_page(struct api_call *call, const struct fl_http_head *head)
{
    const char *refusal = call->is_page ? page_refusal(head, call->config->api_url) : NULL;

    if (refusal) api_fail(call, FL_DENIED, "%s", refusal);
    return !refusal;
}

/* The person for whom it acts, if it says so.  False: it was answered. */
static bool read_as(struct api_call *call)
{
    struct fl_str name = api_header(call, "fairlead-as");

    if (name.len == 0) return true;
    if (!api_may_delegate(&call->token)) {
        api_fail(call, FL_DENIED,
                 "this token may not act for others (" API_HEADER_AS "); that needs the scope "
                 "delegate");
        return false;
    }
    if (!fl_str_is_name(name)) {
        api_fail_header(call, API_HEADER_AS, "this is no owner's name", name,
                        "a name: a-z, 0-9 and '-', no '-' at an end, at most " FL_QUOTE(
                            FL_NAME_BYTES_MAX) " bytes");
        return false;
    }
    call->as = fl_arena_str(&call->arena, name);
    return true;
}

/* A script whose variable is empty sends these without a value.  Without the header its request
 * would be another one: done twice, over a newer edit, or for itself.  False: it was answered. */
static bool has_no_empty_header(struct api_call *call)
{
    static const struct {
        const char *found, *name, *allowed;
        uint32_t takes; /* a route that looks at it */
    } headers[] = {
        {"fairlead-as", API_HEADER_AS, "the name of a person", 0},
        {"idempotency-key", "Idempotency-Key", API_KEY_ALLOWED, API_TAKES_key},
        {"if-match", "If-Match", "the ETag of the job, or its revision in double quotes",
         API_TAKES_match},
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const struct fl_http_field *field =
            fl_http_head_find(http_head(call->request), fl_str_c(headers[i].found));

        if (!field || field->value.len > 0) continue;
        if ((call->route->headers & headers[i].takes) != headers[i].takes) continue;
        api_fail_header(call, headers[i].name,
                        "this header is empty: give a value, or leave it out", (struct fl_str){0},
                        headers[i].allowed);
        return false;
    }
    return true;
}

/* A body without a type is JSON. */
static bool has_good_type(struct api_call *call)
{
    const char *takes = call->route->takes ? call->route->takes : "application/json";
    struct fl_str type = api_header(call, "content-type");

    if (type.len > 0 && !media_type_is_in(type, takes)) {
        api_fail_status(call, 415, FL_UNSUPPORTED,
                        "the body is " FL_STR_FMT ", and this route takes %s: say so in the header "
                        "Content-Type",
                        FL_STR_ARG(fl_str_begin(type, TYPE_SHOWN_MAX)), takes);
        return false;
    }
    if (media_type_is_utf8(type)) return true;
    api_fail_status(call, 415, FL_UNSUPPORTED,
                    "the body is " FL_STR_FMT ", and text is UTF-8 here: send it so, and leave the "
                    "charset out",
                    FL_STR_ARG(fl_str_begin(type, TYPE_SHOWN_MAX)));
    return false;
}

/* Everything that does not need the body.  False: it was answered. */
static bool admit(struct api_call *call)
{
    const struct fl_http_head *head = http_head(call->request);
    enum api_found found =
        api_route_find(call->parts->tables->resources, fl_str_c(fl_http_method_name(head->method)),
                       head->path, &call->match);
    bool has_token;

    call->route = call->match.route;
    has_token = find_caller(call, head);
    if (!is_own_page(call, head)) return false;
    if (is_too_early(call, has_token)) {
        api_fail_status(call, 503, FL_UNAVAILABLE, "tokens and queues are being read, ask again");
        return false;
    }
    if (found != API_FOUND) {
        if (!has_token) {
            /* A stranger does not learn which paths there are. */
            api_header_add(call, "WWW-Authenticate", FL_STR("Bearer"));
            api_fail_status(call, 401, FL_DENIED,
                            "a token is needed: Authorization: Bearer fl_...");
        } else if (found == API_NO_METHOD) {
            api_header_add(call, "Allow", fl_str_c(call->match.allow));
            api_fail_status(call, 405, FL_UNSUPPORTED, "this path is for %s", call->match.allow);
        } else {
            api_absent(call);
        }
        return false;
    }
    switch (is_probe(call, head)
                ? API_MAY
                : api_may(call->route, has_token ? &call->token : NULL, call->at)) {
    case API_MAY:
        break;
    case API_WHO:
        api_header_add(call, "WWW-Authenticate", FL_STR("Bearer"));
        api_fail_status(call, 401, FL_DENIED,
                        "a token that counts is needed: Authorization: Bearer fl_...");
        return false;
    case API_MAY_NOT:
        api_fail(call, FL_DENIED, "this token may not do that; the route needs the scope %s%s",
                 call->route->need == API_NEED_fleet ? "admin" : api_need_name(call->route->need),
                 call->route->need == API_NEED_fleet ? ", for all queues" : "");
        return false;
    }
    if (has_token && !claim(call)) return false;
    if (has_token) token_table_use(call->parts->tokens, fl_str_c(call->token.id), call->at);
    if (!has_no_empty_header(call) || !read_as(call)) return false;
    if (!fl_http_head_has_body(head)) return true;
    if (body_max(call) == 0) {
        api_fail_status(call, 413, FL_TOO_LARGE, "this route takes no body");
        return false;
    }
    return has_good_type(call);
}

/* ---- from the server ------------------------------------------------------------------------- */

static uint64_t on_head(void *ctx, struct http_request *request)
{
    struct api_call *call = api_call_create(ctx, request);

    if (!admit(call)) return 0;
    api_call_await(call);
    return body_max(call);
}

/* An empty cursor means the first page: every loop over pages begins so. */
static bool check_query(struct api_call *call, struct fl_str name, struct fl_str value)
{
    const struct api_field *field = api_field_find(call->route->query, name);
    char allowed[API_ALLOWED_MAX];

    if (name.len == 0) {
        api_fail(call, FL_INVALID, "a field of the query has no name");
        return false;
    }
    if (!field) {
        api_fail_parameter(call, fl_arena_printf(&call->arena, FL_STR_FMT, FL_STR_ARG(name)),
                           "unknown field in the query", name, NULL);
        return false;
    }
    if (fl_str_eq(name, FL_STR("cursor")) || api_field_takes_text(field, value)) return true;
    api_field_allowed(field, allowed);
    api_fail_parameter(call, field->name,
                       value.len > 0 ? "this value is not allowed here"
                                     : "this field is empty: give a value, or leave it out",
                       value, allowed);
    return false;
}

static bool is_given_before(const struct api_call *call, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (fl_str_eq(call->query.at[i].name, call->query.at[len].name)) return true;
    }
    return false;
}

static bool has_all(struct api_call *call)
{
    for (const struct api_field *field = call->route->query; field && field->name; field++) {
        char allowed[API_ALLOWED_MAX];

        if (!field->is_required || api_query_has(call, field->name)) continue;
        api_field_allowed(field, allowed);
        api_fail_parameter(call, field->name, "this field of the query is missing",
                           (struct fl_str){0}, allowed);
        return false;
    }
    return true;
}

static bool read_query(struct api_call *call)
{
    struct fl_err err = {0};

    if (!http_query(call->request, &call->query, &err)) {
        api_fail_status(call, 400, FL_INVALID, "%s", err.text);
        return false;
    }
    for (size_t i = 0; i < call->query.len; i++) {
        if (is_given_before(call, i)) {
            api_fail_parameter(
                call, fl_arena_printf(&call->arena, FL_STR_FMT, FL_STR_ARG(call->query.at[i].name)),
                "this field is given twice in the query", call->query.at[i].name, "once");
            return false;
        }
        if (!check_query(call, call->query.at[i].name, call->query.at[i].value)) return false;
    }
    return has_all(call);
}

static bool is_empty_body(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, true);

    return body;
}

static void handle(struct api_call *call, struct http_request *request)
{
    call->body = http_body(request);
    for (size_t i = 0; i < call->match.params_len; i++) {
        if (!http_segment_text(request, call->match.params[i], &call->params[i])) {
            api_absent(call);
            return;
        }
    }
    if (!read_query(call) || (takes_nothing(call->route) && !is_empty_body(call))) return;
    call->route->run(call);
}

/* The call stays until its handler has returned, also when that has answered long before. */
static void on_request(void *ctx, struct http_request *request)
{
    struct api_call *call = api_call_awaited(ctx, request);

    api_hold(call);
    handle(call, request);
    FL_IGNORE(api_drop(call));
}

struct http_port api_port(struct api *api)
{
    return (struct http_port){.ctx = api, .on_head = on_head, .on_request = on_request};
}

/* ---- its life -------------------------------------------------------------------------------- */

static struct views_refill *create_refill(struct api *api)
{
    struct views_refill_config config = {
        .loop = api->parts.loop,
        .reader = api->parts.reader,
        .asked = api->parts.asked,
        .asked_ctx = api->parts.asked_ctx,
        .views = api->parts.views,
        .done = api_first_start,
        .done_ctx = api,
    };

    return views_refill_create(&config);
}

void api_began(struct api *api, bool is_lost)
{
    api_ask_newest(api);
    if (!is_lost && api->refill) views_refill_start(api->refill);
}

struct api *api_create(const struct api_config *config, const struct api_parts *parts)
{
    struct api *api = fl_new(struct api);

    api->config = *config;
    api->parts = *parts;
    api->traces.seed = fl_random_u64();
    if (parts->metrics) api->routes = route_metrics_create(parts->metrics);
    if (parts->is_first) api->refill = create_refill(api);
    call_memory_init(&api->memory, parts->loop, config->budget);
    fl_timer_init(&api->newest, parts->loop, api_ask_newest, api);
    fl_timer_init(&api->later, parts->loop, api_call_go_on, api);
    fl_timer_init(&api->tokens_look, parts->loop, api_streams_look, api);
    fl_timer_init(&api->denials_look, parts->loop, api_denials_look, api);
    return api;
}

void api_destroy(struct api *api)
{
    if (!api) return;
    views_refill_destroy(api->refill);
    api_call_forget_later(api);
    fl_timer_off(&api->newest);
    fl_timer_off(&api->tokens_look);
    fl_timer_off(&api->denials_look);
    if (api->parts.tables->end) api->parts.tables->end(api);
    route_metrics_destroy(api->routes);
    fl_buf_fini(&api->openapi);
    fl_map_fini(&api->awaited);
    fl_map_fini(&api->streams_of);
    api_callers_wipe(&api->callers);
    call_memory_fini(&api->memory);
    fl_free(api);
}

uint64_t api_streams(const struct api *api)
{
    return api->streams;
}
