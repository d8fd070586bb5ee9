#include "controlplane/core/core_state.h"

/* A round of placement carried out: sched/round.h decides, and nothing else does. */

enum { ROUND_LOOKS_PER_LOOK = 8 };

void core_round_end_claim(struct core *core, struct queue *queue)
{
    struct claim *claim = &queue->claim;
    struct cluster *cluster = cluster_table_at(&core->clusters, claim->cluster);

    for (size_t i = 0; i < claim->parts.len && !cluster->is_claim_broken; i++) {
        const struct claim_part *part = &claim->parts.at[i];

        cluster_unclaim(cluster, part->node, part->room);
        cluster_unclaim_named(cluster, part->node, claim_part_wants(part));
    }
    if (--cluster->claims_len == 0 && cluster->is_claim_broken) cluster_clear_claims(cluster);
    claim->cluster = (struct fl_cluster){0};
    fl_vec_clear(&claim->parts);
    fl_vec_clear(&claim->nodes);
    core_retry_shapes(core, cluster);
}

static void begin_claim(struct core *core, const struct decision *decision)
{
    struct claim *claim = &queue_table_at(&core->queues, decision->queue)->claim;
    struct cluster *cluster = cluster_table_at(&core->clusters, decision->claim.cluster);
    struct shape_slot slot = queue_table_bucket(&core->queues, decision->bucket)->shape;
    const struct shape_entry *shape = shape_table_at(&core->shapes, slot);

    claim->shape = shape->id;
    claim->cluster = decision->claim.cluster;
    cluster->claims_len++;
    for (size_t i = 0; i < decision->claim.parts_len; i++) {
        const struct claim_part *part = &decision->claim.parts[i];

        fl_vec_push(&claim->parts, *part);
        cluster_claim(cluster, part->node, part->room);
        cluster_claim_named(cluster, part->node, claim_part_wants(part));
    }
    for (uint32_t i = 0; i < shape->replicas; i++) {
        fl_vec_push(&claim->nodes, decision->claim.nodes[i]);
    }
}

/* Claims on nodes that are not what they were, or on a cluster that takes no work. */
static void end_broken_claims(struct core *core)
{
    for (size_t i = 0; i < core->queues.ids.len; i++) {
        struct queue *queue = queue_table_at(&core->queues, core->queues.ids.at[i]);
        const struct cluster *cluster;

        if (!queue->claim.cluster.n) continue;
        cluster = cluster_table_at(&core->clusters, queue->claim.cluster);
        if (cluster->is_claim_broken || !judge_takes_work(cluster)) {
            core_round_end_claim(core, queue);
        }
    }
}

static void carry_out(struct core *core, struct core_batch *batch, const struct decision *decision)
{
    switch (decision->kind) {
    case DECISION_START:
        cluster_table_at(&core->clusters, decision->placement.cluster)->node_cursor =
            decision->placement.cursor;
        queue_table_bucket(&core->queues, decision->bucket)->why = REASON_none;
        core_attempt_start(core, batch, decision->job, &decision->placement);
        fl_arena_reset(&core->scratch);
        break;
    case DECISION_REFUSE:
        queue_table_bucket(&core->queues, decision->bucket)->why = (uint8_t)decision->why;
        break;
    case DECISION_CLAIM:
        begin_claim(core, decision);
        break;
    case DECISION_UNCLAIM:
        core_round_end_claim(core, queue_table_at(&core->queues, decision->queue));
        break;
    }
}

/* A START of a wide gang is long: so much of a batch is for rounds. */
static bool is_full(const struct core_batch *batch)
{
    return core_batch_bytes(batch) >= CORE_BATCH_BYTES_MAX / 2;
}

/* A round shares its turn with the submissions before it: where they have looked at much, it looks
 * at less, but at a quarter always, so that rounds go on.  A submission's look is the dearer one,
 * since it finds a cluster that is in no cache. */
static uint64_t looks_of(const struct core *core)
{
    uint64_t most = core->config.round_looks_max, least = most / 4;
    uint64_t used = core->looked_for_submits * ROUND_LOOKS_PER_LOOK;

    return used < most - least ? most - used : least;
}

bool core_round(struct core *core, struct core_batch *batch)
{
    struct round_view view = {.clusters = &core->clusters,
                              .queues = &core->queues,
                              .jobs = &core->jobs,
                              .elements = &core->elements,
                              .shapes = &core->shapes,
                              .queue_served = core->queue_served,
                              .unconfirmed_max = core->config.unconfirmed_max,
                              .elements_max = core->config.elements_max,
                              .claims_percent_max = core->config.claims_percent_max,
                              .starts_max = is_full(batch) ? 1 : core->config.round_starts_max,
                              .looks_max = looks_of(core)};
    bool has_more;

    if (core_history_is_disputed(core)) return false;
    end_broken_claims(core);
    has_more = round_run(&core->round, &view);
    cluster_table_settle(&core->clusters);
    core_look(core, core->round.chooser.room.looked);
    core->queue_served = core->round.queue_served;
    for (size_t i = 0; i < core->round.decisions.len; i++) {
        const struct decision *decision = &core->round.decisions.at[i];

        /* The rest is decided anew, for the next batch; a claim does not end without its start. */
        if (i > 0 && is_full(batch) && decision[-1].kind != DECISION_UNCLAIM) {
            has_more = true;
            break;
        }
        carry_out(core, batch, decision);
        has_more =
            has_more || decision->kind == DECISION_UNCLAIM; /* it kept others from starting */
    }
    core->is_dirty = has_more;
    return has_more;
}
