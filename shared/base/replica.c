#include "shared/base/replica.h"

#include "shared/base/assert.h"
#include "shared/base/enum_names.h"
#include "shared/base/hash.h"

FL_ENUM_NAMES(fl_replica_state_name, enum fl_replica_state, FL_REPLICA_STATES(FL_NAME_NUMBERED))

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

uint64_t fl_inventory_digest(uint64_t so_far, struct fl_attempt attempt, uint32_t replica,
                             enum fl_replica_state state, int32_t exit_code)
{
    so_far = fl_hash_u64(so_far, attempt.job.n);
    so_far = fl_hash_u64(so_far, (uint64_t)attempt.element << 16 | attempt.n);
    so_far = fl_hash_u64(so_far, attempt.incarnation);
    so_far = fl_hash_u64(so_far, (uint64_t)replica << 8 | (uint8_t)state);
    return fl_hash_u64(so_far, (uint32_t)exit_code);
}

FL_ENUM_NAMES(fl_cause_name, enum fl_cause, FL_CAUSES(FL_NAME_NUMBERED))
