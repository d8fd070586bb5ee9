/* POST /v1/jobs:batch: many jobs in one request, one commit, one result a line. */
#include <stdio.h>
#include <string.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/call_reads.h"
#include "controlplane/api/document.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/ndjson.h"
#include "controlplane/api/v1/after_lookup.h"
#include "controlplane/api/v1/batch_bounds.h"
#include "controlplane/api/v1/default_cpu.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/api/v1/submit_item.h"
#include "controlplane/views/directory.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "shared/base/vec.h"
#include "shared/spec/job_own.h"
#include "shared/spec/submission.h"
#include "shared/tls/digest.h"

/* A list is read in one turn; lines are read in slices. */
enum { LIST_BYTES_MAX = 1 << 20 };

enum { VARIANTS_MAX = 16 };

/* A spec that later lines use by its name. */
struct defined {
    struct fl_str name;
    const struct fl_json *document;
    struct fl_submission job;
    struct submit_spec shared;
    uint32_t default_cpu_milli; /* its queue's, which is in 'shared' */
};

/* A spec of an earlier submission, which lines use by its digest. */
struct earlier {
    struct fl_job_spec spec;
    struct submit_spec shared;
    struct fl_err err; /* FL_OK, or why it cannot be used */
};

struct line {
    uint32_t number;
    const struct fl_json *node; /* NULL: it is not one, as 'problem' says */
    size_t item;                /* its index in 'items'; valid without 'problem' and 'defines' */
    struct fl_str problem;      /* JSON; empty: none */
    struct fl_str defines;      /* the name of a spec; empty: none */
};

struct batch {
    struct api_call *call;
    struct batch_bounds bounds;
    struct engine_event *event; /* ours until it is sent */
    struct ndjson text;         /* lines that are not read yet */
    size_t taken;               /* lines that are items or problems now */
    struct {
        struct line *at;
        size_t len, cap;
    } lines;
    struct {
        struct defined *at;
        size_t len, cap;
    } defined;
    struct defined variants[VARIANTS_MAX]; /* the same with other default CPUs */
    size_t variants_len;
    uint64_t hashes[BATCH_LINES_MAX]; /* their names', which each use looks through */
    struct {
        struct core_submit_item *at;
        size_t len, cap;
    } items;
    struct fl_digest digests[READ_NEWEST_SPECS_MAX]; /* each once */
    struct earlier earlier[READ_NEWEST_SPECS_MAX];
    size_t digests_len;
    bool held[CORE_SUBMIT_MAX]; /* each item's is_held: by the answer the engine owns the items */
    const struct core_outcome *outcomes; /* the items', in the call's arena */
    size_t written;                      /* lines that are in the answer */
    /* The spec of the line before, which the next one is likely to have too. */
    struct submit_spec last;
};

static struct fl_str problem_json(struct batch *batch, const struct api_problem *problem)
{
    struct fl_buf buf;

    fl_buf_init_in(&buf, 64 << 10, &batch->call->arena);
    api_problem_write(&buf, problem);
    return fl_buf_take(&buf);
}

static void refuse(struct batch *batch, struct line *line, const struct fl_err *err)
{
    struct api_problem problem = {.code = err->code, .detail = err->text};

    if (err->code == FL_ABSENT) problem = api_problem_absent(err->text, NULL);
    line->problem = problem_json(batch, &problem);
}

/* 'where' points to it; 'got' empty: not known here any more. */
static struct fl_str absent_json(struct batch *batch, const char *where, const char *text,
                                 struct fl_str got)
{
    struct api_problem_error error = {
        .pointer = fl_str_c(where), .detail = fl_str_c(text), .got = got};
    struct api_problem problem = api_problem_absent(text, &error);

