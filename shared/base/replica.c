#include "shared/base/replica.h"

#include "shared/base/assert.h"

const char *fl_replica_state_name(enum fl_replica_state state)
{
    static const char *const names[] = {
#define FL_REPLICA_NAME(name, number, is_last, meaning) [number] = #name,
        FL_REPLICA_STATES(FL_REPLICA_NAME)
#undef FL_REPLICA_NAME
    };

    fl_assert(state < FL_REPLICA_STATES_LEN);
    return names[state];
}

bool fl_replica_state_is_last(enum fl_replica_state state)
{
    static const bool is_last_of[] = {
#define FL_REPLICA_LAST(name, number, is_last, meaning) [number] = is_last,
        FL_REPLICA_STATES(FL_REPLICA_LAST)
#undef FL_REPLICA_LAST
    };

    fl_assert(state < FL_REPLICA_STATES_LEN);
    return is_last_of[state];
}
