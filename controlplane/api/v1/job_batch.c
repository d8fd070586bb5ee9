/* POST /v1/jobs:batch: many jobs in one request, one commit, one result a line. */
#include <string.h>

#include "controlplane/api/call_reads.h"
#include "controlplane/api/document.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/media_type.h"
#include "controlplane/api/v1/after_lookup.h"
#include "controlplane/api/v1/batch_item.h"
#include "controlplane/api/v1/batch_problem.h"
#include "controlplane/api/v1/batch_specs.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/views/directory.h"
#include "shared/base/job_name.h"

/* A list is read in one turn; lines are read in slices. */
enum { LIST_BYTES_MAX = 1 << 20 };

static void take(struct batch *batch, struct batch_line *line, const struct fl_json *node)
{
    struct submit_spec shared;
    struct fl_submission job;

    if (fl_json_member(node, FL_STR("useDigest"))) {
        batch_specs_use_digest(batch, line, node);
    } else if (fl_json_member(node, FL_STR("use"))) {
        batch_specs_use(batch, line, node);
    } else if (fl_json_member(node, FL_STR("spec")) && fl_json_member(node, FL_STR("job"))) {
        batch_specs_define(batch, line, node);
    } else if (batch_item_parse(batch, line, node, &job) &&
               batch_item_share(batch, line, &job, batch_item_default_cpu(batch, &job), &shared)) {
        batch_item_add(batch, line, &job.spec, job.has_queue, &shared);
    }
}

/* False: the call was answered. */
static bool push_line(struct batch *batch, const struct batch_line *line)
{
    struct fl_err err = {0};

    if (!batch_bounds_line(&batch->bounds, line->node, &err)) {
        api_fail(batch->call, err.code, "%s", err.text);
        return false;
    }
    fl_arena_push(&batch->call->arena, &batch->lines, *line);
    return true;
}

/* False: the call was answered. */
static bool read_line(struct batch *batch, struct fl_str text)
{
    struct batch_line line = {.number = batch->text.line};
    struct fl_place at = {0};
    struct fl_err err = {0};

    if (!fl_json_parse_few(text, API_VALUES_MAX, &batch->call->arena, &line.node, &at, &err)) {
        struct api_problem_error error = {
            .detail = fl_str_c(err.text), .line = line.number, .col = at.col};
        struct api_problem problem = {
            .code = err.code, .detail = err.text, .errors = &error, .errors_len = 1};

        line.node = NULL;
        line.problem = batch_problem_json(batch, &problem);
    }
    return push_line(batch, &line);
}

/* False: the call was answered. */
static bool read_list(struct batch *batch)
{
    const struct fl_json *list;
    uint32_t number = 0;

    if (batch->call->body.len > LIST_BYTES_MAX) {
        api_fail(batch->call, FL_TOO_LARGE,
                 "a batch as a list has at most %d bytes; send lines instead: one job a line, "
                 "Content-Type: application/x-ndjson",
                 LIST_BYTES_MAX);
        return false;
    }
    list = api_document(batch->call);
    if (!list) return false;
    if (list->kind != FL_JSON_LIST) {
        api_fail(batch->call, FL_INVALID,
                 "a batch is a JSON list, or lines of JSON as application/x-ndjson");
        return false;
    }
    FL_JSON_EACH (node, list) {
        struct batch_line line = {.number = ++number, .node = node};

        if (!push_line(batch, &line)) return false;
    }
    return true;
}

static void write_line(struct batch *batch, struct fl_json_out *json, const struct batch_line *line)
{
    const struct core_outcome *outcome = NULL;

    fl_json_open(json, NULL, '{');
    fl_json_put_u64(json, "line", line->number);
    if (line->problem.len > 0) {
        fl_json_put_raw(json, "problem", line->problem);
    } else if (line->defines.len > 0) {
        fl_json_put_str(json, "spec", line->defines);
    } else {
        outcome = &batch->outcomes[line->item];
    }
    if (outcome && outcome->code == FL_OK) {
        fl_json_put_job(json, "id", outcome->job);
        fl_json_put_cstr(json, "state",
                         job_state_name(batch->held[line->item] ? JOB_held : JOB_queued));
    }
    if (outcome && outcome->code != FL_OK) {
        fl_json_put_raw(json, "problem", batch_problem_outcome_json(batch, outcome));
    }
    fl_json_close(json, '}');
    fl_buf_put_u8(&batch->call->out, '\n');
}

static void write_lines(struct api_call *call)
{
    struct batch *batch = call->state;

    for (; batch->written < batch->lines.len; batch->written++) {
        struct fl_json_out json = fl_json_out(&call->out);

        if (api_slice_is_over(call)) {
            api_later(call, write_lines);
            return;
        }
        write_line(batch, &json, &batch->lines.at[batch->written]);
    }
    api_answer(call);
}

