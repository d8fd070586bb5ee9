#include "controlplane/core/core_event.h"

#include "shared/base/assert.h"

const char *core_event_name(enum core_event_kind kind)
{
    static const char *const names[] = {
#define NAME(name, meaning) #name,
        CORE_EVENTS(NAME)
#undef NAME
    };

    fl_assert(kind < CORE_EVENTS_LEN);
    return names[kind];
}
