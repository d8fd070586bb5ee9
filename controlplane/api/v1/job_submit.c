/* POST /v1/jobs: one document, or manifest of Kubernetes, one job. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/auth.h"
#include "controlplane/api/document.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/after_lookup.h"
#include "controlplane/api/v1/after_query.h"
#include "controlplane/api/v1/default_cpu.h"
#include "controlplane/api/v1/job_get.h"
#include "controlplane/api/v1/job_json.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/api/v1/submit_item.h"
#include "controlplane/api/v1/verdict_json.h"
#include "shared/base/job_name.h"
#include "shared/spec/submission.h"

/* One job on its way to the engine. */
#define JOBS "/v1/jobs/"

struct submit {
    struct engine_event *event; /* ours until it is sent */
    struct core_submit_item *item;
    struct fl_str document; /* with dryRun: as it was understood; without, empty */
    struct fl_digest digest;
    size_t
        after_written; /* so many 'after' of the item stand in the document, others in the query */
};

static void fail_after(struct api_call *call, const struct submit *submit, uint32_t number,
                       const char *text)
{
    char *name = fl_arena_alloc(&call->arena, FL_JOB_NAME_MAX);

    fl_job_name(submit->item->after[number - 1].after.job, name);
    if (number > submit->after_written) {
        api_fail_absent_parameter(call, "after", text, fl_str_c(name));
    } else {
        api_fail_absent_at(call, fl_arena_printf(&call->arena, "/after/%u/job", number - 1), text,
                           fl_str_c(name));
    }
}

/* The core refused it. */
static void fail(struct api_call *call, const struct core_outcome *outcome)
{
    const struct submit *submit = call->state;
    const char *text = outcome->text ? outcome->text : "it was refused";

    if (outcome->code != FL_ABSENT) {
        api_fail(call, outcome->code, "%s", text);
    } else if (outcome->after > 0) {
        fail_after(call, submit, outcome->after, text);
    } else {
        api_fail_absent_at(call, "/queue", text, submit->item->queue);
    }
}

static void submitted(struct api_call *call, const struct core_answer *answer)
{
    const struct core_outcome *outcome = &answer->outcomes[0];
    const struct core_submit_item *item = ((struct submit *)call->state)->item;
    char location[sizeof JOBS - 1 + FL_JOB_NAME_MAX] = JOBS;
    struct fl_json_out *json;

    fl_assert(answer->outcomes_len == 1);
    if (outcome->code != FL_OK) {
        fail(call, outcome);
        return;
    }
    fl_job_name(outcome->job, location + sizeof JOBS - 1);
    api_header_add(call, "Location", fl_arena_str(&call->arena, fl_str_c(location)));
    if (answer->is_replay) {
        job_answer(call, outcome->job);
        return;
    }
    json = api_json(call);
    fl_json_open(json, NULL, '{');
    job_json_accepted(call, json, outcome->job, answer->at, item);
    fl_json_close(json, '}');
    api_answer(call);
}

/* The facts for the answer, kept past the event, which the engine owns by then. */
static struct core_submit_item *copy_item(struct api_call *call,
                                          const struct core_submit_item *item)
{
    struct core_submit_item *kept = fl_arena_new(&call->arena, struct core_submit_item);

    *kept = *item;
    kept->name = fl_arena_str(&call->arena, item->name);
    kept->queue = fl_arena_str(&call->arena, item->queue);
    kept->labels = fl_arena_str(&call->arena, item->labels);
    kept->params = fl_arena_str(&call->arena, item->params);
    kept->after = fl_arena_array(&call->arena, struct core_dependency, item->after_len);
    for (size_t i = 0; i < item->after_len; i++) {
        kept->after[i] = item->after[i];
    }
    return kept;
}

static void on_end(struct api_call *call)
{
    struct submit *submit = call->state;

    engine_event_destroy(submit->event);
}

/* The verdicts name clusters and their sizes: they are for those who may read. */
static void put_placement(const struct api_call *call, struct fl_json_out *json,
                          const struct core_answer *answer)
{
    fl_json_open(json, "placement", '{');
    fl_json_put_bool(json, "possible", answer->is_possible);
    if (api_may_read(&call->token)) {
        fl_json_put_u64(json, "enrolled", answer->enrolled);
        verdict_json_put(call, json, answer);
    }
    fl_json_close(json, '}');
}

