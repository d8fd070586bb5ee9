#include "agent/core/agent_core.h"

#include "agent/core/agent_core_state.h"
#include "agent/core/element.h"
#include "agent/core/reconcile.h"
#include "agent/core/reports.h"
#include "shared/base/alloc.h"
#include "shared/base/assert.h"

struct agent_core_config agent_core_config_default(void)
{
    return (struct agent_core_config){
        .attempts_max = 50000,
        .replicas_max = 100000,
        .nodes_max = 10000,
        .stopped_max = 4096,
        .gate_ms = 60000,
        .node_report_ms = 200,
        .again_ms = 1000,
        .page_bytes = 256 << 10,
    };
}

struct agent_core *agent_core_create(const struct agent_core_config *config)
{
    struct agent_core *core = fl_new(struct agent_core);

    fl_assert(config->page_bytes > 0);
    fl_assert(config->attempts_max > 0 && config->replicas_max > 0 && config->nodes_max > 0);
    core->config = *config;
    replica_table_init(&core->replicas);
    stopped_table_init(&core->stopped, config->stopped_max);
    return core;
}

void agent_core_destroy(struct agent_core *core)
{
    if (!core) return;
    replica_table_fini(&core->replicas);
    node_table_fini(&core->nodes);
    stopped_table_fini(&core->stopped);
    fl_free(core);
}

/* ---- helpers --------------------------------------------------------------------------------- */

static fl_ms gate_clock(const struct agent_core *core)
{
    return core->connected_ms + (core->is_listed ? core->now - core->listed_at : 0);
}

static void note_mark(struct agent_core *core, uint64_t control_seq)
{
    if (control_seq > core->mark) core->mark = control_seq;
}

/* ---- wanted against seen --------------------------------------------------------------------- */

static uint8_t asked_bit(enum agent_command_kind kind)
{
    switch (kind) {
    case AGENT_CMD_create:
        return REPLICA_ASKED_CREATE;
    case AGENT_CMD_release:
        return REPLICA_ASKED_RELEASE;
    case AGENT_CMD_stop:
        return REPLICA_ASKED_STOP;
    case AGENT_CMD_remove:
        return REPLICA_ASKED_REMOVE;
    default:
        fl_unreachable("the rest are frames");
    }
}

static void command_runtime(const struct agent_core *core, enum agent_command_kind kind,
                            struct replica *replica, struct agent_batch *batch)
{
    const struct attempt *attempt = replica_table_attempt(&core->replicas, replica->attempt);
    struct agent_command command = {
        .kind = kind, .attempt = attempt->id, .replica = replica->number};

    replica->asked |= asked_bit(kind);
    if (kind == AGENT_CMD_create) {
        command.create.node = replica->node;
        command.create.resources = replica->resources;
        command.create.named = replica->named;
        command.create.spec = attempt->spec;
    }
    if (kind == AGENT_CMD_stop) command.stop.grace_ms = attempt->grace_ms;
    fl_vec_push(&batch->commands, command);
}

/* Call it when the wish for a replica, or its seen state, has changed. */
static void settle(struct agent_core *core, uint32_t slot, struct agent_batch *batch)
{
    struct replica *replica = replica_table_at(&core->replicas, slot);
    const struct attempt *attempt = replica_table_attempt(&core->replicas, replica->attempt);
    enum agent_command_kind kind;

    replica_table_unlink(&core->replicas, REPLICA_AGAIN, slot);
    replica->again_at = 0;
    if (!reconcile_is_gated(attempt->want, replica)) {
        replica_table_unlink(&core->replicas, REPLICA_GATED, slot);
    } else if (!replica->links[REPLICA_GATED].is_in) {
        replica->gate_until = gate_clock(core) + core->config.gate_ms;
        replica_table_append(&core->replicas, REPLICA_GATED, slot);
    }
    if (reconcile(attempt, replica, &kind)) command_runtime(core, kind, replica, batch);
}

static void settle_attempt(struct agent_core *core, uint32_t slot, struct agent_batch *batch)
{
    const struct attempt *attempt = replica_table_attempt(&core->replicas, slot);

    for (size_t i = 0; i < attempt->replicas.len; i++) {
        settle(core, attempt->replicas.at[i].slot, batch);
    }
}

