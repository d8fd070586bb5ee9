#include "controlplane/core/job.h"

#include <stddef.h>

#include "shared/base/assert.h"

const char *job_state_name(enum job_state state)
{
    switch (state) {
#define STATE(name, number, is_terminal, meaning)                                                  \
    case JOB_##name:                                                                               \
        return #name;
        JOB_STATES(STATE)
#undef STATE
    }
    fl_unreachable("a job has one of the states of JOB_STATES");
}

bool job_state_is_terminal(enum job_state state)
{
    switch (state) {
#define STATE(name, number, is_terminal, meaning)                                                  \
    case JOB_##name:                                                                               \
        return is_terminal;
        JOB_STATES(STATE)
#undef STATE
    }
    fl_unreachable("a job has one of the states of JOB_STATES");
}

const char *attempt_state_name(enum attempt_state state)
{
    switch (state) {
#define STATE(name, number, is_terminal, meaning)                                                  \
    case ATTEMPT_##name:                                                                           \
        return #name;
        ATTEMPT_STATES(STATE)
#undef STATE
    }
    fl_unreachable("an attempt has one of the states of ATTEMPT_STATES");
}

const char *reason_name(enum reason reason)
{
    switch (reason) {
#define REASON(name, number, kind, who, sentence)                                                  \
    case REASON_##name:                                                                            \
        return #name;
#include "controlplane/core/reasons.def"
#undef REASON
    }
    return NULL;
}

const char *reason_sentence(enum reason reason)
{
    switch (reason) {
#define REASON(name, number, kind, who, sentence)                                                  \
    case REASON_##name:                                                                            \
        return sentence;
#include "controlplane/core/reasons.def"
#undef REASON
    }
    return NULL;
}

const char *reason_who(enum reason reason)
{
    switch (reason) {
#define REASON(name, number, kind, who, sentence)                                                  \
    case REASON_##name:                                                                            \
        return #who;
#include "controlplane/core/reasons.def"
#undef REASON
    }
    return NULL;
}