    return problem_json(batch, &problem);
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

/* NULL: no line before this one has that number. */
static const struct line *find_line(const struct batch *batch, uint32_t number)
{
    size_t i = fl_vec_lower_bound(&batch->lines, number, number);

    return i < batch->taken && batch->lines.at[i].number == number ? &batch->lines.at[i] : NULL;
}

/* From lines to items, which the core counts.  False: the line was refused. */
static bool resolve_after(struct batch *batch, struct line *line, struct core_submit_item *item)
{
    struct fl_err err = {.code = FL_INVALID};

    for (size_t i = 0; i < item->after_len; i++) {
        struct fl_dependency *after = &item->after[i].after;
        const struct line *target = after->line ? find_line(batch, after->line) : NULL;

        if (!after->line) continue;
        if (!target || target->defines.len) {
            fl_fail(&err, FL_INVALID, "line %u, which it is to run after, %s", after->line,
                    target ? "defines a spec and is no job" : "is no line before this one");
            refuse(batch, line, &err);
            return false;
        }
        if (target->problem.len) {
            fl_fail(&err, FL_CONFLICT, "the job of line %u, which it is to run after, was refused",
                    after->line);
            refuse(batch, line, &err);
            return false;
        }
        after->line = (uint32_t)target->item + 1;
    }
    return true;
}

static void add_item(struct batch *batch, struct line *line, const struct fl_job_spec *spec,
                     bool has_queue, const struct submit_spec *shared)
{
    struct core_submit_item item;
    struct fl_err err = {0};

    if (!submit_item_make(spec, has_queue, shared, &batch->call->token, &batch->event->arena, &item,
                          &err)) {
        if (err.code == FL_ABSENT) {
            line->problem = absent_json(batch, "/queue", err.text, spec->queue);
        } else {
            refuse(batch, line, &err);
        }
        return;
    }
    if (!resolve_after(batch, line, &item)) return;
    line->item = batch->items.len;
    batch->held[line->item] = item.is_held;
    fl_arena_push(&batch->event->arena, &batch->items, item);
}

static uint32_t default_cpu(const struct batch *batch, const struct fl_submission *job)
{
    return default_cpu_of(batch->call,
                          submit_queue(&job->spec, job->has_queue, &batch->call->token));
}

static bool parse_job(struct batch *batch, struct line *line, const struct fl_json *document,
                      struct fl_submission *ret_job)
{
    struct fl_problems problems = {0};

