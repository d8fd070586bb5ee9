#include "controlplane/api/v1/job_resubmit.h"

#include "controlplane/api/failure_groups.h"
#include "controlplane/api/idempotency.h"
#include "controlplane/api/v1/submit_item.h"
#include "controlplane/views/directory.h"
#include "shared/base/job_name.h"

static void fail(struct api_call *call, enum fl_code code, const char *text)
{
    struct job_resubmit *resubmit = call->state;

    resubmit->done(call, (struct fl_job){0}, code, text);
}

/* The path names a job that is there: a queue that its repetition lacks is a conflict. */
static void fail_outcome(struct api_call *call, const struct core_answer *answer)
{
    const struct core_outcome *outcome = answer->outcomes;

    if (answer->outcomes_len != 1) {
        fail(call, FL_TORN, "the answer names no job");
    } else {
        fail(call, outcome->code == FL_ABSENT ? FL_CONFLICT : outcome->code, outcome->text);
    }
}

static void on_submitted(struct api_call *call, const struct core_answer *answer)
{
    struct job_resubmit *resubmit = call->state;

    if (answer->code != FL_OK) {
        fail(call, answer->code, answer->text);
    } else if (answer->outcomes_len != 1 || answer->outcomes[0].code != FL_OK) {
        fail_outcome(call, answer);
    } else {
        resubmit->done(call, answer->outcomes[0].job, FL_OK, NULL);
    }
}

/* The elements that run again; false: the call was answered. */
static bool put_picks(struct api_call *call, struct fl_arena *arena, struct core_submit_item *item)
{
    struct job_resubmit *resubmit = call->state;
    struct fl_buf buf;

    if (resubmit->what == RESUBMIT_all ||
        (!resubmit->job.is_picked && resubmit->job.elements == 1)) {
        item->elements = resubmit->job.elements;
        item->picked = fl_arena_str(arena, resubmit->job.row.picked);
        return true;
    }
    if (fl_element_set_count(&resubmit->picks) == 0) {
        fail(call, FL_CONFLICT, "no element of it failed");
        return false;
    }
    fl_buf_init_in(&buf, FL_ELEMENT_SET_BYTES_MAX, arena);
    if (!fl_element_set_encode(&buf, &resubmit->picks)) {
        fail(call, FL_TOO_LARGE, "too many single elements; take ranges, or the whole job");
        return false;
    }
    item->elements = fl_element_set_count(&resubmit->picks);
    item->picked = fl_buf_take(&buf);
    return true;
}

static void on_spec(struct api_call *call, struct fl_str body)
{
    struct job_resubmit *resubmit = call->state;
    struct engine_event *event;
    struct core_submit_item *item;
    struct submit_spec shared;
    struct fl_job_spec spec;
    struct fl_element_set picks;
    struct fl_err err = {0};
    char queue[64], name[FL_JOB_NAME_MAX] = "";

    if (body.len == 0) {
        fail(call, FL_CONFLICT, "its spec is not kept any more");
        return;
    }
    event = api_event(call, CORE_EV_submit);
    item = fl_arena_new(&event->arena, struct core_submit_item);
    body = fl_arena_str(&event->arena, body);
    if (!fl_job_spec_read(body, &event->arena, &spec, &err) ||
        !submit_spec_make(&spec, 0, &event->arena, &shared, &err)) {
        engine_event_destroy(event);
        fail(call, err.code, fl_arena_printf(&call->arena, "%s", err.text));
        return;
    }
    if (!directory_queue_name(call->parts->directory, resubmit->job.queue, queue)) {
        engine_event_destroy(event);
        fail(call, FL_UNAVAILABLE, "its queue is not known here yet");
        return;
    }
    *item = (struct core_submit_item){
        .queue = fl_arena_str(&event->arena, fl_str_c(queue)),
        .shape = shared.shape,
        .spec = shared.canonical,
        .spec_digest = shared.digest,
        .asked = shared.asked,
        .priority = resubmit->job.row.priority,
        .deadline_s = resubmit->job.has_deadline ? resubmit->job.row.deadline_s : spec.deadline_s,
        .retries_max = spec.retries,
        .name = fl_arena_str(&event->arena, resubmit->job.row.name),
        .labels = fl_arena_str(&event->arena, resubmit->job.row.labels),
        .params = fl_arena_str(&event->arena, resubmit->job.row.params),
        .retry_of = resubmit->job.job,
        .is_singleton = resubmit->job.row.is_singleton,
        .parallelism = resubmit->job.row.parallelism,
    };
    if (!put_picks(call, &event->arena, item)) {
        engine_event_destroy(event);
        return;
    }
    event->event.submit.at = item;
    event->event.submit.len = 1;
    event->event.submit.waits_for_cluster = resubmit->waits_for_cluster;
    picks = resubmit->picks;
    if (resubmit->is_one_of_many) fl_job_name(resubmit->job.job, name);
    if (!api_idempotent_part(call, event, name)) {
        fl_element_set_fini(&picks); /* the call is gone, and 'resubmit' with it */
        return;
    }
    api_ask_any(call, event, on_submitted);
}

