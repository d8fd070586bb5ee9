#include "controlplane/api/v1/job_json.h"

#include <string.h>

#include "controlplane/views/directory.h"

void job_json_lines(struct fl_json_out *json, const char *key, struct fl_str lines)
{
    fl_json_open(json, key, '{');
    while (lines.len > 0) {
        const char *end = memchr(lines.at, '\n', lines.len);
        struct fl_str line = {lines.at, end ? (size_t)(end - lines.at) : lines.len};
        const char *equal = memchr(line.at, '=', line.len);
        size_t taken = end ? line.len + 1 : line.len;

        if (equal) {
            size_t key_len = (size_t)(equal - line.at);

            fl_json_put_key(json, (struct fl_str){line.at, key_len});
            fl_json_put_str(json, NULL, (struct fl_str){equal + 1, line.len - key_len - 1});
        }
        lines.at += taken;
        lines.len -= taken;
    }
    fl_json_close(json, '}');
}

void job_json_usage(struct fl_json_out *json, const struct fl_usage *usage)
{
    if (usage->meter == FL_METER_none) return;
    fl_json_open(json, "usage", '{');
    fl_json_put_cstr(json, "meter", fl_meter_name(usage->meter));
    fl_json_put_u64(json, "replicas", usage->replicas);
    fl_json_put_u64(json, "cpuMillis", usage->cpu_us / 1000 + (usage->cpu_us % 1000 > 0));
    fl_json_put_u64(json, "memoryBytes", usage->memory_bytes);
    fl_json_put_u64(json, "readBytes", usage->read_bytes);
    fl_json_put_u64(json, "writtenBytes", usage->written_bytes);
    fl_json_close(json, '}');
}

void job_json_queue(struct api_call *call, struct fl_json_out *json, struct fl_queue_id queue)
{
    char name[64];

    fl_json_put_cstr(json, "queue",
                     directory_queue_name(call->parts->directory, queue, name) ? name : NULL);
}

void job_json_name(struct fl_json_out *json, struct fl_str name)
{
    if (name.len > 0) {
        fl_json_put_str(json, "name", name);
    } else {
        fl_json_put_null(json, "name");
    }
}

void job_json_deadline(struct fl_json_out *json, uint32_t deadline_s)
{
    if (deadline_s > 0) {
        fl_json_put_u64(json, "deadline", deadline_s);
    } else {
        fl_json_put_null(json, "deadline");
    }
}

void job_json_parallelism(struct fl_json_out *json, uint32_t parallelism)
{
    if (parallelism > 0) {
        fl_json_put_u64(json, "parallelism", parallelism);
    } else {
        fl_json_put_null(json, "parallelism");
    }
}

static void write_owner(struct fl_json_out *json, struct fl_str owner)
{
    if (owner.len > 0) {
        fl_json_put_str(json, "submittedBy", owner);
    } else {
        fl_json_put_null(json, "submittedBy");
    }
}

/* A job is shown also where these bytes cannot be read. */
static void write_dependencies(struct api_call *call, struct fl_json_out *json, struct fl_str bytes)
{
    struct fl_dependencies list = {0};
    struct fl_err err = {0};

    if (!fl_dependencies_decode(bytes, &call->arena, &list, &err)) return;
    for (size_t i = 0; i < list.len; i++) {
        fl_json_open(json, NULL, '{');
        fl_json_put_job(json, "job", list.at[i].job);
        fl_json_put_cstr(json, "on", fl_dependency_on_name(list.at[i].on));
        fl_json_close(json, '}');
    }
}

/* The members that only its row says.  'job' NULL: it could not be read. */
static void write_cold(struct api_call *call, struct fl_json_out *json, const struct read_job *job)
{
    job_json_name(json, job ? job->row.name : (struct fl_str){0});
    job_json_lines(json, "labels", job ? job->row.labels : (struct fl_str){0});
    fl_json_put_time(json, "submittedAt", job ? job->accepted_at : 0);
    write_owner(json, job ? job->row.owner : (struct fl_str){0});
    fl_json_put_job(json, "retryOf", (struct fl_job){job ? job->row.retry_of : 0});
    fl_json_open(json, "after", '[');
    if (job && job->row.after.len > 0) write_dependencies(call, json, job->row.after);
    fl_json_close(json, ']');
    fl_json_put_bool(json, "singleton", job && job->row.is_singleton);
}

