#include "controlplane/core/core.h"

#include <string.h>

#include "controlplane/core/core_state.h"
#include "shared/base/alloc.h"

struct core_config core_config_default(void)
{
    return (struct core_config){.jobs_max = 20000000,
                                .elements_max = 2000000,
                                .queues_max = 1000,
                                .clusters_max = 20000,
                                .shapes_max = 16384,
                                .queue_percent = 25,
                                .owner_percent = 25,
                                .nodes_max = 10000,
                                .unconfirmed_max = 2500,
                                .backoff_first_ms = 10000,
                                .backoff_max_ms = 300000,
                                .silence_ms = 60000,
                                .resend_ms = 30000,
                                .rejoin_ms = 7 * 24 * FL_HOUR_MS,
                                .start_ms = 60000,
                                .stop_ms = 60000,
                                .inventory_ms = 30000,
                                .stray_ms = 15 * FL_MINUTE_MS,
                                .claims_percent_max = 50,
                                .refuses_impossible = true,
                                .round_starts_max = 2000,
                                .round_looks_max = 70000,
                                .slice_max = 8192};
}

struct core *core_create(const struct core_config *config)
{
    struct core *core = fl_new(struct core);

    core->config = *config;
    core->job_next = 1;
    core->job_below = UINT64_MAX;
    core->spec_newest_range = UINT64_MAX;
    core->access_at = INT64_MAX;
    core->slice_left = config->slice_max;
    fl_prng_seed(&core->prng, 0);
    shape_table_init(&core->shapes, config->shapes_max);
    queue_table_init(&core->queues, config->queues_max, 4 * config->shapes_max);
    job_table_init(&core->jobs, config->jobs_max);
    owner_table_init(&core->owners, config->jobs_max);
    dependency_table_init(&core->dependencies);
    singleton_table_init(&core->singletons);
    element_table_init(&core->elements, UINT32_MAX - 1); /* a round keeps to elements_max */
    cluster_table_init(&core->clusters, config->clusters_max, config->nodes_max);
    return core;
}

void core_destroy(struct core *core)
{
    if (!core) return;
    round_fini(&core->round);
    feasibility_fini(&core->feasibility);
    fl_vec_fini(&core->acks_due);
    fl_vec_fini(&core->walks);
    fl_vec_fini(&core->waits);
    fl_heap_fini(&core->timers);
    fl_map_fini(&core->specs_seen);
    fl_arena_fini(&core->scratch);
    element_table_fini(&core->elements);
    job_table_fini(&core->jobs);
    owner_table_fini(&core->owners);
    dependency_table_fini(&core->dependencies);
    singleton_table_fini(&core->singletons);
    pair_table_fini(&core->pairs);
    queue_table_fini(&core->queues);
    shape_table_fini(&core->shapes);
    cluster_table_fini(&core->clusters);
    resource_table_fini(&core->resources);
    access_table_fini(&core->access);
    fl_free(core);
}

static void db_away(struct core *core)
{
    core->is_db_away = true;
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        core->clusters.clusters.at[i]->lost_at = 0;
    }
}

/* Without a database no session could begin, and no command left: every cluster gets the full time
 * again, for what it owes too. */
static void db_back(struct core *core)
{
    core->is_db_away = false;
    core->replies_from = core->now;
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        struct cluster *cluster = core->clusters.clusters.at[i];

        if (cluster->state != CLUSTER_ENROLLED || cluster->is_inventoried || cluster->is_silent) {
            continue;
        }
        cluster->lost_at = core->now + core->config.silence_ms;
        core_timer_arm(core, TIMER_LOSS, cluster->id.n, cluster->lost_at);
    }
}

