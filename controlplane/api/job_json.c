#include "controlplane/api/job_json.h"

#include <string.h>

#include "controlplane/api/directory.h"

void job_json_lines(struct json *json, const char *key, struct fl_str lines)
{
    json_open(json, key, '{');
    while (lines.len > 0) {
        const char *end = memchr(lines.at, '\n', lines.len);
        struct fl_str line = {lines.at, end ? (size_t)(end - lines.at) : lines.len};
        const char *equal = memchr(line.at, '=', line.len);
        size_t taken = end ? line.len + 1 : line.len;

        if (equal) {
            size_t key_len = (size_t)(equal - line.at);

            fl_json_put_key(&json->out, (struct fl_str){line.at, key_len});
            json_text(json, NULL, (struct fl_str){equal + 1, line.len - key_len - 1});
        }
        lines.at += taken;
        lines.len -= taken;
    }
    json_close(json, '}');
}

static void write_queue(struct api_call *call, struct json *json, struct fl_queue_id queue)
{
    char name[64];

    json_cstr(json, "queue",
              directory_queue_name(call->parts->directory, queue, name) ? name : NULL);
}

/* What is stored when it is accepted, and never changes. */
static void write_cold(struct json *json, const struct read_job *job)
{
    json_text(json, "name", job->name);
    job_json_lines(json, "labels", job->labels);
    json_time(json, "submittedAt", job->accepted_at);
    if (job->retry_of.n != 0) json_job(json, "retryOf", job->retry_of);
}

static void write_cluster(struct api_call *call, struct json *json, struct fl_cluster number)
{
    struct directory_cluster cluster;

    json_cstr(json, "cluster",
              number.n != 0 && directory_cluster(call->parts->directory, number, &cluster)
                  ? cluster.name
                  : NULL);
}

void job_json_view(struct api_call *call, struct json *json, const struct core_job_view *view,
                   const struct read_job *stored)
{
    json_job(json, "id", view->job);
    if (stored) write_cold(json, stored);
    write_queue(call, json, view->queue);
    json_cstr(json, "state", job_state_name(view->state));
    json_cstr(json, "reason", view->reason == REASON_none ? NULL : reason_name(view->reason));
    if (view->unknown_at != 0) json_time(json, "unknownSince", view->unknown_at);
    json_i64(json, "priority", view->priority);
    json_open(json, "elements", '{');
    json_u64(json, "total", view->elements);
    json_u64(json, "started", view->elements_started);
    json_u64(json, "live", view->elements_live);
    json_u64(json, "unknown", view->elements_unknown);
    json_u64(json, "succeeded", view->elements_succeeded);
    json_u64(json, "failed", view->elements_failed);
    json_u64(json, "cancelled", view->elements_cancelled);
    json_close(json, '}');
    write_cluster(call, json, view->cluster);
    if (view->attempt != 0) json_u64(json, "attempt", view->attempt);
    json_null(json, "endedAt");
}

static bool is_plain(const struct read_job *job)
{
    return job->elements == 1 && !job->is_picked;
}

bool job_json_wants_counts(const struct read_job *job, uint32_t *room)
{
    if (!job->is_ended || is_plain(job) || job->elements > *room) return false;
    *room -= job->elements;
    return true;
}

/* A plain job is its only element. */
static void write_counts(struct json *json, const struct read_job *job,
                         const struct read_element_counts *counts)
{
    struct read_element_count count = {.succeeded = job->state == JOB_succeeded,
                                       .failed = job->state == JOB_failed,
                                       .cancelled = job->state == JOB_cancelled};
    bool is_known = job->is_ended && is_plain(job);

    for (size_t i = 0; counts && i < counts->len && !is_known; i++) {
        if (counts->at[i].job.n != job->job.n) continue;
        count = counts->at[i];
        is_known = true;
    }
    if (!is_known) return;
    json_u64(json, "succeeded", count.succeeded);
    json_u64(json, "failed", count.failed);
    json_u64(json, "cancelled", count.cancelled);
}

void job_json_stored(struct api_call *call, struct json *json, const struct read_job *job,
                     const struct read_element_counts *counts)
{
    json_job(json, "id", job->job);
    write_cold(json, job);
    write_queue(call, json, job->queue);
    json_cstr(json, "state", job->is_ended ? job_state_name(job->state) : NULL);
    json_cstr(json, "reason", job->is_ended ? reason_name(job->reason) : NULL);
    json_i64(json, "priority", job->priority);
    json_open(json, "elements", '{');
    json_u64(json, "total", job->elements);
    write_counts(json, job, counts);
    json_close(json, '}');
    json_time(json, "endedAt", job->ended_at);
    if (job->has_exit) {
        json_u64(json, "attempt", job->attempt);
        json_i64(json, "exitCode", job->exit_code);
        if (job->first_replica != UINT32_MAX) json_u64(json, "firstReplica", job->first_replica);
    }
}
