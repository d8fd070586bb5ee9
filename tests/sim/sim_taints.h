/* sim_taints.h - taints of the fake nodes and tolerations of the fake jobs, and who may go where:
 * the rule of decision 147 said a second time; nothing of shared/base/taint.h is in it.
 * Uses the struct of a shape. */
#pragma once

#include "controlplane/core/shape.h"

/* Whether a replica of the role may go to a node with these taints, "key=value:Effect\n" each. */
bool sim_taints_let(const char *taints, const struct shape *shape, const struct shape_role *role);

/* The taints of a fake node, most often none. */
const char *sim_taints_draw(uint64_t seed);
/* The tolerations of a fake job, most often none. */
const char *sim_tolerations_draw(uint64_t seed);
