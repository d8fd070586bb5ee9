#include "controlplane/core/core_state.h"

/* The replies that a cluster owes in its session: its inventory, and one to each START and STOP.
 * Each kind has a line, in the order of the commands, which is that of their limits: so one timer a
 * line is enough, for the first in it.  core_overdue.c acts when one is overdue. */

static struct cluster_replies *line_of(const struct core *core, const struct element *element)
{
    return &cluster_table_at(&core->clusters, element->cluster)->replies[element->reply_due];
}

static fl_ms limit_of(const struct core *core, enum element_reply reply)
{
    return reply == ELEMENT_REPLY_start ? core->config.start_ms : core->config.stop_ms;
}

static void arm(struct core *core, struct cluster *cluster, enum element_reply reply, fl_ms at)
{
    cluster->replies[reply].at = at;
    core_timer_arm(core, reply == ELEMENT_REPLY_start ? TIMER_STARTS : TIMER_STOPS, cluster->id.n,
                   at);
}

void core_reply_drop(struct core *core, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    struct cluster_replies *line = line_of(core, element);

    if (element->session != cluster->session_epoch || element->reply_due == ELEMENT_REPLY_nothing) {
        return;
    }
    element->reply_due = ELEMENT_REPLY_nothing;
    if (!cluster->is_connected) return; /* its lines are gone, as its session */
    if (element->reply_prev.n) {
        element_table_at(&core->elements, element->reply_prev)->reply_next = element->reply_next;
    } else {
        line->first = element->reply_next;
    }
    if (element->reply_next.n) {
        element_table_at(&core->elements, element->reply_next)->reply_prev = element->reply_prev;
    } else {
        line->last = element->reply_prev;
    }
    element->reply_prev = element->reply_next = (struct element_slot){0};
}

void core_reply_expect(struct core *core, struct element_slot slot, enum element_reply reply)
{
    struct element *element = element_table_at(&core->elements, slot);
    struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    struct cluster_replies *line = &cluster->replies[reply];

    element_enter_session(element, cluster->session_epoch);
    core_reply_drop(core, slot);
    element->reply_due = (uint8_t)reply;
    element->reply_since = core->now;
    element->reply_prev = line->last;
    element->reply_next = (struct element_slot){0};
    if (line->last.n) {
        element_table_at(&core->elements, line->last)->reply_next = slot;
    } else {
        line->first = slot;
    }
    line->last = slot;
    if (line->at == 0) arm(core, cluster, reply, core->now + limit_of(core, reply));
}

void core_reply_begin(struct core *core, struct cluster *cluster)
{
    cluster->inventory_at = core->now + core->config.inventory_ms;
    core_timer_arm(core, TIMER_INVENTORY, cluster->id.n, cluster->inventory_at);
}

/* The limit counts from 'from'; not while the database is away, since nothing leaves then, and no
 * answer is heard. */
static fl_ms due_at(const struct core *core, fl_ms from, fl_ms limit)
{
    if (core->is_db_away) return core->now + limit;
    return (from > core->replies_from ? from : core->replies_from) + limit;
}

struct element_slot core_reply_take(struct core *core, struct cluster *cluster,
                                    enum element_reply reply, bool is_first)
{
    struct cluster_replies *line = &cluster->replies[reply];
    struct element_slot slot = line->first;
    fl_ms at;

    line->at = 0;
    if (!slot.n) return slot;
    at = due_at(core, element_table_at(&core->elements, slot)->reply_since, limit_of(core, reply));
    if (at <= core->now && (is_first || core->slice_left > 0)) {
        core_reply_drop(core, slot);
        return slot;
    }
    arm(core, cluster, reply, at > core->now ? at : core->now);
    return (struct element_slot){0};
}

bool core_reply_inventory(struct core *core, struct cluster *cluster)
{
    fl_ms from = cluster->inventory_at - core->config.inventory_ms;
    fl_ms at = due_at(core, from, core->config.inventory_ms);

    cluster->inventory_at = 0;
    if (at <= core->now) return true;
    cluster->inventory_at = at;
    core_timer_arm(core, TIMER_INVENTORY, cluster->id.n, at);
    return false;
}
