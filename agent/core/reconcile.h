/* reconcile.h - what the runtime should be asked next so that one replica becomes what is wanted.
 * The one place where wanted and seen are compared: every event changes one of the two, and calls
 * it.  Uses the core's own types only.  Pure. */
#pragma once

#include "agent/core/replica_table.h"

/* The next command for the runtime; false: no command is due. */
bool reconcile(const struct attempt *attempt, const struct replica *replica,
               enum agent_command_kind *ret_command);

/* Whether the end of every replica is durable with the control plane.  Before that the records of
 * those that have ended stay: a control plane that was loaded anew learns from the inventory alone
 * which of a gang have ended well, and would take one that is missing there for lost. */
bool reconcile_is_over(const struct attempt *attempt);

/* True if it waits behind its gate and nothing is decided: only this state times out. */
bool reconcile_is_gated(enum attempt_want want, const struct replica *replica);
