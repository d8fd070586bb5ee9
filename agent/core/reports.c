#include "agent/core/reports.h"

#include "shared/base/assert.h"

/* A message without its strings, more or less; and one line of a node's offers. */
enum { REPLICA_BYTES = 64, NODE_BYTES = 96, OFFER_BYTES = 64 };

static struct fl_attempt attempt_id(const struct agent_core *core, const struct replica *replica)
{
    return replica_table_attempt(&core->replicas, replica->attempt)->id;
}

static void spend(struct agent_core *core, size_t bytes)
{
    core->page_left -= bytes < core->page_left ? bytes : core->page_left;
}

/* ---- replicas -------------------------------------------------------------------------------- */

static void tell_replica(struct agent_core *core, uint32_t slot, struct agent_batch *batch)
{
    struct replica *replica = replica_table_at(&core->replicas, slot);

    core->report_seq++;
    spend(core, REPLICA_BYTES + fl_str_c(replica->words).len);
    fl_vec_push(&batch->commands, (struct agent_command){
                                      .kind = AGENT_CMD_replica,
                                      .attempt = attempt_id(core, replica),
                                      .replica = replica->number,
                                      .report.report_seq = core->report_seq,
                                      .report.state = replica->seen,
                                      .report.cause = replica->cause,
                                      .report.exit_code = replica->exit_code,
                                      .report.output_bytes = replica->output_bytes,
                                      .report.words = fl_str_c(replica->words),
                                      .report.usage = replica->usage,
                                  });
    replica_table_unlink(&core->replicas, REPLICA_UNTOLD, slot);
    if (!fl_replica_state_is_last(replica->seen)) return;
    replica->report_seq = core->report_seq;
    replica_table_append(&core->replicas, REPLICA_UNACKED, slot);
    reports_node(core, replica->node, true);
    if (replica->is_charged) {
        replica->is_charged = false;
        node_table_uncharge(&core->nodes, replica->node, replica->resources, &replica->named);
    }
}

static void put_off(struct agent_core *core, uint32_t slot)
{
    if (replica_table_at(&core->replicas, slot)->links[REPLICA_UNTOLD].is_in) return;
    replica_table_append(&core->replicas, REPLICA_UNTOLD, slot);
}

void reports_replica(struct agent_core *core, uint32_t slot, struct agent_batch *batch)
{
    if (core->is_listed && !core->is_busy && !core->replicas.lists[REPLICA_UNTOLD].first) {
        tell_replica(core, slot, batch);
    } else if (core->is_listed || core->is_listing) {
        put_off(core, slot);
    }
}

void reports_unkept(struct agent_core *core, struct fl_attempt attempt, uint32_t replica,
                    enum fl_replica_state state, enum agent_cause cause, struct agent_batch *batch)
{
    core->report_seq++;
    fl_vec_push(&batch->commands, (struct agent_command){
                                      .kind = AGENT_CMD_replica,
                                      .attempt = attempt,
                                      .replica = replica,
                                      .report.report_seq = core->report_seq,
                                      .report.state = state,
                                      .report.cause = cause,
                                  });
}

/* ---- nodes ----------------------------------------------------------------------------------- */

void reports_node(struct agent_core *core, uint32_t number, bool is_urgent)
{
    struct node *node = node_table_find(&core->nodes, number);

    if (!core->is_listed || !node || !node->is_here) return;
    node_table_touch(&core->nodes, node, is_urgent);
}

static struct fl_str copy_text(struct agent_batch *batch, const char *text, size_t len)
{
    return (struct fl_str){fl_arena_copy(&batch->arena, text ? text : "", len), len};
}

/* The node's resources with names; the list lives as long as the batch. */
static const struct agent_offer *offers_of(const struct node *node, struct agent_batch *batch)
{
    struct fl_amounts totals = fl_amounts_copy(&node->total_named, &batch->arena);
    struct agent_offer *offers = fl_arena_array(&batch->arena, struct agent_offer, totals.len);

    for (size_t i = 0; i < totals.len; i++) {
        offers[i] = (struct agent_offer){totals.at[i].name, totals.at[i].n,
                                         node_table_free_named(node, totals.at[i].name)};
    }
    return offers;
}

static void tell_node(struct agent_core *core, struct node *node, struct agent_batch *batch)
{
    core->report_seq++;
    spend(core, NODE_BYTES + node->name_len + node->labels_len + node->taints_len +
                    node->total_named.len * OFFER_BYTES);
    fl_vec_push(&batch->commands,
                (struct agent_command){
                    .kind = AGENT_CMD_node,
                    .node.report_seq = core->report_seq,
                    .node.mark = core->mark,
                    .node.number = node->number,
                    .node.is_ready = node->is_ready,
                    .node.total = node->total,
                    .node.free = node_table_free(node),
                    .node.name = copy_text(batch, node->name, node->name_len),
                    .node.labels = copy_text(batch, node->labels, node->labels_len),
                    .node.taints = copy_text(batch, node->taints, node->taints_len),
                    .node.offers = offers_of(node, batch),
                    .node.offers_len = node->total_named.len,
                });
    node_table_settle(&core->nodes, node, core->now + core->config.node_report_ms);
}

