#include "controlplane/api/call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/call_budget.h"
#include "controlplane/front/pending_requests.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "shared/io/clock.h"
#include "shared/io/log.h"
#include "shared/io/loop.h"

enum { ETAG_SEED = 1, ANSWER_USUAL_BYTES = 1024 };

/* ---- its life -------------------------------------------------------------------------------- */

static void end(struct api_call *call)
{
    void (*on_end)(struct api_call *) = call->on_end;

    call->on_end = NULL;
    if (on_end) on_end(call);
}

static void free_if_done(struct api_call *call)
{
    struct api *api = call->api;
    struct fl_arena arena;

    if (call->request || call->outstanding > 0) return;
    end(call);
    fl_buf_fini(&call->out);
    arena = call->arena; /* the call is in it */
    call_memory_give(&api->memory, &arena, call->counted);
}

void api_call_count(struct api_call *call, unsigned status)
{
    if (!call->api->routes) return;
    route_metrics_count(call->api->routes, call->route, status,
                        fl_loop_now(call->parts->loop) - call->now);
}

static void on_gone(void *ctx, struct http_request *request)
{
    struct api_call *call = ctx;

    (void)request;
    api_call_count(call, 0);
    fl_map_remove(&call->api->awaited, &call->handle, sizeof call->handle);
    call->request = NULL;
    end(call);
    free_if_done(call);
}

struct api_call *api_call_create(struct api *api, struct http_request *request)
{
    static const struct http_watcher watcher = {.on_gone = on_gone};
    struct fl_arena arena = call_memory_take(&api->memory);
    struct api_call *call = fl_arena_new(&arena, struct api_call);

    call->arena = arena;
    call->api = api;
    call->config = &api->config;
    call->parts = &api->parts;
    call->request = request;
    call->handle = http_handle(request);
    call->now = fl_loop_now(api->parts.loop);
    call->wall = fl_loop_wall(api->parts.loop);
    call->at = token_table_time(api->parts.tokens, call->now);
    call->is_traced = fl_trace_name(&api->traces, http_head(request), call->trace_id);
    fl_buf_init(&call->out, API_ANSWER_BYTES_MAX);
    http_watch(request, &watcher, call);
    return call;
}

void api_call_await(struct api_call *call)
{
    fl_map_put(&call->api->awaited, &call->handle, sizeof call->handle, (uint64_t)(uintptr_t)call);
}

struct api_call *api_call_awaited(struct api *api, struct http_request *request)
{
    struct http_handle handle = http_handle(request);
    uint64_t call;

    if (!fl_map_find(&api->awaited, &handle, sizeof handle, &call)) {
        fl_unreachable("a request that was admitted, and not answered, is awaited");
    }
    fl_map_remove(&api->awaited, &handle, sizeof handle);
    return (struct api_call *)(uintptr_t)call; /* NOLINT(performance-no-int-to-ptr) */
}

struct http_request *api_call_release(struct api_call *call)
{
    struct http_request *request = call->request;

    call->request = NULL;
    api_hold(call); /* a handler that streams drops it when it needs no more of it */
    return request;
}

void api_hold(struct api_call *call)
{
    call->outstanding++;
}

bool api_drop(struct api_call *call)
{
    bool is_there = call->request != NULL;

    call->outstanding--;
    free_if_done(call);
    return is_there;
}

/* ---- its request ----------------------------------------------------------------------------- */

struct fl_str api_query(const struct api_call *call, const char *name)
{
    struct fl_str wanted = fl_str_c(name);

    for (size_t i = 0; i < call->query.len; i++) {
        if (fl_str_eq(call->query.at[i].name, wanted)) return call->query.at[i].value;
    }
    return (struct fl_str){0};
}

bool api_query_has(const struct api_call *call, const char *name)
{
    struct fl_str wanted = fl_str_c(name);

    for (size_t i = 0; i < call->query.len; i++) {
        if (fl_str_eq(call->query.at[i].name, wanted)) return true;
    }
    return false;
}

uint64_t api_query_u64(const struct api_call *call, const char *name)
{
    const struct api_field *field = api_field_find(call->route->query, fl_str_c(name));
    uint64_t n;

    fl_assert(field);
    return fl_str_parse_u64(api_query(call, name), &n) ? n : (uint64_t)field->preset;
}

bool api_query_flag(const struct api_call *call, const char *name)
{
    return api_query_has(call, name) && !fl_str_eq(api_query(call, name), FL_STR("false"));
}

