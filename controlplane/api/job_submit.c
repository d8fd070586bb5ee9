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

/* The document as it was understood, which may be submitted as it is. */
static void answer_dry(struct api_call *call, const struct fl_job_spec *spec,
                       const struct submit_spec *shared)
{
    struct json *json = api_json(call);
    struct fl_buf document;

    fl_buf_init(&document, 2 * FL_SPEC_BYTES_MAX);
    if (fl_job_spec_document(&document, spec)) {
        json_open(json, NULL, '{');
        json_bool(json, "dryRun", true);
        json_hex(json, "specDigest", shared->digest.at, sizeof shared->digest.at);
        json_raw(json, "job", (struct fl_str){(const char *)document.at, document.len});
        json_close(json, '}');
        api_answer_as(call, 200, "application/json",
                      (struct fl_str){(const char *)call->out.at, call->out.len});
    } else {
        api_fail(call, FL_TOO_LARGE, "the document is too large once it is written out");
    }
    fl_buf_fini(&document);
}

static bool query_dry(struct api_call *call, bool *ret_is_dry)
{
    struct fl_str word = api_query(call, "dryRun");

    *ret_is_dry = fl_str_eq(word, FL_STR("true"));
    if (*ret_is_dry || word.len == 0 || fl_str_eq(word, FL_STR("false"))) return true;
    api_fail_at(call, "dryRun", "this is true or false", word, "true, false");
    return false;
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
    bool is_dry;

    if (!document || !query_dry(call, &is_dry)) return;
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
    if (is_dry) {
        answer_dry(call, &spec, &shared);
        engine_event_destroy(event);
        return;
    }
    event->event.submit.at = item;
    event->event.submit.len = 1;
    remember(call, item);
    if (api_idempotent(call, event)) api_ask(call, event, submitted);
}

static const struct api_field submit_query[] = {
    {"dryRun", "string",
     "true: only checked; the answer, 200, has the document as it was understood"},
    {0},
};

const struct api_route job_submit_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs", API_NEED_submit, submit_job, "submits one job",
              .query = submit_query, .body_max = API_BODY,
              .takes = "application/json, application/yaml", .schema = "JobDocument",
              .status = 201),
    {0},
};
