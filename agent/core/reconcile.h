/* reconcile.h - what the runtime should be asked next so that one replica becomes what is wanted.
 * The one place where wanted and seen are compared: every event changes one of the two, and calls it.
 * Uses the core's own types only.  Pure. */
#pragma once

#include "agent/core/replica_table.h"

/* What to ask the runtime, as a command's kind; false: nothing is left to ask now. */
bool reconcile(enum attempt_want want, const struct replica *replica,
               enum agent_command_kind *ret_command);

/* Whether it sits behind its gate with nothing decided: the only state whose time runs out. */
bool reconcile_is_gated(enum attempt_want want, const struct replica *replica);