/* The core's answer is borrowed, and the lines may take several turns. */
static void answer_lines(struct api_call *call, const struct core_answer *answer)
{
    struct batch *batch = call->state;
    struct core_outcome *outcomes =
        fl_arena_array(&call->arena, struct core_outcome, answer->outcomes_len);

    /* A key's stored answer is for the same items, by the key's meaning. */
    fl_assert(answer->outcomes_len == batch->items.len);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        const char *text = answer->outcomes[i].text;

        outcomes[i] = answer->outcomes[i];
        if (text) outcomes[i].text = fl_arena_copy(&call->arena, text, strlen(text) + 1);
    }
    batch->outcomes = outcomes;
    fl_buf_clear(&call->out);
    api_in_slices(call, write_lines);
}

/* False: the call was answered, and the event is gone. */
static bool fail_whole(struct batch *batch, const char *text)
{
    batch->call->on_end = NULL;
    engine_event_destroy(batch->event);
    api_fail(batch->call, FL_TOO_LARGE, "%s", text);
    return false;
}

/* JSON writes a byte of a name as at most six.  False: the call was answered. */
static bool has_bounded_answer(struct batch *batch)
{
    struct fl_err err = {0};

    for (size_t i = 0; i < batch->lines.len; i++) {
        const struct batch_line *line = &batch->lines.at[i];

        if (batch_bounds_result(&batch->bounds, line->problem.len + 6 * line->defines.len, &err)) {
            continue;
        }
        return fail_whole(batch, err.text);
    }
    return true;
}

static void send_lines(struct api_call *call)
{
    struct batch *batch = call->state;
    struct fl_err err = {0};

    if (!has_bounded_answer(batch)) return;
    call->on_end = NULL;
    batch->event->event.submit.at = batch->items.at;
    batch->event->event.submit.len = batch->items.len;
    batch->event->event.submit.waits_for_cluster = api_query_flag(batch->call, "waitForCluster");
    if (batch->items.len == 0) {
        engine_event_destroy(batch->event);
        fl_buf_clear(&call->out);
        if (api_count_memory(call, &err)) {
            write_lines(call);
        } else {
            api_fail(call, err.code, "%s", err.text);
        }
    } else if (api_idempotent(call, batch->event)) {
        api_ask(call, batch->event, answer_lines);
    }
}

static void take_lines(struct api_call *call)
{
    struct batch *batch = call->state;

    for (; batch->taken < batch->lines.len; batch->taken++) {
        struct batch_line *line = &batch->lines.at[batch->taken];

        if (batch->items.len == CORE_SUBMIT_MAX) {
            fail_whole(batch, "a batch has at most " FL_QUOTE(
                                  CORE_SUBMIT_MAX) " jobs; nothing was submitted");
            return;
        }
        if (api_slice_is_over(call)) {
            api_later(call, take_lines);
            return;
        }
        if (line->node) take(batch, line, line->node);
    }
    after_lookup(call, batch->items.at, batch->items.len, send_lines);
}

static void on_end(struct api_call *call)
{
    struct batch *batch = call->state;

    engine_event_destroy(batch->event);
}

/* All that lines refer to is here. */
static void begin_lines(struct api_call *call, const struct read_specs *specs)
{
    struct batch *batch = call->state;

    batch->event = api_event(call, CORE_EV_submit);
    call->on_end = on_end;
    for (size_t i = 0; i < batch->digests_len; i++) {
        batch_specs_read_earlier(batch, i, specs ? specs->bodies[i] : (struct fl_str){0});
    }
    if (specs) {
        api_in_slices(call, take_lines);
    } else { /* in the slice in which the lines were read */
        take_lines(call);
    }
}

static void look_up_specs(struct api_call *call)
{
    struct batch *batch = call->state;
    struct fl_queue_id queue = {0};
    struct fl_err err = {0};

    batch_specs_find_digests(batch);
    if (!api_count_memory(call, &err)) {
        api_fail(call, err.code, "%s", err.text);
    } else if (batch->digests_len == 0 ||
               (call->token.queue[0] &&
                !directory_queue_id(call->parts->directory, fl_str_c(call->token.queue), &queue))) {
        begin_lines(call, NULL);
    } else {
        call_reads_specs_of_newest(call, queue, batch->digests, batch->digests_len, begin_lines);
    }
}

static void read_lines(struct api_call *call)
{
    struct batch *batch = call->state;
    struct fl_str text;

    while (ndjson_next(&batch->text, &text)) {
        if (!read_line(batch, text)) return;
        if (api_slice_is_over(call)) {
            api_later(call, read_lines);
            return;
        }
    }
    look_up_specs(call);
}

static void read_items(struct api_call *call)
{
    if (read_list(call->state)) look_up_specs(call);
}

