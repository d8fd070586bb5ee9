#include "controlplane/core/core_event.h"

#include "shared/base/enum_names.h"

FL_ENUM_NAMES(core_event_name, enum core_event_kind, CORE_EVENTS(FL_NAME))