/* How a job that is its only element went; nulls for others, and as long as it has not ended. */
static void write_exit(struct fl_json_out *json, uint16_t attempt, const struct read_job *job)
{
    bool has_exit = job && job->has_exit;

    if (attempt != 0) {
        fl_json_put_u64(json, "attempt", attempt);
    } else {
        fl_json_put_null(json, "attempt");
    }
    if (has_exit) {
        fl_json_put_i64(json, "exitCode", job->exit_code);
    } else {
        fl_json_put_null(json, "exitCode");
    }
    if (has_exit && job->first_replica != UINT32_MAX) {
        fl_json_put_u64(json, "firstReplica", job->first_replica);
    } else {
        fl_json_put_null(json, "firstReplica");
    }
}

void job_json_cluster(struct api_call *call, struct fl_json_out *json, struct fl_cluster number)
{
    struct directory_cluster cluster;

    fl_json_put_cstr(json, "cluster",
                     number.n != 0 && directory_cluster(call->parts->directory, number, &cluster)
                         ? cluster.name
                         : NULL);
}

void job_json_view(struct api_call *call, struct fl_json_out *json,
                   const struct core_job_view *view, const struct read_job *stored)
{
    fl_json_put_job(json, "id", view->job);
    write_cold(call, json, stored);
    job_json_queue(call, json, view->queue);
    fl_json_put_cstr(json, "state", job_state_name(view->state));
    fl_json_put_cstr(json, "reason",
                     view->reason == REASON_none ? NULL : reason_name(view->reason));
    fl_json_put_time(json, "unknownSince", view->unknown_at);
    fl_json_put_i64(json, "priority", view->priority);
    job_json_deadline(json, view->deadline_s);
    job_json_parallelism(json, view->parallelism);
    fl_json_put_u64(json, "revision", view->revision);
    fl_json_open(json, "elements", '{');
    fl_json_put_u64(json, "total", view->elements);
    fl_json_put_u64(json, "started", view->elements_started);
    fl_json_put_u64(json, "live", view->elements_live);
    fl_json_put_u64(json, "unknown", view->elements_unknown);
    fl_json_put_u64(json, "succeeded", view->elements_succeeded);
    fl_json_put_u64(json, "failed", view->elements_failed);
    fl_json_put_u64(json, "cancelled", view->elements_cancelled);
    fl_json_close(json, '}');
    job_json_cluster(call, json, view->cluster);
    fl_json_put_null(json, "endedAt");
    write_exit(json, view->attempt, NULL);
}

/* A document alone names no lines. */
static struct fl_str encode_after(struct api_call *call, const struct core_submit_item *item)
{
    struct fl_dependency *list;

    if (item->after_len == 0) return (struct fl_str){0};
    list = fl_arena_array(&call->arena, struct fl_dependency, item->after_len);
    for (size_t i = 0; i < item->after_len; i++) {
        list[i] = item->after[i].after;
    }
    return fl_dependencies_encode(list, item->after_len, &call->arena);
}

/* The reason for which it waits for other jobs; none: it does not. */
static enum reason waits_for(const struct core_submit_item *item)
{
    enum reason reason = REASON_none;

    for (size_t i = 0; i < item->after_len; i++) {
        if (item->after[i].ended) continue;
        if (item->after[i].after.on != FL_ON_each) return REASON_WaitsForJobs;
        reason = REASON_WaitsForElements;
    }
    return reason;
}

