/* top_fixture.h - a small fleet for the tests of 'top', as the API would tell of it. */
#pragma once

#include <locale.h>

#include "cli/top/top_draw.h"
#include "cli/top/top_keys.h"
#include "shared/base/arena.h"
#include "tests/fl_test.h"

/* 2026-01-31T10:00:00Z; every job was submitted ten minutes before. */
#define FIXTURE_NOW 1769853600000

static inline void fixture_job(struct top_data *data, const char *id, const char *name,
                               const char *state, const char *queue, const char *cluster)
{
    bool is_ended = strcmp(state, "failed") == 0 || strcmp(state, "succeeded") == 0;
    json_t *page =
        json_pack("{s:[{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:i, s:{s:i}, s:s}]}", "jobs",
                  "id", id, "name", name, "state", state, "queue", queue, "cluster", cluster,
                  "submittedBy", "ann", "submittedAt", "2026-01-31T09:50:00.000Z", "endedAt",
                  is_ended ? "2026-01-31T09:52:05.000Z" : NULL, "priority", 0, "elements", "total",
                  1, "reason", strcmp(state, "queued") == 0 ? "NoRoom" : "none");

    assert_non_null(page);
    top_data_put_jobs(data, page);
    json_decref(page);
}

static inline json_t *fixture_amounts(int cpu, int memory_gib, int gpus)
{
    return json_pack("{s:i, s:I, s:i}", "cpuMilli", cpu * 1000, "memoryBytes",
                     (json_int_t)memory_gib << 30, "gpus", gpus);
}

static inline void fixture_cluster(struct top_data *data, const char *name, const char *state,
                                   int cpu_free)
{
    json_t *page =
        json_pack("{s:[{s:s, s:s, s:s?, s:i, s:i, s:i, s:o, s:o}]}", "clusters", "name", name,
                  "state", state, "cordon", NULL, "attempts", 1, "nodes", 2, "nodesReady", 2,
                  "total", fixture_amounts(8, 16, 2), "free", fixture_amounts(cpu_free, 12, 2));

    assert_non_null(page);
    top_data_put_clusters(data, page);
    json_decref(page);
}

static inline void fixture_queue(struct top_data *data, const char *name, int jobs, bool is_paused)
{
    json_t *page =
        json_pack("{s:[{s:s, s:b, s:n, s:i, s:{s:i}}]}", "queues", "name", name, "paused",
                  is_paused, "defaultCpu", "jobs", jobs, "byState", "queued", jobs);
    assert_non_null(page);
    top_data_put_queues(data, page);
    json_decref(page);
}

static inline void fixture_node(struct top_data *data, const char *cluster, const char *name)
{
    json_t *page = json_pack("{s:[{s:s, s:b, s:o, s:o}]}", "nodes", "name", name, "ready", true,
                             "total", fixture_amounts(8, 16, 2), "free", fixture_amounts(6, 12, 2));

    assert_non_null(page);
    top_data_put_nodes(data, cluster, page);
    json_decref(page);
}

static inline struct top_data *fixture_data(void)
{
    struct top_data *data = top_data_create();

    data->user = "ann";
    data->version = "1.2.3";
    fixture_cluster(data, "east", "ready", 4);
    fixture_cluster(data, "west", "lost", 8);
    fixture_queue(data, "default", 3, false);
    fixture_queue(data, "night", 1, true);
    fixture_job(data, "job-9", "train", "running", "default", "east");
    fixture_job(data, "job-8", "eval", "queued", "default", "");
    fixture_job(data, "job-7", "sweep", "held", "night", "");
    fixture_job(data, "job-6", "prepare", "succeeded", "default", "east");
    fixture_job(data, "job-5", "crash", "failed", "default", "west");
    return data;
}

static inline void fixture_model(struct top_model *model)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    top_model_init(model, "https://hub:7777", 2000);
    model->link = TOP_CONNECTED;
    model->program_version = "1.2.3";
    strcpy(model->refreshed, "10:00:00");
    model->page_rows = 10;
    top_model_arrange(model, FIXTURE_NOW, 1000);
    model->refreshed_at = 1000;
    top_model_adopt(model, fixture_data());
}

/* Presses one character after the other. */
static inline enum top_effect fixture_type(struct top_model *model, const char *keys)
{
    enum top_effect last = TOP_NOTHING;

    for (; *keys; keys++) {
        last = top_keys_press(model, (uint32_t)(unsigned char)*keys);
    }
    return last;
}

static inline const char *fixture_cursor(const struct top_model *model)
{
    const struct top_row *row = top_model_row(model);

    return row ? row->key : "none";
}

/* The keys of all rows, in their order. */
static inline void fixture_rows(const struct top_model *model, const char *want)
{
    char text[512] = "";

    for (size_t i = 0; i < model->rows_len && i < 20; i++) {
        strcat(strcat(text, i ? " " : ""), model->rows[i].key);
    }
    assert_string_equal(text, want);
}
