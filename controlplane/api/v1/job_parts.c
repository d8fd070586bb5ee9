#include "controlplane/api/v1/job_parts.h"

#include <inttypes.h>

#include "controlplane/api/v1/job_lookup.h"
#include "shared/base/element_set.h"
#include "shared/spec/job_spec.h"

struct parts {
    void *state; /* the handler's */
    struct fl_job job;
    job_parts_then *then;
};

static void go_on(struct api_call *call)
{
    struct parts *parts = call->state;

    call->state = parts->state;
    parts->then(call, parts->job);
}

/* ---- replicas -------------------------------------------------------------------------------- */

/* The first named part that begins behind the last replica; false: there is none. */
static bool is_beyond(const struct log_query *named, uint32_t replicas)
{
    for (size_t i = 0; i < named->replicas_len; i++) {
        if (named->replicas[i].first >= replicas) return true;
    }
    return false;
}

static void on_spec(struct api_call *call, struct fl_str body)
{
    struct log_query named = {0};
    struct fl_job_spec spec;
    struct fl_err err = {0};
    struct fl_str text = api_query(call, "replica");

    if (!log_selection_replicas(text, &named)) {
        api_fail_parameter(call, "replica", "not a list of replicas", text, LOG_REPLICAS_ALLOWED);
    } else if (body.len > 0 && fl_job_spec_read(body, &call->arena, &spec, &err) &&
               is_beyond(&named, spec.replicas)) {
        api_fail_absent_parameter(call, "replica",
                                  spec.replicas == 1
                                      ? "the job has one replica, number 0"
                                      : fl_arena_printf(&call->arena,
                                                        "the job has %" PRIu32
                                                        " replicas, numbered from 0 to %" PRIu32,
                                                        spec.replicas, spec.replicas - 1),
                                  text);
    } else {
        go_on(call);
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

static bool has_element(const struct read_job *job, uint32_t element)
{
    struct fl_element_set picks = {0};
    struct fl_err err = {0};
    bool has = true;

    if (!job->is_picked) return element < job->elements;
    if (fl_element_set_decode(job->row.picked, &picks, &err)) {
        has = fl_element_set_has(&picks, element);
    }
    fl_element_set_fini(&picks);
    return has;
}

static const char *elements_of(struct api_call *call, const struct read_job *job)
{
    if (job->is_picked) {
        return fl_arena_printf(&call->arena,
                               "the job runs %" PRIu32
                               " chosen elements, and this one is not among them",
                               job->elements);
    }
    if (job->elements == 1) return "the job has one element, number 0";
    return fl_arena_printf(&call->arena,
                           "the job has %" PRIu32 " elements, numbered from 0 to %" PRIu32,
                           job->elements, job->elements - 1);
}

static void on_job(struct api_call *call, const struct read_job *job)
{
    if (!job) {
        api_absent(call);
    } else if (api_query_has(call, "element") &&
               !has_element(job, (uint32_t)api_query_u64(call, "element"))) {
        api_fail_absent_parameter(call, "element", elements_of(call, job),
                                  api_query(call, "element"));
    } else if (api_query_has(call, "replica")) {
        call_reads_spec(call, job->job, job->row.spec, on_spec);
    } else {
        go_on(call);
    }
}

/* ---- a job's parts --------------------------------------------------------------------------- */

void job_parts_check(struct api_call *call, struct fl_job job, job_parts_then *then)
{
    struct parts *parts;

    if (!api_query_has(call, "element") && !api_query_has(call, "replica")) {
        then(call, job);
        return;
    }
    parts = fl_arena_new(&call->arena, struct parts);
    *parts = (struct parts){.state = call->state, .job = job, .then = then};
    call->state = parts;
    call_reads_job(call, job, on_job);
}

struct lookup {
    void *state; /* the handler's */
    bool has_ended;
    void (*then)(struct api_call *call, struct fl_job job, bool has_ended);
};

static void on_checked(struct api_call *call, struct fl_job job)
{
    struct lookup *lookup = call->state;

    call->state = lookup->state;
    lookup->then(call, job, lookup->has_ended);
}

static void open(struct api_call *call, struct fl_job job)
{
    job_parts_check(call, job, on_checked);
}

static void ended(struct api_call *call, const struct read_job *job)
{
    ((struct lookup *)call->state)->has_ended = true;
    job_parts_check(call, job->job, on_checked);
}

void job_parts_lookup(struct api_call *call,
                      void (*then)(struct api_call *call, struct fl_job job, bool has_ended))
{
    struct lookup *lookup = fl_arena_new(&call->arena, struct lookup);

    *lookup = (struct lookup){.state = call->state, .then = then};
    call->state = lookup;
    job_lookup(call, open, ended);
}