    if (fl_submission_parse(document, &batch->call->arena, ret_job, &problems)) return true;
    refuse_problems(batch, line, &problems);
    return false;
}

static bool make_shared(struct batch *batch, struct line *line, struct fl_submission *job,
                        uint32_t default_cpu_milli, struct submit_spec *ret_shared)
{
    struct submit_spec made;
    struct fl_err err = {0};

    if (!submit_spec_make(&job->spec, default_cpu_milli, &batch->event->arena, &made, &err)) {
        refuse(batch, line, &err);
        return false;
    }
    if (fl_str_eq(made.canonical, batch->last.canonical)) { /* one copy of the bytes */
        made.canonical = batch->last.canonical;
        made.shape = batch->last.shape;
    }
    batch->last = made;
    *ret_shared = made;
    return true;
}

static uint64_t hash_of(struct fl_str name)
{
    return fl_hash64(0, name.at, name.len);
}

static const struct defined *find_defined(const struct batch *batch, struct fl_str name)
{
    uint64_t hash = hash_of(name);

    for (size_t i = 0; i < batch->defined.len; i++) {
        if (batch->hashes[i] != hash) continue;
        if (fl_str_eq(batch->defined.at[i].name, name)) return &batch->defined.at[i];
    }
    return NULL;
}

/* A spec has no place of its own among the lines, and is repeated where a batch is cut. */
static void keep_defined(struct batch *batch, struct line *line, const struct defined *defined)
{
    const struct fl_dependencies *after = &defined->job.spec.after;
    struct fl_err err = {0};

    for (size_t i = 0; i < after->len; i++) {
        if (!after->at[i].line) continue;
        fl_fail(&err, FL_INVALID,
                "a spec for many lines may run after jobs by their ids, not after lines");
        refuse(batch, line, &err);
        return;
    }
    line->defines = defined->name;
    batch->hashes[batch->defined.len] = hash_of(defined->name);
    fl_arena_push(&batch->call->arena, &batch->defined, *defined);
}

/* {"spec":"name","job":{...}} */
static void define(struct batch *batch, struct line *line, const struct fl_json *object)
{
    const struct fl_json *name = fl_json_member(object, FL_STR("spec"));
    const struct fl_json *job = fl_json_member(object, FL_STR("job"));
    struct defined defined = {.name = name->text, .document = job};
    struct fl_err err = {.code = FL_INVALID};

    if (name->kind != FL_JSON_STRING || name->text.len == 0 ||
        name->text.len > FL_JOB_NAME_BYTES_MAX || object->len != 2) {
        snprintf(err.text, sizeof err.text,
                 "a line that defines a spec is {\"spec\":NAME,\"job\":{...}}; NAME has at most %d "
                 "bytes",
                 FL_JOB_NAME_BYTES_MAX);
        refuse(batch, line, &err);
    } else if (find_defined(batch, name->text)) {
        snprintf(err.text, sizeof err.text, "that spec is defined already, in an earlier line");
        refuse(batch, line, &err);
    } else if (parse_job(batch, line, job, &defined.job)) {
        defined.default_cpu_milli = default_cpu(batch, &defined.job);
        if (make_shared(batch, line, &defined.job, defined.default_cpu_milli, &defined.shared)) {
            keep_defined(batch, line, &defined);
        }
    }
}

/* With the line's own members over those of 'spec'.  'mark' is the member that names the spec. */
static void add_use(struct batch *batch, struct line *line, const struct fl_json *object,
                    struct fl_str mark, struct fl_job_spec spec, bool has_queue,
                    const struct submit_spec *shared)
{
    struct fl_problems problems = {0};

    if (!fl_job_own_parse(object, mark, &batch->call->arena, &spec, &problems)) {
        refuse_problems(batch, line, &problems);
        return;
    }
    add_item(batch, line, &spec, has_queue || fl_json_member(object, FL_STR("queue")), shared);
}

/* Whether a role of it got a default CPU, or would get one. */
static bool needs_default_cpu(const struct defined *defined)
{
    return !fl_digest_eq(defined->shared.digest, defined->shared.asked) ||
           default_cpu_is_due(&defined->job.spec);
}

/* The spec with the default CPU of a line's queue, made once for all lines.  NULL: the line was
 * refused. */
static const struct defined *with_default_cpu(struct batch *batch, struct line *line,
                                              const struct defined *defined, uint32_t cpu)
{
    struct defined *variant = batch->variants;
    struct fl_err err = {0};

    if (cpu == defined->default_cpu_milli || !needs_default_cpu(defined)) return defined;
    for (; variant < batch->variants + batch->variants_len; variant++) {
        if (variant->default_cpu_milli == cpu && fl_str_eq(variant->name, defined->name)) {
            return variant;
        }
    }
    if (batch->variants_len == VARIANTS_MAX) {
        fl_fail(&err, FL_TOO_LARGE,
                "lines of a batch take their specs to queues with at most %d other default "
                "CPUs, and this is one more; write resources.cpu into the spec",
                VARIANTS_MAX);
        refuse(batch, line, &err);
        return NULL;
    }
    *variant = *defined;
    variant->default_cpu_milli = cpu;
    if (!parse_job(batch, line, defined->document, &variant->job) ||
        !make_shared(batch, line, &variant->job, cpu, &variant->shared)) {
        return NULL;
    }
    batch->variants_len++;
    return variant;
}

static void add_use_of(struct batch *batch, struct line *line, const struct fl_json *object,
                       const struct defined *defined)
{
    const struct fl_json *queue = fl_json_member(object, FL_STR("queue"));

    if (queue && queue->kind == FL_JSON_STRING) {
        defined = with_default_cpu(batch, line, defined, default_cpu_of(batch->call, queue->text));
    }
    if (defined) {
        add_use(batch, line, object, FL_STR("use"), defined->job.spec, defined->job.has_queue,
                &defined->shared);
    }
}

/* {"use":"name", and the job's own members} */
static void use(struct batch *batch, struct line *line, const struct fl_json *object)
{
    const struct fl_json *use = fl_json_member(object, FL_STR("use"));
    const struct defined *defined = find_defined(batch, use->text);
    struct fl_err err = {.code = FL_INVALID};

    if (use->kind != FL_JSON_STRING) {
        snprintf(err.text, sizeof err.text,
                 "\"use\" is not the name of a spec that an earlier line defines");
        refuse(batch, line, &err);
    } else if (!defined) {
        err.code = FL_ABSENT;
        snprintf(err.text, sizeof err.text, "no earlier line defines a good spec of that name");
        refuse(batch, line, &err);
    } else {
        add_use_of(batch, line, object, defined);
    }
}

/* ---- specs of earlier submissions ------------------------------------------------------------ */

static size_t find_digest(const struct batch *batch, struct fl_digest digest)
{
    size_t i = 0;

    while (i < batch->digests_len && !fl_digest_eq(batch->digests[i], digest)) {
        i++;
    }
    return i;
}

/* {"useDigest":"0f3a...", and the job's own members}: those of the earlier job are not part of its
 * spec. */
static void use_digest(struct batch *batch, struct line *line, const struct fl_json *object)
{
    const struct fl_json *use = fl_json_member(object, FL_STR("useDigest"));
    struct fl_err err = {0};
    struct fl_digest digest;
    size_t i;

    if (use->kind != FL_JSON_STRING || !fl_digest_parse(use->text, &digest, &err)) {
        err.code = FL_INVALID;
        snprintf(err.text, sizeof err.text,
                 "\"useDigest\" has 64 hex digits, the specDigest of a job");
        refuse(batch, line, &err);
        return;
    }
    i = find_digest(batch, digest);
    if (i == batch->digests_len) {
        err.code = FL_TOO_LARGE;
        snprintf(
            err.text, sizeof err.text,
            "a batch uses at most %d earlier specs, and this is one more; define it in a line: "
            "{\"spec\":NAME,\"job\":{...}}",
            READ_NEWEST_SPECS_MAX);
        refuse(batch, line, &err);
    } else if (batch->earlier[i].err.code != FL_OK) {
        refuse(batch, line, &batch->earlier[i].err);
    } else {
        add_use(batch, line, object, FL_STR("useDigest"), batch->earlier[i].spec, false,
                &batch->earlier[i].shared);
    }
}

static void read_earlier(struct batch *batch, size_t i, struct fl_str body)
{
    struct earlier *earlier = &batch->earlier[i];
    char digest[FL_DIGEST_TEXT_MAX];

    if (body.len == 0) {
        fl_digest_print(batch->digests[i], digest);
        fl_fail(&earlier->err, FL_ABSENT,
                "no job among the newest %d that this token may see has the spec %s; define it "
                "in a line: {\"spec\":NAME,\"job\":{...}}",
                READ_NEWEST_WALK_MAX, digest);
        return;
    }
    body.at = fl_arena_copy(&batch->event->arena, body.at, body.len);
    if (fl_job_spec_read(body, &batch->event->arena, &earlier->spec, &earlier->err) &&
        submit_spec_make(&earlier->spec, 0, &batch->event->arena, &earlier->shared,
                         &earlier->err)) {
        earlier->err.code = FL_OK;
    }
}

/* Collects the digests that the lines name, READ_NEWEST_SPECS_MAX at most; use_digest refuses the
 * others. */
static void find_digests(struct batch *batch)
{
    for (size_t i = 0; i < batch->lines.len; i++) {
        const struct fl_json *node = batch->lines.at[i].node;
        const struct fl_json *use = node ? fl_json_member(node, FL_STR("useDigest")) : NULL;
        struct fl_digest digest;
        struct fl_err err = {0};

        if (!use || use->kind != FL_JSON_STRING || batch->digests_len == READ_NEWEST_SPECS_MAX ||
            !fl_digest_parse(use->text, &digest, &err) ||
            find_digest(batch, digest) < batch->digests_len) {
            continue;
        }
        batch->digests[batch->digests_len++] = digest;
    }
}

static void take(struct batch *batch, struct line *line, const struct fl_json *node)
{
    struct submit_spec shared;
    struct fl_submission job;

    if (fl_json_member(node, FL_STR("useDigest"))) {
        use_digest(batch, line, node);
    } else if (fl_json_member(node, FL_STR("use"))) {
        use(batch, line, node);
    } else if (fl_json_member(node, FL_STR("spec")) && fl_json_member(node, FL_STR("job"))) {
        define(batch, line, node);
    } else if (parse_job(batch, line, node, &job) &&
               make_shared(batch, line, &job, default_cpu(batch, &job), &shared)) {
        add_item(batch, line, &job.spec, job.has_queue, &shared);
    }
}

/* False: the call was answered. */
static bool push_line(struct batch *batch, const struct line *line)
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
    struct line line = {.number = batch->text.line};
    struct fl_place at = {0};
    struct fl_err err = {0};

