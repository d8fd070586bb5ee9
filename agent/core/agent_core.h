/* agent_core.h - the agent's brain: compares what is wanted (START, GO, STOP) with what is seen
 * (the runtime's word) and answers with commands for the runtime and frames for the tunnel.
 * Pure: no I/O, clock, log, thread or random source; equal events give equal batches, bit for bit.
 * All its state is volatile: a fresh core learns its replicas from the runtime and the rest from
 * the control plane.
 *
 * Sessions.  session_up is answered, as soon as the runtime is synced, in one step and in this
 * order:
 *   1. an inventory_item for every replica known here, ended ones too, and inventory_end;
 *   2. for each that has ended, a 'replica' report: an item is never acknowledged, a report is, so
 *      that an end that was reported in an earlier session, and not acknowledged, is acknowledged
 *      in this one;
 *   3. a 'node' report for every node.  Nodes reported in an earlier session count no more.
 * After that every change is a report.  report_seq grows by one a report and goes on through
 * sessions until this process ends, so that a late ACK acknowledges nothing but what it was meant
 * for; an ACK beyond what was sent is ignored.  control_seq counts anew in each session, and so
 * does the mark.  START, GO, STOP and ACK without a session are ignored, START and GO also before
 * the inventory is sent.  A STOP before that takes effect and is answered by the inventory.
 *
 * Applied twice is applied once.
 *   START  of a known attempt: nothing, but its nodes are reported again, for the mark.  If it is
 *          older than another known of its element (incarnation first, then number), or was stopped
 *          before: refused.  Refused also: at attempts_max or replicas_max, for an unknown node,
 *          without a spec.  Refused means a report 'refused' for every replica of it; nothing is
 *          kept.
 *   GO     of an unknown attempt, or a stopped one: nothing.
 *   STOP   of an unknown attempt: a report {AGENT_WHOLE_ATTEMPT, absent}.  Gated replicas are
 *          removed and then reported 'refused', uncreated ones as soon as they are created; running
 *          ones are stopped.  Remembered, at most stopped_max elements, the oldest forgotten first,
 *          until a new connection.
 * A gated replica without GO for gate_ms is removed and reported 'refused'; counted is only the
 * time in which a GO could have come: with a session whose inventory was sent.  Without a session
 * nothing is stopped.
 *
 * Reports.  Each new state of a replica is reported at once; an older state than the known one, or
 * another end than the known one, is no news.  An end (is_last) is kept until it is acknowledged,
 * then the replica is removed, and forgotten when it is gone.
 *
 * Capacity.  free = total - foreign - what our own replicas on the node ask for, from their START
 * (or adoption) until their end has been reported in a session.  A change is reported by the next
 * tick that is node_report_ms or more after the node's last report; after the end of a replica on
 * it by the next tick at all: feed one at the end of a turn when the deadline has passed, and many
 * ends make one report.  A node that goes is reported once, not ready and with nothing on it.
 *
 * Bounds.  attempts_max and replicas_max hold for STARTs; the core adopts replicas that the runtime
 * holds already beyond any bound, for it was admitted once and may be running.  A node beyond
 * nodes_max is ignored.  Uses shared/base only.  Not thread-safe: the agent's loop owns it and is
 * its only caller. */
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
};

struct agent_core_config agent_core_config_default(void);

struct agent_core *agent_core_create(const struct agent_core_config *config);
void agent_core_destroy(struct agent_core *core); /* NULL is fine */

/* Appends to the batch what follows from the event. */
void agent_core_step(struct agent_core *core, const struct agent_event *ev,
                     struct agent_batch *batch);

/* When the next tick is due; in the past: at once; INT64_MAX: not before something else happens. */
fl_ms agent_core_next_deadline(const struct agent_core *core);

/* For HELLO: the highest identity that this process has seen. */
struct agent_core_highest {
    uint32_t incarnation;
    uint64_t job;
};

struct agent_core_highest agent_core_highest(const struct agent_core *core);

struct agent_core_stats {
    size_t attempts, replicas, gated, unacked, stopped, nodes;
    bool is_session_up;
    bool is_listed; /* its inventory was sent */
};

struct agent_core_stats agent_core_stats(const struct agent_core *core);

/* Over all that decides what the next step does. */
uint64_t agent_core_hash(const struct agent_core *core);

/* Asserts that the state is whole: indexes agree, sums add up, each replica has what it waits for.
 * Walks everything; for tests and the simulator. */
void agent_core_check(const struct agent_core *core);
