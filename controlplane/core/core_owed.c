#include "controlplane/core/core_state.h"

/* The answers that a cluster owes in its session: its inventory, and one to each START and STOP.
 * Each kind has a line, in the order of the commands, which is that of their limits: so one timer a
 * line is enough, for the first in it.  core_overdue.c acts when one is overdue. */

static struct cluster_owed *line_of(const struct core *core, const struct element *element)
{
    return &cluster_table_at(&core->clusters, element->cluster)->owed[element->owed];
}

static fl_ms limit_of(const struct core *core, enum element_owed owed)
{
    return owed == ELEMENT_OWED_start ? core->config.start_ms : core->config.stop_ms;
}

static void arm(struct core *core, struct cluster *cluster, enum element_owed owed, fl_ms at)
{
    cluster->owed[owed].at = at;
    core_timer_arm(core, owed == ELEMENT_OWED_start ? TIMER_STARTS : TIMER_STOPS, cluster->id.n,
                   at);
}

void core_owed_drop(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    struct cluster_owed *line = line_of(core, element);

    if (element->session != cluster->session_epoch || element->owed == ELEMENT_OWED_nothing) return;
    element->owed = ELEMENT_OWED_nothing;
    if (!cluster->is_connected) return; /* its lines are gone, as its session */
    if (element->owed_prev.n) {
        element_table_at(&core->elements, element->owed_prev)->owed_next = element->owed_next;
    } else {
        line->first = element->owed_next;
    }
    if (element->owed_next.n) {
        element_table_at(&core->elements, element->owed_next)->owed_prev = element->owed_prev;
    } else {
        line->last = element->owed_prev;
    }
    element->owed_prev = element->owed_next = (struct element_slot){0};
}

void core_owed_put(struct core *core, struct element_slot slot, enum element_owed owed)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    struct cluster_owed *line = &cluster->owed[owed];

    element_enter_session(element, cluster->session_epoch);
    core_owed_drop(core, slot);
    element->owed = (uint8_t)owed;
    element->owed_at = core->now;
    element->owed_prev = line->last;
    element->owed_next = (struct element_slot){0};
    if (line->last.n) {
        element_table_at(&core->elements, line->last)->owed_next = slot;
    } else {
        line->first = slot;
    }
    line->last = slot;
    if (line->at == 0) arm(core, cluster, owed, core->now + limit_of(core, owed));
}

void core_owed_begin(struct core *core, struct cluster *cluster)
{
    cluster->inventory_at = core->now + core->config.inventory_ms;
    core_timer_arm(core, TIMER_INVENTORY, cluster->id.n, cluster->inventory_at);
}

/* The limit counts from 'from'; not while the database is away, since nothing leaves then, and no
 * answer is heard. */
static fl_ms due_at(const struct core *core, fl_ms from, fl_ms limit)
{
    if (core->is_db_away) return core->now + limit;
    return (from > core->owed_from ? from : core->owed_from) + limit;
}

struct element_slot core_owed_take(struct core *core, struct cluster *cluster,
                                   enum element_owed owed, bool is_first)
{
    struct cluster_owed *line = &cluster->owed[owed];
    struct element_slot slot = line->first;
    fl_ms at;

    line->at = 0;
    if (!slot.n) return slot;
    at = due_at(core, element_table_at(&core->elements, slot)->owed_at, limit_of(core, owed));
    if (at <= core->now && (is_first || core->slice_left > 0)) {
        core_owed_drop(core, slot);
        return slot;
    }
    arm(core, cluster, owed, at > core->now ? at : core->now);
    return (struct element_slot){0};
}

bool core_owed_inventory(struct core *core, struct cluster *cluster)
{
    fl_ms from = cluster->inventory_at - core->config.inventory_ms;
    fl_ms at = due_at(core, from, core->config.inventory_ms);

    cluster->inventory_at = 0;
    if (at <= core->now) return true;
    cluster->inventory_at = at;
    core_timer_arm(core, TIMER_INVENTORY, cluster->id.n, at);
    return false;
}
