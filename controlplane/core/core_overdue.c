#include "controlplane/core/core_state.h"

/* A cluster that is connected and does not answer would hold its work for ever: here the core acts,
 * at its own limits.  core_reply.c has the lines of overdue replies. */

/* A START that no report of the agent includes yet may be read late: until then its reports count
 * that room as free. */
static void leave_late(struct core *core, struct element *element, uint32_t i)
{
    struct cluster *cluster = cluster_table_at(&core->clusters, element->cluster);
    const struct element_replica *replica = element_replica(element, i);
    const struct shape *shape = core_attempt_shape(core, element);
    const struct shape_role *role = shape_role_of(shape, i);

    if (!replica->is_held || replica->node == ELEMENT_NODE_NONE || element->start_seq == 0) return;
    cluster_leave_late(cluster, replica->node, role->each, element->start_seq);
    cluster_leave_late_named(cluster, replica->node, shape_wants(shape, role));
}

/* GO needs all replicas, and one was never told of: none of them runs. */
static void give_up_start(struct core *core, struct core_batch *batch, struct element_slot slot)
{
    struct element *element = element_table_at(&core->elements, slot);
    enum reason stop = core_attempt_stop_reason(core, element);

    core_spend(core, LOOKS_OF_END);
    if (stop != REASON_none) { /* it is to stop, and its turn for that has not come */
        core_attempt_stop(core, batch, slot, stop);
        return;
    }
    /* Its replicas may be there, or come yet: room is free once the agent reports the node. */
    for (uint32_t i = 0; i < element->replicas_len; i++) {
        leave_late(core, element, i);
        (void)core_attempt_unhold(core, element, i);
    }
    core_attempt_stop(core, batch, slot, REASON_StartUnconfirmed);
    core_attempt_end(core, batch, slot, REASON_StartUnconfirmed);
}

void core_overdue_starts(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    struct element_slot slot;
    bool is_first = true;

    while ((slot = core_reply_take(core, cluster, ELEMENT_REPLY_start, is_first)).n) {
        is_first = false;
        give_up_start(core, batch, slot);
    }
}

void core_overdue_stops(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    struct element_slot slot;
    bool is_first = true;

    while ((slot = core_reply_take(core, cluster, ELEMENT_REPLY_stop, is_first)).n) {
        is_first = false;
        core_spend(core, LOOKS_OF_END);
        core_attempt_stop_again(core, batch, slot);
    }
}

void core_overdue_inventory(struct core *core, struct core_batch *batch, struct cluster *cluster)
{
    if (!core_reply_inventory(core, cluster)) return;
    core_disconnect(core, batch, cluster, FL_TORN,
                    fl_arena_printf(&core->scratch,
                                    "the inventory did not end within %u s; connect again",
                                    core->config.inventory_ms / 1000));
}
