/* job.h - the states of jobs, elements and attempts, and the reasons of reasons.def.
 * One table each; API enum, metric labels, docs and dashboard names are made from them.  Numbers
 * are stored: never reused.  The state of a replica is in shared/base/replica.h, since agents speak
 * it too.  Uses shared/base only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shared/base/dependency.h"

/* name, number, whether it is terminal, meaning */
#define JOB_OPEN_STATES(X)                                                                         \
    X(held, 1, false, "waits for release")                                                         \
    X(queued, 2, false, "waits for a cluster, or for its next attempt")                            \
    X(starting, 3, false, "placed; its replicas are being created")                                \
    X(running, 4, false, "at least one replica runs")                                              \
    X(stopping, 5, false, "its replicas are being stopped")

#define JOB_STATES(X)                                                                              \
    JOB_OPEN_STATES(X)                                                                             \
    X(succeeded, 16, true, "every replica exited with 0")                                          \
    X(failed, 17, true, "a replica failed, and no retry is left")                                  \
    X(cancelled, 18, true, "cancelled on request")

enum job_state {
#define JOB_STATE_ENUM(name, number, is_terminal, meaning) JOB_##name = (number),
    JOB_STATES(JOB_STATE_ENUM)
#undef JOB_STATE_ENUM
};

/* Those of open jobs are the numbers from 1 to this one. */
enum { JOB_OPEN_STATES_LEN = JOB_stopping };

#define ATTEMPT_STATES(X)                                                                          \
    X(assigned, 1, false, "decided; its cluster has not confirmed it")                             \
    X(created, 2, false, "every replica exists behind its gate; GO follows the commit")            \
    X(running, 3, false, "GO was sent")                                                            \
    X(stopping, 4, false, "STOP was sent")                                                         \
    X(unknown, 5, false, "its cluster is silent")                                                  \
    X(ended, 16, true, "over")

enum attempt_state {
#define ATTEMPT_STATE_ENUM(name, number, is_terminal, meaning) ATTEMPT_##name = (number),
    ATTEMPT_STATES(ATTEMPT_STATE_ENUM)
#undef ATTEMPT_STATE_ENUM
};

enum reason {
#define REASON(name, number, kind, who, sentence) REASON_##name = (number),
#include "controlplane/core/reasons.def"
#undef REASON
};

const char *job_state_name(enum job_state state);
bool job_state_is_terminal(enum job_state state);
/* Whether this last state is the end that another job waits for. */
bool job_state_meets(enum job_state state, enum fl_dependency_on on);
const char *attempt_state_name(enum attempt_state state);

/* "InsufficientCapacity"; NULL when no reason has that number. */
const char *reason_name(enum reason reason);
const char *reason_sentence(enum reason reason);
/* The third column of reasons.def, as text. */
const char *reason_who(enum reason reason);