bool api_param_job(struct api_call *call, struct fl_job *ret_job)
{
    struct fl_err err = {0};

    if (fl_job_parse(call->params[0], ret_job, &err)) return true;
    api_absent(call);
    return false;
}

struct fl_str api_header(const struct api_call *call, const char *name)
{
    const struct fl_http_field *field = fl_http_head_find(http_head(call->request), fl_str_c(name));

    return field ? field->value : (struct fl_str){0};
}

/* The place of a member of the body, or of an item of it. */
static const char *pointer_to(struct api_call *call, const struct fl_json *member,
                              const struct fl_json *item)
{
    struct fl_path outer = {.key = member->key}, inner = {.up = &outer, .key = item->key};
    struct fl_str pointer;

    if (member->kind == FL_JSON_LIST) {
        FL_JSON_EACH (before, member) {
            if (before == item) break;
            inner.index++;
        }
    }
    pointer = fl_path_pointer(item == member ? &outer : &inner, (struct fl_str){0}, &call->arena);
    return fl_arena_printf(&call->arena, FL_STR_FMT, FL_STR_ARG(pointer));
}

static void refuse_value(struct api_call *call, const struct api_field *field,
                         const struct fl_json *member)
{
    const struct fl_json *wrong = api_field_wrong(field, member);
    struct fl_str got = wrong->text;
    char allowed[API_ALLOWED_MAX];

    if (wrong == member) {
        api_field_allowed(field, allowed);
    } else {
        api_item_allowed(field, allowed);
    }
    if (got.len == 0) {
        got = wrong->kind == FL_JSON_STRING ? FL_STR("an empty string")
              : wrong->kind == FL_JSON_LIST && wrong->len == 0
                  ? FL_STR("an empty list")
                  : fl_str_c(fl_json_kind_name(wrong->kind));
    }
    api_fail_at(call, pointer_to(call, member, wrong), "this value is not allowed here", got,
                allowed);
}

static bool check_member(struct api_call *call, const struct fl_json *member)
{
    const struct api_field *field = api_field_find(call->route->body, member->key);

    if (!field) {
        api_fail_at(call, pointer_to(call, member, member), "unknown field", member->key, NULL);
        return false;
    }
    if (api_field_takes(field, member)) return true;
    refuse_value(call, field, member);
    return false;
}

static bool check_required(struct api_call *call, const struct fl_json *body)
{
    const struct api_field *field = call->route->body;
    char allowed[API_ALLOWED_MAX];

    for (; field && field->name; field++) {
        if (!field->is_required || fl_json_member(body, fl_str_c(field->name))) continue;
        api_field_allowed(field, allowed);
        api_fail_at(call, fl_arena_printf(&call->arena, "/%s", field->name), "this is required",
                    (struct fl_str){0}, allowed);
        return false;
    }
    return true;
}

static bool check_body(struct api_call *call, const struct fl_json *body)
{
    if (body->kind != FL_JSON_OBJECT) {
        api_fail_at(call, "", "the body must be an object", fl_str_c(fl_json_kind_name(body->kind)),
                    "an object");
        return false;
    }
    FL_JSON_EACH (member, body) {
        if (!check_member(call, member)) return false;
    }
    return check_required(call, body);
}

const struct fl_json *api_body_json(struct api_call *call, bool may_be_empty)
{
    struct fl_str body = call->body;
    const struct fl_json *root;
    struct fl_place at = {0};
    struct fl_err err = {0};

    if (body.len == 0 && may_be_empty) body = FL_STR("{}");
    if (!fl_json_parse_few(body, API_VALUES_MAX, &call->arena, &root, &at, &err)) {
        api_fail_place(call, err.code == FL_UNSUPPORTED ? 422 : 400, at, &err);
        return NULL;
    }
    return call->route->schema || check_body(call, root) ? root : NULL;
}

/* ---- answering ------------------------------------------------------------------------------- */

struct fl_json_out *api_json(struct api_call *call)
{
    fl_buf_clear(&call->out);
    fl_buf_reserve(&call->out, ANSWER_USUAL_BYTES);
    call->json = fl_json_out(&call->out);
    return &call->json;
}

void api_header_add(struct api_call *call, const char *name, struct fl_str value)
{
    fl_assert(call->headers_len < API_HEADERS_MAX);
    call->headers[call->headers_len++] = (struct fl_http_field){fl_str_c(name), value};
}

