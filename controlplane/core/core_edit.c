#include <inttypes.h>
#include <stdio.h>

#include "controlplane/core/core_state.h"
#include "shared/base/job_name.h"

/* An open job gets another queue, priority, deadline, parallelism, name or labels, or is held.  Its
 * attempts go on; the rest is started by its new values.  Like each order, one that changes nothing
 * is answered alike, and has no row. */

/* The job is to be so. */
struct wanted {
    struct fl_queue_id queue, queue_was;
    int32_t priority;
    uint32_t deadline_s, parallelism;
    bool is_held;
    bool is_other_place; /* another queue or priority than now */
    bool is_other;       /* anything but 'is_held' is another than now */
};

/* False: refused, and answered. */
static bool find_queue(struct core *core, const struct core_event *event, struct core_batch *batch,
                       struct wanted *wanted)
{
    struct fl_str name = event->edit.queue;

    if (!event->edit.sets_queue) return true;
    wanted->queue = queue_table_find(&core->queues, event->tenant, name);
    if (wanted->queue.n) return true;
    if (name.len > FL_NAME_BYTES_MAX) name.len = FL_NAME_BYTES_MAX;
    core_answer_code(batch, event, FL_INVALID,
                     fl_arena_printf(&core->scratch,
                                     "queue \"" FL_STR_FMT
                                     "\" does not exist; create it, or name another",
                                     FL_STR_ARG(name)));
    return false;
}

/* The same of its deadline, which is that of its first start. */
static bool check_deadline(struct core *core, const struct core_event *event,
                           struct core_batch *batch, struct job_slot slot,
                           const struct wanted *wanted)
{
    const struct job *job = job_table_at(&core->jobs, slot);
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);

    if (wanted->deadline_s == job_table_deadline_s(&core->jobs, job)) return true;
    if (wanted->deadline_s > FL_JOB_DEADLINE_S_MAX) {
        core_answer_code(batch, event, FL_INVALID,
                         "a deadline has at most " FL_QUOTE(FL_JOB_DEADLINE_S_MAX) " s");
    } else if (core_job_started(job, job_table_run(&core->jobs, job)) > 0) {
        core_answer_code(batch, event, FL_CONFLICT,
                         "its deadline counts from its first start, and it has started: nothing of "
                         "it was changed");
    } else if (shape_is_old(shape_table_at(&core->shapes, bucket->shape)->bytes)) {
        core_answer_code(batch, event, FL_UNSUPPORTED,
                         "an older release accepted it, and its deadline cannot be changed");
    } else {
        return true;
    }
    return false;
}

/* The same of its parallelism.  A smaller one stops nothing: fewer start. */
static bool check_parallelism(struct core *core, const struct core_event *event,
                              struct core_batch *batch, const struct job *job,
                              const struct wanted *wanted)
{
    if (wanted->parallelism == job_table_parallelism(&core->jobs, job)) return true;
    if (wanted->parallelism > FL_JOB_ELEMENTS_MAX) {
        core_answer_code(batch, event, FL_INVALID,
                         "parallelism is at most " FL_QUOTE(FL_JOB_ELEMENTS_MAX) " elements");
    } else if (wanted->parallelism > 0 && job->elements == 1) {
        core_answer_code(batch, event, FL_CONFLICT,
                         "it has one element, and parallelism is for arrays: nothing of it was "
                         "changed");
    } else {
        return true;
    }
    return false;
}

static bool check_words(const struct core_event *event, struct core_batch *batch)
{
    if (event->edit.name.len > FL_JOB_NAME_BYTES_MAX ||
        event->edit.labels.len > FL_JOB_LABELS_BYTES_MAX) {
        core_answer_code(
            batch, event, FL_TOO_LARGE,
            "a name has at most " FL_QUOTE(FL_JOB_NAME_BYTES_MAX) " bytes, labels " FL_QUOTE(
                FL_JOB_LABELS_BYTES_MAX));
    } else if (!fl_str_is_text(event->edit.name)) {
        core_answer_code(batch, event, FL_INVALID, "the name is not UTF-8 text");
    } else {
        return true;
    }
    return false;
}