    if (!fl_json_parse_few(text, API_VALUES_MAX, &batch->call->arena, &line.node, &at, &err)) {
        struct api_problem_error error = {
            .detail = fl_str_c(err.text), .line = line.number, .col = at.col};
        struct api_problem problem = {
            .code = err.code, .detail = err.text, .errors = &error, .errors_len = 1};

        line.node = NULL;
        line.problem = problem_json(batch, &problem);
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
        struct line line = {.number = ++number, .node = node};

        if (!push_line(batch, &line)) return false;
    }
    return true;
}

/* The core refused it. */
static struct fl_str refusal_json(struct batch *batch, const struct core_outcome *outcome)
{
    struct api_problem problem = {.code = outcome->code, .detail = outcome->text};
    const char *where = "/queue";

    if (outcome->code != FL_ABSENT) return problem_json(batch, &problem);
    if (outcome->after > 0) {
        where = fl_arena_printf(&batch->call->arena, "/after/%u/job", outcome->after - 1);
    }
    return absent_json(batch, where, outcome->text, (struct fl_str){0});
}

static void write_line(struct batch *batch, struct fl_json_out *json, const struct line *line)
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
        fl_json_put_raw(json, "problem", refusal_json(batch, outcome));
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
        const struct line *line = &batch->lines.at[i];

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
        struct line *line = &batch->lines.at[batch->taken];

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
        read_earlier(batch, i, specs ? specs->bodies[i] : (struct fl_str){0});
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

    find_digests(batch);
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
    struct fl_str type = api_header(call, "content-type");
    struct batch *batch = fl_arena_new(&call->arena, struct batch);
    bool is_lines = type.len >= 20 && memcmp(type.at, "application/x-ndjson", 20) == 0;

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
