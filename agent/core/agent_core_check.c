/* The agent's core looked at as a whole: its hash, and whether it is consistent. */
#include "agent/core/agent_core_state.h"
#include "agent/core/reconcile.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

uint64_t agent_core_hash(const struct agent_core *core)
{
    uint64_t flags = (uint64_t)core->is_synced << 2 | (uint64_t)core->is_up << 1 | core->is_listed;
    uint64_t hash = fl_hash_u64(0, flags);

    hash = fl_hash_u64(hash, (uint64_t)core->now);
    hash = fl_hash_u64(hash, (uint64_t)core->is_busy << 1 | core->is_listing);
    hash = fl_hash_u64(hash, (uint64_t)core->is_nodes_ended << 1 | core->is_node_left_out);
    if (core->is_listing) {
        hash = fl_hash_u64(hash, (uint64_t)core->listing.replica << 32 | core->listing.count);
        hash = fl_hash_u64(hash, core->listing.digest);
    }
    hash = fl_hash_u64(hash, core->replicas.lists[REPLICA_UNTOLD].len);
    hash = fl_hash_u64(hash, core->session_epoch);
    hash = fl_hash_u64(hash, core->mark);
    hash = fl_hash_u64(hash, core->report_seq);
    hash = fl_hash_u64(hash, (uint64_t)core->listed_at);
    hash = fl_hash_u64(hash, (uint64_t)core->connected_ms);
    hash = replica_table_hash(&core->replicas, hash);
    hash = node_table_hash(&core->nodes, hash);
    return stopped_table_hash(&core->stopped, hash);
}

static void check_replica(const struct agent_core *core, const struct attempt *attempt,
                          uint32_t slot)
{
    const struct replica *replica = replica_table_at(&core->replicas, slot);
    bool is_last = fl_replica_state_is_last(replica->seen);
    enum agent_command_kind kind;

    fl_assert(replica->seen != FL_REPLICA_absent);
    fl_assert(replica->asked & REPLICA_ASKED_CREATE);
    /* Every due command was given, or is due again at its time. */
    fl_assert(!reconcile(attempt, replica, &kind) || replica->links[REPLICA_AGAIN].is_in);
    fl_assert(replica->links[REPLICA_AGAIN].is_in == (replica->again_at != 0));
    fl_assert(replica->links[REPLICA_GATED].is_in == reconcile_is_gated(attempt->want, replica));
    fl_assert(!(replica->asked & REPLICA_ASKED_RELEASE) || attempt->want != ATTEMPT_GATED);
    fl_assert(!(replica->asked & REPLICA_ASKED_STOP) || attempt->want == ATTEMPT_STOP);
    fl_assert(is_last ||
              replica->is_charged); /* the place of a replica that may run is never given away */
    fl_assert(is_last || !replica->is_acked);
    fl_assert(!replica->is_gone || (is_last && !reconcile_is_over(attempt)));
    if (core->is_listed && is_last) {
        bool is_told = !replica->links[REPLICA_UNTOLD].is_in;

        fl_assert(!is_told || !replica->is_charged);
        fl_assert(!is_told || replica->is_acked || replica->links[REPLICA_UNACKED].is_in);
    }
    fl_assert(!replica->links[REPLICA_UNACKED].is_in ||
              (core->is_listed && is_last && replica->report_seq > 0 &&
               replica->report_seq <= core->report_seq));
}

/* Every node's own use is the sum over the replicas charged to it: counted down to nothing. */
static void check_charges(const struct agent_core *core)
{
    const struct replica_table *table = &core->replicas;
    size_t nodes_len = core->nodes.nodes.len;
    struct node *sums = fl_new_array(struct node, nodes_len + 1);

    for (size_t i = 0; i < nodes_len; i++) {
        sums[i] = *core->nodes.nodes.at[i].node;
        sums[i].own_named = fl_amounts_clone(&sums[i].own_named);
    }
    for (uint32_t slot = table->first; slot; slot = replica_table_attempt(table, slot)->next) {
        const struct attempt *attempt = replica_table_attempt(table, slot);

        for (size_t i = 0; i < attempt->replicas.len; i++) {
            const struct replica *replica = replica_table_at(table, attempt->replicas.at[i].slot);
            size_t n = fl_vec_lower_bound(&core->nodes.nodes, number, replica->node);

            if (!replica->is_charged) continue;
            fl_assert(n < nodes_len && sums[n].number == replica->node && sums[n].charges > 0);
            sums[n].charges--;
            fl_resources_sum_take(&sums[n].own, replica->resources);
            fl_amounts_sum_take(&sums[n].own_named, &replica->named);
        }
    }
    for (size_t i = 0; i < nodes_len; i++) {
        fl_assert(!sums[i].charges && fl_resources_sum_is_zero(sums[i].own));
        fl_assert(sums[i].own_named.len == 0);
    }
    fl_free(sums);
}

void agent_core_check(const struct agent_core *core)
{
    const struct replica_table *table = &core->replicas;

    replica_table_check(table);
    node_table_check(&core->nodes);
    stopped_table_check(&core->stopped);
    fl_assert(!(core->is_listed || core->is_listing) || (core->is_up && core->is_synced));
    fl_assert(!core->is_up || !core->is_synced || core->is_listed != core->is_listing);
    fl_assert(core->is_listed || core->is_listing || !core->replicas.lists[REPLICA_UNTOLD].len);
    fl_assert(core->is_listed || core->nodes.timed.len + core->nodes.urgent.len == 0);
    fl_assert(core->nodes.here_len <= core->config.nodes_max);
    for (uint32_t slot = table->first; slot; slot = replica_table_attempt(table, slot)->next) {
        const struct attempt *attempt = replica_table_attempt(table, slot);

        for (size_t i = 0; i < attempt->replicas.len; i++) {
            check_replica(core, attempt, attempt->replicas.at[i].slot);
        }
    }
    check_charges(core);
}
