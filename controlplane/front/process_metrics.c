#include "controlplane/front/process_metrics.h"

#include <stdio.h>

#include "controlplane/front/fronts.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/usage/usage_ledger.h"
#include "shared/base/version.h"

const struct fl_metric_family process_metrics[PROCESS_METRICS_LEN] = {
    [PROCESS_METRIC_build] = {"fairlead_build_info", FL_METRIC_GAUGE, "version",
                              "1, with the version"},
    [PROCESS_METRIC_leader] = {"fairlead_leader", FL_METRIC_GAUGE, NULL,
                               "1 while this replica leads"},
    [PROCESS_METRIC_epoch] = {"fairlead_leader_epoch", FL_METRIC_GAUGE, NULL,
                              "the epoch of this replica's newest term"},
    [PROCESS_METRIC_turns] = {"fairlead_engine_turns_total", FL_METRIC_COUNTER, NULL,
                              "turns of the engine thread"},
    [PROCESS_METRIC_turn_longest] =
        {"fairlead_engine_turn_longest_seconds", FL_METRIC_GAUGE, NULL,
         "CPU time of the engine thread's longest turn since the start"},
    [PROCESS_METRIC_events] = {"fairlead_engine_events_total", FL_METRIC_COUNTER, NULL,
                               "events that were stepped"},
    [PROCESS_METRIC_batches] = {"fairlead_engine_batches_total", FL_METRIC_COUNTER, NULL,
                                "batches that were committed"},
    [PROCESS_METRIC_rows] = {"fairlead_engine_rows_total", FL_METRIC_COUNTER, NULL,
                             "rows of committed batches"},
    [PROCESS_METRIC_reloads] = {"fairlead_engine_reloads_total", FL_METRIC_COUNTER, NULL,
                                "cores that were loaded"},
    [PROCESS_METRIC_quarantined] = {"fairlead_engine_quarantined_total", FL_METRIC_COUNTER, NULL,
                                    "events that the database refused for good"},
    [PROCESS_METRIC_losses] = {"fairlead_history_losses_total", FL_METRIC_COUNTER, NULL,
                               "takeovers that found the database older than what was committed"},
    [PROCESS_METRIC_lost_jobs_min] =
        {"fairlead_history_lost_jobs_min", FL_METRIC_GAUGE, NULL,
         "jobs that are missing since the database was last found older "
         "than what was committed, at least"},
    [PROCESS_METRIC_lost_jobs_max] =
        {"fairlead_history_lost_jobs_max", FL_METRIC_GAUGE, NULL,
         "jobs that are missing since the database was last found older "
         "than what was committed, at most"},
    [PROCESS_METRIC_inbox] = {"fairlead_engine_inbox_events", FL_METRIC_GAUGE, NULL,
                              "events that wait for the engine thread"},
    [PROCESS_METRIC_commit_longest] = {"fairlead_db_commit_longest_seconds", FL_METRIC_GAUGE, NULL,
                                       "the longest commit since the start"},
    [PROCESS_METRIC_front_turn_longest] =
        {"fairlead_front_turn_longest_seconds", FL_METRIC_GAUGE, "front",
         "CPU time of the longest turn of a front's thread since the start"},
    [PROCESS_METRIC_connections] = {"fairlead_http_connections", FL_METRIC_GAUGE, NULL,
                                    "open connections to the API"},
    [PROCESS_METRIC_requests] = {"fairlead_http_requests_total", FL_METRIC_COUNTER, NULL,
                                 "requests to the API"},
    [PROCESS_METRIC_streams] = {"fairlead_event_streams", FL_METRIC_GAUGE, NULL,
                                "streams of events and logs that are open"},
    [PROCESS_METRIC_unsent] = {"fairlead_http_unsent_bytes", FL_METRIC_GAUGE, NULL,
                               "bytes of answers of the API that their readers have not taken"},
    [PROCESS_METRIC_token_refusals] = {"fairlead_http_token_refusals_total", FL_METRIC_COUNTER,
                                       "limit",
                                       "requests that got 429 since their token has its share of "
                                       "connections, of unsent bytes or of bodies, or "
                                       "its rate of requests"},
    [PROCESS_METRIC_tunnels] = {"fairlead_tunnels_up", FL_METRIC_GAUGE, NULL,
                                "agents that are connected"},
    [PROCESS_METRIC_tunnels_held] = {"fairlead_tunnels_held", FL_METRIC_GAUGE, NULL,
                                     "agents that are not read, since the engine has no room"},
    [PROCESS_METRIC_log_bytes] = {"fairlead_log_bytes_total", FL_METRIC_COUNTER, NULL,
                                  "bytes of output that were stored"},
    [PROCESS_METRIC_log_syncs] = {"fairlead_log_syncs_total", FL_METRIC_COUNTER, NULL,
                                  "times that output was made durable"},
    [PROCESS_METRIC_log_sync_longest] = {"fairlead_log_sync_longest_seconds", FL_METRIC_GAUGE, NULL,
                                         "the longest time to make output durable"},
    [PROCESS_METRIC_log_sources] = {"fairlead_log_sources", FL_METRIC_GAUGE, NULL,
                                    "outputs that are open, or ended and not sealed yet"},
    [PROCESS_METRIC_log_sources_max] = {"fairlead_log_sources_max", FL_METRIC_GAUGE, NULL,
                                        "how many outputs may be open at once"},
    [PROCESS_METRIC_log_sources_waiting] = {"fairlead_log_sources_waiting", FL_METRIC_GAUGE, NULL,
                                            "outputs that wait until others end"},
    [PROCESS_METRIC_log_damaged] = {"fairlead_log_damaged_total", FL_METRIC_COUNTER, NULL,
                                    "pieces of stored output that were found damaged"},
    [PROCESS_METRIC_log_chains_differ] =
        {"fairlead_log_chains_differ_total", FL_METRIC_COUNTER, NULL,
         "outputs that are as long as their agent says, with other "
         "bytes: 'chain_differs' in the log names each"},
    [PROCESS_METRIC_log_followers] = {"fairlead_log_followers", FL_METRIC_GAUGE, NULL,
                                      "reads that follow output"},
    [PROCESS_METRIC_usage_attempts] = {"fairlead_usage_attempts_total", FL_METRIC_COUNTER, NULL,
                                       "attempts whose usage this process has added up"},
    [PROCESS_METRIC_usage_behind] =
        {"fairlead_usage_behind", FL_METRIC_GAUGE, NULL,
         "1 while something waits to be added up for usage and throughput"},
};

