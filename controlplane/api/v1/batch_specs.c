#include "controlplane/api/v1/batch_specs.h"

#include <stdio.h>

#include "controlplane/api/v1/batch_item.h"
#include "controlplane/api/v1/batch_problem.h"
#include "controlplane/api/v1/default_cpu.h"
#include "shared/base/hash.h"
#include "shared/base/job_name.h"
#include "shared/spec/job_own.h"

static uint64_t hash_of(struct fl_str name)
{
    return fl_hash64(0, name.at, name.len);
}

static const struct batch_defined *find_defined(const struct batch *batch, struct fl_str name)
{
    uint64_t hash = hash_of(name);

    for (size_t i = 0; i < batch->defined.len; i++) {
        if (batch->hashes[i] != hash) continue;
        if (fl_str_eq(batch->defined.at[i].name, name)) return &batch->defined.at[i];
    }
    return NULL;
}

/* A spec has no place of its own among the lines, and is repeated where a batch is cut. */
static void keep_defined(struct batch *batch, struct batch_line *line,
                         const struct batch_defined *defined)
{
    const struct fl_dependencies *after = &defined->job.spec.after;
    struct fl_err err = {0};

    for (size_t i = 0; i < after->len; i++) {
        if (!after->at[i].line) continue;
        fl_fail(&err, FL_INVALID,
                "a spec for many lines may run after jobs by their ids, not after lines");
        batch_problem_refuse(batch, line, &err);
        return;
    }
    line->defines = defined->name;
    batch->hashes[batch->defined.len] = hash_of(defined->name);
    fl_arena_push(&batch->call->arena, &batch->defined, *defined);
}

/* {"spec":"name","job":{...}} */
void batch_specs_define(struct batch *batch, struct batch_line *line, const struct fl_json *object)
{
    const struct fl_json *name = fl_json_member(object, FL_STR("spec"));
    const struct fl_json *job = fl_json_member(object, FL_STR("job"));
    struct batch_defined defined = {.name = name->text, .document = job};
    struct fl_err err = {.code = FL_INVALID};

    if (name->kind != FL_JSON_STRING || name->text.len == 0 ||
        name->text.len > FL_JOB_NAME_BYTES_MAX || object->len != 2) {
        snprintf(err.text, sizeof err.text,
                 "a line that defines a spec is {\"spec\":NAME,\"job\":{...}}; NAME has at most %d "
                 "bytes",
                 FL_JOB_NAME_BYTES_MAX);
        batch_problem_refuse(batch, line, &err);
    } else if (find_defined(batch, name->text)) {
        snprintf(err.text, sizeof err.text, "that spec is defined already, in an earlier line");
        batch_problem_refuse(batch, line, &err);
    } else if (batch_item_parse(batch, line, job, &defined.job)) {
        defined.default_cpu_milli = batch_item_default_cpu(batch, &defined.job);
        if (batch_item_share(batch, line, &defined.job, defined.default_cpu_milli,
                             &defined.shared)) {
            keep_defined(batch, line, &defined);
        }
    }
}

/* With the line's own members over those of 'spec'.  'mark' is the member that names the spec. */
static void add_use(struct batch *batch, struct batch_line *line, const struct fl_json *object,
                    struct fl_str mark, struct fl_job_spec spec, bool has_queue,
                    const struct submit_spec *shared)
{
    struct fl_problems problems = {0};

    if (!fl_job_own_parse(object, mark, &batch->call->arena, &spec, &problems)) {
        batch_problem_refuse_all(batch, line, &problems);
        return;
    }
    batch_item_add(batch, line, &spec, has_queue || fl_json_member(object, FL_STR("queue")),
                   shared);
}

/* Whether a role of it got a default CPU, or would get one. */
static bool needs_default_cpu(const struct batch_defined *defined)
{
    return !fl_digest_eq(defined->shared.digest, defined->shared.asked) ||
           default_cpu_is_due(&defined->job.spec);
}

/* The spec with the default CPU of a line's queue, made once for all lines.  NULL: the line was
 * refused. */
static const struct batch_defined *with_default_cpu(struct batch *batch, struct batch_line *line,
                                                    const struct batch_defined *defined,
                                                    uint32_t cpu)
{
    struct batch_defined *variant = batch->variants;
    struct fl_err err = {0};

    if (cpu == defined->default_cpu_milli || !needs_default_cpu(defined)) return defined;
    for (; variant < batch->variants + batch->variants_len; variant++) {
        if (variant->default_cpu_milli == cpu && fl_str_eq(variant->name, defined->name)) {
            return variant;
        }
    }
    if (batch->variants_len == BATCH_VARIANTS_MAX) {
        fl_fail(&err, FL_TOO_LARGE,
                "lines of a batch take their specs to queues with at most %d other default "
                "CPUs, and this is one more; write resources.cpu into the spec",
                BATCH_VARIANTS_MAX);
        batch_problem_refuse(batch, line, &err);
        return NULL;
    }
    *variant = *defined;
    variant->default_cpu_milli = cpu;
    if (!batch_item_parse(batch, line, defined->document, &variant->job) ||
        !batch_item_share(batch, line, &variant->job, cpu, &variant->shared)) {
        return NULL;
    }
    batch->variants_len++;
    return variant;
}

static void add_use_of(struct batch *batch, struct batch_line *line, const struct fl_json *object,
                       const struct batch_defined *defined)
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
void batch_specs_use(struct batch *batch, struct batch_line *line, const struct fl_json *object)
{
    const struct fl_json *use = fl_json_member(object, FL_STR("use"));
    const struct batch_defined *defined = find_defined(batch, use->text);
    struct fl_err err = {.code = FL_INVALID};

    if (use->kind != FL_JSON_STRING) {
        snprintf(err.text, sizeof err.text,
                 "\"use\" is not the name of a spec that an earlier line defines");
        batch_problem_refuse(batch, line, &err);
    } else if (!defined) {
        err.code = FL_ABSENT;
        snprintf(err.text, sizeof err.text, "no earlier line defines a good spec of that name");
        batch_problem_refuse(batch, line, &err);
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
void batch_specs_use_digest(struct batch *batch, struct batch_line *line,
                            const struct fl_json *object)
{
    const struct fl_json *use = fl_json_member(object, FL_STR("useDigest"));
    struct fl_err err = {0};
    struct fl_digest digest;
    size_t i;

    if (use->kind != FL_JSON_STRING || !fl_digest_parse(use->text, &digest, &err)) {
        err.code = FL_INVALID;
        snprintf(err.text, sizeof err.text,
                 "\"useDigest\" has 64 hex digits, the specDigest of a job");
        batch_problem_refuse(batch, line, &err);
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
        batch_problem_refuse(batch, line, &err);
    } else if (batch->earlier[i].err.code != FL_OK) {
        batch_problem_refuse(batch, line, &batch->earlier[i].err);
    } else {
        add_use(batch, line, object, FL_STR("useDigest"), batch->earlier[i].spec, false,
                &batch->earlier[i].shared);
    }
}

void batch_specs_read_earlier(struct batch *batch, size_t i, struct fl_str body)
{
    struct batch_earlier *earlier = &batch->earlier[i];
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

void batch_specs_find_digests(struct batch *batch)
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