static void read_failed(struct api_call *call, uint32_t element, uint16_t n);

static void on_failed(struct api_call *call, const struct read_attempts *attempts)
{
    struct job_resubmit *resubmit = call->state;
    struct fl_err err = {0};

    for (size_t i = 0; i < attempts->len; i++) {
        if (fl_element_set_add(&resubmit->picks, attempts->at[i].attempt.element, &err)) continue;
        fail(call, err.code, fl_arena_printf(&call->arena, "%s", err.text));
        return;
    }
    if (attempts->has_more) {
        read_failed(call, attempts->element, attempts->n);
    } else {
        call_reads_spec(call, resubmit->job.job, resubmit->job.row.spec, on_spec);
    }
}

static void read_failed(struct api_call *call, uint32_t element, uint16_t n)
{
    const struct job_resubmit *resubmit = call->state;
    struct read_attempts_query query = {
        .job = resubmit->job.job, .element = element, .n = n, .state = JOB_failed};

    call_reads_attempts(call, &query, on_failed);
}

static void read_alike(struct api_call *call, uint32_t from);

static void on_alike(struct api_call *call, const struct read_failures *page)
{
    struct job_resubmit *resubmit = call->state;
    struct fl_err err = {0};

    for (size_t i = 0; i < page->len; i++) {
        char id[FAILURE_ID_MAX];

        failure_group_id(&page->at[i], id);
        if (!fl_str_eq(fl_str_c(id), resubmit->failure)) continue;
        if (fl_element_set_add(&resubmit->picks, page->at[i].element, &err)) continue;
        fail(call, err.code,
             fl_arena_printf(&call->arena,
                             "this group lies in over %d ranges: retry with only: failed, or "
                             "elements in parts",
                             FL_ELEMENT_SET_RANGES_MAX));
        return;
    }
    if (page->has_more) {
        read_alike(call, page->next);
    } else if (fl_element_set_count(&resubmit->picks) == 0) {
        fail(call, FL_CONFLICT,
             "no element of it failed so; GET /v1/jobs/{job}/failures has its groups");
    } else {
        call_reads_spec(call, resubmit->job.job, resubmit->job.row.spec, on_spec);
    }
}

static void read_alike(struct api_call *call, uint32_t from)
{
    const struct job_resubmit *resubmit = call->state;

    call_reads_failures(call, resubmit->job.job, from, on_alike);
}

static void on_end(struct api_call *call)
{
    struct job_resubmit *resubmit = call->state;

    fl_element_set_fini(&resubmit->picks);
}

void job_resubmit_start(struct api_call *call, const struct read_job *job)
{
    struct job_resubmit *resubmit = call->state;

    call->on_end = on_end;

    resubmit->job = read_job_copy(job, &call->arena);
    if (resubmit->what == RESUBMIT_failed && job->state != JOB_failed) {
        fail(call, FL_CONFLICT, "it did not fail");
    } else if (resubmit->what == RESUBMIT_failed && (job->elements > 1 || job->is_picked)) {
        read_failed(call, 0, 0);
    } else if (resubmit->what == RESUBMIT_failure) {
        read_alike(call, 0);
    } else {
        call_reads_spec(call, job->job, job->row.spec, on_spec);
    }
}