static bool owes_nodes_end(const struct agent_core *core)
{
    return core->is_listed && !core->is_nodes_ended && core->nodes.untold_len == 0;
}

static void end_nodes(struct agent_core *core, struct agent_batch *batch)
{
    struct agent_command end = {.kind = AGENT_CMD_nodes_end};

    end.nodes_end.is_whole = !core->is_node_left_out;
    core->is_nodes_ended = true;
    fl_vec_push(&batch->commands, end);
}

void reports_node_left_out(struct agent_core *core)
{
    if (core->is_node_left_out) return;
    core->is_node_left_out = true;
    core->is_nodes_ended = false;
}

/* ---- the inventory --------------------------------------------------------------------------- */

static void list_replica(struct agent_core *core, uint32_t slot, struct agent_batch *batch)
{
    const struct replica *replica = replica_table_at(&core->replicas, slot);
    struct agent_command item = {
        .kind = AGENT_CMD_inventory_item,
        .attempt = attempt_id(core, replica),
        .replica = replica->number,
        .report.state = replica->seen,
        .report.cause = replica->cause,
        .report.exit_code = replica->exit_code,
        .report.output_bytes = replica->output_bytes,
        .report.words = fl_str_c(replica->words),
        .report.usage = replica->usage,
    };

    core->listing.count++;
    core->listing.digest = fl_inventory_digest(core->listing.digest, item.attempt, item.replica,
                                               item.report.state, item.report.exit_code);
    spend(core, REPLICA_BYTES + item.report.words.len);
    fl_vec_push(&batch->commands, item);
    if (fl_replica_state_is_last(replica->seen)) put_off(core, slot); /* its report follows */
}

static void end_listing(struct agent_core *core, struct agent_batch *batch)
{
    struct agent_command end = {.kind = AGENT_CMD_inventory_end};

    end.inventory_end.count = core->listing.count;
    end.inventory_end.digest = core->listing.digest;
    fl_vec_push(&batch->commands, end);
    core->is_listing = false;
    core->is_listed = true;
    core->listed_at = core->now;
    node_table_touch_all(&core->nodes);
}

static void list_some(struct agent_core *core, struct agent_batch *batch)
{
    while (core->listing.attempt && core->page_left) {
        const struct attempt *attempt =
            replica_table_attempt(&core->replicas, core->listing.attempt);
        size_t i = fl_vec_lower_bound(&attempt->replicas, number, core->listing.replica);

        for (; i < attempt->replicas.len && core->page_left; i++) {
            core->listing.replica = attempt->replicas.at[i].number + 1;
            list_replica(core, attempt->replicas.at[i].slot, batch);
        }
        if (i < attempt->replicas.len) return;
        core->listing.attempt = attempt->next;
        core->listing.replica = 0;
    }
    if (!core->listing.attempt) end_listing(core, batch);
}

void reports_begin(struct agent_core *core, struct agent_batch *batch)
{
    struct agent_command begin = {.kind = AGENT_CMD_inventory_begin,
                                  .inventory_begin.session_epoch = core->session_epoch};

    fl_assert(core->is_up && core->is_synced && !core->is_listed && !core->is_listing);
    fl_vec_push(&batch->commands, begin);
    core->is_listing = true;
    core->listing.attempt = core->replicas.first;
    core->listing.replica = core->listing.count = 0;
    core->listing.digest = 0;
    reports_send(core, batch);
}

void reports_end(struct agent_core *core)
{
    struct replica_table *table = &core->replicas;
    uint32_t slot;

    core->is_listing = core->is_listed = core->is_nodes_ended = false;
    while ((slot = table->lists[REPLICA_UNACKED].first)) {
        replica_table_at(table, slot)->report_seq = 0;
        replica_table_unlink(table, REPLICA_UNACKED, slot);
    }
    while ((slot = table->lists[REPLICA_UNTOLD].first)) {
        replica_table_unlink(table, REPLICA_UNTOLD, slot);
    }
    node_table_clear_due(&core->nodes);
}

void reports_forget(struct agent_core *core, uint32_t slot)
{
    uint32_t attempt = replica_table_at(&core->replicas, slot)->attempt;

    if (!core->is_listing || core->listing.attempt != attempt) return;
    if (replica_table_attempt(&core->replicas, attempt)->replicas.len > 1) return;
    core->listing.attempt = replica_table_attempt(&core->replicas, attempt)->next;
    core->listing.replica = 0;
}

/* ---- pages ----------------------------------------------------------------------------------- */

bool reports_are_due(const struct agent_core *core)
{
    return !core->is_busy &&
           (core->is_listing || core->replicas.lists[REPLICA_UNTOLD].first || owes_nodes_end(core));
}

void reports_send(struct agent_core *core, struct agent_batch *batch)
{
    struct node *node;
    uint32_t slot;

    if (core->is_busy) return;
    core->page_left = core->config.page_bytes;
    if (core->is_listing) list_some(core, batch);
    if (!core->is_listed) return;
    while (core->page_left && (slot = core->replicas.lists[REPLICA_UNTOLD].first)) {
        tell_replica(core, slot, batch);
    }
    while (core->page_left && (node = node_table_take_due(&core->nodes, core->now))) {
        tell_node(core, node, batch);
    }
    if (owes_nodes_end(core)) end_nodes(core, batch);
}
