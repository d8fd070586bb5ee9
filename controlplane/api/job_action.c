/* cancel, hold and release of one job.  Each is idempotent; a job that has ended is left as it is. */
#include "controlplane/api/api_state.h"
#include "controlplane/api/document.h"
#include "controlplane/api/job_seen.h"
#include "controlplane/api/resources.h"

static void done(struct api_call *call, const struct core_answer *answer)
{
    struct json *json = api_json(call);

    (void)answer;
    json_open(json, NULL, '{');
    json_text(json, "id", call->params[0]);
    json_close(json, '}');
    api_answer(call);
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
        done(call, NULL);
    } else {
        ended(call, job);
    }
}

static void start(struct api_call *call, enum core_event_kind kind)
{
    enum core_event_kind *kept = fl_arena_new(&call->arena, enum core_event_kind);

    *kept = kind;
    call->state = kept;
    api_job_seen(call, act, kind == CORE_EV_cancel ? ended_cancel : ended);
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
    API_ROUTE(API_POST, "/v1/jobs/{job}:cancel", API_NEED_cancel, cancel_job,
              "ends a job; what runs is stopped"),
    API_ROUTE(API_POST, "/v1/jobs/{job}:hold", API_NEED_cancel, hold_job,
              "starts nothing more of a job; what runs goes on"),
    API_ROUTE(API_POST, "/v1/jobs/{job}:release", API_NEED_cancel, release_job,
              "lets a held job start"),
    {0},
};