static void set(const struct process_metrics_parts *parts, enum process_metric figure, double value)
{
    fl_metric_set(fl_metric(parts->metrics, &process_metrics[figure]), value);
}

static void set_engine(const struct process_metrics_parts *parts)
{
    struct engine_thread_status status = engine_thread_status(parts->engine);

    set(parts, PROCESS_METRIC_leader, status.state == ENGINE_LEADING);
    set(parts, PROCESS_METRIC_epoch, (double)status.epoch);
    set(parts, PROCESS_METRIC_turns, (double)status.turns);
    set(parts, PROCESS_METRIC_turn_longest, status.turn_longest_cpu_us / 1e6);
    set(parts, PROCESS_METRIC_events, (double)status.engine.events);
    set(parts, PROCESS_METRIC_batches, (double)status.engine.batches);
    set(parts, PROCESS_METRIC_rows, (double)status.engine.rows);
    set(parts, PROCESS_METRIC_reloads, (double)status.engine.reloads);
    set(parts, PROCESS_METRIC_quarantined, (double)status.engine.quarantined);
    set(parts, PROCESS_METRIC_losses, (double)status.engine.losses);
    set(parts, PROCESS_METRIC_lost_jobs_min, (double)status.engine.loss.jobs_min);
    set(parts, PROCESS_METRIC_lost_jobs_max, (double)status.engine.loss.jobs_max);
    set(parts, PROCESS_METRIC_inbox, (double)status.handover_len);
    set(parts, PROCESS_METRIC_commit_longest, (double)status.store.commit_longest_ms / 1e3);
}

