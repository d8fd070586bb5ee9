/* front_figures.h - the control plane's metrics: what is set when somebody asks for them. */
#pragma once

#include "shared/io/metrics.h"

struct engine_thread;
struct fronts;
struct log_store;

enum front_figure {
    FIGURE_build,
    FIGURE_leader,
    FIGURE_epoch,
    FIGURE_turns,
    FIGURE_turn_longest,
    FIGURE_events,
    FIGURE_batches,
    FIGURE_rows,
    FIGURE_reloads,
    FIGURE_quarantined,
    FIGURE_inbox,
    FIGURE_commit_longest,
    FIGURE_connections,
    FIGURE_requests,
    FIGURE_streams,
    FIGURE_tunnels,
    FIGURE_tunnels_held,
    FIGURE_log_bytes,
    FIGURE_log_syncs,
    FIGURE_log_sync_longest,
    FIGURE_log_followers,
    FIGURES_LEN
};

extern const struct fl_metric_family front_figures[FIGURES_LEN];

struct front_figures_parts {
    struct fl_metrics *metrics;
    struct engine_thread *engine;
    struct fronts *fronts;
    struct log_store *logs;
};

/* 'parts' is borrowed and stays. */
void front_figures_add(const struct front_figures_parts *parts);
