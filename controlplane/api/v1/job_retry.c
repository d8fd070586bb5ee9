/* POST /v1/jobs/{job}:retry: an ended job again, whole or in part. */
#include <stdlib.h>

#include "controlplane/api/api_state.h"
#include "controlplane/api/failure_groups.h"
#include "controlplane/api/v1/job_get.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/job_resubmit.h"
#include "controlplane/api/v1/resources.h"
#include "shared/spec/job_spec.h"

static void done(struct api_call *call, struct fl_job job, enum fl_code code, const char *text)
{
    struct job_resubmit *resubmit = call->state;

    fl_element_set_fini(&resubmit->picks);
    call->on_end = NULL;
    if (code == FL_OK) {
        job_answer(call, job);
    } else {
        api_fail(call, code, "%s", text ? text : fl_code_meaning(code));
    }
}

static void open_job(struct api_call *call, struct fl_job job)
{
    struct job_resubmit *resubmit = call->state;

    (void)job;
    fl_element_set_fini(&resubmit->picks);
    api_fail(call, FL_CONFLICT, "the job has not ended; cancel it or wait for its end");
}

static int by_number(const void *a, const void *b)
{
    int64_t left = (*(const struct fl_json *const *)a)->n;
    int64_t right = (*(const struct fl_json *const *)b)->n;

    return (left > right) - (left < right);
}

static bool fail_elements(struct api_call *call, const struct fl_json *got)
{
    api_fail_at(call, "/elements", "which elements run again", got->text,
                "a list of different numbers from 0 on");
    return false;
}

static bool read_elements(struct api_call *call, const struct fl_json *list,
                          struct fl_element_set *picks)
{
    const struct fl_json **sorted;
    struct fl_err err = {0};
    size_t len = 0;

    sorted = fl_arena_array(&call->arena, const struct fl_json *, list->len);
    FL_JSON_EACH (item, list) {
        if (item->n < 0 || item->n >= FL_JOB_ELEMENTS_MAX) return fail_elements(call, item);
        sorted[len++] = item;
    }
    qsort(sorted, len, sizeof *sorted, by_number);
    for (size_t i = 0; i < len; i++) {
        if (fl_element_set_add(picks, (uint32_t)sorted[i]->n, &err)) continue;
        if (err.code == FL_INVALID) return fail_elements(call, sorted[i]);
        api_fail(call, err.code, "%s", err.text);
        return false;
    }
    return true;
}

/* A second of the members that choose is refused. */
static bool choose(struct api_call *call, const struct fl_json *body, const char *name,
                   enum resubmit_what what, const struct fl_json **ret_value)
{
    struct job_resubmit *resubmit = call->state;

    *ret_value = fl_json_member(body, fl_str_c(name));
    if (!*ret_value) return true;
    if (resubmit->what == RESUBMIT_all) {
        resubmit->what = what;
        return true;
    }
    api_fail_at(call, fl_arena_printf(&call->arena, "/%s", name),
                "one of 'only', 'failure' and 'elements' is enough", (struct fl_str){0}, NULL);
    return false;
}

static bool read_failure_id(struct api_call *call, struct fl_str id)
{
    struct job_resubmit *resubmit = call->state;

    resubmit->failure = id;
    if (failure_group_is_id(id)) return true;
    api_fail_at(call, "/failure", "not the id of a group of failures", id,
                "an id of GET /v1/jobs/{job}/failures: 12 digits of 0-9 and a-f");
    return false;
}

static bool read_body(struct api_call *call, struct job_resubmit *resubmit)
{
    const struct fl_json *body = api_body_json(call, true), *only, *failure, *elements;

    if (!body) return false;
    if (!choose(call, body, "only", RESUBMIT_failed, &only) ||
        !choose(call, body, "failure", RESUBMIT_failure, &failure) ||
        !choose(call, body, "elements", RESUBMIT_elements, &elements)) {
        return false;
    }
    if (failure) return read_failure_id(call, failure->text);
    return !elements || read_elements(call, elements, &resubmit->picks);
}

/* Chosen elements must be among those that it had. */
static void ended(struct api_call *call, const struct read_job *job)
{
    struct job_resubmit *resubmit = call->state;
    uint32_t last = 0, count = fl_element_set_count(&resubmit->picks);

    if (count > 0) last = fl_element_set_nth(&resubmit->picks, count - 1);
    if (resubmit->what == RESUBMIT_elements && !job->is_picked && last >= job->elements) {
        fl_element_set_fini(&resubmit->picks);
        api_fail(call, FL_INVALID, "the job has elements 0 to %u", job->elements - 1);
        return;
    }
    job_resubmit_start(call, job);
}

static void retry_job(struct api_call *call)
{
    struct job_resubmit *resubmit = fl_arena_new(&call->arena, struct job_resubmit);

    call->state = resubmit;
    resubmit->done = done;
    resubmit->waits_for_cluster = api_query_flag(call, "waitForCluster");
    if (read_body(call, resubmit)) {
        job_lookup(call, open_job, ended);
    } else {
        fl_element_set_fini(&resubmit->picks);
    }
}

static const struct api_field retry_query[] = {
    API_MAY("waitForCluster", "boolean",
            "true: accepted even if no enrolled cluster could ever run it"),
    {0},
};

static const struct api_field retry_fields[] = {
    API_MAY("only", "string", "failed: only the elements that failed", .words = "failed"),
    API_MAY("failure", "string",
            "only the elements of this group of failures: see GET /v1/jobs/{job}/failures"),
    API_MAY("elements", "array of integer",
            "only these elements, by number; they keep their numbers", .min = 1,
            .max = FL_JSON_NODES_MAX),
    {0},
};

const struct api_route job_retry_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs/{job}:retry", API_NEED_submit, retry_job, "retryJob",
              "runs an ended job again, as a new job with its spec", .query = retry_query,
              .body = retry_fields, .body_max = API_BODY, .headers = API_TAKES_key | API_TAKES_as,
              .status = 201, .answer = "Job", .may_conflict = true),
    {0},
};
