/* /v1/queues: the queues, their jobs, and whether they may start. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/default_cpu.h"
#include "controlplane/api/v1/id_page.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"
#include "shared/base/job_limits.h"
#include "shared/spec/quantity.h"

static void write_queue(struct fl_json_out *json, const struct core_queue_view *queue)
{
    fl_json_open(json, NULL, '{');
    fl_json_put_cstr(json, "name", queue->name);
    fl_json_put_bool(json, "paused", queue->is_paused);
    default_cpu_put(json, queue->has_default_cpu, queue->default_cpu_milli);
    fl_json_put_u64(json, "jobs", queue->jobs);
    fl_json_open(json, "byState", '{');
#define STATE(name, number, is_terminal, meaning)                                                  \
    fl_json_put_u64(json, #name, queue->in_state[number]);
    JOB_OPEN_STATES(STATE)
#undef STATE
    fl_json_close(json, '}');
    fl_json_close(json, '}');
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
    if (call->token.queue[0] == 0) id_page_put_next(json, answer->next);
    fl_json_close(json, '}');
    api_answer(call);
}

static void list_from(struct api_call *call, uint32_t from, uint64_t len_max)
{
    struct engine_event *event = api_event(call, CORE_EV_list_queues);

    event->event.list.from = from;
    event->event.list.len_max = len_max;
    api_ask(call, event, listed);
}

/* A token for one queue has a list of one: a page of all would tell by its cursor how many others
 * there are. */
static void list_queues(struct api_call *call)
{
    struct fl_str own = fl_str_c(call->token.queue);
    struct fl_queue_id queue;
    uint32_t from;

    if (!id_page_from(call, &from)) return;
    if (own.len == 0) {
        list_from(call, from, api_query_u64(call, "limit"));
    } else if (directory_queue_id(call->parts->directory, own, &queue) && queue.n >= from) {
        list_from(call, queue.n, 1);
    } else {
        listed(call, &(struct core_answer){0});
    }
}

/* The queue that the path names, or the body of a creation. */
static void got(struct api_call *call, const struct core_answer *answer)
{
    const struct fl_str *made = call->state;
    struct fl_str name = made ? *made : call->params[0];

    if (answer->queues_len > 0 && fl_str_eq(name, fl_str_c(answer->queues[0].name))) {
        write_queue(api_json(call), &answer->queues[0]);
        api_answer(call);
    } else if (made) { /* by the first of this request, if it is a repetition */
        api_fail(call, FL_CONFLICT, "queue " FL_STR_FMT " was made, and has been removed since",
                 FL_STR_ARG(name));
    } else {
        api_absent(call);
    }
}

static void ask_queue(struct api_call *call, uint64_t id)
{
    struct engine_event *event = api_event(call, CORE_EV_list_queues);

    event->event.list.from = (uint32_t)id;
    event->event.list.len_max = 1;
    api_ask(call, event, got);
}

static void get_queue(struct api_call *call)
{
    struct fl_queue_id queue;

    if (!api_sees_queue(call, call->params[0]) ||
        !directory_queue_id(call->parts->directory, call->params[0], &queue)) {
        api_absent(call);
        return;
    }
    ask_queue(call, queue.n);
}

static void was_put(struct api_call *call, const struct core_answer *answer)
{
    ask_queue(call, answer->id);
}

static bool read_default_cpu(struct api_call *call, const struct fl_json *cpu, uint32_t *ret_milli)
{
    uint64_t milli;

    if (fl_quantity_milli(cpu->text, &milli) && milli <= FL_JOB_CPU_MILLI_MAX) {
        *ret_milli = (uint32_t)milli;
        return true;
    }
    api_fail_at(call, "/" DEFAULT_CPU_FIELD, "not a number of CPUs", cpu->text,
                "2, 1.5 or 500m; 0 for none; null for the control plane's default_cpu");
    return false;
}

/* Sends what the body says of the queue of this name. */
static void put_queue(struct api_call *call, const struct fl_json *body, struct fl_str name,
                      bool is_change)
{
    const struct fl_json *paused = fl_json_member(body, FL_STR("paused"));
    const struct fl_json *cpu = fl_json_member(body, FL_STR(DEFAULT_CPU_FIELD));
    bool has_cpu = cpu && cpu->kind == FL_JSON_STRING;
    struct engine_event *event;
    uint32_t milli = 0;

    if (has_cpu && !read_default_cpu(call, cpu, &milli)) return;
    event = api_event(call, CORE_EV_queue_put);
    event->event.queue_put.name = fl_arena_str(&event->arena, name);
    event->event.queue_put.is_change = is_change;
    event->event.queue_put.is_paused = paused && paused->n != 0;
    event->event.queue_put.keeps_paused = !paused;
    event->event.queue_put.sets_default_cpu = cpu != NULL;
    event->event.queue_put.has_default_cpu = has_cpu;
    event->event.queue_put.default_cpu_milli = milli;
    if (api_idempotent(call, event)) api_ask(call, event, was_put);
}

static void create_queue(struct api_call *call)
{
    const struct fl_json *body = api_body_json(call, false);
    struct fl_str *name = fl_arena_new(&call->arena, struct fl_str);

    if (!body) return;
    *name = fl_arena_str(&call->arena, fl_json_member(body, FL_STR("name"))->text);
    call->state = name;
    put_queue(call, body, *name, false);
}

static void change_queue(struct api_call *call)
{
    const struct fl_json *body;

    if (!api_sees_queue(call, call->params[0])) {
        api_absent(call);
    } else if ((body = api_body_json(call, false))) {
        put_queue(call, body, call->params[0], true);
    }
}

