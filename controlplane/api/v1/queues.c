/* /v1/queues: the queues, their jobs, and whether they may start. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/document.h"
#include "controlplane/api/v1/resources.h"

enum { PAGE = 1000 };

static void write_queue(struct fl_json_out *json, const struct core_queue_view *queue)
{
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "name", queue->name);
    fl_json_put_bool(json, "paused", queue->is_paused);
    fl_json_put_u64(json, "jobs", queue->jobs);
    fl_json_close(json, '}');
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
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_open(json, "queues", '[');
    for (size_t i = 0; i < answer->queues_len; i++) {
        if (!api_may_see_queue(&call->token, fl_str_c(answer->queues[i].name))) continue;
        write_queue(json, &answer->queues[i]);
    }
    fl_json_close(json, ']');
    fl_json_close(json, '}');
    api_answer(call);
}

static void list_queues(struct api_call *call)
{
    ask_queues(call, listed);
}

/* The queue that the path names, or the body of a creation. */
static void got(struct api_call *call, const struct core_answer *answer)
{
    const struct fl_str *made = call->state;
    struct fl_str name = made ? *made : call->params[0];

    for (size_t i = 0; i < answer->queues_len; i++) {
        if (!fl_str_eq(name, fl_str_c(answer->queues[i].name))) continue;
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

static void was_put(struct api_call *call, const struct core_answer *answer)
{
    (void)answer;
    ask_queues(call, got);
}

static void put_queue(struct api_call *call, struct fl_str name, bool is_paused)
{
    struct engine_event *event = api_event(call, CORE_EV_queue_put);

    event->event.queue_put.name = fl_str_c(fl_arena_copy(&event->arena, name.at, name.len));
    event->event.queue_put.is_paused = is_paused;
    if (api_idempotent(call, event)) api_ask(call, event, was_put);
}

static void create_queue(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, false), *paused;
    struct fl_str *name = fl_arena_new(&call->arena, struct fl_str);

    if (!body) return;
    paused = fl_json_member(body, FL_STR("paused"));
    *name = fl_json_member(body, FL_STR("name"))->text;
    name->at = fl_arena_copy(&call->arena, name->at, name->len);
    call->state = name;
    put_queue(call, *name, paused && paused->n != 0);
}

/* Pausing an unknown queue does not make it. */
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

static const struct api_field create_fields[] = {
    API_MUST("name", "string", "its name", .format = API_FORMAT_name),
    API_MAY("paused", "boolean", "nothing of it starts until it is resumed"),
    {0},
};

static const struct api_field queue_fields[] = {
    API_MUST("name", "string", "its name"),
    API_MUST("paused", "boolean", "nothing of it starts until it is resumed"),
    API_MUST("jobs", "integer", "open jobs in it"),
    {0},
};

const struct api_object queue_object = {.name = "Queue",
                                        .text = "Where jobs wait.",
                                        .fields = queue_fields,
                                        .example = "{\"name\":\"ml\",\"paused\":false,\"jobs\":3}"};

static const struct api_field page_fields[] = {
    API_MUST("queues", "array of Queue", "those that the token may see"),
    {0},
};

const struct api_object queue_page_object = {
    .name = "QueuePage", .text = "All queues.", .fields = page_fields};

const struct api_route queue_routes[] = {
    API_ROUTE(API_GET, "/v1/queues", API_NEED_read, list_queues, "listQueues",
              "lists the queues that the token may see", .answer = "QueuePage"),
    API_ROUTE(API_POST, "/v1/queues", API_NEED_fleet, create_queue, "createQueue",
              "makes a queue; one that is there is left as it is, but for 'paused'",
              .body = create_fields, .body_max = 4096, .headers = API_TAKES_key, .status = 201,
              .answer = "Queue"),
    API_ROUTE(API_GET, "/v1/queues/{queue}", API_NEED_read, get_queue, "getQueue",
              "shows one queue", .answer = "Queue"),
    API_ROUTE(API_POST, "/v1/queues/{queue}:pause", API_NEED_admin, change_queue, "pauseQueue",
              "starts nothing more from this queue; attempts that run go on",
              .headers = API_TAKES_key, .answer = "Queue"),
    API_ROUTE(API_POST, "/v1/queues/{queue}:resume", API_NEED_admin, change_queue, "resumeQueue",
              "lets a paused queue go on", .headers = API_TAKES_key, .answer = "Queue"),
    {0},
};
