#include "controlplane/api/v1/job_lookup.h"

#include "controlplane/api/auth.h"
#include "controlplane/views/directory.h"

struct seen {
    void *state; /* the handler's */
    struct fl_job job;
    void (*open)(struct api_call *call, struct fl_job job);
    void (*ended)(struct api_call *call, const struct read_job *job);
};

static bool may_see(struct api_call *call, struct fl_tenant tenant, struct fl_queue_id queue)
{
    char name[64];

    call->is_hidden = tenant.n != call->token.tenant.n;
    if (call->is_hidden) return false;
    if (call->token.queue[0] == 0) return true;
    return directory_queue_name(call->parts->directory, queue, name) &&
           api_sees_queue(call, fl_str_c(name));
}

static void on_stored(struct api_call *call, const struct read_job *job)
{
    struct seen *seen = call->state;

    call->state = seen->state;
    if (!job || !may_see(call, job->tenant, job->queue)) {
        api_absent(call);
    } else if (job->is_ended) {
        seen->ended(call, job);
    } else {
        /* It ended, or was accepted, between the two looks: the core is right. */
        seen->open(call, job->job);
    }
}

static void on_read(struct api_call *call, const struct core_answer *answer)
{
    struct seen *seen = call->state;

    if (answer->code == FL_ABSENT) {
        call_reads_job(call, seen->job, on_stored);
    } else if (answer->code != FL_OK) {
        api_fail(call, answer->code, "%s",
                 answer->text ? answer->text : fl_code_meaning(answer->code));
    } else if (answer->jobs_len != 1 ||
               !may_see(call, answer->jobs[0].tenant, answer->jobs[0].queue)) {
        /* Asked as for a job that is not there, or the time would tell one from the other. */
        call_reads_job(call, seen->job, on_stored);
    } else {
        call->state = seen->state;
        seen->open(call, seen->job);
    }
}

void job_lookup(struct api_call *call, void (*open)(struct api_call *call, struct fl_job job),
                void (*ended)(struct api_call *call, const struct read_job *job))
{
    struct seen *seen = fl_arena_new(&call->arena, struct seen);
    struct engine_event *event;

    *seen = (struct seen){.state = call->state, .open = open, .ended = ended};
    if (!api_param_job(call, &seen->job)) return;
    call->state = seen;
    event = api_event(call, CORE_EV_read_job);
    event->event.job.job = seen->job;
    api_ask_any(call, event, on_read);
}

void job_fail_ended(struct api_call *call, enum job_state state)
{
    api_fail(call, FL_CONFLICT, "the job has ended already: it %s",
             state == JOB_cancelled ? "was cancelled" : job_state_name(state));
}
