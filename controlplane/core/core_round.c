#include "controlplane/core/core_state.h"

/* A round of placement.  Queues take turns, one start each; within a queue, priority, then age.  A
 * head that no cluster could run even when empty is passed; one that merely does not fit holds its
 * queue for a while, so that small work does not starve it for ever, and is then passed and tried
 * again whenever something changes. */

enum outcome { STARTED, HELD, EXHAUSTED };

static struct fl_heap_item head_item(const struct core *core, uint32_t slot, uint32_t job)
{
    return (struct fl_heap_item){.key = -(int64_t)queue_table_bucket(&core->queues, slot)->priority,
                                 .tie = job_table_at(&core->jobs, job)->id,
                                 .value = slot};
}

/* At the limit of started elements only what has started before can start. */
static uint32_t head(const struct core *core, uint32_t bucket)
{
    return core->elements.elements.len < core->config.elements_max
               ? queue_table_head(&core->queues, &core->jobs, bucket)
               : queue_table_head_ready(&core->queues, &core->jobs, bucket);
}

static void gather(struct core *core, struct turn *turn, uint32_t queue_slot)
{
    const struct queue *queue = queue_table_at(&core->queues, queue_slot);

    turn->queue = queue_slot;
    turn->heads.len = 0;
    for (size_t i = 0; i < queue->buckets.len; i++) {
        uint32_t slot = queue->buckets.at[i];
        uint32_t job = head(core, slot);

        if (job) {
            fl_heap_push(&turn->heads, head_item(core, slot, job));
        } else if (!queue_table_head(&core->queues, &core->jobs, slot)) {
            queue_table_bucket(&core->queues, slot)->blocked_at = 0;
        }
    }
}

static bool could_ever(struct core *core, struct shape_entry *shape)
{
    uint64_t totals_at = core->clusters.totals_at;

    if (shape->never_at != totals_at && shape->ever_at != totals_at) {
        if (placement_could_ever(&core->clusters, shape, &core->scratch)) {
            shape->ever_at = totals_at;
        } else {
            shape->never_at = totals_at;
        }
    }
    return shape->ever_at == totals_at;
}

/* True: the bucket's head does not fit, and may be passed. */
static bool may_pass(struct core *core, uint32_t slot, struct shape_entry *shape, enum reason why)
{
    struct bucket *bucket = queue_table_bucket(&core->queues, slot);

    shape->tried_at = core->clusters.stamp;
    shape->why = (uint8_t)why;
    if (!could_ever(core, shape)) {
        bucket->why = REASON_NoMatchingCluster;
        bucket->blocked_at = 0;
        return true;
    }
    bucket->why = (uint8_t)why;
    if (bucket->blocked_at == 0) {
        bucket->blocked_at = core->now;
        core_timer_arm(core, TIMER_HEAD, slot, core->now + core->config.head_wait_ms);
    }
    return core->now - bucket->blocked_at >= core->config.head_wait_ms;
}

static enum outcome serve(struct core *core, struct core_batch *batch, struct turn *turn)
{
    const struct fl_heap_item *top;

    while ((top = fl_heap_peek(&turn->heads))) {
        uint32_t slot = (uint32_t)top->value;
        struct bucket *bucket = queue_table_bucket(&core->queues, slot);
        uint32_t job = head(core, slot);
        struct shape_entry *shape = shape_table_at(&core->shapes, bucket->shape);
        struct placement placement;
        enum reason why;
        bool is_passed;

        if (!job) {
            (void)fl_heap_pop(&turn->heads);
            continue;
        }
        core->placements_tried++;
        if (placement_choose(&core->clusters, shape,
                             (struct placement_limits){core->config.unconfirmed_max},
                             &core->scratch, &placement, &why)) {
            cluster_table_at(&core->clusters, placement.cluster)->node_cursor = placement.cursor;
            bucket->blocked_at = 0;
            bucket->why = REASON_none;
            core_attempt_start(core, batch, job, &placement);
            (void)fl_heap_pop(&turn->heads);
            job = head(core, slot);
            if (job) fl_heap_push(&turn->heads, head_item(core, slot, job));
            fl_arena_reset(&core->scratch);
            return STARTED;
        }
        is_passed = may_pass(core, slot, shape, why);
        fl_arena_reset(&core->scratch);
        if (!is_passed) return HELD;
        (void)fl_heap_pop(&turn->heads);
    }
    return EXHAUSTED;
}

/* The queues that have something to start, beginning behind the one that was served last. */
static size_t gather_all(struct core *core)
{
    uint32_t queues_len = (uint32_t)core->queues.queues.len;
    size_t turns_len = 0;

    for (uint32_t i = 0; i < queues_len; i++) {
        uint32_t slot = (core->turn_queue + i) % queues_len + 1;
        const struct queue *queue = queue_table_at(&core->queues, slot);

        if (queue->is_paused || queue->buckets.len == 0) continue;
        if (turns_len == core->turns.len) fl_vec_push(&core->turns, (struct turn){0});
        gather(core, &core->turns.at[turns_len], slot);
        if (core->turns.at[turns_len].heads.len > 0) turns_len++;
    }
    return turns_len;
}

bool core_round(struct core *core, struct core_batch *batch)
{
    uint32_t starts_left = core->config.round_starts_max;
    size_t turns_len = gather_all(core);

    core->is_dirty = false;
    while (turns_len > 0) {
        size_t kept = 0;

        for (size_t i = 0; i < turns_len; i++) {
            struct turn turn = core->turns.at[i];

            if (starts_left == 0) {
                core->is_dirty = true;
                return true;
            }
            if (serve(core, batch, &core->turns.at[i]) == STARTED) {
                starts_left--;
                core->turn_queue = turn.queue;
                turn = core->turns.at[i];
                core->turns.at[i] = core->turns.at[kept]; /* keep both heaps alive */
                core->turns.at[kept++] = turn;
            }
        }
        turns_len = kept;
    }
    core->is_dirty = false;
    return false;
}
