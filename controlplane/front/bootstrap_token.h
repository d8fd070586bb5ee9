/* bootstrap_token.h - the first token of all: without one no other could be made.
 * Made when no token with scope admin counts, at the first start or after the last one has run out,
 * and written to 'admin-token' in the state directory (0600) before it is made known to the core:
 * the owner of the directory owns the control plane. */
#pragma once

#include "controlplane/engine/engine_event.h"
#include "shared/base/err.h"

struct fl_state_dir;
struct identity;

#define BOOTSTRAP_TOKEN_FILE "admin-token"

/* The event that makes it known, for pending_requests_send. */
FL_CHECK bool bootstrap_token_make(const struct fl_state_dir *dir, const struct identity *identity,
                                   struct engine_event **ret_event, struct fl_err *err);
