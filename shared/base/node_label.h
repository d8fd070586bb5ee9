/* node_label.h - labels of nodes that agents give by themselves, "key=value\n" each. */
#pragma once

/* The node keeps each replica within its limits of memory and CPU. */
#define FL_NODE_LIMITS_KEY "fairlead.io/limits"
#define FL_NODE_LIMITS_VALUE "enforced"
#define FL_NODE_LIMITS FL_NODE_LIMITS_KEY "=" FL_NODE_LIMITS_VALUE "\n"

/* So many seconds the node keeps the files that a replica leaves, after its end; 0: not at all.  A
 * node without the label does not say. */
#define FL_NODE_KEEP_KEY "fairlead.io/keep-results"

/* Its amounts are a setting, not the host's. */
#define FL_NODE_PRETENDED "pretended=true\n"