/* False: another name would be another line, and this is refused and answered. */
static bool check_name(struct core *core, const struct core_event *event, struct core_batch *batch,
                       const struct job *job)
{
    struct fl_str name;

    if (!event->edit.sets_words || !job->is_singleton) return true;
    name = singleton_key_name(singleton_table_key(&core->singletons, job->id));
    if (fl_str_eq(name, event->edit.name)) return true;
    core_answer_code(
        batch, event, FL_CONFLICT,
        "the name of a singleton decides its turn and cannot be changed: cancel the job "
        "and submit it anew");
    return false;
}

/* An edit that says nothing else passes where a hold or a release does. */
static bool is_only_hold(const struct core_event *event)
{
    return event->edit.sets_held && !event->edit.sets_queue && !event->edit.sets_priority &&
           !event->edit.sets_deadline && !event->edit.sets_parallelism && !event->edit.sets_words;
}

/* None: refused, and answered; nothing has changed. */
static struct job_slot find_fault(struct core *core, const struct core_event *event,
                                  struct core_batch *batch, struct wanted *wanted)
{
    struct job_slot slot = core_need_job(core, event, event->edit.job, batch);
    static const struct job_slot none = {0};
    const struct job_run *run;
    const struct bucket *bucket;
    const struct job *job;
    const char *why;

    if (!slot.n) return none;
    job = job_table_at(&core->jobs, slot);
    run = job_table_run(&core->jobs, job);
    bucket = queue_table_bucket(&core->queues, job->bucket);
    *wanted = (struct wanted){.queue = bucket->queue,
                              .queue_was = bucket->queue,
                              .priority = bucket->priority,
                              .deadline_s = job_table_deadline_s(&core->jobs, job),
                              .parallelism = job_table_parallelism(&core->jobs, job),
                              .is_held = job->is_held};
    if (event->edit.sets_priority) wanted->priority = event->edit.priority;
    if (event->edit.sets_deadline) wanted->deadline_s = event->edit.deadline_s;
    if (event->edit.sets_parallelism) wanted->parallelism = event->edit.parallelism;
    if (event->edit.sets_held) wanted->is_held = event->edit.is_held;
    if (event->edit.revision != job_table_revision(&core->jobs, job)) {
        core_answer_code(batch, event, FL_CHANGED, "somebody else has edited it meanwhile");
        return none;
    }
    if (run && run->stop != REASON_none && !is_only_hold(event)) {
        core_answer_code(batch, event, FL_CONFLICT, "it is being ended");
        return none;
    }
    if (!find_queue(core, event, batch, wanted) || !check_words(event, batch) ||
        !check_name(core, event, batch, job) || !check_deadline(core, event, batch, slot, wanted) ||
        !check_parallelism(core, event, batch, job, wanted)) {
        return none;
    }
    wanted->is_other_place =
        wanted->queue.n != bucket->queue.n || wanted->priority != bucket->priority;
    wanted->is_other = wanted->is_other_place || event->edit.sets_words ||
                       wanted->deadline_s != job_table_deadline_s(&core->jobs, job) ||
                       wanted->parallelism != job_table_parallelism(&core->jobs, job);
    why = wanted->queue.n != bucket->queue.n ? core_queue_no_room(core, wanted->queue) : NULL;
    if (!why) {
        why = core_kind_no_room(core, &(struct core_kind){.queue = wanted->queue,
                                                          .priority = wanted->priority,
                                                          .shape = bucket->shape,
                                                          .owner = job->owner,
                                                          .was = job->bucket});
    }
    if (wanted->is_other_place && why) {
        core_answer_code(batch, event, FL_FULL, why);
        return none;
    }
    return slot;
}

