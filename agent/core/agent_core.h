/* agent_core.h - the agent's decisions: compares what the control plane wants (START, GO, STOP)
 * with what the runtime reports, and answers with commands for the runtime and frames for the
 * tunnel.
 * Pure: no I/O, clock, log, thread or random source; equal events give equal batches, bit for bit.
 * All its state is volatile: a fresh core learns its replicas from the runtime and the rest from
 * the control plane.
 *
 * Sessions.  session_up is answered, as soon as the runtime is synced, in this order:
 *   1. an inventory_item for every replica known here, ended ones too, and inventory_end;
 *   2. a 'replica' report for each that has ended.  ACK acknowledges reports, not items: so an end
 *      that an earlier session reported in vain is acknowledged in this one;
 *   3. a 'node' report for every node, and nodes_end: so the control plane knows that it has
 *      them all, also if there are none.  Nodes reported in an earlier session do not count.
 * It is pulled: a step sends a page, and the next ticks send the rest, none while the tunnel is
 * busy (AGENT_EV_busy).  A change meanwhile is a report that waits for its turn.  So nothing that
 * the agent holds can overrun the tunnel's buffer.
 * After that every change is a report.  report_seq grows by one with each report and goes on
 * through sessions until this process ends, so that a late ACK acknowledges only the reports it was
 * meant for; an ACK beyond the newest report is ignored.  control_seq counts anew in each session,
 * and so does the mark.  START, GO, STOP and ACK without a session are ignored, START and GO also
 * before the inventory is sent.  A STOP before that takes effect and is answered by the inventory.
 *
 * A message that comes twice has the effect of one.
 *   START  A known attempt stays as it is, but its nodes are reported again, for the mark.  A START
 *          is refused if its element has a newer attempt here (incarnation first, then number), if
 *          it was stopped before, at attempts_max or replicas_max, for an unknown node, and without
 *          a spec.  A refusal is a report 'refused' for every replica; nothing is kept.
 *   GO     An unknown or stopped attempt: no effect.
 *   STOP   An unknown attempt: a report {AGENT_WHOLE_ATTEMPT, absent}.  Gated replicas are removed
 *          and then reported 'refused', uncreated ones as soon as they are created; running ones
 *          are stopped.  The core remembers the STOPs of at most stopped_max elements until a new
 *          connection, and forgets the oldest first.
 * A gated replica without GO for gate_ms is removed and reported 'refused'.  Only time in which a
 * GO could have come counts: with a session whose inventory was sent.  Without a session nothing is
 * stopped.
 *
 * A command that the runtime could not deliver is given again after again_ms, or as soon as the
 * replica's wanted or seen state changes, until it is delivered or is wanted no more.
 *
 * Reports.  Each new state of a replica is reported at once, or, while the tunnel is busy, the
 * newest state when its turn comes; an older state than the known one, or
 * another end than the known one, is no news.  An end (is_last) is kept until it is acknowledged,
 * then the replica is removed, and forgotten when it is gone.
 *
 * Capacity.  free = total - foreign - what our own replicas on the node ask for, from their START
 * (or adoption) until their end has been reported in a session.  The first tick that comes
 * node_report_ms or more after a node's last report reports a change of the node.  The end of a
 * replica is reported by the next tick of all: give one at the end of a turn when the deadline has
 * passed, and many ends make one report.  A node that goes is reported once, not ready and empty.
 *
 * Bounds.  attempts_max and replicas_max hold for STARTs; the core adopts replicas that the
 * runtime holds already beyond any bound, for it was admitted once and may be running.  A node
 * beyond nodes_max is ignored, and nodes_end says so, as with node_left_out: in each session from
 * then on, also when there are fewer nodes again.  Uses shared/base only.  Not thread-safe:
 * the agent's loop owns it and is its only caller. */
#pragma once

#include "agent/core/agent_command.h"
#include "agent/core/agent_event.h"

struct agent_core;

struct agent_core_config {
    uint32_t attempts_max;
    uint32_t replicas_max;
    uint32_t nodes_max;
    uint32_t stopped_max; /* elements of which a STOP is remembered */
    uint32_t gate_ms;
    uint32_t node_report_ms;
    uint32_t page_bytes; /* so much of inventory and reports is sent at once, more or less */
    uint32_t again_ms;   /* after which a command that was not delivered is given again */
};

struct agent_core_config agent_core_config_default(void);

struct agent_core *agent_core_create(const struct agent_core_config *config);
void agent_core_destroy(struct agent_core *core); /* NULL is fine */

/* Appends to the batch what follows from the event. */
void agent_core_step(struct agent_core *core, const struct agent_event *ev,
                     struct agent_batch *batch);

/* When the next tick is due; in the past: at once; INT64_MAX: not before something else happens. */
fl_ms agent_core_next_deadline(const struct agent_core *core);

struct agent_core_stats {
    size_t attempts, replicas, gated, untold, unacked, stopped, nodes;
    bool is_session_up;
    bool is_listed; /* its inventory was sent */
};

struct agent_core_stats agent_core_stats(const struct agent_core *core);

/* A hash over all state that the next step depends on. */
uint64_t agent_core_hash(const struct agent_core *core);

/* Asserts that the state is consistent: indexes agree, sums add up, each replica has the command it
 * waits for.  Walks everything; for tests and the simulator. */
void agent_core_check(const struct agent_core *core);