/* A read may be refused though its answer is there; the answer of a change is sent in any case. */
static bool is_too_much(struct api_call *call, unsigned status, struct fl_str body)
{
    return call->route && call->route->method == API_GET && status < 300 &&
           !http_may_answer(call->request, body.len);
}

void api_answer_as(struct api_call *call, unsigned status, const char *content_type,
                   struct fl_str body)
{
    struct fl_http_field headers[API_HEADERS_MAX + 4];
    struct http_request *request = call->request;
    size_t len = 0;

    if (is_too_much(call, status, body)) {
        call->headers_len = 0;
        api_fail_unsent(call);
        return;
    }
    headers[len++] = (struct fl_http_field){FL_STR("Content-Type"), fl_str_c(content_type)};
    headers[len++] = (struct fl_http_field){FL_STR("Cache-Control"), FL_STR("no-store")};
    headers[len++] = (struct fl_http_field){FL_STR("X-Content-Type-Options"), FL_STR("nosniff")};
    for (size_t i = 0; i < call->headers_len; i++) {
        headers[len++] = call->headers[i];
    }
    call->request = NULL;
    api_call_count(call, status);
    if (body.at && body.at == (const char *)call->out.at && body.len == call->out.len) {
        http_answer_adopt(request, status, headers, len, &call->out);
    } else {
        http_answer(request, status, headers, len, body);
    }
    free_if_done(call);
}

/* The answer's ETag ends with a hash of its bytes: a client that polls is not sent what it has. */
static bool has_it_already(struct api_call *call, struct fl_str body)
{
    char *etag = fl_arena_printf(&call->arena, "\"%s%s%016" PRIx64 "\"", call->tag ? call->tag : "",
                                 call->tag ? "." : "", fl_hash64(ETAG_SEED, body.at, body.len));

    if (call->headers_len < API_HEADERS_MAX) api_header_add(call, "ETag", fl_str_c(etag));
    return call->route->method == API_GET && http_has_etag(call->request, fl_str_c(etag));
}

void api_answer(struct api_call *call)
{
    struct fl_str body = {(const char *)call->out.at, call->out.len};

    if (call->out.is_over) {
        api_fail(call, FL_TOO_LARGE, "the answer has over %d bytes; ask for less",
                 API_ANSWER_BYTES_MAX);
        return;
    }
    if ((call->route->method == API_GET || (call->route->headers & API_TAKES_match)) &&
        has_it_already(call, body)) {
        api_answer_as(call, 304, "application/json", (struct fl_str){0});
        return;
    }
    api_answer_as(call, call->route->status ? call->route->status : 200,
                  call->route->gives ? call->route->gives : "application/json", body);
}

/* An administrator finds the traceId of an answer here; under a flood the log goes quiet. */
static void log_problem(const struct api_call *call, const struct api_problem *problem,
                        uint16_t status)
{
    const struct fl_http_head *head = http_head(call->request);

    fl_log(status >= 500 ? FL_LOG_WARN : FL_LOG_INFO, "api", "problem",
           FL_LOG_S("trace", call->trace_id), FL_LOG_N("status", status),
           FL_LOG_S("code", fl_code_name(problem->code)),
           FL_LOG_STR("peer", http_peer(call->request)), FL_LOG_S("token", call->token.id),
           FL_LOG_S("method", fl_http_method_name(head->method)), FL_LOG_STR("path", head->path),
           FL_LOG_S("detail", problem->detail ? problem->detail : ""));
}

static void audit_denial(struct api_call *call, uint16_t status)
{
    if (call->is_hidden) {
        api_audit_denial(call, "hidden");
    } else if (status == 401) {
        api_audit_denial(call, "unauthenticated");
    } else if (status == 403) {
        api_audit_denial(call, "denied");
    }
}

static void answer_problem(struct api_call *call, struct api_problem *problem)
{
    uint16_t status = problem->status ? problem->status : api_status_of(problem->code);
    uint32_t retry_s = api_retry_after_s(status);
    char retry[16];

    log_problem(call, problem, status);
    audit_denial(call, status);
    problem->trace_id = call->trace_id;
    fl_buf_clear(&call->out);
    api_problem_write(&call->out, problem);
    problem->trace_id = NULL; /* it is written, and ends here */
    if (retry_s > 0 && call->headers_len < API_HEADERS_MAX) {
        snprintf(retry, sizeof retry, "%" PRIu32, retry_s);
        api_header_add(call, "Retry-After", fl_str_c(retry));
    }
    api_answer_as(call, status, "application/problem+json",
                  (struct fl_str){(const char *)call->out.at, call->out.len});
}

