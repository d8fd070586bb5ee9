/* GET /v1/jobs/{job}/explain: why an open job is where it is, cluster by cluster. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"
#include "controlplane/api/v1/verdict_json.h"
#include "shared/base/dependency.h"
#include "shared/base/job_name.h"

static void explained(struct api_call *call, const struct core_answer *answer)
{
    const struct core_job_view *view = answer->jobs_len > 0 ? &answer->jobs[0] : NULL;
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "id", call->params[0]);
    if (view) {
        fl_json_put_cstr(json, "state", job_state_name(view->state));
        fl_json_put_cstr(json, "reason", reason_name(view->reason));
        fl_json_put_cstr(json, "whoCanAct", reason_who(view->reason));
        if (view->unknown_at != 0) fl_json_put_time(json, "unknownSince", view->unknown_at);
    }
    fl_json_put_cstr(json, "sentence", answer->sentence);
    verdict_json_put(call, json, answer);
    fl_json_close(json, '}');
    api_answer(call);
}

static void answer_ended(struct api_call *call, const struct read_job *job, const char *sentence)
{
    struct fl_json_out *json = api_json(call);

    fl_json_open(json, NULL, '{');
    fl_json_put_str(json, "id", call->params[0]);
    fl_json_put_cstr(json, "state", job_state_name(job->state));
    fl_json_put_cstr(json, "reason", reason_name(job->reason));
    fl_json_put_cstr(json, "whoCanAct", reason_who(job->reason));
    fl_json_put_cstr(json, "sentence", sentence);
    fl_json_open(json, "clusters", '[');
    fl_json_close(json, ']');
    fl_json_close(json, '}');
    api_answer(call);
}

/* A job that waited for an end which could not come any more. */
struct given_up {
    struct read_job job;
    struct fl_dependencies after;
};

/* NULL: it is not kept any more, or ended as it was to. */
static const struct read_job *find_other_end(const struct read_jobs *others,
                                             const struct fl_dependency *after)
{
    for (size_t i = 0; i < others->len; i++) {
        const struct read_job *other = &others->at[i];

        if (other->job.n != after->job.n || !other->is_ended) continue;
        return job_state_meets(other->state, after->on) ? NULL : other;
    }
    return NULL;
}

/* Names the first that ended otherwise. */
static void explain_given_up(struct api_call *call, const struct read_jobs *others)
{
    const struct given_up *given_up = call->state;
    const char *sentence = reason_sentence(given_up->job.reason);

    for (size_t i = 0; i < given_up->after.len; i++) {
        const struct fl_dependency *after = &given_up->after.at[i];
        const struct read_job *other = find_other_end(others, after);
        char name[FL_JOB_NAME_MAX];

        if (!other) continue;
        fl_job_name(after->job, name);
        sentence = fl_arena_printf(
            &call->arena, "it was to run after the %s of %s, which %s",
            after->on == FL_ON_each ? "same elements" : fl_dependency_on_name(after->on), name,
            other->state == JOB_cancelled ? "was cancelled" : job_state_name(other->state));
        break;
    }
    answer_ended(call, &given_up->job, sentence);
}

/* False: the jobs that it waited for are not known. */
static bool look_for_other_end(struct api_call *call, const struct read_job *job)
{
    struct given_up *given_up = fl_arena_new(&call->arena, struct given_up);
    struct fl_job others[FL_JOB_AFTER_MAX];
    struct fl_err err;

    given_up->job = read_job_copy(job, &call->arena);
    if (!fl_dependencies_decode(given_up->job.row.after, &call->arena, &given_up->after, &err) ||
        given_up->after.len == 0) {
        return false;
    }
    for (size_t i = 0; i < given_up->after.len; i++) {
        others[i] = given_up->after.at[i].job;
    }
    call->state = given_up;
    call_reads_jobs(call, others, given_up->after.len, explain_given_up);
    return true;
}

static void ended(struct api_call *call, const struct read_job *job)
{
    if (job->reason == REASON_NeverMet && look_for_other_end(call, job)) return;
    answer_ended(call, job, reason_sentence(job->reason));
}

static void open_job(struct api_call *call, struct fl_job job)
{
    struct engine_event *event = api_event(call, CORE_EV_explain);

    event->event.job.job = job;
    api_ask(call, event, explained);
}

static void explain(struct api_call *call)
{
    job_lookup(call, open_job, ended);
}

static const struct api_field explanation_fields[] = {
    API_MUST("id", "string", "the job's own"),
    API_MUST("state", "string", "the job's own", .words = JOB_STATES(API_WORD)),
    API_MUST("reason", "string or null", "in a word, see reasons.md"),
    API_MUST("whoCanAct", "string", "the person who can change it", .words = WHO_CAN_ACT),
    API_MAY("unknownSince", "string", "since when its cluster is silent",
            .format = API_FORMAT_time),
    API_MUST("sentence", "string or null", "the reason in words, and what will come of it"),
    API_MUST("clusters", "array of Verdict", "a verdict for each cluster"),
    {0},
};

const struct api_object explanation_object = {.name = "Explanation",
                                              .text = "Why a job waits, or why it ended.",
                                              .fields = explanation_fields};

const struct api_route explain_routes[] = {
    API_ROUTE(API_GET, "/v1/jobs/{job}/explain", API_NEED_read, explain, "explainJob",
              "why a job waits, or why it ended, with what each cluster says to it",
              .answer = "Explanation"),
    {0},
};