static void submit_batch(struct api_call *call)
{
    bool is_lines = media_type_is(api_header(call, "content-type"), "application/x-ndjson");
    struct batch *batch = fl_arena_new(&call->arena, struct batch);

    batch->call = call;
    call->state = batch;
    batch->text = (struct ndjson){.rest = call->body};
    api_in_slices(call, is_lines ? read_lines : read_items);
}

static const struct api_field definition_fields[] = {
    API_MUST("spec", "string", "a name for later lines", .max = FL_JOB_NAME_BYTES_MAX),
    API_MUST("job", "JobDocument", "the spec, with what its jobs have in common"),
    {0},
};

const struct api_object batch_definition_object = {
    .name = "BatchDefinition", .text = "A line that defines a spec.", .fields = definition_fields};

/* Each row of fields.def with FL_FIELD_OWN. */
#define OWN_FIELDS                                                                                 \
    API_MAY("name", "string", "the job's name", .max = FL_JOB_NAME_BYTES_MAX),                     \
        API_MAY("queue", "string", "where it waits", .max = FL_NAME_BYTES_MAX),                    \
        API_MAY("array", "integer", "its elements", .min = 1, .max = FL_JOB_ELEMENTS_MAX),         \
        API_MAY("labels", "map of string", "over those of the line that defines the spec"),        \
        API_MAY("priority", "integer", "within its queue, the higher goes first",                  \
                .min = -FL_JOB_PRIORITY_MAX, .max = FL_JOB_PRIORITY_MAX),                          \
        API_MAY("hold", "boolean", "it waits for its release"),                                    \
        API_MAY("params", "map of string", "over those of the line that defines the spec"),        \
        API_MAY("after", "array of JobAfter", "the jobs that it is to run after"),                 \
        API_MAY("singleton", "boolean", "it runs alone among singletons of its name and owner"),   \
        API_MAY("parallelism", "integer", "so many of its elements run at the same time",          \
                .min = 1, .max = FL_JOB_ELEMENTS_MAX)

static const struct api_field use_fields[] = {
    API_MUST("use", "string", "a spec that an earlier line defines"),
    OWN_FIELDS,
    {0},
};

const struct api_object batch_use_object = {
    .name = "BatchUse",
    .text = "A job by the spec of an earlier line, with its own members.",
    .fields = use_fields};

static const struct api_field use_digest_fields[] = {
    API_MUST("useDigest", "string", "specDigest of an earlier job"),
    OWN_FIELDS,
    {0},
};

const struct api_object batch_use_digest_object = {
    .name = "BatchUseDigest",
    .text = "A job by the spec of an earlier job, with its own members.",
    .fields = use_digest_fields};

const struct api_object batch_item_object = {
    .name = "BatchItem",
    .text = "A line of a batch.",
    .one_of = "JobDocument, BatchDefinition, BatchUse, BatchUseDigest"};

static const struct api_field result_fields[] = {
    API_MUST("line", "integer", "the request's line, from 1"),
    API_MAY("id", "string", "the accepted job"),
    API_MAY("state", "string", "the accepted job's state", .words = "held, queued"),
    API_MAY("spec", "string", "that the line defines"),
    API_MAY("problem", "Problem", "why the line was refused"),
    {0},
};

const struct api_object batch_result_object = {
    .name = "BatchResult",
    .text = "The outcome for one line.",
    .fields = result_fields,
    .example = "{\"line\":2,\"id\":\"job-8\",\"state\":\"queued\"}"};

static const struct api_field batch_query[] = {
    API_MAY("waitForCluster", "boolean",
            "true: jobs are accepted even if no enrolled cluster could ever run them"),
    {0},
};

const struct api_route job_batch_routes[] = {
    API_ROUTE(
        API_POST, "/v1/jobs:batch", API_NEED_submit, submit_batch, "submitJobs",
        "submits up to " FL_QUOTE(
            CORE_SUBMIT_MAX) " jobs in one commit; each line is a job, "
                             "or defines a spec once ({\"spec\":NAME,\"job\":{...}}), or uses one "
                             "({\"use\":NAME,\"params\":{...}}), or that of an earlier job "
                             "({\"useDigest\":specDigest,\"params\":{...}}); the answer has one "
                             "result or problem a line; a batch of over " FL_QUOTE(
                                 BATCH_LINES_MAX) " lines or " FL_QUOTE(BATCH_VALUES_MAX) " JSON "
                                                                                          "values "
                                                                                          "is "
                                                                                          "refused "
                                                                                          "as "
                                                                                          "a whole",
        .query = batch_query, .body_max = API_BODY_BATCH,
        .takes = "application/json, application/x-ndjson", .schema = "array of BatchItem",
        .headers = API_TAKES_key | API_TAKES_as, .gives = "application/x-ndjson",
        .answer = "BatchResult", .may_conflict = true),
    {0},
};
