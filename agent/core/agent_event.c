#include "agent/core/agent_event.h"

#include "shared/base/enum_names.h"

FL_ENUM_NAMES(agent_event_name, enum agent_event_kind, AGENT_EVENTS(FL_NAME))
