#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/core/core_state.h"
#include "shared/base/job_name.h"

/* People's orders about jobs, queues and clusters.  An order that repeats another is answered
 * alike, and changes and audits nothing. */

static void accepted(struct core_batch *batch, const struct core_event *event,
                     struct core_answer answer)
{
    struct core_effect effect = {.kind = CORE_ANSWER, .answer = answer};

    effect.answer.request = event->request;
    core_keep_answer(batch, event, &effect.answer);
    if (event->request) core_batch_effect(batch, &effect);
}

static void accepted_ok(struct core_batch *batch, const struct core_event *event)
{
    accepted(batch, event, (struct core_answer){.code = FL_OK});
}

static void audit_job(struct core_batch *batch, const struct core_event *event)
{
    char name[FL_JOB_NAME_MAX];

    fl_job_name(event->job.job, name);
    core_audit(batch, event, "%s %s", core_event_name(event->kind), name);
}

static void cancel(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct job_slot slot = core_need_job(core, event, event->job.job, batch);
    const struct job_run *run;

    if (!slot.n) return;
    run = job_table_run(&core->jobs, job_table_at(&core->jobs, slot));
    if (!run || run->stop == REASON_none) {
        audit_job(batch, event);
        core_job_stop(core, batch, slot, REASON_Cancelled);
    }
    accepted_ok(batch, event);
}

static void hold(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct job_slot slot = core_need_job(core, event, event->job.job, batch);
    bool is_held = event->kind == CORE_EV_hold;

    if (!slot.n) return;
    if (job_table_at(&core->jobs, slot)->is_held != is_held) {
        audit_job(batch, event);
        core_job_hold(core, batch, slot, is_held);
    }
    accepted_ok(batch, event);
}

/* The queue becomes as the event says; false: it was so before. */
static bool change_queue(struct queue *queue, const struct core_event *event, bool is_new)
{
    struct queue was = *queue;

    if (is_new || !event->queue_put.keeps_paused) queue->is_paused = event->queue_put.is_paused;
    if (is_new || event->queue_put.sets_default_cpu) {
        queue->has_default_cpu = event->queue_put.has_default_cpu;
        queue->default_cpu_milli = event->queue_put.default_cpu_milli;
    }
    return is_new || queue->is_paused != was.is_paused ||
           queue->has_default_cpu != was.has_default_cpu ||
           queue->default_cpu_milli != was.default_cpu_milli;
}

static void put_queue(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct fl_str name = event->queue_put.name;
    struct fl_queue_id id = queue_table_find(&core->queues, event->tenant, name);
    bool is_new = id.n == 0;
    struct fl_err err = {0};
    struct queue *queue;
    char cpu[32] = "";

    if (is_new && event->queue_put.is_change) {
        core_answer_code(batch, event, FL_ABSENT, "this queue does not exist");
        return;
    }
    if (is_new && !queue_table_add(&core->queues, id, event->tenant, name, &id, &err)) {
        core_answer_code(batch, event, err.code, err.text);
        return;
    }
    queue = queue_table_at(&core->queues, id);
    if (change_queue(queue, event, is_new)) {
        core_put_queue(batch, queue);
        if (queue->has_default_cpu) {
            snprintf(cpu, sizeof cpu, " default_cpu=%" PRIu32 "m", queue->default_cpu_milli);
        }
        core_audit(batch, event, "queue_put %s%s%s", queue->name, queue->is_paused ? " paused" : "",
                   cpu);
        core->is_dirty = true;
    }
    accepted(batch, event, (struct core_answer){.code = FL_OK, .id = queue->id.n});
}

/* Its ended jobs keep its name. */
static void remove_queue(struct core *core, const struct core_event *event,
                         struct core_batch *batch)
{
    struct fl_queue_id id =
        queue_table_find(&core->queues, event->tenant, event->queue_remove.name);
    struct queue *queue = id.n ? queue_table_at(&core->queues, id) : NULL;

    if (!queue) {
        core_answer_code(batch, event, FL_ABSENT, "this queue does not exist");
        return;
    }
    if (fl_str_eq(event->queue_remove.name, FL_STR(FL_QUEUE_DEFAULT))) {
        core_answer_code(batch, event, FL_CONFLICT,
                         "jobs that name no queue go to queue " FL_QUEUE_DEFAULT
                         ", so it stays; pause it, and nothing of it starts");
        return;
    }
    if (queue->jobs > 0) {
        core_answer_code(batch, event, FL_CONFLICT,
                         queue->jobs == 1
                             ? fl_arena_printf(&core->scratch,
                                               "1 job of queue %s has not ended; cancel it or wait "
                                               "for its end",
                                               queue->name)
                             : fl_arena_printf(&core->scratch,
                                               "%" PRIu32 " jobs of queue %s have not ended; "
                                               "cancel them or wait for their end",
                                               queue->jobs, queue->name));
        return;
    }
    if (queue->claim.cluster.n) core_round_end_claim(core, queue); /* its job has just ended */
    queue_table_drop(&core->queues, id);
    core_put_queue(batch, queue);
    core_audit(batch, event, "queue_remove %s", queue->name);
    accepted_ok(batch, event);
}