void job_json_accepted(struct api_call *call, struct fl_json_out *json, struct fl_job job, fl_ms at,
                       const struct core_submit_item *item)
{
    const struct read_job cold = {.row = {.name = item->name,
                                          .labels = item->labels,
                                          .owner = api_owner(call),
                                          .after = encode_after(call, item),
                                          .is_singleton = item->is_singleton},
                                  .accepted_at = at};
    struct core_job_view view = {
        .job = job,
        .priority = item->priority,
        .deadline_s = item->deadline_s,
        .parallelism = item->parallelism,
        .state = item->is_held ? JOB_held : JOB_queued,
        .reason = item->is_held ? REASON_Held : REASON_none,
        .elements = item->elements,
    };

    if (directory_queue_id(call->parts->directory, item->queue, &view.queue) && !item->is_held &&
        directory_queue_is_paused(call->parts->directory, view.queue)) {
        view.reason = REASON_QueuePaused;
    }
    if (!item->is_held && waits_for(item) != REASON_none) view.reason = waits_for(item);
    job_json_view(call, json, &view, &cold);
    fl_json_put_hex(json, "specDigest", item->spec_digest.at, sizeof item->spec_digest.at);
    if (item->params.len > 0) fl_json_put_raw(json, "params", item->params);
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
static void write_counts(struct fl_json_out *json, const struct read_job *job,
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
    fl_json_put_u64(json, "succeeded", count.succeeded);
    fl_json_put_u64(json, "failed", count.failed);
    fl_json_put_u64(json, "cancelled", count.cancelled);
}

void job_json_stored(struct api_call *call, struct fl_json_out *json, const struct read_job *job,
                     const struct read_element_counts *counts)
{
    fl_json_put_job(json, "id", job->job);
    write_cold(call, json, job);
    job_json_queue(call, json, job->queue);
    fl_json_put_cstr(json, "state", job_state_name(job->state));
    fl_json_put_cstr(json, "reason", reason_name(job->reason));
    fl_json_put_null(json, "unknownSince");
    fl_json_put_i64(json, "priority", job->row.priority);
    job_json_deadline(json, job->row.deadline_s);
    job_json_parallelism(json, job->row.parallelism);
    fl_json_open(json, "elements", '{');
    fl_json_put_u64(json, "total", job->elements);
    write_counts(json, job, counts);
    fl_json_close(json, '}');
    fl_json_put_null(json, "cluster");
    fl_json_put_time(json, "endedAt", job->ended_at);
    write_exit(json, job->has_exit ? job->attempt : 0, job);
}

/* ---- its description ------------------------------------------------------------------------- */

static const struct api_field elements_fields[] = {
    API_MUST("total", "integer", "elements of the job; a plain job has one"),
    API_MAY("started", "integer", "elements that have had an attempt; open jobs only"),
    API_MAY("live", "integer", "elements that have an attempt now; open jobs only"),
    API_MAY("unknown", "integer", "live elements on silent clusters; open jobs only"),
    API_MAY("succeeded", "integer", "left out where counting would cost too much"),
    API_MAY("failed", "integer", "left out where counting would cost too much"),
    API_MAY("cancelled", "integer", "left out where counting would cost too much"),
    {0},
};

const struct api_object elements_object = {
    .name = "Elements", .text = "The elements of a job, counted.", .fields = elements_fields};

static const struct api_field live_fields[] = {
    API_MUST("element", "integer", "its number"),
    API_MUST("attempt", "integer", "the newest"),
    API_MUST("state", "string", "the attempt's state", .words = ATTEMPT_STATES(API_WORD)),
    API_MAY("reason", "string", "why it is being stopped, or waits"),
    API_MAY("unknownSince", "string", "since when its cluster is silent",
            .format = API_FORMAT_time),
    API_MAY("waitsUntil", "string", "when its next attempt may begin", .format = API_FORMAT_time),
    API_MUST("cluster", "string or null", "where it runs"),
    API_MUST("nodes", "array of string", "one a replica"),
    API_MUST("replicas", "array of string", "their states", .words = FL_REPLICA_STATES(API_WORD)),
    {0},
};

const struct api_object live_element_object = {.name = "LiveElement",
                                               .text = "An element that has started and not ended.",
                                               .fields = live_fields};

static const struct api_field usage_fields[] = {
    API_MUST("meter", "string",
             "the meter: processes, the kernel's account of the processes that ended, where "
             "memory is that of the largest; group, a control group",
             .words = FL_METERS(API_WORD)),
    API_MUST("replicas", "integer", "so many of its replicas were measured"),
    API_MUST("cpuMillis", "integer", "milliseconds of CPU, of all of them together"),
    API_MUST("memoryBytes", "integer", "the peak of the replica that had the highest"),
    API_MUST("readBytes", "integer", "from block devices; a cache does not count"),
    API_MUST("writtenBytes", "integer", "to block devices"),
    {0},
};

const struct api_object usage_object = {
    .name = "Usage", .text = "CPU, memory and I/O of an attempt.", .fields = usage_fields};

static const struct api_field attempt_fields[] = {
    API_MUST("element", "integer", "its element"),
    API_MUST("attempt", "integer", "its number, from 1"),
    API_MUST("cluster", "string or null", "where it was placed"),
    API_MUST("nodes", "array of string", "one a replica"),
    API_MUST("placedAt", "string or null", "when; null: not known any more",
             .format = API_FORMAT_time),
    API_MUST("endedAt", "string or null", "when; null: not yet", .format = API_FORMAT_time),
    API_MAY("reason", "string", "how it ended, in a word: see reasons.md"),
    API_MAY("exitCode", "integer", "the first failed replica's, else 0"),
    API_MAY("firstReplica", "integer", "that failed first"),
    API_MAY("words", "string",
            "why it failed: after an exit code the last error line of its output, else the words "
            "of its cluster"),
    API_MAY("usage", "Usage", "its CPU, memory and I/O; absent: no meter saw it"),
    API_MAY("elementState", "string", "how its element ended, with its last attempt",
            .words = JOB_STATES(API_WORD)),
    {0},
};

const struct api_object attempt_object = {.name = "Attempt",
                                          .text = "One placement of one element on one cluster.",
                                          .fields = attempt_fields};

static const struct api_field after_fields[] = {
    API_MUST("job", "string", "its id"),
    API_MUST("on", "string", "the end that is waited for", .words = FL_DEPENDENCY_ONS(API_WORD)),
    {0},
};

const struct api_object after_object = {
    .name = "AfterJob", .text = "A job that another one is to run after.", .fields = after_fields};

static const struct api_field job_fields[] = {
    API_MUST("id", "string", "its id"),
    API_MUST("name", "string or null", "for people"),
    API_MUST("labels", "map of string", "for finding it again"),
    API_MUST("submittedAt", "string or null", "when it was accepted; null: not known any more",
             .format = API_FORMAT_time),
    API_MUST("submittedBy", "string or null",
             "the owner of the token that submitted it, or the token's name; null: not known"),
    API_MUST("retryOf", "string or null", "the job that it repeats"),
    API_MUST("after", "array of AfterJob", "the jobs that it was to run after"),
    API_MUST("singleton", "boolean", "it runs alone among singletons of its name and owner"),
    API_MUST("queue", "string or null", "where it waits"),
    API_MUST("state", "string", "where it is", .words = JOB_STATES(API_WORD)),
    API_MUST("reason", "string or null", "why it waits, or how it ended: see reasons.md"),
    API_MUST("unknownSince", "string or null", "since when its cluster is silent",
             .format = API_FORMAT_time),
    API_MUST("priority", "integer", "within its queue, the higher goes first"),
    API_MUST("deadline", "integer or null", "seconds from its first start; null: none"),
    API_MUST("parallelism", "integer or null",
             "so many of its elements run at the same time; null: all"),
    API_MAY("revision", "integer", "how many times it was edited; open jobs only"),
    API_MUST("elements", "Elements", "counted by what became of them"),
    API_MUST("cluster", "string or null", "the cluster that runs its first live element"),
    API_MUST("endedAt", "string or null", "when", .format = API_FORMAT_time),
    API_MUST("attempt", "integer or null", "the newest of a plain job"),
    API_MUST("exitCode", "integer or null", "a plain job's, once it has ended"),
    API_MUST("firstReplica", "integer or null", "that failed first, of a plain job"),
    API_MAY("sentence", "string",
            "how it goes on while its cluster is silent, or which jobs it waits for"),
    API_MAY("live", "array of LiveElement", "its first elements that are live; not in lists"),
    API_MAY("specDigest", "string", "SHA-256 of its spec; not in lists"),
    API_MAY("params", "map of string", "its parameters; not in lists"),
    API_MAY("spec", "JobDocument", "the long form; not in lists"),
    API_MAY("attempts", "array of Attempt", "its first attempts; not in lists"),
    API_MAY("attemptsCursor", "string", "where further attempts begin: 'cursor' of /attempts"),
    {0},
};

const struct api_object job_object = {
    .name = "Job",
    .text = "A job: in lists without the members that are not for them.",
    .fields = job_fields,
    .example = "{\"id\":\"job-7\",\"name\":null,\"labels\":{},"
               "\"submittedAt\":\"2026-01-31T09:00:00.000Z\",\"submittedBy\":\"ann\","
               "\"retryOf\":null,\"after\":[],\"singleton\":false,"
               "\"queue\":\"default\",\"state\":\"running\",\"reason\":null,"
               "\"unknownSince\":null,\"priority\":0,\"deadline\":null,\"parallelism\":null,"
               "\"revision\":0,\"elements\":"
               "{\"total\":1,\"started\":1,"
               "\"live\":1,\"unknown\":0,\"succeeded\":0,\"failed\":0,\"cancelled\":0},"
               "\"cluster\":\"east\",\"endedAt\":null,\"attempt\":1,\"exitCode\":null,"
               "\"firstReplica\":null}"};
