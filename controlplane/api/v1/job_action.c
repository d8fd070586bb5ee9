/* cancel, hold and release of one job.  Each is idempotent; a job that has ended is left as it
 * is. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/document.h"
#include "controlplane/api/v1/job_get.h"
#include "controlplane/api/v1/job_lookup.h"
#include "controlplane/api/v1/resources.h"

static void done(struct api_call *call, const struct core_answer *answer)
{
    struct fl_job job;

    (void)answer;
    if (api_param_job(call, &job)) job_answer(call, job);
}

static void act(struct api_call *call, struct fl_job job)
{
    enum core_event_kind *kind = call->state;
    struct engine_event *event = api_event(call, *kind);

    event->event.job.job = job;
    if (api_idempotent(call, event)) api_ask(call, event, done);
}

static void ended(struct api_call *call, const struct read_job *job)
{
    api_fail(call, FL_CONFLICT, "the job has ended already: it %s",
             job->state == JOB_cancelled ? "was cancelled" : job_state_name(job->state));
}

/* To cancel again what was cancelled is no mistake. */
static void ended_cancel(struct api_call *call, const struct read_job *job)
{
    if (job->state == JOB_cancelled) {
        job_answer_stored(call, job);
    } else {
        ended(call, job);
    }
}

static void start(struct api_call *call, enum core_event_kind kind)
{
    enum core_event_kind *kept = fl_arena_new(&call->arena, enum core_event_kind);

    *kept = kind;
    call->state = kept;
    job_lookup(call, act, kind == CORE_EV_cancel ? ended_cancel : ended);
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
