/* process_metrics.h - the control plane's metrics that are set when they are read. */
#pragma once

#include "shared/io/metrics.h"

struct engine_thread;
struct fronts;
struct log_store;
struct usage_ledger;

enum process_metric {
    PROCESS_METRIC_build,
    PROCESS_METRIC_leader,
    PROCESS_METRIC_epoch,
    PROCESS_METRIC_turns,
    PROCESS_METRIC_turn_longest,
    PROCESS_METRIC_events,
    PROCESS_METRIC_batches,
    PROCESS_METRIC_rows,
    PROCESS_METRIC_reloads,
    PROCESS_METRIC_quarantined,
    PROCESS_METRIC_losses,
    PROCESS_METRIC_lost_jobs_min,
    PROCESS_METRIC_lost_jobs_max,
    PROCESS_METRIC_inbox,
    PROCESS_METRIC_commit_longest,
    PROCESS_METRIC_front_turn_longest,
    PROCESS_METRIC_connections,
    PROCESS_METRIC_requests,
    PROCESS_METRIC_streams,
    PROCESS_METRIC_unsent,
    PROCESS_METRIC_token_refusals,
    PROCESS_METRIC_tunnels,
    PROCESS_METRIC_tunnels_held,
    PROCESS_METRIC_log_bytes,
    PROCESS_METRIC_log_syncs,
    PROCESS_METRIC_log_sync_longest,
    PROCESS_METRIC_log_sources,
    PROCESS_METRIC_log_sources_max,
    PROCESS_METRIC_log_sources_waiting,
    PROCESS_METRIC_log_damaged,
    PROCESS_METRIC_log_chains_differ,
    PROCESS_METRIC_log_followers,
    PROCESS_METRIC_usage_attempts,
    PROCESS_METRIC_usage_behind,
    PROCESS_METRICS_LEN
};

extern const struct fl_metric_family process_metrics[PROCESS_METRICS_LEN];

struct process_metrics_parts {
    struct fl_metrics *metrics;
    struct engine_thread *engine;
    struct fronts *fronts;
    struct log_store *logs;
    const struct usage_ledger *usage;
};

/* 'parts' is borrowed and stays. */
void process_metrics_add(const struct process_metrics_parts *parts);
