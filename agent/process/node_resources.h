/* node_resources.h - reads the setting node_resources: "rdma/hca=4, ephemeral-storage=10Gi".
 * Uses shared/base and shared/spec.  Pure. */
#pragma once

#include "shared/base/amounts.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

struct fl_arena;

/* Names are copied into the arena.  FL_INVALID, FL_TOO_LARGE: the error names the part that is
 * wrong, and what is allowed. */
FL_CHECK bool node_resources_read(struct fl_str text, struct fl_arena *arena,
                                  struct fl_amounts *ret_amounts, struct fl_err *err);
