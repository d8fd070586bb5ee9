/* agent_cause.h - why a replica ended, where its state and exit code do not say it.
 * The runtime knows some of these, the core finds out the others; all travel in a report.
 * Uses nothing. */
#pragma once

/* name, number, meaning.  On the wire: never reused. */
#define AGENT_CAUSES(X)                                                                            \
    X(none, 0, "its state says it all")                                                            \
    X(older, 1, "a newer attempt of the same element is known here")                               \
    X(stopped, 2, "STOP came before it could run")                                                 \
    X(full, 3, "the agent holds as many attempts or replicas as it may")                           \
    X(no_node, 4, "a node of it is unknown here")                                                  \
    X(no_spec, 5, "its spec could not be had")                                                     \
    X(no_go, 6, "no GO came in time")                                                              \
    X(runtime, 7, "the runtime could not create it")                                               \
    X(vanished, 8, "it was removed by another hand")                                               \
    X(out_of_memory, 9, "it was killed because it used more memory than it had asked for")         \
    X(node_lost, 10, "its node went down, or was started anew, while it ran")

enum agent_cause {
#define AGENT_CAUSE_ENUM(name, number, meaning) AGENT_CAUSE_##name = (number),
    AGENT_CAUSES(AGENT_CAUSE_ENUM)
#undef AGENT_CAUSE_ENUM
        AGENT_CAUSES_LEN
};
