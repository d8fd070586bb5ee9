/* front_first.h - the first token of all: without one nobody could make another.
 * Made when no token that may do everything counts, at the first start or after the last one has run out, and
 * written to 'admin-token' in the state directory (0600) before it is made known to the core: who owns the
 * directory owns the control plane. */
#pragma once

#include "controlplane/engine_event.h"
#include "shared/base/err.h"

struct fl_state_dir;
struct identity;

#define FRONT_FIRST_FILE "admin-token"

/* The event that makes it known, for ask_send. */
FL_CHECK bool front_first_token(const struct fl_state_dir *dir, const struct identity *identity,
                                fl_ms now, struct engine_event **ret_event, struct fl_err *err);
