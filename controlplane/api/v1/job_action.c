/* cancel, hold and release of one job.  Each is idempotent; a job that has ended is left as it
 * is. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/job_get.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"

struct action {
    enum core_event_kind kind;
    bool has_ended;
    enum job_state state; /* in which it ended */
};

static void answer_ended(struct api_call *call, struct fl_job job)
{
    const struct action *action = call->state;

    /* To cancel again what was cancelled is no mistake. */
    if (action->kind == CORE_EV_cancel && action->state == JOB_cancelled) {
        job_answer(call, job);
        return;
    }
    job_fail_ended(call, action->state);
}

static void done(struct api_call *call, const struct core_answer *answer)
{
    const struct action *action = call->state;
    struct fl_job job;

    if (!api_param_job(call, &job)) return;
    if (answer->code == FL_OK) {
        job_answer(call, job);
    } else if (action->has_ended) {
        answer_ended(call, job);
    } else {
        api_fail(call, answer->code, "%s",
                 answer->text ? answer->text : fl_code_meaning(answer->code));
    }
}

static void act(struct api_call *call, struct fl_job job)
{
    const struct action *action = call->state;
    struct engine_event *event = api_event(call, action->kind);

    event->event.job.job = job;
    if (api_idempotent(call, event)) api_ask_any(call, event, done);
}

/* With a key the engine is asked nonetheless: this may be the repetition of a request that came
 * before the job's end. */
static void ended(struct api_call *call, const struct read_job *job)
{
    struct action *action = call->state;

    action->has_ended = true;
    action->state = job->state;
    if (api_header(call, "idempotency-key").len > 0) {
        act(call, job->job);
    } else {
        answer_ended(call, job->job);
    }
}

static void start(struct api_call *call, enum core_event_kind kind)
{
    struct action *action = fl_arena_new(&call->arena, struct action);

    action->kind = kind;
    call->state = action;
    job_lookup(call, act, ended);
}

static void cancel_job(struct api_call *call)
{
    start(call, CORE_EV_cancel);
}

static void hold_job(struct api_call *call)
{
    start(call, CORE_EV_hold);
}

static void release_job(struct api_call *call)
{
    start(call, CORE_EV_release);
}

const struct api_route job_action_routes[] = {
    API_ROUTE(API_POST, "/v1/jobs/{job}:cancel", API_NEED_cancel, cancel_job, "cancelJob",
              "ends a job and stops its attempts", .headers = API_TAKES_key, .answer = "Job",
              .may_conflict = true),
    API_ROUTE(API_POST, "/v1/jobs/{job}:hold", API_NEED_cancel, hold_job, "holdJob",
              "starts nothing more for a job; its attempts go on", .headers = API_TAKES_key,
              .answer = "Job", .may_conflict = true),
    API_ROUTE(API_POST, "/v1/jobs/{job}:release", API_NEED_cancel, release_job, "releaseJob",
              "lets a held job start", .headers = API_TAKES_key, .answer = "Job",
              .may_conflict = true),
    {0},
};