/* A dry run: the core would accept the job now, or says why not. */
static void judged(struct api_call *call, const struct core_answer *answer)
{
    const struct submit *submit = call->state;
    const struct core_outcome *outcome = &answer->outcomes[0];
    struct fl_json_out *json;

    fl_assert(answer->outcomes_len == 1);
    if (outcome->code != FL_OK) {
        fail(call, outcome);
        return;
    }
    json = api_json(call);
    fl_json_open(json, NULL, '{');
    fl_json_put_bool(json, "dryRun", true);
    fl_json_put_hex(json, "specDigest", submit->digest.at, sizeof submit->digest.at);
    fl_json_put_raw(json, "job", submit->document);
    if (api_query_flag(call, "placement")) put_placement(call, json, answer);
    fl_json_close(json, '}');
    api_answer_as(call, 200, "application/json",
                  (struct fl_str){(const char *)call->out.at, call->out.len});
}

static void send_job(struct api_call *call)
{
    struct submit *submit = call->state;
    bool is_dry = submit->document.len > 0;

    call->on_end = NULL;
    submit->event->event.submit.at = submit->item;
    submit->event->event.submit.len = 1;
    submit->event->event.submit.is_dry = is_dry;
    submit->event->event.submit.wants_verdicts =
        api_query_flag(call, "placement") && api_may_read(&call->token);
    submit->event->event.submit.waits_for_cluster = api_query_flag(call, "waitForCluster");
    submit->item = copy_item(call, submit->item);
    if (is_dry) {
        api_ask(call, submit->event, judged);
    } else if (api_idempotent(call, submit->event)) {
        api_ask(call, submit->event, submitted);
    }
}

/* False: the call was answered. */
static bool has_no_line(struct api_call *call, const struct fl_dependencies *after)
{
    for (size_t i = 0; i < after->len; i++) {
        if (after->at[i].line == 0) continue;
        api_fail_at(call, fl_arena_printf(&call->arena, "/after/%zu/line", i),
                    "only the jobs of a batch have lines: name the job", (struct fl_str){0}, NULL);
        return false;
    }
    return true;
}

/* The document as it was understood, which may be submitted as it is.  False: the call was
 * answered. */
static bool write_document(struct api_call *call, const struct fl_job_spec *spec,
                           struct fl_str *ret_document)
{
    struct fl_buf document;
    bool is_written;

    fl_buf_init(&document, 2 * FL_JOB_SPEC_BYTES_MAX);
    is_written = fl_job_spec_document(&document, spec);
    if (is_written) {
        *ret_document =
            fl_arena_str(&call->arena, (struct fl_str){(const char *)document.at, document.len});
    } else {
        api_fail(call, FL_TOO_LARGE, "the document is too large once it is written out");
    }
    fl_buf_fini(&document);
    return is_written;
}

/* The query goes over the document.  False: the call was answered. */
static bool take_query(struct api_call *call, struct fl_submission *job)
{
    if (api_query_flag(call, "placement") && !api_query_flag(call, "dryRun")) {
        api_fail_parameter(call, "placement", "only a dry run says where the job could go",
                           FL_STR("true"), "dryRun=true beside it");
        return false;
    }
    if (api_query_has(call, "queue")) {
        job->spec.queue = api_query(call, "queue");
        job->has_queue = true;
        if (!fl_str_is_name(job->spec.queue)) {
            api_fail_parameter(call, "queue", "not the name of a queue", job->spec.queue,
                               FL_NAME_ALLOWED);
            return false;
        }
    }
    if (api_query_has(call, "hold")) job->spec.is_held = api_query_flag(call, "hold");
    return after_query(call, &job->spec.after);
}

