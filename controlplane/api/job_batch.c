/* POST /v1/jobs:batch: many jobs in one request, one commit, one result a line. */
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/document.h"
#include "controlplane/api/ndjson.h"
#include "controlplane/api/resources.h"
#include "controlplane/api/submit.h"
#include "shared/base/job_name.h"
#include "shared/spec/job_params.h"

/* A spec that later lines use by its name. */
struct defined {
    struct fl_str name;
    struct fl_job_spec spec;
    bool has_queue;
    struct submit_spec shared;
};

struct line {
    uint32_t number;
    size_t item;           /* of the submit; valid without 'problem' and 'defines' */
    struct fl_str problem; /* JSON; empty: none */
    struct fl_str defines; /* the name of a spec; empty: none */
};

struct batch {
    struct api_call *call;
    struct engine_event *event;
    struct {
        struct line *at;
        size_t len, cap;
    } lines;
    struct {
        struct defined *at;
        size_t len, cap;
    } defined;
    struct {
        struct core_submit_item *at;
        size_t len, cap;
    } items;
    /* The spec of the line before, which the next one is likely to have too. */
    struct submit_spec last;
};

static struct fl_str problem_json(struct batch *batch, const struct api_problem *problem)
{
    struct fl_str json;
    struct fl_buf buf;

    fl_buf_init(&buf, 64 << 10);
    api_problem_write(&buf, problem);
    json = (struct fl_str){fl_arena_copy(&batch->call->arena, buf.at, buf.len), buf.len};
    fl_buf_fini(&buf);
    return json;
}

static void refuse(struct batch *batch, struct line *line, const struct fl_err *err)
{
    struct api_problem problem = {.code = err->code, .detail = err->text};

    line->problem = problem_json(batch, &problem);
}

static void refuse_problems(struct batch *batch, struct line *line,
                            const struct fl_problems *problems)
{
    struct api_problem_error errors[FL_PROBLEMS_MAX];
    struct api_problem problem = {.code = FL_INVALID, .errors = errors};
    struct fl_err err = {0};

    problem.errors_len = api_problem_errors(problems, errors);
    for (size_t i = 0; i < problem.errors_len; i++) {
        if (errors[i].line > 0) errors[i].line += line->number - 1;
    }
    if (fl_problems_fail(problems, &err)) fl_unreachable("fl_problems_fail returns false");
    problem.detail = err.text;
    line->problem = problem_json(batch, &problem);
}

static void add_item(struct batch *batch, struct line *line, const struct fl_job_spec *spec,
                     bool has_queue, const struct submit_spec *shared)
{
    struct core_submit_item item;
    struct fl_err err = {0};

    if (!submit_item_make(spec, has_queue, shared, &batch->call->token, &batch->event->arena, &item,
                          &err)) {
        refuse(batch, line, &err);
        return;
    }
    line->item = batch->items.len;
    fl_arena_push(&batch->event->arena, &batch->items, item);
}

static bool parse_job(struct batch *batch, struct line *line, const struct fl_json *document,
                      struct fl_job_spec *ret_spec, struct submit_spec *ret_shared)
{
    struct fl_problems problems = {0};
    struct submit_spec made;
    struct fl_err err = {0};

    if (!fl_job_spec_parse(document, &batch->call->arena, NULL, ret_spec, &problems)) {
        refuse_problems(batch, line, &problems);
        return false;
    }
    if (!submit_spec_make(ret_spec, &batch->event->arena, &made, &err)) {
        refuse(batch, line, &err);
        return false;
    }
    if (fl_str_eq(made.canonical, batch->last.canonical)) made = batch->last;
    batch->last = made;
    *ret_shared = made;
    return true;
}

static const struct defined *find_defined(const struct batch *batch, struct fl_str name)
{
    for (size_t i = 0; i < batch->defined.len; i++) {
        if (fl_str_eq(batch->defined.at[i].name, name)) return &batch->defined.at[i];
    }
    return NULL;
}

