/* replica.h - the states of one replica (one pod, one supervised process) of an attempt.
 * The agent reports these, the tunnel carries them, the core counts them: one table, so that no
 * part needs a translation.  Numbers are on the wire and in the journal: never reused.  Uses
 * types.h only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/types.h"

/* name, number, whether nothing more follows, meaning */
#define FL_REPLICA_STATES(X)                                                                       \
    X(pending, 0, false, "assigned, nothing heard of it yet")                                      \
    X(created, 1, false, "exists behind its gate and waits for GO")                                \
    X(pulling, 2, false, "past its gate; its image is being fetched")                              \
    X(running, 3, false, "runs")                                                                   \
    X(exited, 4, true, "ended by itself or by a stop, with an exit code")                          \
    X(lost, 5, true, "gone without an exit code")                                                  \
    X(refused, 6, true, "could not be created, or got no GO in time; it never ran")                \
    X(absent, 7, true, "the agent does not know this replica")

enum fl_replica_state {
#define FL_REPLICA_ENUM(name, number, is_last, meaning) FL_REPLICA_##name = (number),
    FL_REPLICA_STATES(FL_REPLICA_ENUM)
#undef FL_REPLICA_ENUM
        FL_REPLICA_STATES_LEN
};

/* Why it ended, where its exit code alone does not tell. */
#define FL_CAUSES(X)                                                                               \
    X(none, 0, "nothing but its exit code is known")                                               \
    X(out_of_memory, 1, "the system ended it because memory ran out")                              \
    X(node_lost, 2, "its node is gone, or was booted anew")                                        \
    X(deadline, 3, "it got no GO in time")                                                         \
    X(runtime, 4, "the runtime could not create or start it")                                      \
    X(finished, 5, "it exited with 0 by itself: no stop had reached it")                           \
    X(image, 6, "its image could not be had")                                                      \
    X(container, 7, "its container could not be made from its document")                           \
    X(unscheduled, 8, "the cluster's own scheduler found no room for it in time")

enum fl_cause {
#define FL_CAUSE_ENUM(name, number, meaning) FL_CAUSE_##name = (number),
    FL_CAUSES(FL_CAUSE_ENUM)
#undef FL_CAUSE_ENUM
        FL_CAUSES_LEN
};

#define FL_WORDS_BYTES_MAX 200 /* the runtime tells people so much of an end */

const char *fl_cause_name(enum fl_cause cause);

const char *fl_replica_state_name(enum fl_replica_state state);

/* Only removal follows a final state. */
bool fl_replica_state_is_last(enum fl_replica_state state);

/* The digest of an inventory, item by item from 0: both ends of a tunnel compute it. */
uint64_t fl_inventory_digest(uint64_t so_far, struct fl_attempt attempt, uint32_t replica,
                             enum fl_replica_state state, int32_t exit_code);
