/* sim_affinity.h - the affinities of the fake jobs, and which labels of the fake nodes match them:
 * the rule of decision 157 said a second time, for these texts alone; nothing of
 * shared/base/node_affinity.h is in it.
 * Uses the struct of a shape. */
#pragma once

#include "controlplane/core/shape.h"

/* Whether a node with these labels, "disk=fast\ntier=3\nzone=a\n" or none, matches the shape's
 * affinity. */
bool sim_affinity_lets(const struct shape *shape, const char *labels);

/* The affinity of a fake job, most often none. */
const char *sim_affinity_draw(uint64_t seed);