/* {"spec":"name","job":{...}} */
static void define(struct batch *batch, struct line *line, const struct fl_json *object)
{
    const struct fl_json *name = fl_json_member(object, FL_STR("spec"));
    const struct fl_json *job = fl_json_member(object, FL_STR("job"));
    struct defined defined = {.name = name->text};
    struct fl_err err = {.code = FL_INVALID};

    if (name->kind != FL_JSON_STRING || name->text.len == 0 || object->len != 2) {
        snprintf(err.text, sizeof err.text,
                 "a line that defines a spec is {\"spec\":NAME,\"job\":{...}}");
        refuse(batch, line, &err);
    } else if (find_defined(batch, name->text)) {
        snprintf(err.text, sizeof err.text, "that spec is defined already, in an earlier line");
        refuse(batch, line, &err);
    } else if (parse_job(batch, line, job, &defined.spec, &defined.shared)) {
        defined.has_queue = fl_json_member(job, FL_STR("queue")) != NULL;
        line->defines = defined.name;
        fl_arena_push(&batch->call->arena, &batch->defined, defined);
    }
}

/* {"use":"name","params":{...},"name":"..."} */
static void use(struct batch *batch, struct line *line, const struct fl_json *object)
{
    const struct fl_json *use = fl_json_member(object, FL_STR("use"));
    const struct fl_json *params = fl_json_member(object, FL_STR("params"));
    const struct fl_json *name = fl_json_member(object, FL_STR("name"));
    const struct defined *defined = find_defined(batch, use->text);
    struct fl_path path = {.key = FL_STR("params")};
    struct fl_problems problems = {0};
    struct fl_err err = {.code = FL_INVALID};
    struct fl_job_spec spec;

    if (use->kind != FL_JSON_STRING || object->len != 1U + (params != NULL) + (name != NULL) ||
        (name && (name->kind != FL_JSON_STRING || name->text.len > FL_SPEC_NAME_MAX))) {
        snprintf(err.text, sizeof err.text,
                 "a line that uses a spec is {\"use\":NAME,\"params\":{...},\"name\":NAME}");
        refuse(batch, line, &err);
        return;
    }
    if (!defined) {
        err.code = FL_ABSENT;
        snprintf(err.text, sizeof err.text, "no earlier line defines a good spec of that name");
        refuse(batch, line, &err);
        return;
    }
    spec = defined->spec;
    if (params) {
        struct fl_pairs own;

        if (!fl_job_params_parse(params, &path, &batch->call->arena, &own, &problems)) {
            refuse_problems(batch, line, &problems);
            return;
        }
        spec.params = fl_job_params_over(&spec.params, &own, &batch->call->arena);
    }
    if (name) spec.name = name->text;
    add_item(batch, line, &spec, defined->has_queue, &defined->shared);
}

static void take(struct batch *batch, struct line *line, const struct fl_json *node)
{
    struct submit_spec shared;
    struct fl_job_spec spec;

    if (fl_json_member(node, FL_STR("use"))) {
        use(batch, line, node);
    } else if (fl_json_member(node, FL_STR("spec")) && fl_json_member(node, FL_STR("job"))) {
        define(batch, line, node);
    } else if (parse_job(batch, line, node, &spec, &shared)) {
        add_item(batch, line, &spec, fl_json_member(node, FL_STR("queue")) != NULL, &shared);
    }
}

/* False: too many; the call was answered. */
static bool has_room(struct batch *batch)
{
    if (batch->items.len < CORE_SUBMIT_MAX) return true;
    engine_event_destroy(batch->event);
    api_fail(batch->call, FL_TOO_LARGE, "a batch has at most %d jobs; nothing was submitted",
             CORE_SUBMIT_MAX);
    return false;
}

