#include "controlplane/core/core_state.h"

/* A timer is never taken out of the heap: when it comes up, or when the heap is swept, its owner
 * says whether it still counts.  So arming is cheap, and a sweep bounds what has been forgotten. */

enum { KIND_BITS = 8, FORGOTTEN_MAX = 1024 };

static bool is_meant(const struct core *core, struct fl_heap_item item)
{
    enum timer_kind kind = (enum timer_kind)(item.value & 0xff);
    uint64_t value = item.value >> KIND_BITS;
    uint32_t slot = (uint32_t)value;

    switch (kind) {
    case TIMER_ELEMENT:
        return fl_slab_is_taken(&core->elements.elements, slot) &&
               element_table_at(&core->elements, slot)->place == ELEMENT_WAITING &&
               element_table_at(&core->elements, slot)->wait_until == item.key;
    case TIMER_DEADLINE: {
        uint32_t job_slot = job_table_find(&core->jobs, (struct fl_job){value});
        const struct job *job = job_slot ? job_table_at(&core->jobs, job_slot) : NULL;
        const struct job_run *run = job ? job_table_run(&core->jobs, job) : NULL;

        return run && run->first_start && run->stop == REASON_none;
    }
    case TIMER_LOSS:
        return cluster_table_at(&core->clusters, slot)->lost_at == item.key;
    case TIMER_RESEND:
        return cluster_table_at(&core->clusters, slot)->resend_at == item.key;
    case TIMER_STRAY:
        return cluster_table_at(&core->clusters, slot)->strays.len > 0;
    case TIMER_HEAD:
        return fl_slab_is_taken(&core->queues.buckets, slot) &&
               queue_table_bucket(&core->queues, slot)->blocked_at != 0 &&
               queue_table_bucket(&core->queues, slot)->blocked_at + core->config.head_wait_ms ==
                   item.key;
    case TIMER_ACCESS:
        return core->access_at == item.key;
    }
    fl_unreachable("a timer has one of its kinds");
}

static void sweep(struct core *core)
{
    size_t needed = (size_t)core->elements.elements.len + core->deadlines +
                    3 * core->clusters.clusters.len + core->queues.buckets.len + 1;
    struct fl_heap kept = {0};

    if (core->timers.len <= 2 * needed + FORGOTTEN_MAX) return;
    for (size_t i = 0; i < core->timers.len; i++) {
        if (is_meant(core, core->timers.at[i])) fl_heap_push(&kept, core->timers.at[i]);
    }
    fl_heap_fini(&core->timers);
    core->timers = kept;
}

void core_timer_arm(struct core *core, enum timer_kind kind, uint64_t value, fl_ms at)
{
    sweep(core);
    fl_heap_push(&core->timers, (struct fl_heap_item){.key = at,
                                                      .tie = core->timers_pushed++,
                                                      .value = value << KIND_BITS | kind});
}

bool core_timer_due(struct core *core, enum timer_kind *ret_kind, uint64_t *ret_value)
{
    const struct fl_heap_item *due;

    while ((due = fl_heap_peek(&core->timers)) && due->key <= core->now) {
        struct fl_heap_item item = fl_heap_pop(&core->timers);

        if (!is_meant(core, item)) continue;
        *ret_kind = (enum timer_kind)(item.value & 0xff);
        *ret_value = item.value >> KIND_BITS;
        return true;
    }
    return false;
}
