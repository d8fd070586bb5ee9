#include "controlplane/core/core_state.h"

/* A timer is not taken out of the heap when its owner forgets it: when it comes up, or is looked at
 * in passing, its owner says whether it still counts.  Each arming looks at some others, so that
 * those that count no more stay a share of all. */

enum { KIND_BITS = 8, KEPT_MIN = 1024, LOOKS_PER_ARM = 4 };

/* Its job is not stopped. */
static bool is_wanted(const struct core *core, struct element_slot element)
{
    const struct job *job =
        job_table_at(&core->jobs, element_table_at(&core->elements, element)->job);

    return job_table_run(&core->jobs, job)->stop == REASON_none;
}

static bool is_meant(const struct core *core, struct fl_heap_item item)
{
    enum timer_kind kind = (enum timer_kind)(item.value & 0xff);
    uint64_t value = item.value >> KIND_BITS;
    struct fl_cluster cluster = {(uint32_t)value};
    struct element_slot element = {(uint32_t)value};

    switch (kind) {
    case TIMER_ELEMENT:
        return fl_slab_is_taken(&core->elements.elements, element.n) &&
               element_table_at(&core->elements, element)->place == ELEMENT_WAITING &&
               element_table_at(&core->elements, element)->wait_until == item.key &&
               is_wanted(core, element);
    case TIMER_DEADLINE: {
        struct job_slot job_slot = job_table_find(&core->jobs, (struct fl_job){value});
        const struct job *job = job_slot.n ? job_table_at(&core->jobs, job_slot) : NULL;
        const struct job_run *run = job ? job_table_run(&core->jobs, job) : NULL;

        return run && run->first_start && run->stop == REASON_none;
    }
    case TIMER_LOSS:
        return cluster_table_at(&core->clusters, cluster)->lost_at == item.key;
    case TIMER_RESEND:
        return cluster_table_at(&core->clusters, cluster)->resend_at == item.key;
    case TIMER_STRAY:
        return cluster_table_at(&core->clusters, cluster)->strays.len > 0;
    case TIMER_ACCESS:
        return core->access_at == item.key;
    case TIMER_STARTS:
        return cluster_table_at(&core->clusters, cluster)->replies[ELEMENT_REPLY_start].at ==
               item.key;
    case TIMER_STOPS:
        return cluster_table_at(&core->clusters, cluster)->replies[ELEMENT_REPLY_stop].at ==
               item.key;
    case TIMER_INVENTORY:
        return cluster_table_at(&core->clusters, cluster)->inventory_at == item.key;
    }
    fl_unreachable("a timer has one of its kinds");
}

static void look_in_passing(struct core *core)
{
    for (int looks = 0; looks < LOOKS_PER_ARM && core->timers.len > KEPT_MIN; looks++) {
        size_t i = core->timers_looked++ % core->timers.len;

        if (!is_meant(core, core->timers.at[i])) fl_heap_remove(&core->timers, i);
    }
}

void core_timer_arm(struct core *core, enum timer_kind kind, uint64_t value, fl_ms at)
{
    look_in_passing(core);
    fl_heap_push(&core->timers, (struct fl_heap_item){.key = at,
                                                      .tie = core->timers_pushed++,
                                                      .value = value << KIND_BITS | kind});
}

bool core_timer_due(struct core *core, enum timer_kind *ret_kind, uint64_t *ret_value)
{
    const struct fl_heap_item *due;

    while (core->slice_left > 0 && (due = fl_heap_peek(&core->timers)) && due->key <= core->now) {
        struct fl_heap_item item = fl_heap_pop(&core->timers);

        core_spend(core, 1);
        if (!is_meant(core, item)) continue;
        core_spend(core, LOOKS_OF_END);
        *ret_kind = (enum timer_kind)(item.value & 0xff);
        *ret_value = item.value >> KIND_BITS;
        return true;
    }
    return false;
}

bool core_timer_is_due(const struct core *core)
{
    const struct fl_heap_item *due = fl_heap_peek(&core->timers);

    return due && due->key <= core->now;
}