static bool take_lines(struct batch *batch)
{
    struct ndjson lines = {.rest = batch->call->body};
    struct fl_str text;

    while (ndjson_next(&lines, &text)) {
        struct line line = {.number = lines.line};
        const struct fl_json *node;
        struct fl_place at = {0};
        struct fl_err err = {0};

        if (!has_room(batch)) return false;
        if (fl_json_parse(text, &batch->call->arena, &node, &at, &err)) {
            take(batch, &line, node);
        } else {
            struct api_problem_error error = {
                .detail = fl_str_c(err.text), .line = line.number, .col = at.col};
            struct api_problem problem = {
                .code = err.code, .detail = err.text, .errors = &error, .errors_len = 1};

            line.problem = problem_json(batch, &problem);
        }
        fl_arena_push(&batch->call->arena, &batch->lines, line);
    }
    return true;
}

static bool take_list(struct batch *batch)
{
    struct engine_event *event = batch->event;
    const struct fl_json *list = api_document(batch->call);
    uint32_t number = 0;

    if (!list) { /* answered: the call is gone, and the batch with it */
        engine_event_destroy(event);
        return false;
    }
    if (list->kind != FL_JSON_LIST) {
        engine_event_destroy(batch->event);
        api_fail(batch->call, FL_INVALID,
                 "a batch is a JSON list, or lines of JSON as application/x-ndjson");
        return false;
    }
    FL_JSON_EACH (node, list) {
        struct line line = {.number = ++number};

        if (!has_room(batch)) return false;
        take(batch, &line, node);
        fl_arena_push(&batch->call->arena, &batch->lines, line);
    }
    return true;
}

static void write_line(struct batch *batch, struct json *json, const struct line *line,
                       const struct core_answer *answer)
{
    const struct core_outcome *outcome = NULL;

    json_open(json, NULL, '{');
    json_u64(json, "line", line->number);
    if (line->problem.len > 0) {
        json_raw(json, "problem", line->problem);
    } else if (line->defines.len > 0) {
        json_text(json, "spec", line->defines);
    } else {
        outcome = &answer->outcomes[line->item];
    }
    if (outcome && outcome->code == FL_OK) json_job(json, "id", outcome->job);
    if (outcome && outcome->code != FL_OK) {
        struct api_problem problem = {.code = outcome->code, .detail = outcome->text};

        json_raw(json, "problem", problem_json(batch, &problem));
    }
    json_close(json, '}');
    fl_buf_put_u8(&batch->call->out, '\n');
}

static void answer_lines(struct api_call *call, const struct core_answer *answer)
{
    struct batch *batch = call->state;

    fl_assert(answer->outcomes_len == batch->items.len);
    fl_buf_clear(&call->out);
    for (size_t i = 0; i < batch->lines.len; i++) {
        struct json json = json_begin(&call->out);

        write_line(batch, &json, &batch->lines.at[i], answer);
    }
    api_answer(call);
}

static void submit_batch(struct api_call *call)
{
    struct fl_str type = api_header(call, "content-type");
    struct batch *batch = fl_arena_new(&call->arena, struct batch);
    bool is_lines = type.len >= 20 && memcmp(type.at, "application/x-ndjson", 20) == 0;

    batch->call = call;
    call->state = batch;
    batch->event = api_event(call, CORE_EV_submit);
    if (is_lines ? !take_lines(batch) : !take_list(batch)) return;
    batch->event->event.submit.at = batch->items.at;
    batch->event->event.submit.len = batch->items.len;
    if (batch->items.len == 0) {
        engine_event_destroy(batch->event);
        answer_lines(call, &(struct core_answer){0});
    } else if (api_idempotent(call, batch->event)) {
        api_ask(call, batch->event, answer_lines);
    }
}

const struct api_route job_batch_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs:batch", API_NEED_submit, submit_batch,
              "submits up to 1,000 jobs in one commit; each line is a job, or defines a spec once "
              "({\"spec\":NAME,\"job\":{...}}), or uses one ({\"use\":NAME,\"params\":{...}}); the "
              "answer "
              "has one result or problem a line",
              .body_max = API_BODY_BATCH, .takes = "application/x-ndjson, application/json",
              .gives = "application/x-ndjson", .schema = "JobDocument"),
    {0},
};
