/* reports.h - everything that the agent tells the control plane, as far as the tunnel takes it.
 * The inventory and the reports of replicas and nodes are pulled in pages of page_bytes: one at
 * each step that has something to send, none while the tunnel is busy.  So no more waits in the
 * tunnel's buffer than one page above the mark at which it says that it is busy, however much the
 * agent holds.  A replica waits for its report at most once, and the report says its state as it
 * is then: an older state that was never reported is skipped.
 * Reads and changes struct agent_core; agent_core.c is the only caller.  Pure. */
#pragma once

#include "agent/core/agent_core_state.h"

/* A session has begun and the runtime is synced: the inventory is due. */
void reports_begin(struct agent_core *core, struct agent_batch *batch);

/* The session is over; so is its inventory. */
void reports_end(struct agent_core *core);

/* Sends the next page of what waits. */
void reports_send(struct agent_core *core, struct agent_batch *batch);

/* There is a page to send at once. */
bool reports_are_due(const struct agent_core *core);

/* The replica has a new state, which is reported at once, or when its turn comes. */
void reports_replica(struct agent_core *core, uint32_t slot, struct agent_batch *batch);

/* Reports on a replica, or an attempt, that the core does not keep; they never wait. */
void reports_unkept(struct agent_core *core, struct fl_attempt attempt, uint32_t replica,
                    enum fl_replica_state state, enum agent_cause cause, struct agent_batch *batch);

/* The node must be reported: at its time, or (is_urgent) with the next tick. */
void reports_node(struct agent_core *core, uint32_t number, bool is_urgent);

/* A node was seen that the core does not keep: its list of nodes is not whole, from now on. */
void reports_node_left_out(struct agent_core *core);

/* The replica is about to be removed from its table. */
void reports_forget(struct agent_core *core, uint32_t slot);
