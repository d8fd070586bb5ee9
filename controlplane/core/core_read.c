#include <inttypes.h>

#include "controlplane/core/core_state.h"

/* Answers about live state.  They are effects like others: seen only when what they tell is durable. */

static enum job_state state_of(const struct job *job, const struct job_run *run)
{
    if (run && run->stop != REASON_none && run->live > 0) return JOB_stopping;
    if (run && run->running > 0) return JOB_running;
    if (run && run->live > 0) return JOB_starting;
    return job->is_held ? JOB_held : JOB_queued;
}

/* Of what is not running, why; the most telling reason first. */
static enum reason reason_of(const struct core *core, const struct job *job,
                             const struct job_run *run)
{
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);

    if (run && run->stop != REASON_none) return (enum reason)run->stop;
    if (run && run->running > 0) return REASON_none;
    if (run && run->live > 0) return REASON_Dispatching;
    if (job->is_held) return REASON_Held;
    if (queue_table_at(&core->queues, bucket->queue)->is_paused) return REASON_QueuePaused;
    if (job->place == JOB_OUT) return REASON_BackoffUntil;
    return bucket->why == REASON_none ? REASON_PriorityBehind : (enum reason)bucket->why;
}

static struct core_job_view view_of(const struct core *core, uint32_t slot)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct job_run *run = job_table_run(&core->jobs, job);
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    struct core_job_view view = {.job = {job->id},
                                 .tenant = {job->tenant},
                                 .queue = {queue_table_at(&core->queues, bucket->queue)->id},
                                 .priority = bucket->priority,
                                 .state = state_of(job, run),
                                 .reason = reason_of(core, job, run),
                                 .elements = job->elements,
                                 .elements_started = job->elements_next};
    uint32_t first;

    if (!run) return view;
    view.elements_live = run->live;
    view.elements_succeeded = run->succeeded;
    view.elements_failed = run->failed;
    view.elements_cancelled = run->cancelled;
    first = job_table_element(&core->jobs, job, 0);
    if (first && element_table_at(&core->elements, first)->place == ELEMENT_LIVE) {
        view.cluster.n = element_table_at(&core->elements, first)->cluster;
        view.attempt = element_table_at(&core->elements, first)->n;
    }
    return view;
}

static void answer(struct core_batch *batch, const struct core_event *event,
                   struct core_answer answer)
{
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = answer};

    effect.answer.request = event->request;
    if (event->request) core_batch_effect(batch, &effect);
}

static void read_job(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    uint32_t slot = core_need_job(core, event, batch);
    struct core_job_view view;

    if (!slot) return;
    view = view_of(core, slot);
    answer(batch, event, (struct core_answer){.jobs = &view, .jobs_len = 1});
}

/* A page looks at a bounded number of jobs, so it may be short, or empty, and 'next' still goes on. */
static void list_jobs(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    size_t len_max = event->list_jobs.len_max;
    uint32_t queue = 0;
    uint64_t from = event->list_jobs.from;
    struct core_answer page = {0};

    if (len_max == 0 || len_max > CORE_PAGE_MAX) len_max = CORE_PAGE_MAX;
    if (event->list_jobs.queue.len > 0) {
        queue = queue_table_find(&core->queues, event->tenant, event->list_jobs.queue);
        if (!queue) {
            core_answer_code(batch, event, FL_ABSENT, "no such queue exists");
            return;
        }
    }
    page.jobs = fl_arena_array(&core->scratch, struct core_job_view, len_max);
    for (size_t looked = 0; page.jobs_len < len_max; looked++) {
        uint32_t slot = job_table_next(&core->jobs, from);
        const struct job *job = slot ? job_table_at(&core->jobs, slot) : NULL;

        page.next = job ? job->id : 0;
        if (!job || looked == 10 * CORE_PAGE_MAX) break;
        from = job->id + 1;
        if (job->tenant != event->tenant.n) continue;
        if (queue && queue_table_bucket(&core->queues, job->bucket)->queue != queue) continue;
        page.jobs[page.jobs_len++] = view_of(core, slot);
        page.next = from;
    }
    if (page.next && !job_table_next(&core->jobs, page.next)) page.next = 0;
    answer(batch, event, page);
}

static const char *sentence_of(struct core *core, const struct core_job_view *view, uint32_t slot)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    const char *sentence = reason_sentence(view->reason);
    fl_ms left;

    if (view->reason == REASON_none) return "it runs";
    if (bucket->blocked_at == 0 || view->reason != (enum reason)bucket->why) return sentence;
    left = bucket->blocked_at + core->config.head_wait_ms - core->now;
    if (left > 0) {
        return fl_arena_printf(&core->scratch,
                               "%s; its queue waits for it for another %" PRId64
                               " s, then others may pass",
                               sentence, (left + 999) / 1000);
    }
    return fl_arena_printf(&core->scratch, "%s; others of its queue may pass it", sentence);
}

static void explain(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    uint32_t slot = core_need_job(core, event, batch);
    const struct job *job;
    const struct shape_entry *shape;
    struct core_job_view view;
    struct core_answer why = {.jobs = &view, .jobs_len = 1};

    if (!slot) return;
    job = job_table_at(&core->jobs, slot);
    view = view_of(core, slot);
    shape = shape_table_at(&core->shapes, queue_table_bucket(&core->queues, job->bucket)->shape);
    why.verdicts = fl_arena_array(&core->scratch, struct core_verdict, core->clusters.clusters.len);
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        struct placement_verdict verdict;

        if (core->clusters.clusters.at[i]->state != CLUSTER_ENROLLED) continue;
        verdict = placement_explain(&core->clusters, (uint32_t)i + 1, shape,
                                    (struct placement_limits){core->config.unconfirmed_max},
                                    &core->scratch);
        why.verdicts[why.verdicts_len++] = (struct core_verdict){
            .cluster = {verdict.cluster}, .reason = verdict.reason, .text = verdict.text};
    }
    why.sentence = sentence_of(core, &view, slot);
    answer(batch, event, why);
}

void core_read(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    switch (event->kind) {
    case CORE_EV_read_job:
        read_job(core, event, batch);
        break;
    case CORE_EV_list_jobs:
        list_jobs(core, event, batch);
        break;
    case CORE_EV_explain:
        explain(core, event, batch);
        break;
    default:
        fl_unreachable("core_step sends only questions");
    }
}
