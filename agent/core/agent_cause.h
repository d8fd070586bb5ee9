/* agent_cause.h - why a replica ended, where its state and exit code do not say it.
 * The runtime knows some of these, the core finds out the others.  The agent's own causes are finer
 * than those it sends to the control plane (enum fl_cause of shared/base/replica.h).
 * Uses shared/base. */
#pragma once

#include "shared/base/replica.h"

/* name, the fl_cause that the control plane gets, meaning */
#define AGENT_CAUSES(X)                                                                            \
    X(none, none, "its state says it all")                                                         \
    X(older, none, "a newer attempt of the same element is known here")                            \
    X(stopped, none, "STOP came before it could run")                                              \
    X(full, runtime, "the agent holds as many attempts or replicas as it may")                     \
    X(no_node, node_lost, "a node of it is unknown here")                                          \
    X(no_spec, runtime, "its spec could not be had")                                               \
    X(no_go, deadline, "no GO came in time")                                                       \
    X(runtime, runtime, "the runtime could not create it")                                         \
    X(vanished, none, "it was removed by another hand, or its supervisor was")                     \
    X(out_of_memory, out_of_memory, "it was killed because memory ran out")                        \
    X(node_lost, node_lost, "its node went down, or was started anew, while it ran")               \
    X(finished, finished, "it exited with 0 by itself: no stop had reached it")                    \
    X(image, image, "its image could not be had")                                                  \
    X(container, container, "its container could not be made from its document")                   \
    X(unscheduled, unscheduled, "the cluster's own scheduler found no room for it in time")

enum agent_cause {
#define AGENT_CAUSE_ENUM(name, told, meaning) AGENT_CAUSE_##name,
    AGENT_CAUSES(AGENT_CAUSE_ENUM)
#undef AGENT_CAUSE_ENUM
        AGENT_CAUSES_LEN
};

static inline enum fl_cause agent_cause_told(enum agent_cause cause)
{
    static const enum fl_cause told_as[] = {
#define AGENT_CAUSE_TOLD(name, told, meaning) FL_CAUSE_##told,
        AGENT_CAUSES(AGENT_CAUSE_TOLD)
#undef AGENT_CAUSE_TOLD
    };

    return cause < AGENT_CAUSES_LEN ? told_as[cause] : FL_CAUSE_none;
}
