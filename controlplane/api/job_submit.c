/* POST /v1/jobs: one document, one job. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/document.h"
#include "controlplane/api/resources.h"
#include "controlplane/api/submit.h"
#include "shared/base/job_name.h"

static void submitted(struct api_call *call, const struct core_answer *answer)
{
    const struct core_outcome *outcome = &answer->outcomes[0];
    const struct core_submit_item *item = call->state;
    char name[FL_JOB_NAME_MAX], *location;
    struct json *json;

    fl_assert(answer->outcomes_len == 1);
    if (outcome->code != FL_OK) {
        api_fail(call, outcome->code, "%s", outcome->text ? outcome->text : "it was refused");
        return;
    }
    fl_job_name(outcome->job, name);
    location = fl_arena_printf(&call->arena, "/v1/jobs/%s", name);
    api_header_add(call, "Location", fl_str_c(location));
    json = api_json(call);
    json_open(json, NULL, '{');
    json_cstr(json, "id", name);
    json_text(json, "name", item->name);
    json_text(json, "queue", item->queue);
    json_cstr(json, "state", item->is_held ? "held" : "queued");
    json_u64(json, "elements", item->elements);
    json_hex(json, "specDigest", item->spec_digest.at, sizeof item->spec_digest.at);
    json_close(json, '}');
    api_answer(call);
}

/* What the answer says, kept past the event, which the engine owns by then. */
static void remember(struct api_call *call, const struct core_submit_item *item)
{
    struct core_submit_item *kept = fl_arena_new(&call->arena, struct core_submit_item);

    *kept = *item;
    kept->name.at = fl_arena_copy(&call->arena, item->name.at, item->name.len);
    kept->queue.at = fl_arena_copy(&call->arena, item->queue.at, item->queue.len);
    call->state = kept;
}

static void submit_job(struct api_call *call)
{
    const struct fl_json *document = api_document(call);
    struct fl_problems problems = {0};
    struct core_submit_item *item;
    struct engine_event *event;
    struct submit_spec shared;
    struct fl_job_spec spec;
    struct fl_err err = {0};

    if (!document) return;
    if (!fl_job_spec_parse(document, &call->arena, NULL, &spec, &problems)) {
        api_fail_problems(call, &problems);
        return;
    }
    event = api_event(call, CORE_EV_submit);
    item = fl_arena_new(&event->arena, struct core_submit_item);
    if (!submit_spec_make(&spec, &event->arena, &shared, &err) ||
        !submit_item_make(&spec, fl_json_member(document, FL_STR("queue")) != NULL, &shared,
                          &call->token, &event->arena, item, &err)) {
        engine_event_destroy(event);
        api_fail(call, err.code, "%s", err.text);
        return;
    }
    event->event.submit.at = item;
    event->event.submit.len = 1;
    remember(call, item);
    if (api_idempotent(call, event)) api_ask(call, event, submitted);
}

const struct api_route job_submit_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs", API_NEED_submit, submit_job, "submits one job",
              .body_max = 1 << 20, .takes = "application/json, application/yaml", .schema = "Job",
              .status = 201),
    {0},
};