static void fail(struct api_call *call, uint16_t status, enum fl_code code, const char *fmt,
                 va_list args)
{
    struct api_problem problem = {.status = status, .code = code};
    char detail[512];

    vsnprintf(detail, sizeof detail, fmt, args);
    problem.detail = detail;
    answer_problem(call, &problem);
}

void api_fail(struct api_call *call, enum fl_code code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fail(call, 0, code, fmt, args);
    va_end(args);
}

void api_fail_status(struct api_call *call, unsigned status, enum fl_code code, const char *fmt,
                     ...)
{
    va_list args;

    va_start(args, fmt);
    fail(call, (uint16_t)status, code, fmt, args);
    va_end(args);
}

static void fail_one(struct api_call *call, struct api_problem_error error, const char *detail,
                     struct fl_str got, const char *allowed)
{
    struct api_problem problem = {
        .code = FL_INVALID, .detail = detail, .errors = &error, .errors_len = 1};

    error.detail = fl_str_c(detail);
    error.got = got;
    error.allowed = fl_str_c(allowed);
    answer_problem(call, &problem);
}

static void fail_absent(struct api_call *call, struct api_problem_error error, const char *detail,
                        struct fl_str got)
{
    struct api_problem problem;

    error.detail = fl_str_c(detail);
    error.got = got;
    problem = api_problem_absent(detail, &error);
    answer_problem(call, &problem);
}

void api_fail_at(struct api_call *call, const char *where, const char *detail, struct fl_str got,
                 const char *allowed)
{
    fl_assert(where[0] == 0 || where[0] == '/');
    fail_one(call, (struct api_problem_error){.pointer = fl_str_c(where)}, detail, got, allowed);
}

void api_fail_parameter(struct api_call *call, const char *where, const char *detail,
                        struct fl_str got, const char *allowed)
{
    fail_one(call, (struct api_problem_error){.parameter = fl_str_c(where)}, detail, got, allowed);
}

void api_fail_header(struct api_call *call, const char *where, const char *detail,
                     struct fl_str got, const char *allowed)
{
    fail_one(call, (struct api_problem_error){.header = fl_str_c(where)}, detail, got, allowed);
}

void api_fail_absent_at(struct api_call *call, const char *where, const char *detail,
                        struct fl_str got)
{
    fail_absent(call, (struct api_problem_error){.pointer = fl_str_c(where)}, detail, got);
}

void api_fail_absent_parameter(struct api_call *call, const char *where, const char *detail,
                               struct fl_str got)
{
    fail_absent(call, (struct api_problem_error){.parameter = fl_str_c(where)}, detail, got);
}

void api_fail_place(struct api_call *call, unsigned status, struct fl_place at,
                    const struct fl_err *err)
{
    struct api_problem_error error = {
        .detail = fl_str_c(err->text), .line = at.line, .col = at.col};
    struct api_problem problem = {
        .status = err->code == FL_TOO_LARGE ? 413 : (uint16_t)status,
        .code = err->code,
        .detail = err->text,
        .errors = &error,
        .errors_len = 1,
    };

    answer_problem(call, &problem);
}

size_t api_problem_errors(const struct fl_problems *problems, struct api_problem_error *ret)
{
    for (size_t i = 0; i < problems->len; i++) {
        const struct fl_problem *from = &problems->at[i];

        ret[i] = (struct api_problem_error){
            .pointer = from->pointer,
            .detail = from->detail,
            .got = from->got,
            .allowed = from->allowed,
            .line = from->at.line,
            .col = from->at.col,
        };
    }
    return problems->len;
}

void api_fail_problems(struct api_call *call, const struct fl_problems *problems)
{
    struct api_problem_error errors[FL_PROBLEMS_MAX];
    struct api_problem problem = {.code = FL_INVALID, .errors = errors};
    struct fl_err err = {0};

    if (fl_problems_fail(problems, &err)) fl_unreachable("fl_problems_fail returns false");
    problem.errors_len = api_problem_errors(problems, errors);
    problem.detail = err.text;
    answer_problem(call, &problem);
}

void api_fail_unsent(struct api_call *call)
{
    const struct http_limits *limits = &call->config->limits;

    api_fail_status(call, 429, FL_FULL,
                    "this token has not read its earlier answers, and %zu %% of %zu bytes may wait "
                    "for one: read them first (settings http_unsent_bytes_max, http_token_percent)",
                    limits->token_percent, limits->unsent_bytes_max);
}

