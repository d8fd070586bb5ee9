/* top_data.h - the fleet as 'top' knows it: jobs, queues, clusters and nodes, read from answers
 * of the API in JSON.
 * A snapshot is made anew at each refresh and owns its memory.  It is bounded: rows beyond a
 * limit are left out, and the snapshot says so.  Texts are as the API has them, so they may hold
 * anything; top_cells decides what a terminal gets.
 * Uses jansson only to read values.  No I/O. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/base/arena.h"

enum { TOP_JOBS_MAX = 500, TOP_QUEUES_MAX = 500, TOP_CLUSTERS_MAX = 500, TOP_NODES_MAX = 500 };

struct top_amounts {
    int64_t cpu_milli, memory_bytes, gpus;
};

struct top_job {
    const char *id, *name, *state, *queue, *cluster, *user, *reason;
    int64_t submitted_at, ended_at, unknown_since; /* ms since the Unix epoch; -1: none */
    int64_t priority, elements, succeeded;
    int64_t exit_code; /* -1: none */
};

struct top_queue {
    const char *name, *default_cpu;
    bool is_paused;
    int64_t jobs;                                      /* open ones */
    int64_t held, queued, starting, running, stopping; /* so many of its jobs */
};

struct top_cluster {
    const char *name, *state, *cordon;
    int64_t attempts, nodes, nodes_ready;
    struct top_amounts total, used;
};

struct top_node {
    const char *cluster, *name;
    bool is_ready;
    struct top_amounts total, used;
};

struct top_data {
    struct fl_arena arena;
    const char *user, *version; /* "": not known */
    struct {
        struct top_job *at;
        size_t len, cap;
    } jobs;
    struct {
        struct top_queue *at;
        size_t len, cap;
    } queues;
    struct {
        struct top_cluster *at;
        size_t len, cap;
    } clusters;
    struct {
        struct top_node *at;
        size_t len, cap;
    } nodes;
    bool has_more_jobs, has_more_nodes;
};

struct top_data *top_data_create(void);
void top_data_destroy(struct top_data *data); /* NULL is fine */

/* Each takes one page of an answer. */
void top_data_put_jobs(struct top_data *data, const json_t *page);
void top_data_put_queues(struct top_data *data, const json_t *page);
void top_data_put_clusters(struct top_data *data, const json_t *page);
void top_data_put_nodes(struct top_data *data, const char *cluster, const json_t *page);
void top_data_put_token(struct top_data *data, const json_t *whoami);
void top_data_put_version(struct top_data *data, const json_t *version);

/* NULL: not there. */
const struct top_job *top_data_job(const struct top_data *data, const char *id);

bool top_job_is_open(const struct top_job *job);