static void put_rows(struct core *core, const struct core_event *event, struct core_batch *batch,
                     const struct job *job, const struct wanted *wanted)
{
    uint32_t revision = job_table_revision(&core->jobs, job) + 1;
    struct row row = {.kind = ROW_job_edit,
                      .job_edit = {.job = job->id,
                                   .revision = revision,
                                   .queue = wanted->queue.n,
                                   .priority = wanted->priority,
                                   .deadline_s = wanted->deadline_s,
                                   .parallelism = wanted->parallelism,
                                   .queue_was = wanted->queue_was.n,
                                   .name = event->edit.name,
                                   .labels = event->edit.labels}};
    struct row mark = {
        .kind = ROW_mark_set,
        .mark_set = {.job = job->id, .kind = CORE_MARK_edited, .value = (int64_t)revision}};

    job_table_put_revision(&core->jobs, job, revision);
    core_batch_row(batch, &row);
    core_batch_row(batch, &mark);
}

/* All that becomes another; 'words' are name and labels. */
static void audit(struct core *core, const struct core_event *event, struct core_batch *batch,
                  const struct job *job, const struct wanted *wanted)
{
    const struct bucket *bucket = queue_table_bucket(&core->queues, job->bucket);
    const char *held = wanted->is_held ? " held" : " released", *queue = "";
    char name[FL_JOB_NAME_MAX], priority[32] = "", deadline[32] = "", parallelism[32] = "";

    if (wanted->queue.n != bucket->queue.n) {
        queue = queue_table_at(&core->queues, wanted->queue)->name;
    }
    if (wanted->priority != bucket->priority) {
        snprintf(priority, sizeof priority, " priority=%" PRId32, wanted->priority);
    }
    if (wanted->deadline_s != job_table_deadline_s(&core->jobs, job)) {
        snprintf(deadline, sizeof deadline, " deadline=%" PRIu32, wanted->deadline_s);
    }
    if (wanted->parallelism != job_table_parallelism(&core->jobs, job)) {
        snprintf(parallelism, sizeof parallelism, " parallelism=%" PRIu32, wanted->parallelism);
    }
    fl_job_name(event->edit.job, name);
    core_audit(batch, event, "edit %s%s%s%s%s%s%s%s", name, *queue ? " queue=" : "", queue,
               priority, deadline, parallelism, event->edit.sets_words ? " words" : "",
               wanted->is_held != job->is_held ? held : "");
}

void core_edit(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = {.request = event->request}};
    struct wanted wanted;
    struct job_slot slot = find_fault(core, event, batch, &wanted);
    struct bucket_slot bucket, bucket_was;
    struct job *job;

    if (!slot.n) return;
    job = job_table_at(&core->jobs, slot);
    effect.answer.is_as_before = !wanted.is_other && wanted.is_held == job->is_held;
    if (!effect.answer.is_as_before) audit(core, event, batch, job, &wanted);
    if (wanted.is_other_place) {
        bucket = queue_table_need_bucket(&core->queues, wanted.queue, wanted.priority,
                                         queue_table_bucket(&core->queues, job->bucket)->shape);
        fl_assert(bucket.n); /* find_fault() looked */
        bucket_was = job->bucket;
        owner_table_join(&core->owners, job->owner, bucket);
        queue_table_move(&core->queues, &core->jobs, slot, bucket);
        owner_table_leave(&core->owners, job->owner, bucket_was);
        core->is_dirty = true;
    }
    job_table_put_deadline(&core->jobs, job, wanted.deadline_s);
    job_table_put_parallelism(&core->jobs, job, wanted.parallelism);
    if (wanted.is_other) put_rows(core, event, batch, job, &wanted);
    if (wanted.is_held != job->is_held) core_job_hold(core, batch, slot, wanted.is_held);
    core_job_place(core, slot);
    core_keep_answer(batch, event, &effect.answer);
    if (event->request) core_batch_effect(batch, &effect);
}