/* As many as fit in the slice; core_settle goes on with the others. */
static void fire_timers(struct core *core, struct core_batch *batch)
{
    enum timer_kind kind;
    uint64_t value;

    while (core_timer_due(core, &kind, &value)) {
        struct fl_cluster cluster = {(uint32_t)value};

        switch (kind) {
        case TIMER_ELEMENT:
            core_element_ready(core, (struct element_slot){(uint32_t)value});
            break;
        case TIMER_DEADLINE:
            core_job_stop(core, batch, job_table_find(&core->jobs, (struct fl_job){value}),
                          REASON_DeadlineExceeded);
            break;
        case TIMER_LOSS:
            core_session_expire(core, batch, cluster_table_at(&core->clusters, cluster));
            break;
        case TIMER_RESEND:
            core_session_sweep(core, batch, cluster_table_at(&core->clusters, cluster));
            break;
        case TIMER_STRAY:
            core_session_strays(core, batch, cluster_table_at(&core->clusters, cluster));
            break;
        case TIMER_ACCESS:
            core_access_expire(core, batch);
            break;
        case TIMER_STARTS:
            core_overdue_starts(core, batch, cluster_table_at(&core->clusters, cluster));
            break;
        case TIMER_STOPS:
            core_overdue_stops(core, batch, cluster_table_at(&core->clusters, cluster));
            break;
        case TIMER_INVENTORY:
            core_overdue_inventory(core, batch, cluster_table_at(&core->clusters, cluster));
            break;
        }
    }
    core->is_timers_cut = core_timer_is_due(core);
}

/* A database is accepted: attempts whose gate waited for that go on. */
static void open_gates(struct core *core, struct core_batch *batch)
{
    core->is_dirty = true;
    for (size_t i = 0; i < core->clusters.clusters.len; i++) {
        struct cluster *cluster = core->clusters.clusters.at[i];

        if (cluster->live_first.n) core_session_sweep(core, batch, cluster);
    }
}

void core_step(struct core *core, const struct core_event *event, struct core_batch *batch)
{
    if (event->now > core->now) core->now = event->now;
    core->clusters.now = core->now;
    if (core->now > batch->at) batch->at = core->now;
    fl_assert(core->is_begun != (event->kind == CORE_EV_begin));
    fl_arena_reset(&core->scratch);
    switch (event->kind) {
    case CORE_EV_begin:
        core->is_begun = true;
        core->history.leader_row = event->begin.incarnation;
        core->incarnation = event->begin.incarnation + core->history.incarnations;
        fl_prng_seed(&core->prng, event->begin.seed);
        core_begin(core);
        break;
    case CORE_EV_tick:
        fire_timers(core, batch);
        break;
    case CORE_EV_room:
        core->job_below = event->room.job_below;
        break;
    case CORE_EV_history:
        core_history(core, event, batch);
        break;
    case CORE_EV_db_away:
        db_away(core);
        break;
    case CORE_EV_db_back:
        db_back(core);
        break;
    case CORE_EV_submit:
        core_submit(core, event, batch);
        break;
    case CORE_EV_bound:
        core_bound(core, event, batch);
        break;
    case CORE_EV_cancel:
    case CORE_EV_hold:
    case CORE_EV_release:
    case CORE_EV_queue_put:
    case CORE_EV_queue_remove:
    case CORE_EV_cluster_put:
    case CORE_EV_cluster_cordon:
    case CORE_EV_cluster_forget:
    case CORE_EV_cluster_drain:
        core_control(core, event, batch);
        break;
    case CORE_EV_edit:
        core_edit(core, event, batch);
        break;
    case CORE_EV_cluster_revoke:
    case CORE_EV_cluster_unlock:
    case CORE_EV_join_put:
    case CORE_EV_join_revoke:
    case CORE_EV_enrol:
    case CORE_EV_renew:
    case CORE_EV_token_put:
    case CORE_EV_token_revoke:
    case CORE_EV_token_rotate:
    case CORE_EV_denied:
    case CORE_EV_visit:
        core_access(core, event, batch);
        break;
    case CORE_EV_accept_restore:
        if (core_history_accept(core, event, batch)) open_gates(core, batch);
        break;
    case CORE_EV_read_job:
    case CORE_EV_list_jobs:
    case CORE_EV_list_clusters:
    case CORE_EV_list_nodes:
    case CORE_EV_list_queues:
    case CORE_EV_explain:
        core_read(core, event, batch);
        break;
    case CORE_EV_session_open:
    case CORE_EV_session_lost:
    case CORE_EV_inventory:
    case CORE_EV_replica:
    case CORE_EV_nodes:
        core_session(core, event, batch);
        break;
    case CORE_EVENTS_LEN:
        fl_unreachable("an event has one of the kinds of CORE_EVENTS");
    }
}

