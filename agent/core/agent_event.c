#include "agent/core/agent_event.h"

#include "shared/base/assert.h"

const char *agent_event_name(enum agent_event_kind kind)
{
    static const char *const names[] = {
#define NAME(name, meaning) #name,
        AGENT_EVENTS(NAME)
#undef NAME
    };

    fl_assert(kind < AGENT_EVENTS_LEN);
    return names[kind];
}
