/* /v1/queues: what is queued where, and whether it may start. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/document.h"
#include "controlplane/api/resources.h"

enum { PAGE = 1000 };

static void write_queue(struct json *json, const struct core_queue_view *queue)
{
    json_open(json, NULL, '{');
    json_cstr(json, "name", queue->name);
    json_bool(json, "paused", queue->is_paused);
    json_u64(json, "jobs", queue->jobs);
    json_close(json, '}');
}

/* There are at most as many queues as one page has. */
static void ask_queues(struct api_call *call, api_then *then)
{
    struct engine_event *event = api_event(call, CORE_EV_list_queues);

    event->event.list.len_max = PAGE;
    api_ask(call, event, then);
}

static void listed(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);

    json_open(json, NULL, '{');
    json_open(json, "queues", '[');
    for (size_t i = 0; i < answer->queues_len; i++) {
        if (!api_may_see_queue(&call->token, fl_str_c(answer->queues[i].name))) continue;
        write_queue(json, &answer->queues[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
    api_answer(call);
}

static void list_queues(struct api_call *call)
{
    ask_queues(call, listed);
}

static void got(struct api_call *call, const struct core_answer *answer)
{
    for (size_t i = 0; i < answer->queues_len; i++) {
        if (!fl_str_eq(call->params[0], fl_str_c(answer->queues[i].name))) continue;
        write_queue(api_json(call), &answer->queues[i]);
        api_answer(call);
        return;
    }
    api_absent(call);
}

static void get_queue(struct api_call *call)
{
    if (!api_may_see_queue(&call->token, call->params[0])) {
        api_absent(call);
        return;
    }
    ask_queues(call, got);
}

static void put(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);
    const struct core_queue_view *queue = call->state;

    (void)answer;
    json_open(json, NULL, '{');
    json_cstr(json, "name", queue->name);
    json_bool(json, "paused", queue->is_paused);
    json_close(json, '}');
    api_answer(call);
}

static void put_queue(struct api_call *call, struct fl_str name, bool is_paused)
{
    struct engine_event *event = api_event(call, CORE_EV_queue_put);
    struct core_queue_view *view = fl_arena_new(&call->arena, struct core_queue_view);

    view->name = fl_arena_copy(&call->arena, name.at, name.len);
    view->is_paused = is_paused;
    call->state = view;
    event->event.queue_put.name = fl_str_c(fl_arena_copy(&event->arena, name.at, name.len));
    event->event.queue_put.is_paused = is_paused;
    if (api_idempotent(call, event)) api_ask(call, event, put);
}

static void create_queue(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, false), *name, *paused;

    if (!body || !api_body_check(call, body)) return;
    name = fl_json_member(body, FL_STR("name"));
    paused = fl_json_member(body, FL_STR("paused"));
    if (!name || name->kind != FL_JSON_STRING || !fl_str_is_name(name->text)) {
        api_fail_at(call, "/name", "a queue needs a name", name ? name->text : (struct fl_str){0},
                    "1 to 63 of a-z, 0-9 and '-', first and last not '-'");
        return;
    }
    if (paused && paused->kind != FL_JSON_BOOL) {
        api_fail_at(call, "/paused", "this is true or false", paused->text, "true, false");
        return;
    }
    put_queue(call, name->text, paused && paused->n != 0);
}

/* What does not exist is not made by pausing it. */
static void found_to_change(struct api_call *call, const struct core_answer *answer)
{
    bool is_pause = (call->route->path[sizeof "/v1/queues/{queue}:" - 1] == 'p');

    for (size_t i = 0; i < answer->queues_len; i++) {
        if (!fl_str_eq(call->params[0], fl_str_c(answer->queues[i].name))) continue;
        put_queue(call, call->params[0], is_pause);
        return;
    }
    api_absent(call);
}

static void change_queue(struct api_call *call)
{
    if (!api_may_see_queue(&call->token, call->params[0])) {
        api_absent(call);
        return;
    }
    ask_queues(call, found_to_change);
}

static const struct api_field queue_fields[] = {
    {"name", "string", "a DNS label"},
    {"paused", "boolean", "nothing of it starts until it is resumed"},
    {0},
};

const struct api_route queue_routes[] = {
    API_ROUTE(API_GET, "/v1/queues", API_NEED_read, list_queues,
              "lists the queues that the token may see"),
    API_ROUTE(API_POST, "/v1/queues", API_NEED_fleet, create_queue,
              "makes a queue; one that is there is left as it is, but for 'paused'",
              .body = queue_fields, .body_max = 4096, .status = 201),
    API_ROUTE(API_GET, "/v1/queues/{queue}", API_NEED_read, get_queue, "shows one queue"),
    API_ROUTE(API_POST, "/v1/queues/{queue}:pause", API_NEED_admin, change_queue,
              "starts nothing more of this queue; what runs goes on"),
    API_ROUTE(API_POST, "/v1/queues/{queue}:resume", API_NEED_admin, change_queue,
              "lets a paused queue go on"),
    {0},
};