static void acknowledge(struct core *core, struct core_batch *batch)
{
    for (size_t i = 0; i < core->acks_due.len; i++) {
        struct cluster *cluster = cluster_table_at(&core->clusters, core->acks_due.at[i]);
        struct core_send ack;

        if (!cluster->is_ack_due) continue;
        cluster->is_ack_due = false;
        ack = core_send_to(cluster, CORE_SEND_ack);
        ack.report_seq = cluster->report_seq;
        core_emit_send(batch, &ack);
    }
    fl_vec_clear(&core->acks_due);
}

/* ---- work in slices -------------------------------------------------------------------------- */

/* The looks of one slice: fewer in a batch that is nearly full, but always some, so that all work
 * ends. */
static uint32_t slice_of(const struct core *core, const struct core_batch *batch)
{
    enum { BYTES_PER_LOOK = 384, LOOKS_MIN = 64 };

    size_t bytes = core_batch_bytes(batch), looks;

    looks = bytes < CORE_BATCH_BYTES_MAX / 2 ? (CORE_BATCH_BYTES_MAX / 2 - bytes) / BYTES_PER_LOOK
                                             : LOOKS_MIN;
    return looks < core->config.slice_max ? (uint32_t)looks : core->config.slice_max;
}

/* True: it is done.  It may be gone: a job's last element ended in an earlier slice. */
static bool go_on_with(struct core *core, struct core_batch *batch, struct core_walk walk)
{
    struct job_slot job;

    if (walk.is_cluster) {
        return core_session_slice(
            core, batch, cluster_table_at(&core->clusters, (struct fl_cluster){(uint32_t)walk.id}));
    }
    job = job_table_find(&core->jobs, (struct fl_job){walk.id});
    return !job.n || core_job_stop_slice(core, batch, job);
}

/* Timers first, with half of the slice; then each job and each cluster in its turn.  True: some is
 * left. */
static bool go_on(struct core *core, struct core_batch *batch)
{
    uint32_t slice = slice_of(core, batch), for_timers = slice - slice / 2;
    struct core_walk walk;
    bool has_waits;

    core->slice_left = for_timers;
    fire_timers(core, batch);
    core->slice_left += slice - for_timers;
    has_waits = core_begin_waits(core);
    while (core->slice_left > 0 && core_walk_take(core, &walk)) {
        if (!go_on_with(core, batch, walk)) core_walk_add(core, walk);
    }
    core->slice_left = core->config.slice_max; /* for the steps until the next settle */
    return core->is_timers_cut || has_waits || core_walk_len(core) > 0;
}

bool core_settle(struct core *core, fl_ms now, struct core_batch *batch)
{
    bool has_more;

    if (!core->is_begun) return false;
    if (now > core->now) core->now = now;
    core->clusters.now = core->now;
    if (core->now > batch->at) batch->at = core->now;
    fl_arena_reset(&core->scratch);
    has_more = go_on(core, batch);
    /* A round between due timers would start what is not first in its queue. */
    if (core->is_dirty && !core->is_timers_cut && core_round(core, batch)) has_more = true;
    acknowledge(core, batch);
    core->looked_for_submits = 0;
    return has_more;
}

fl_ms core_deadline(const struct core *core)
{
    const struct fl_heap_item *due = core->is_timers_cut ? NULL : fl_heap_peek(&core->timers);

    return due ? due->key : INT64_MAX;
}

uint64_t core_looked(const struct core *core)
{
    return core->looked;
}

struct core_stats core_stats(const struct core *core)
{
    struct core_stats stats = {.jobs = core->jobs.jobs.len,
                               .elements = core->elements.elements.len,
                               .shapes = core->shapes.entries.len,
                               .clusters = core->clusters.clusters.len,
                               .queues = core->queues.ids.len,
                               .hot_bytes = job_table_hot_bytes(&core->jobs),
                               .starts = core->starts,
                               .placements_tried = core->round.tried,
                               .walks = core_walk_len(core),
                               .is_timers_cut = core->is_timers_cut,
                               .is_disputed = core_history_is_disputed(core),
                               .job_lost_from = core->history.job_lost_from,
                               .job_lost_to = core->history.job_lost_to};

    stats.jobs_queued = stats.jobs - core->jobs.runs.len;
    return stats;
}