static void submit_job(struct api_call *call)
{
    const struct fl_json *document = api_document(call);
    struct submit *submit = fl_arena_new(&call->arena, struct submit);
    struct fl_problems problems = {0};
    struct engine_event *event;
    struct submit_spec shared;
    struct fl_submission job;
    struct fl_err err = {0};
    struct fl_str queue;
    bool is_dry = api_query_flag(call, "dryRun");

    if (!document) return;
    if (!fl_submission_parse(document, &call->arena, &job, &problems)) {
        api_fail_problems(call, &problems);
        return;
    }
    submit->after_written = job.spec.after.len;
    if (!take_query(call, &job)) return;
    if (!is_dry && !has_no_line(call, &job.spec.after)) return;
    event = api_event(call, CORE_EV_submit);
    submit->event = event;
    submit->item = fl_arena_new(&event->arena, struct core_submit_item);
    queue = submit_queue(&job.spec, job.has_queue, &call->token);
    if (!submit_spec_make(&job.spec, default_cpu_of(call, queue), &event->arena, &shared, &err) ||
        !submit_item_make(&job.spec, job.has_queue, &shared, &call->token, &event->arena,
                          submit->item, &err)) {
        engine_event_destroy(event);
        call->is_hidden = err.code == FL_ABSENT; /* another queue than its token's */
        if (call->is_hidden) {
            api_fail_absent_at(call, "/queue", err.text, job.spec.queue);
        } else {
            api_fail(call, err.code, "%s", err.text);
        }
        return;
    }
    submit->digest = shared.digest;
    call->state = submit;
    call->on_end = on_end;
    if (is_dry && !write_document(call, &job.spec, &submit->document)) return;
    after_lookup(call, submit->item, 1, send_job);
}

static const struct api_field submit_query[] = {
    API_MAY(
        "dryRun", "boolean",
        "true: only checked, as if it came now, but for `line`, and nothing is made; the answer, "
        "200, has the document as it was understood"),
    API_MAY("placement", "boolean",
            "true, only with `dryRun`: the answer says where it could go now, too"),
    API_MAY("queue", "string", "in place of the document's queue", .max = FL_NAME_BYTES_MAX),
    API_MAY("hold", "boolean", "in place of the document's hold"),
    API_MAY("after", "string",
            "jobs to run after besides those of the document: `job-7,job-8:any`; an end is "
            "`success`, `any` or `failure`"),
    API_MAY("waitForCluster", "boolean",
            "true: accepted even if no enrolled cluster could ever run it"),
    {0},
};

static const struct api_field dry_fields[] = {
    API_MUST("dryRun", "boolean", "true: nothing was made"),
    API_MUST("specDigest", "string", "SHA-256 of its spec"),
    API_MUST("job", "JobDocument", "the long form, which may be submitted as it is"),
    API_MAY("placement", "Placement", "where it could go now; only with the query's `placement`"),
    {0},
};

static const struct api_field placement_fields[] = {
    API_MUST(
        "possible", "boolean",
        "false: no enrolled cluster could ever run it; as long as none is enrolled, or one has "
        "not told its nodes, true"),
    API_MAY("enrolled", "integer", "so many clusters are enrolled; only for a token that may read"),
    API_MAY(
        "clusters", "array of Verdict",
        "a verdict for each of the first " FL_QUOTE(
            CORE_VERDICTS_MAX) " clusters by name, as "
                               "in an explanation, and of fewer where these have over " FL_QUOTE(
                                   CORE_VERDICT_NODES_MAX) " nodes; only for a token that may "
                                                           "read"),
    {0},
};

const struct api_object placement_object = {.name = "Placement",
                                            .text = "The verdicts of the clusters on a job now.",
                                            .fields = placement_fields};

const struct api_object dry_run_object = {
    .name = "DryRun", .text = "A document as it was understood.", .fields = dry_fields};

static const struct api_also dry_also[] = {
    /* Generated clients have one type for all answers of an operation, that of the least status. */
    {200, NULL, "DryRun or Job", "with dryRun, a DryRun: nothing was made"},
    {0},
};

const struct api_route job_submit_routes[] = {
    API_ROUTE(
        API_POST, "/v1/jobs", API_NEED_submit, submit_job, "submitJob",
        "submits one job; the document may be a manifest of Kubernetes, too (docs/manifests.md)",
        .query = submit_query, .body_max = API_BODY, .takes = "application/json, application/yaml",
        .schema = "JobDocument", .headers = API_TAKES_key | API_TAKES_as, .status = 201,
        .answer = "Job", .also = dry_also, .may_conflict = true),
    {0},
};
