/* bench_help_rig.h - an engine and its core without a store, a Postgres and a network; each turn is
 * measured, batches are durable at once, and agents are events.
 * A case puts queues, clusters and jobs there, calls rig_measure, and causes what it is about.
 * Each failure ends the tool. */
#pragma once

#include "controlplane/engine/engine.h"
#include "shared/base/vec.h"

enum {
    ARRAY_MAX = 1000000, /* elements of one job */
    NODE_CPUS = 4000000, /* milli; each node's */
    PAGE_NODES = 1024,   /* one report has no more */
    SHAPE_BYTES = 64,
};

struct agent {
    uint64_t session_epoch, report_seq, control_seq;
};

struct started {
    struct fl_cluster cluster;
    struct fl_attempt attempt;
};

struct rig {
    struct engine *engine;
    struct engine_results results;
    fl_ms now;
    bool is_taking, is_loading;
    struct {
        uint64_t number;
    } sent[ENGINE_INFLIGHT_MAX];
    size_t sent_len;
    uint64_t scale;
    uint32_t deadline_s; /* for the jobs that rig_submit() makes */

    FL_VEC(struct agent) agents;
    FL_VEC(struct started) started; /* to be reported as running */
    FL_VEC(struct started) running;
    size_t stops, refusals;
    bool may_refuse;

    bool is_measured;
    double cpu_ms_max, wall_ms_max;
    uint64_t turns;
};

/* Sizes of a case are divided by 'scale'. */
void rig_init(struct rig *rig, uint64_t scale);
void rig_create(struct rig *rig); /* another engine, once the caller has destroyed the first */
void rig_report(struct rig *rig, const char *name); /* prints the figures, and frees all */
uint64_t rig_scaled(const struct rig *rig, uint64_t n);

/* From here on turns are measured. */
void rig_measure(struct rig *rig);

/* One wake-up of the engine's thread: the store's answers, then the engine's turn. */
void rig_turn(struct rig *rig);
void rig_run_out(struct rig *rig); /* turns until there is nothing to do */
void rig_pass(struct rig *rig, fl_ms ms);

/* The event's lists are borrowed until it is stepped. */
void rig_tell(struct rig *rig, const struct core_event *what);

void rig_put_queue(struct rig *rig, const char *name);
/* Clusters that are connected; 'cpus_free' of each node's NODE_CPUS are free. */
void rig_put_clusters(struct rig *rig, uint32_t clusters, uint32_t nodes, uint32_t cpus_free);
/* One page of nodes. */
void rig_report_nodes(struct rig *rig, uint32_t cluster, uint32_t from, uint32_t len, uint32_t cpus,
                      uint32_t cpus_free);

/* A shape of one replica; 'out' has SHAPE_BYTES. */
struct fl_str rig_encode(char *out, uint32_t cpus, uint64_t memory);
/* One request of 'len' equal jobs. */
void rig_submit(struct rig *rig, const char *queue, struct fl_str shape, size_t len,
                uint32_t elements);
/* Agents confirm and run all that was started, until nothing more starts. */
void rig_run_all(struct rig *rig);
/* An array of which all elements run, on one cluster. */
void rig_run_array(struct rig *rig, uint32_t elements);