static void set_refusals(const struct process_metrics_parts *parts,
                         const struct front_counts *fronts)
{
    static const char *const names[HTTP_CLAIMS_LEN] = {
        [HTTP_CLAIM_CONNECTIONS] = "connections",
        [HTTP_CLAIM_UNSENT] = "unsent",
        [HTTP_CLAIM_RATE] = "rate",
        [HTTP_CLAIM_BODIES] = "bodies",
    };

    for (int i = HTTP_CLAIMED + 1; i < HTTP_CLAIMS_LEN; i++) {
        fl_metric_set(
            fl_metric(parts->metrics, &process_metrics[PROCESS_METRIC_token_refusals], names[i]),
            (double)fronts->claims_refused[i]);
    }
}

static void set_front_turns(const struct process_metrics_parts *parts)
{
    for (size_t i = 0; i < fronts_len(parts->fronts); i++) {
        struct front_counts counts = fronts_counts_of(parts->fronts, i);
        char number[24];

        snprintf(number, sizeof number, "%zu", i + 1);
        fl_metric_set(
            fl_metric(parts->metrics, &process_metrics[PROCESS_METRIC_front_turn_longest], number),
            (double)counts.turn_longest_cpu_us / 1e6);
    }
}

static void on_collect(void *ctx)
{
    const struct process_metrics_parts *parts = ctx;
    struct front_counts fronts = fronts_counts(parts->fronts);
    struct log_store_stats logs = log_store_stats(parts->logs);
    struct usage_ledger_stats usage = usage_ledger_stats(parts->usage);

    set_engine(parts);
    set(parts, PROCESS_METRIC_connections, (double)fronts.connections);
    set(parts, PROCESS_METRIC_requests, (double)fronts.requests);
    set(parts, PROCESS_METRIC_streams, (double)fronts.streams);
    set(parts, PROCESS_METRIC_unsent, (double)fronts.unsent_bytes);
    set_refusals(parts, &fronts);
    set_front_turns(parts);
    set(parts, PROCESS_METRIC_tunnels, (double)fronts.tunnels);
    set(parts, PROCESS_METRIC_tunnels_held, (double)fronts.tunnels_held);
    set(parts, PROCESS_METRIC_log_bytes, (double)logs.bytes_appended);
    set(parts, PROCESS_METRIC_log_syncs, (double)logs.syncs);
    set(parts, PROCESS_METRIC_log_sync_longest, (double)logs.sync_us_max / 1e6);
    set(parts, PROCESS_METRIC_log_sources, (double)logs.sources);
    set(parts, PROCESS_METRIC_log_sources_max, (double)logs.sources_max);
    set(parts, PROCESS_METRIC_log_sources_waiting, (double)logs.sources_waiting);
    set(parts, PROCESS_METRIC_log_damaged, (double)logs.damaged);
    set(parts, PROCESS_METRIC_log_chains_differ, (double)logs.chains_differ);
    set(parts, PROCESS_METRIC_log_followers, (double)logs.followers);
    set(parts, PROCESS_METRIC_usage_attempts, (double)usage.attempts);
    set(parts, PROCESS_METRIC_usage_behind, usage.is_behind);
}

void process_metrics_add(const struct process_metrics_parts *parts)
{
    fl_metrics_add(parts->metrics, process_metrics, PROCESS_METRICS_LEN);
    fl_metric_set(fl_metric(parts->metrics, &process_metrics[PROCESS_METRIC_build], FL_VERSION), 1);
    fl_metrics_on_collect(parts->metrics, on_collect, (void *)parts);
}