static void forget(struct agent_core *core, uint32_t slot)
{
    const struct replica *replica = replica_table_at(&core->replicas, slot);

    fl_assert(replica->is_gone && replica->is_acked && !replica->is_charged);
    reports_forget(core, slot);
    replica_table_remove(&core->replicas, slot);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void leave_session(struct agent_core *core)
{
    core->connected_ms = gate_clock(core);
    core->is_up = core->is_busy = false;
    reports_end(core);
}

static void on_session_up(struct agent_core *core, const struct agent_event *ev,
                          struct agent_batch *batch)
{
    leave_session(core);
    core->is_up = true;
    core->mark = 0;
    core->session_epoch = ev->session_up.session_epoch;
    if (ev->session_up.is_new_connection) stopped_table_clear(&core->stopped);
    if (core->is_synced) reports_begin(core, batch);
}

static void on_busy(struct agent_core *core, const struct agent_event *ev,
                    struct agent_batch *batch)
{
    if (!core->is_up) return;
    core->is_busy = ev->busy.is_on;
    reports_send(core, batch);
}

static void on_synced(struct agent_core *core, struct agent_batch *batch)
{
    if (core->is_synced) return;
    core->is_synced = true;
    if (core->is_up) reports_begin(core, batch);
}

/* All replicas of the attempt have ended, and the control plane has that durably: their records
 * go. */
static void end_attempt(struct agent_core *core, uint32_t slot, struct agent_batch *batch)
{
    struct attempt *attempt = replica_table_attempt(&core->replicas, slot);

    settle_attempt(core, slot, batch);
    for (size_t i = attempt->replicas.len; i-- > 0;) { /* the attempt goes with its last replica */
        uint32_t replica = attempt->replicas.at[i].slot;

        if (replica_table_at(&core->replicas, replica)->is_gone) forget(core, replica);
    }
}

static void on_ack(struct agent_core *core, const struct agent_event *ev, struct agent_batch *batch)
{
    struct replica_table *table = &core->replicas;

    if (!core->is_listed || ev->ack.report_seq > core->report_seq) return;
    while (table->lists[REPLICA_UNACKED].first) {
        uint32_t slot = table->lists[REPLICA_UNACKED].first;
        struct replica *replica = replica_table_at(table, slot);

        if (replica->report_seq > ev->ack.report_seq) return;
        replica_table_unlink(table, REPLICA_UNACKED, slot);
        if (!replica->is_acked) replica_table_attempt(table, replica->attempt)->acked++;
        replica->is_acked = true;
        if (reconcile_is_over(replica_table_attempt(table, replica->attempt))) {
            end_attempt(core, replica->attempt, batch);
        }
    }
}

/* ---- the control plane's commands ------------------------------------------------------------ */

static enum agent_cause why_refused(const struct agent_core *core, const struct agent_event *ev)
{
    struct fl_attempt id = ev->start.attempt;
    const struct stopped *stopped = stopped_table_find(&core->stopped, id);
    uint32_t newest = replica_table_find_newest(&core->replicas, id);

    if (newest && attempt_is_older(id, replica_table_attempt(&core->replicas, newest)->id)) {
        return AGENT_CAUSE_older;
    }
    if (stopped && !attempt_is_older(stopped->attempt, id)) return AGENT_CAUSE_stopped;
    if (!ev->start.resources) return AGENT_CAUSE_no_spec;
    if (core->replicas.attempts.len >= core->config.attempts_max ||
        core->replicas.replicas.len + ev->start.replicas_len > core->config.replicas_max) {
        return AGENT_CAUSE_full;
    }
    for (size_t i = 0; i < ev->start.replicas_len; i++) {
        const struct node *node = node_table_find(&core->nodes, ev->start.nodes[i]);

        if (!node || !node->is_here) return AGENT_CAUSE_no_node;
    }
    return AGENT_CAUSE_none;
}

static void on_start(struct agent_core *core, const struct agent_event *ev,
                     struct agent_batch *batch)
{
    struct fl_attempt id = ev->start.attempt;
    enum agent_cause refused;
    uint32_t attempt;

    fl_assert(ev->start.replicas_len <= AGENT_GANG_MAX);
    if (!core->is_listed) return;
    note_mark(core, ev->start.control_seq);
    if (ev->start.replicas_len == 0) return;
    if (replica_table_find_attempt(&core->replicas, id)) {
        for (size_t i = 0; i < ev->start.replicas_len; i++) {
            reports_node(core, ev->start.nodes[i], false);
        }
        return;
    }
    refused = why_refused(core, ev);
    if (refused) {
        for (uint32_t i = 0; i < ev->start.replicas_len; i++) {
            reports_unkept(core, id, i, FL_REPLICA_refused, refused, batch);
            reports_node(core, ev->start.nodes[i], true);
        }
        return;
    }
    attempt = replica_table_add_attempt(&core->replicas, id);
    replica_table_attempt(&core->replicas, attempt)->spec = ev->start.spec;
    for (uint32_t i = 0; i < ev->start.replicas_len; i++) {
        uint32_t slot = replica_table_add(&core->replicas, attempt, i);
        struct replica *replica = replica_table_at(&core->replicas, slot);

        replica->node = ev->start.nodes[i];
        replica->resources = ev->start.resources[i];
        if (ev->start.named) replica->named = fl_amounts_clone(&ev->start.named[i]);
        replica->is_charged = true;
        node_table_charge(&core->nodes, replica->node, replica->resources, &replica->named);
        reports_node(core, replica->node, false);
        settle(core, slot, batch);
    }
}

static void on_go(struct agent_core *core, const struct agent_event *ev, struct agent_batch *batch)
{
    uint32_t slot = replica_table_find_attempt(&core->replicas, ev->go.attempt);
    struct attempt *attempt;

    if (!core->is_listed) return;
    note_mark(core, ev->go.control_seq);
    if (!slot) return;
    attempt = replica_table_attempt(&core->replicas, slot);
    if (attempt->want != ATTEMPT_GATED) return;
    attempt->want = ATTEMPT_RUN;
    settle_attempt(core, slot, batch);
}

static void on_stop(struct agent_core *core, const struct agent_event *ev,
                    struct agent_batch *batch)
{
    uint32_t slot = replica_table_find_attempt(&core->replicas, ev->stop.attempt);
    struct attempt *attempt;

    if (!core->is_up) return;
    note_mark(core, ev->stop.control_seq);
    stopped_table_put(&core->stopped, ev->stop.attempt, ev->stop.grace_ms);
    if (!slot) {
        if (!core->is_listed) return; /* the inventory will show that it is absent */
        reports_unkept(core, ev->stop.attempt, AGENT_WHOLE_ATTEMPT, FL_REPLICA_absent,
                       AGENT_CAUSE_none, batch);
        return;
    }
    attempt = replica_table_attempt(&core->replicas, slot);
    if (attempt->want == ATTEMPT_STOP) return;
    attempt->want = ATTEMPT_STOP;
    attempt->grace_ms = ev->stop.grace_ms;
    settle_attempt(core, slot, batch);
}

/* ---- the runtime's reports ------------------------------------------------------------------- */

static uint32_t adopt_attempt(struct agent_core *core, struct fl_attempt id)
{
    const struct stopped *stopped = stopped_table_find(&core->stopped, id);
    uint32_t slot = replica_table_add_attempt(&core->replicas, id);
    struct attempt *attempt = replica_table_attempt(&core->replicas, slot);

    if (stopped && fl_attempt_is_same(stopped->attempt, id)) {
        attempt->want = ATTEMPT_STOP;
        attempt->grace_ms = stopped->grace_ms;
    }
    return slot;
}

static uint32_t adopt(struct agent_core *core, const struct agent_event *ev)
{
    uint32_t attempt = replica_table_find_attempt(&core->replicas, ev->replica_seen.attempt);
    struct replica *replica;
    uint32_t slot;

    if (!attempt) attempt = adopt_attempt(core, ev->replica_seen.attempt);
    slot = replica_table_add(&core->replicas, attempt, ev->replica_seen.replica);
    replica = replica_table_at(&core->replicas, slot);
    replica->asked = REPLICA_ASKED_CREATE;
    replica->node = ev->replica_seen.node;
    replica->resources = ev->replica_seen.resources;
    replica->named = fl_amounts_clone(&ev->replica_seen.named);
    replica->is_charged = true;
    node_table_charge(&core->nodes, replica->node, replica->resources, &replica->named);
    reports_node(core, replica->node, false);
    return slot;
}

/* States only go forward, and the first end stays. */
static bool is_news(enum fl_replica_state seen, enum fl_replica_state state)
{
    return state > seen && !fl_replica_state_is_last(seen);
}

static void keep_words(struct replica *replica, struct fl_str words)
{
    words = fl_str_begin(words, FL_WORDS_BYTES_MAX);
    if (words.len > 0 && fl_str_is_text(words)) replica->words = fl_str_dup(words);
}

static void on_replica_seen(struct agent_core *core, const struct agent_event *ev,
                            struct agent_batch *batch)
{
    enum fl_replica_state state = ev->replica_seen.state;
    uint32_t slot =
        replica_table_find(&core->replicas, ev->replica_seen.attempt, ev->replica_seen.replica);
    struct replica *replica;

    fl_assert(state >= FL_REPLICA_created && state <= FL_REPLICA_refused);
    fl_assert(ev->replica_seen.replica != AGENT_WHOLE_ATTEMPT);
    if (!slot) slot = adopt(core, ev);
    replica = replica_table_at(&core->replicas, slot);
    if (!fl_replica_state_is_last(replica->seen) &&
        ev->replica_seen.output_bytes > replica->output_bytes) {
        replica->output_bytes = ev->replica_seen.output_bytes;
    }
    if (!is_news(replica->seen, state)) return;
    replica->seen = state;
    if (state == FL_REPLICA_exited) replica->exit_code = ev->replica_seen.exit_code;
    if (fl_replica_state_is_last(state)) {
        replica->cause = ev->replica_seen.cause;
        keep_words(replica, ev->replica_seen.words);
        replica->usage = ev->replica_seen.usage;
    }
    if (state == FL_REPLICA_refused && !replica->cause) replica->cause = AGENT_CAUSE_runtime;
    /* It is past its gate after all: the runtime declined the removal, since an earlier agent
     * process had released it. */
    replica->asked &= (uint8_t)~REPLICA_ASKED_REMOVE;
    reports_replica(core, slot, batch);
    settle(core, slot, batch);
}

static void on_replica_gone(struct agent_core *core, const struct agent_event *ev,
                            struct agent_batch *batch)
{
    uint32_t slot =
        replica_table_find(&core->replicas, ev->replica_gone.attempt, ev->replica_gone.replica);
    struct replica *replica;

    if (!slot) return;
    replica = replica_table_at(&core->replicas, slot);
    if (replica->is_gone) return;
    replica->is_gone = true;
    if (!fl_replica_state_is_last(replica->seen)) {
        bool may_have_run =
            replica->seen > FL_REPLICA_created || (replica->asked & REPLICA_ASKED_RELEASE);

        replica->seen = may_have_run ? FL_REPLICA_lost : FL_REPLICA_refused;
        replica->cause = !(replica->asked & REPLICA_ASKED_REMOVE) ? AGENT_CAUSE_vanished
                         : replica->is_given_up                   ? AGENT_CAUSE_no_go
                                                                  : AGENT_CAUSE_stopped;
        reports_replica(core, slot, batch);
    }
    settle(core, slot, batch);
    if (reconcile_is_over(replica_table_attempt(&core->replicas, replica->attempt))) {
        forget(core, slot);
    }
}

static void on_undelivered(struct agent_core *core, const struct agent_event *ev)
{
    uint32_t slot =
        replica_table_find(&core->replicas, ev->undelivered.attempt, ev->undelivered.replica);
    enum agent_command_kind kind;
    struct replica *replica;

    if (!slot) return;
    replica = replica_table_at(&core->replicas, slot);
    replica->asked &= (uint8_t)~asked_bit(ev->undelivered.command);
    if (replica->links[REPLICA_AGAIN].is_in) return;
    if (!reconcile(replica_table_attempt(&core->replicas, replica->attempt), replica, &kind)) {
        return; /* it is wanted no more */
    }
    replica->again_at = core->now + core->config.again_ms;
    replica_table_append(&core->replicas, REPLICA_AGAIN, slot);
}

static void on_node_seen(struct agent_core *core, const struct agent_event *ev)
{
    uint32_t number = ev->node_seen.number;
    const struct node *node = node_table_find(&core->nodes, number);
    struct node_facts facts = {
        .is_ready = ev->node_seen.is_ready,
        .name = ev->node_seen.name,
        .labels = ev->node_seen.labels,
        .taints = ev->node_seen.taints,
        .total = ev->node_seen.total,
        .foreign = ev->node_seen.foreign,
        .total_named = ev->node_seen.named,
        .foreign_named = ev->node_seen.foreign_named,
    };

    fl_assert(facts.total_named.len <= AGENT_NODE_NAMED_MAX);
    if (!(node && node->is_here) && core->nodes.here_len >= core->config.nodes_max) {
        reports_node_left_out(core);
        return;
    }
    if (node_table_see(&core->nodes, number, &facts)) reports_node(core, number, false);
}

static void on_node_gone(struct agent_core *core, const struct agent_event *ev)
{
    struct node *node = node_table_find(&core->nodes, ev->node_gone.number);

    if (!node || !node->is_here) return;
    node_table_leave(&core->nodes, node);
    if (core->is_listed) {
        node_table_touch(&core->nodes, node, false);
    } else {
        node_table_settle(&core->nodes, node, node->next_at);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void on_tick(struct agent_core *core, struct agent_batch *batch)
{
    struct replica_table *table = &core->replicas;

    while (table->lists[REPLICA_AGAIN].first) {
        uint32_t slot = table->lists[REPLICA_AGAIN].first;

        if (replica_table_at(table, slot)->again_at > core->now) break;
        settle(core, slot, batch); /* takes it off the list */
    }
    while (core->is_listed && table->lists[REPLICA_GATED].first) {
        uint32_t slot = table->lists[REPLICA_GATED].first;
        struct replica *replica = replica_table_at(table, slot);

        if (replica->gate_until > gate_clock(core)) break;
        replica->is_given_up = true;
        settle(core, slot, batch); /* takes it off the list */
    }
    reports_send(core, batch);
}

static fl_ms earlier(fl_ms a, fl_ms b)
{
    return a < b ? a : b;
}

fl_ms agent_core_next_deadline(const struct agent_core *core)
{
    uint32_t again = core->replicas.lists[REPLICA_AGAIN].first;
    uint32_t gated = core->replicas.lists[REPLICA_GATED].first;
    fl_ms at = again ? replica_table_at(&core->replicas, again)->again_at : INT64_MAX;

    if (reports_are_due(core)) at = earlier(at, core->now);
    if (!core->is_listed) return at;
    if (!core->is_busy) at = earlier(at, node_table_due_at(&core->nodes, core->now));
    if (!gated) return at;
    return earlier(at, core->listed_at + replica_table_at(&core->replicas, gated)->gate_until -
                           core->connected_ms);
}

void agent_core_step(struct agent_core *core, const struct agent_event *ev,
                     struct agent_batch *batch)
{
    if (ev->now > core->now) core->now = ev->now;
    switch (ev->kind) {
    case AGENT_EV_tick:
        return on_tick(core, batch);
    case AGENT_EV_session_up:
        return on_session_up(core, ev, batch);
    case AGENT_EV_session_down:
        return leave_session(core);
    case AGENT_EV_busy:
        return on_busy(core, ev, batch);
    case AGENT_EV_start:
        return on_start(core, ev, batch);
    case AGENT_EV_go:
        return on_go(core, ev, batch);
    case AGENT_EV_stop:
        return on_stop(core, ev, batch);
    case AGENT_EV_ack:
        return on_ack(core, ev, batch);
    case AGENT_EV_replica_seen:
        return on_replica_seen(core, ev, batch);
    case AGENT_EV_replica_gone:
        return on_replica_gone(core, ev, batch);
    case AGENT_EV_undelivered:
        return on_undelivered(core, ev);
    case AGENT_EV_synced:
        return on_synced(core, batch);
    case AGENT_EV_node_seen:
        return on_node_seen(core, ev);
    case AGENT_EV_node_gone:
        return on_node_gone(core, ev);
    case AGENT_EV_node_left_out:
        return reports_node_left_out(core);
    case AGENT_EVENTS_LEN:
        break;
    }
    fl_unreachable("every kind of event is above");
}

/* ---- looking inside -------------------------------------------------------------------------- */

struct agent_core_stats agent_core_stats(const struct agent_core *core)
{
    return (struct agent_core_stats){
        .attempts = core->replicas.attempts.len,
        .replicas = core->replicas.replicas.len,
        .gated = core->replicas.lists[REPLICA_GATED].len,
        .untold = core->replicas.lists[REPLICA_UNTOLD].len,
        .unacked = core->replicas.lists[REPLICA_UNACKED].len,
        .stopped = core->stopped.entries.len,
        .nodes = core->nodes.here_len,
        .is_session_up = core->is_up,
        .is_listed = core->is_listed,
    };
}