/* Pausing an unknown queue does not make it. */
static void pause_or_resume(struct api_call *call)
{
    bool is_pause = (call->route->path[sizeof "/v1/queues/{queue}:" - 1] == 'p');
    struct engine_event *event;

    if (!api_sees_queue(call, call->params[0])) {
        api_absent(call);
        return;
    }
    event = api_event(call, CORE_EV_queue_put);
    event->event.queue_put.name = fl_arena_str(&event->arena, call->params[0]);
    event->event.queue_put.is_paused = is_pause;
    event->event.queue_put.is_change = true;
    if (api_idempotent(call, event)) api_ask(call, event, was_put);
}

static void removed(struct api_call *call, const struct core_answer *answer)
{
    struct fl_json_out *json = api_json(call);

    (void)answer;
    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "name", call->params[0]);
    fl_json_close(json, '}');
    api_answer(call);
}

static void remove_queue(struct api_call *call)
{
    struct engine_event *event;

    if (!api_sees_queue(call, call->params[0])) {
        api_absent(call);
        return;
    }
    event = api_event(call, CORE_EV_queue_remove);
    event->event.queue_remove.name = fl_arena_str(&event->arena, call->params[0]);
    if (api_idempotent(call, event)) api_ask(call, event, removed);
}

#define DEFAULT_CPU_TEXT                                                                           \
    "CPU of a replica that asks for none, like 500m; 0: none; null: the setting default_cpu "      \
    "counts"

static const struct api_field create_fields[] = {
    API_MUST("name", "string", "its name", .format = API_FORMAT_name),
    API_MAY("paused", "boolean", "nothing of it starts until it is resumed"),
    API_MAY(DEFAULT_CPU_FIELD, "string or null", DEFAULT_CPU_TEXT),
    {0},
};

static const struct api_field change_fields[] = {
    API_MAY("paused", "boolean", "nothing of it starts until it is resumed"),
    API_MAY(DEFAULT_CPU_FIELD, "string or null",
            DEFAULT_CPU_TEXT ". Jobs that are there keep theirs"),
    {0},
};

static const struct api_field queue_fields[] = {
    API_MUST("name", "string", "its name"),
    API_MUST("paused", "boolean", "nothing of it starts until it is resumed"),
    API_MUST(DEFAULT_CPU_FIELD, "string or null", DEFAULT_CPU_TEXT),
    API_MUST("jobs", "integer", "open jobs in it"),
    API_MUST("byState", "QueueStates", "these by their state"),
    {0},
};

static const struct api_field states_fields[] = {
#define STATE(name, number, is_terminal, meaning) API_MUST(#name, "integer", meaning),
    JOB_OPEN_STATES(STATE)
#undef STATE
        {0},
};

const struct api_object queue_states_object = {
    .name = "QueueStates", .text = "A queue's open jobs by state.", .fields = states_fields};

const struct api_object queue_object = {
    .name = "Queue",
    .text = "Where jobs wait.",
    .fields = queue_fields,
    .example =
        "{\"name\":\"ml\",\"paused\":false,\"defaultCpu\":\"500m\",\"jobs\":3,"
        "\"byState\":{\"held\":0,\"queued\":1,\"starting\":0,\"running\":2,\"stopping\":0}}"};

static const struct api_field page_fields[] = {
    API_MUST("queues", "array of Queue", "those that the token may see"),
    API_MAY("cursor", "string", "where the next page begins; absent on the last"),
    {0},
};

const struct api_object queue_page_object = {
    .name = "QueuePage", .text = "A page of queues.", .fields = page_fields};

static const struct api_field removed_fields[] = {
    API_MUST("name", "string", "the queue that is gone"),
    {0},
};

const struct api_object queue_removed_object = {
    .name = "QueueRemoved", .text = "A queue that is gone.", .fields = removed_fields};

const struct api_route queue_routes[] = {
    API_ROUTE(API_GET, "/v1/queues", API_NEED_read, list_queues, "listQueues",
              "lists the queues that the token may see", .query = id_page_query,
              .answer = "QueuePage"),
    API_ROUTE(API_POST, "/v1/queues", API_NEED_fleet, create_queue, "createQueue",
              "makes a queue; one that is there stays as it is, but for what is given here",
              .body = create_fields, .body_max = 4096, .headers = API_TAKES_key, .status = 201,
              .answer = "Queue"),
    API_ROUTE(API_GET, "/v1/queues/{queue}", API_NEED_read, get_queue, "getQueue",
              "shows one queue", .answer = "Queue"),
    API_ROUTE(API_PATCH, "/v1/queues/{queue}", API_NEED_admin, change_queue, "changeQueue",
              "changes what is given of a queue, and nothing else", .body = change_fields,
              .body_max = 4096, .headers = API_TAKES_key, .answer = "Queue"),
    API_ROUTE(API_POST, "/v1/queues/{queue}:pause", API_NEED_admin, pause_or_resume, "pauseQueue",
              "starts nothing more from this queue; attempts that run go on",
              .headers = API_TAKES_key, .answer = "Queue"),
    API_ROUTE(API_POST, "/v1/queues/{queue}:resume", API_NEED_admin, pause_or_resume, "resumeQueue",
              "lets a paused queue go on", .headers = API_TAKES_key, .answer = "Queue"),
    API_ROUTE(API_DELETE, "/v1/queues/{queue}", API_NEED_admin, remove_queue, "removeQueue",
              "removes a queue without open jobs; its ended jobs keep its name",
              .headers = API_TAKES_key, .answer = "QueueRemoved", .may_conflict = true),
    {0},
};
