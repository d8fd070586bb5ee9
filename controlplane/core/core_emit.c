#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/core/core_state.h"
#include "shared/base/job_name.h"

struct job_slot core_need_job(struct core *core, const struct core_event *event, struct fl_job job,
                              struct core_batch *batch)
{
    struct job_slot slot = job_table_find(&core->jobs, job);
    char name[FL_JOB_NAME_MAX];

    if (slot.n && core_owner(core, job_table_at(&core->jobs, slot))->tenant.n == event->tenant.n) {
        return slot;
    }
    fl_job_name(job, name);
    core_answer_code(
        batch, event, FL_ABSENT,
        fl_arena_printf(&core->scratch, "no open job is called %s; it may have ended", name));
    return (struct job_slot){0};
}

void core_answer_code(struct core_batch *batch, const struct core_event *event, enum fl_code code,
                      const char *text)
{
    struct core_effect effect = {.kind = CORE_ANSWER,
                                 .answer = {.request = event->request, .code = code, .text = text}};

    if (event->request) core_batch_effect(batch, &effect);
}

void core_audit(struct core_batch *batch, const struct core_event *event, const char *fmt, ...)
{
    struct row row = {.kind = ROW_audit};
    char text[512];
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fl_assert(len >= 0);
    row.audit.tenant = event->tenant.n;
    row.audit.actor = event->actor;
    row.audit.outcome = event->kind == CORE_EV_denied ? event->denied.outcome : (struct fl_str){0};
    row.audit.peer = event->peer;
    row.audit.trace = event->trace;
    row.audit.body.at = text;
    row.audit.body.len = (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    core_batch_row(batch, &row);
}

/* An outcome that is not final is kept without its text: it is decided anew, and its text must not
 * take the room of those that stay.  The codes and jobs of CORE_SUBMIT_MAX outcomes always fit.
 * Where the texts of the final ones do not, it leaves these out, too. */
static void encode_kept(struct fl_buf *buf, const struct core_answer *answer)
{
    struct core_answer kept = *answer;
    struct core_outcome outcomes[CORE_SUBMIT_MAX];

    fl_assert(answer->outcomes_len <= CORE_SUBMIT_MAX);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        outcomes[i] = answer->outcomes[i];
        if (!core_outcome_is_final(&outcomes[i])) outcomes[i].text = NULL;
    }
    kept.outcomes = outcomes;
    if (core_answer_encode(buf, &kept)) return;
    fl_buf_clear(buf);
    for (size_t i = 0; i < answer->outcomes_len; i++) {
        outcomes[i].text = NULL;
    }
    fl_assert(core_answer_encode(buf, &kept));
}

void core_keep_answer(struct core_batch *batch, const struct core_event *event,
                      const struct core_answer *answer)
{
    struct row row = {.kind = ROW_idempotency};
    struct fl_buf buf;

    if (event->key.len == 0) return;
    fl_buf_init(&buf, CORE_ANSWER_BYTES_MAX);
    encode_kept(&buf, answer);
    row.idempotency.tenant = event->tenant.n;
    row.idempotency.body_sha = event->body_sha;
    row.idempotency.key = event->key;
    row.idempotency.answer.at = (const char *)buf.at;
    row.idempotency.answer.len = buf.len;
    core_batch_row(batch, &row);
    fl_buf_fini(&buf);
}

void core_put_cluster(struct core_batch *batch, const struct cluster *cluster)
{
    struct row row = {.kind = ROW_cluster_put,
                      .cluster_put = {.cluster = cluster->id.n,
                                      .state = cluster->state,
                                      .access = cluster->access,
                                      .is_draining = cluster->is_draining,
                                      .session_epoch = cluster->session_epoch,
                                      .generation = cluster->generation,
                                      .seen = cluster->seen,
                                      .key = cluster->key,
                                      .uuid = fl_str_c(cluster->uuid),
                                      .name = fl_str_c(cluster->name),
                                      .uid = fl_str_c(cluster->uid),
                                      .cordon = fl_str_c(cluster->cordon)}};

    core_batch_row(batch, &row);
}

void core_put_queue(struct core_batch *batch, const struct queue *queue)
{
    struct row row = {.kind = ROW_queue_put,
                      .queue_put = {.queue = queue->id.n,
                                    .tenant = queue->tenant.n,
                                    .is_paused = queue->is_paused,
                                    .is_removed = queue->is_removed,
                                    .has_default_cpu = queue->has_default_cpu,
                                    .default_cpu_milli = queue->default_cpu_milli,
                                    .name = fl_str_c(queue->name)}};

    core_batch_row(batch, &row);
}

struct core_send core_send_to(const struct cluster *cluster, enum core_send_kind kind)
{
    return (struct core_send){.kind = kind,
                              .cluster = cluster->id,
                              .connection = cluster->connection,
                              .session_epoch = cluster->session_epoch};
}

void core_emit_send(struct core_batch *batch, const struct core_send *send)
{
    struct core_effect effect = {.kind = CORE_SEND, .send = *send};

    core_batch_effect(batch, &effect);
}
