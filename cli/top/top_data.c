#include "cli/top/top_data.h"

#include <string.h>

#include "cli/json_read.h"
#include "cli/output.h"
#include "shared/base/alloc.h"

struct top_data *top_data_create(void)
{
    struct top_data *data = fl_new(struct top_data);

    data->user = data->version = "";
    return data;
}

void top_data_destroy(struct top_data *data)
{
    if (!data) return;
    fl_arena_fini(&data->arena);
    fl_free(data);
}

static const char *copy(struct top_data *data, const json_t *object, const char *key)
{
    const char *text = cli_text(object, key);

    return *text ? fl_arena_copy(&data->arena, text, strlen(text)) : "";
}

static int64_t number_or(const json_t *object, const char *key, int64_t none)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) ? json_integer_value(value) : none;
}

static bool has_more(const json_t *page)
{
    return *cli_text(page, "cursor");
}

/* ---- jobs ------------------------------------------------------------------------------------ */

void top_data_put_jobs(struct top_data *data, const json_t *page)
{
    const json_t *one;
    size_t i;

    data->has_more_jobs = has_more(page);
    json_array_foreach(json_object_get(page, "jobs"), i, one)
    {
        const json_t *elements = json_object_get(one, "elements");
        const char *reason = cli_text(one, "reason");
        struct top_job job = {
            .id = copy(data, one, "id"),
            .name = copy(data, one, "name"),
            .state = copy(data, one, "state"),
            .queue = copy(data, one, "queue"),
            .cluster = copy(data, one, "cluster"),
            .user = copy(data, one, "submittedBy"),
            .reason = strcmp(reason, "none") == 0 ? "" : copy(data, one, "reason"),
            .submitted_at = cli_parse_time(cli_text(one, "submittedAt")),
            .ended_at = cli_parse_time(cli_text(one, "endedAt")),
            .unknown_since = cli_parse_time(cli_text(one, "unknownSince")),
            .priority = cli_int(one, "priority"),
            .elements = cli_int(elements, "total"),
            .succeeded = cli_int(elements, "succeeded"),
            .exit_code = number_or(one, "exitCode", -1),
        };

        if (data->jobs.len == TOP_JOBS_MAX) {
            data->has_more_jobs = true;
            return;
        }
        fl_arena_push(&data->arena, &data->jobs, job);
    }
}

const struct top_job *top_data_job(const struct top_data *data, const char *id)
{
    for (size_t i = 0; data && i < data->jobs.len; i++) {
        if (strcmp(data->jobs.at[i].id, id) == 0) return &data->jobs.at[i];
    }
    return NULL;
}

bool top_job_is_open(const struct top_job *job)
{
    return strcmp(job->state, "succeeded") != 0 && strcmp(job->state, "failed") != 0 &&
           strcmp(job->state, "cancelled") != 0;
}

/* ---- queues, clusters, nodes ----------------------------------------------------------------- */

void top_data_put_queues(struct top_data *data, const json_t *page)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(page, "queues"), i, one)
    {
        const json_t *by_state = json_object_get(one, "byState");
        struct top_queue queue = {
            .name = copy(data, one, "name"),
            .default_cpu = copy(data, one, "defaultCpu"),
            .is_paused = json_is_true(json_object_get(one, "paused")),
            .jobs = cli_int(one, "jobs"),
            .held = cli_int(by_state, "held"),
            .queued = cli_int(by_state, "queued"),
            .starting = cli_int(by_state, "starting"),
            .running = cli_int(by_state, "running"),
            .stopping = cli_int(by_state, "stopping"),
        };

        if (data->queues.len < TOP_QUEUES_MAX) fl_arena_push(&data->arena, &data->queues, queue);
    }
}

static int64_t used(const json_t *total, const json_t *free, const char *key)
{
    int64_t all = cli_int(total, key), left = cli_int(free, key);

    return all > left ? all - left : 0;
}

static void read_amounts(const json_t *one, struct top_amounts *ret_total,
                         struct top_amounts *ret_used)
{
    const json_t *total = json_object_get(one, "total"), *free = json_object_get(one, "free");

    *ret_total = (struct top_amounts){.cpu_milli = cli_int(total, "cpuMilli"),
                                      .memory_bytes = cli_int(total, "memoryBytes"),
                                      .gpus = cli_int(total, "gpus")};
    *ret_used = (struct top_amounts){.cpu_milli = used(total, free, "cpuMilli"),
                                     .memory_bytes = used(total, free, "memoryBytes"),
                                     .gpus = used(total, free, "gpus")};
}

void top_data_put_clusters(struct top_data *data, const json_t *page)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(page, "clusters"), i, one)
    {
        struct top_cluster cluster = {
            .name = copy(data, one, "name"),
            .state = copy(data, one, "state"),
            .cordon = copy(data, one, "cordon"),
            .attempts = cli_int(one, "attempts"),
            .nodes = cli_int(one, "nodes"),
            .nodes_ready = cli_int(one, "nodesReady"),
        };

        if (data->clusters.len == TOP_CLUSTERS_MAX) return;
        read_amounts(one, &cluster.total, &cluster.used);
        fl_arena_push(&data->arena, &data->clusters, cluster);
    }
}

void top_data_put_nodes(struct top_data *data, const char *cluster, const json_t *page)
{
    const char *name = fl_arena_copy(&data->arena, cluster, strlen(cluster));
    const json_t *one;
    size_t i;

    data->has_more_nodes |= has_more(page);
    json_array_foreach(json_object_get(page, "nodes"), i, one)
    {
        struct top_node node = {
            .cluster = name,
            .name = copy(data, one, "name"),
            .is_ready = json_is_true(json_object_get(one, "ready")),
        };

        if (data->nodes.len == TOP_NODES_MAX) {
            data->has_more_nodes = true;
            return;
        }
        read_amounts(one, &node.total, &node.used);
        fl_arena_push(&data->arena, &data->nodes, node);
    }
}

/* ---- about the control plane ----------------------------------------------------------------- */

void top_data_put_token(struct top_data *data, const json_t *whoami)
{
    bool has_owner = *cli_text(whoami, "owner");

    data->user = copy(data, whoami, has_owner ? "owner" : "name");
}

void top_data_put_version(struct top_data *data, const json_t *version)
{
    data->version = copy(data, version, "version");
}
