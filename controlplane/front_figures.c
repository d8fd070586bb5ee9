#include "controlplane/front_figures.h"

#include "shared/base/version.h"
#include "controlplane/fronts.h"
#include "controlplane/logs/log_store.h"

const struct fl_metric_family front_figures[FIGURES_LEN] = {
    [FIGURE_build] = {"fairlead_build_info", FL_METRIC_GAUGE, "version", "1, with the version"},
    [FIGURE_leader] = {"fairlead_leader", FL_METRIC_GAUGE, NULL, "1 while this replica leads"},
    [FIGURE_epoch] = {"fairlead_leader_epoch", FL_METRIC_GAUGE, NULL, "of its newest term"},
    [FIGURE_turns] = {"fairlead_engine_turns_total", FL_METRIC_COUNTER, NULL,
                      "turns of the engine thread"},
    [FIGURE_turn_longest] = {"fairlead_engine_turn_longest_seconds", FL_METRIC_GAUGE, NULL,
                             "CPU time of its longest turn since the start"},
    [FIGURE_events] = {"fairlead_engine_events_total", FL_METRIC_COUNTER, NULL,
                       "events that were stepped"},
    [FIGURE_batches] = {"fairlead_engine_batches_total", FL_METRIC_COUNTER, NULL,
                        "batches that were committed"},
    [FIGURE_rows] = {"fairlead_engine_rows_total", FL_METRIC_COUNTER, NULL, "rows in them"},
    [FIGURE_reloads] = {"fairlead_engine_reloads_total", FL_METRIC_COUNTER, NULL,
                        "cores that were loaded"},
    [FIGURE_quarantined] = {"fairlead_engine_quarantined_total", FL_METRIC_COUNTER, NULL,
                            "events that the database refused for good"},
    [FIGURE_inbox] = {"fairlead_engine_inbox_events", FL_METRIC_GAUGE, NULL,
                      "events that wait for the engine thread"},
    [FIGURE_commit_longest] = {"fairlead_db_commit_longest_seconds", FL_METRIC_GAUGE, NULL,
                               "the longest commit since the start"},
    [FIGURE_connections] = {"fairlead_http_connections", FL_METRIC_GAUGE, NULL,
                            "open connections to the API"},
    [FIGURE_requests] = {"fairlead_http_requests_total", FL_METRIC_COUNTER, NULL,
                         "requests to the API"},
    [FIGURE_streams] = {"fairlead_event_streams", FL_METRIC_GAUGE, NULL,
                        "streams of events and logs that are open"},
    [FIGURE_tunnels] = {"fairlead_tunnels_up", FL_METRIC_GAUGE, NULL, "agents that are connected"},
    [FIGURE_tunnels_held] = {"fairlead_tunnels_held", FL_METRIC_GAUGE, NULL,
                             "agents that are not read, since the engine has no room"},
    [FIGURE_log_bytes] = {"fairlead_log_bytes_total", FL_METRIC_COUNTER, NULL,
                          "bytes of output that were stored"},
    [FIGURE_log_syncs] = {"fairlead_log_syncs_total", FL_METRIC_COUNTER, NULL,
                          "times that output was made durable"},
    [FIGURE_log_sync_longest] = {"fairlead_log_sync_longest_seconds", FL_METRIC_GAUGE, NULL,
                                 "the longest of them"},
    [FIGURE_log_followers] = {"fairlead_log_followers", FL_METRIC_GAUGE, NULL,
                              "reads that follow output"},
};

static void set(const struct front_figures_parts *parts, enum front_figure figure, double value)
{
    fl_metric_set(fl_metric(parts->metrics, &front_figures[figure]), value);
}

static void set_engine(const struct front_figures_parts *parts)
{
    struct engine_thread_status status = engine_thread_status(parts->engine);

    set(parts, FIGURE_leader, status.state == ENGINE_LEADING);
    set(parts, FIGURE_epoch, (double)status.epoch);
    set(parts, FIGURE_turns, (double)status.turns);
    set(parts, FIGURE_turn_longest, status.turn_longest_cpu_us / 1e6);
    set(parts, FIGURE_events, (double)status.engine.events);
    set(parts, FIGURE_batches, (double)status.engine.batches);
    set(parts, FIGURE_rows, (double)status.engine.rows);
    set(parts, FIGURE_reloads, (double)status.engine.reloads);
    set(parts, FIGURE_quarantined, (double)status.engine.quarantined);
    set(parts, FIGURE_inbox, (double)status.inbox_len);
    set(parts, FIGURE_commit_longest, (double)status.store.commit_longest_ms / 1e3);
}

static void on_collect(void *ctx)
{
    const struct front_figures_parts *parts = ctx;
    struct front_counts fronts = fronts_counts(parts->fronts);
    struct log_store_stats logs = log_store_stats(parts->logs);

    set_engine(parts);
    set(parts, FIGURE_connections, (double)fronts.connections);
    set(parts, FIGURE_requests, (double)fronts.requests);
    set(parts, FIGURE_streams, (double)fronts.streams);
    set(parts, FIGURE_tunnels, (double)fronts.tunnels);
    set(parts, FIGURE_tunnels_held, (double)fronts.tunnels_held);
    set(parts, FIGURE_log_bytes, (double)logs.bytes_appended);
    set(parts, FIGURE_log_syncs, (double)logs.syncs);
    set(parts, FIGURE_log_sync_longest, (double)logs.sync_us_max / 1e6);
    set(parts, FIGURE_log_followers, (double)logs.followers);
}

void front_figures_add(const struct front_figures_parts *parts)
{
    fl_metrics_add(parts->metrics, front_figures, FIGURES_LEN);
    fl_metric_set(fl_metric(parts->metrics, &front_figures[FIGURE_build], FL_VERSION), 1);
    fl_metrics_on_collect(parts->metrics, on_collect, (void *)parts);
}
