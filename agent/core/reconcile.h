/* reconcile.h - the next command to the runtime that brings one replica closer to the wanted state.
 * Only this file compares wanted with seen: every event changes one of the two and then calls it.
 * Uses the core's own types only.  Pure. */
#pragma once

#include "agent/core/replica_table.h"

/* The next command for the runtime; false: no command is due. */
bool reconcile(const struct attempt *attempt, const struct replica *replica,
               enum agent_command_kind *ret_command);

/* Whether the control plane has the end of every replica durably.  Before that, ended replicas keep
 * their records: a control plane that was loaded anew learns only from the inventory which replicas
 * of a gang ended well, and takes a replica that is missing there for lost. */
bool reconcile_is_over(const struct attempt *attempt);

/* True if it waits behind its gate and nothing is decided: only this state times out. */
bool reconcile_is_gated(enum attempt_want want, const struct replica *replica);