void api_absent(struct api_call *call)
{
    api_fail(call, FL_ABSENT, "not found, or this token may not see it");
}

bool api_sees_queue(struct api_call *call, struct fl_str queue)
{
    bool sees = api_may_see_queue(&call->token, queue);

    call->is_hidden = !sees;
    return sees;
}

/* ---- long work, in slices -------------------------------------------------------------------- */

bool api_slice_is_over(const struct api_call *call)
{
    return fl_clock_mono_us() >= call->slice_end_us;
}

bool api_count_memory(struct api_call *call, struct fl_err *err)
{
    size_t bytes = fl_arena_bytes(&call->arena) + call->body.len;

    if (bytes <= call->counted) return true;
    if (!call_budget_take(call->config->budget, call->counted, bytes - call->counted, err)) {
        return false;
    }
    call->counted = bytes;
    return true;
}

void api_later(struct api_call *call, void (*then)(struct api_call *call))
{
    struct api *api = call->api;

    api_hold(call);
    call->later = then;
    call->later_next = NULL;
    if (api->later_last) {
        api->later_last->later_next = call;
    } else {
        api->later_first = call;
        fl_timer_at(&api->later, fl_loop_now(api->parts.loop));
    }
    api->later_last = call;
}

static bool is_slice_free(const struct api *api)
{
    return api->sliced_us != fl_loop_now_us(api->parts.loop);
}

static void begin_slice(struct api_call *call)
{
    call->api->sliced_us = fl_loop_now_us(call->api->parts.loop);
    call->slice_end_us = fl_clock_mono_us() + API_SLICE_US;
}

void api_in_slices(struct api_call *call, void (*then)(struct api_call *call))
{
    if (call->api->later_first || !is_slice_free(call->api)) {
        api_later(call, then);
    } else {
        begin_slice(call);
        then(call);
    }
}

static struct api_call *take_later(struct api *api)
{
    struct api_call *call = api->later_first;

    api->later_first = call->later_next;
    if (!api->later_first) api->later_last = NULL;
    return call;
}

void api_call_go_on(void *ctx)
{
    struct api *api = ctx;
    struct api_call *call = is_slice_free(api) ? take_later(api) : NULL;

    if (api->later_first) fl_timer_at(&api->later, fl_loop_now(api->parts.loop));
    if (!call || !api_drop(call)) return;
    begin_slice(call);
    call->later(call);
}

void api_call_forget_later(struct api *api)
{
    fl_timer_off(&api->later);
    while (api->later_first) {
        FL_IGNORE(api_drop(take_later(api)));
    }
}

/* ---- asking the core ------------------------------------------------------------------------- */

struct asked {
    struct api_call *call;
    api_then *then;
    bool is_any;
};

static void on_answer(void *ctx, const struct core_answer *answer)
{
    struct asked *asked = ctx;
    struct api_call *call = asked->call;

    if (call->request && answer->is_replay && !call->is_replay) {
        call->is_replay = true;
        api_header_add(call, "Idempotent-Replayed", FL_STR("true"));
    }
    if (call->request && answer->code != FL_OK && !asked->is_any) {
        api_fail(call, answer->code, "%s",
                 answer->text ? answer->text : fl_code_meaning(answer->code));
    } else if (call->request) {
        asked->then(call, answer);
    }
    FL_IGNORE(api_drop(call)); /* only now: 'then' may answer and still look at the call */
}

static void ask(struct api_call *call, struct engine_event *event, api_then *then, bool is_any)
{
    struct asked *asked = fl_arena_new(&call->arena, struct asked);
    struct fl_err err = {0};

    *asked = (struct asked){call, then, is_any};
    call->outstanding++;
    if (!api_count_memory(call, &err)) {
        engine_event_destroy(event);
    } else if (pending_requests_send(call->parts->pending, event, fl_loop_now(call->parts->loop),
                                     on_answer, asked, &err)) {
        return;
    }
    on_answer(asked, &(struct core_answer){.code = err.code, .text = err.text});
}

void api_ask(struct api_call *call, struct engine_event *event, api_then *then)
{
    ask(call, event, then, false);
}

void api_ask_any(struct api_call *call, struct engine_event *event, api_then *then)
{
    ask(call, event, then, true);
}