static void put_cluster(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct fl_str name = event->cluster_put.name, uid = event->cluster_put.uid;
    struct cluster *cluster = cluster_table_find_name(&core->clusters, name);
    struct fl_err err = {0};

    if (cluster && !fl_str_eq(fl_str_c(cluster->uid), uid)) {
        core_answer_code(
            batch, event, FL_EXISTS,
            "a cluster of this name, but with another uid, is there already; remove it "
            "first, or take another name");
        return;
    }
    if (!cluster) {
        if (!cluster_table_add(&core->clusters, (struct fl_cluster){0}, name, uid, &cluster,
                               &err)) {
            core_answer_code(batch, event, err.code, err.text);
            return;
        }
        core_put_cluster(batch, cluster);
        core_audit(batch, event, "cluster_put %s", cluster->name);
        core->is_dirty = true;
    }
    accepted(batch, event, (struct core_answer){.code = FL_OK, .id = cluster->id.n});
}

/* The enrolled cluster; NULL: answered already. */
static struct cluster *find_cluster(struct core *core, const struct core_event *event,
                                    struct core_batch *batch, struct fl_cluster id)
{
    struct cluster *cluster = cluster_table_find(&core->clusters, id);

    if (cluster && cluster->state == CLUSTER_ENROLLED) return cluster;
    core_answer_code(batch, event, FL_ABSENT, "this cluster is not enrolled");
    return NULL;
}

static void cordon(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct fl_str why = event->cluster_cordon.is_on ? event->cluster_cordon.why : FL_STR("");
    struct cluster *cluster = find_cluster(core, event, batch, event->cluster_cordon.cluster);

    if (!cluster) return;
    if (event->cluster_cordon.is_on && why.len == 0) why = FL_STR("no reason given");
    if (why.len > CORE_REASON_BYTES_MAX || !fl_str_is_text(why)) {
        core_answer_code(batch, event, FL_INVALID,
                         "a reason is text of at most " FL_QUOTE(CORE_REASON_BYTES_MAX) " bytes");
        return;
    }
    if (!event->cluster_cordon.is_on && cluster->is_draining && cluster->live_len > 0) {
        core_answer_code(batch, event, FL_CONFLICT,
                         "it is being drained; wait until what is stopped there has ended");
        return;
    }
    if (!fl_str_eq(fl_str_c(cluster->cordon), why)) {
        if (why.len == 0) cluster->is_draining = false;
        memset(cluster->cordon, 0, sizeof cluster->cordon);
        if (why.len > 0) memcpy(cluster->cordon, why.at, why.len);
        core_put_cluster(batch, cluster);
        core_audit(batch, event, "cluster_cordon %s %s", cluster->name,
                   event->cluster_cordon.is_on ? cluster->cordon : "off");
        core_retry_shapes(core, cluster);
    }
    accepted_ok(batch, event);
}

/* Everything that lives there is being stopped, or it is cordoned only and what lives there may
 * end.  That it was stopped for this is durable: an exit code that comes after a reload counts for
 * nothing then either. */
static void drain(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    bool is_stop = event->cluster_drain.is_stop;
    struct fl_str why = event->cluster_drain.why;
    struct cluster *cluster = find_cluster(core, event, batch, event->cluster_drain.cluster);

    if (!cluster) return;
    if (why.len == 0) why = FL_STR("drained");
    if (why.len > CORE_REASON_BYTES_MAX || !fl_str_is_text(why)) {
        core_answer_code(batch, event, FL_INVALID,
                         "a reason is text of at most " FL_QUOTE(CORE_REASON_BYTES_MAX) " bytes");
        return;
    }
    if (cluster->cordon[0] == '\0' || (is_stop && !cluster->is_draining)) {
        if (cluster->cordon[0] == '\0') memcpy(cluster->cordon, why.at, why.len);
        cluster->is_draining = cluster->is_draining || is_stop;
        core_put_cluster(batch, cluster);
        core_audit(batch, event, "cluster_drain %s %s attempts=%" PRIu32, cluster->name,
                   is_stop ? "stop" : "wait", cluster->live_len);
        core_retry_shapes(core, cluster);
    }
    if (cluster->is_draining) core_session_sweep(core, batch, cluster);
    accepted(batch, event, (struct core_answer){.id = cluster->live_len});
}

static void forget(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    struct cluster *cluster = find_cluster(core, event, batch, event->cluster_forget.cluster);

    if (!cluster) return;
    if (cluster->is_connected) {
        core_answer_code(batch, event, FL_CONFLICT,
                         fl_arena_printf(&core->scratch,
                                         "%s is connected; stop its agent first, since what runs "
                                         "there would run twice",
                                         cluster->name));
        return;
    }
    core_audit(batch, event, "cluster_forget %s attempts=%" PRIu32, cluster->name,
               cluster->live_len);
    cluster_end_session(&core->clusters, cluster);
    cluster->lost_at = 0;
    cluster_table_remove(&core->clusters, cluster);
    cluster->is_draining = false;
    core_put_cluster(batch, cluster);
    core_session_sweep(core, batch, cluster);
    core->is_dirty = true;
    accepted_ok(batch, event);
}

void core_control(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    switch (event->kind) {
    case CORE_EV_cancel:
        cancel(core, event, batch);
        break;
    case CORE_EV_hold:
    case CORE_EV_release:
        hold(core, event, batch);
        break;
    case CORE_EV_queue_put:
        put_queue(core, event, batch);
        break;
    case CORE_EV_queue_remove:
        remove_queue(core, event, batch);
        break;
    case CORE_EV_cluster_put:
        put_cluster(core, event, batch);
        break;
    case CORE_EV_cluster_cordon:
        cordon(core, event, batch);
        break;
    case CORE_EV_cluster_drain:
        drain(core, event, batch);
        break;
    case CORE_EV_cluster_forget:
        forget(core, event, batch);
        break;
    default:
        fl_unreachable("core_step sends only what people say");
    }
}
