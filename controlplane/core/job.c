#include "controlplane/core/job.h"

#include <stddef.h>

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"

FL_ENUM_NAMES(job_state_name, enum job_state, JOB_STATES(FL_NAME_NUMBERED))

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

bool job_state_meets(enum job_state state, enum fl_dependency_on on)
{
    return on == FL_ON_any || (on != FL_ON_failure) == (state == JOB_succeeded);
}

FL_ENUM_NAMES(attempt_state_name, enum attempt_state, ATTEMPT_STATES(FL_NAME_NUMBERED))

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
