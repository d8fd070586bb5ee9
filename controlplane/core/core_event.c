#include "controlplane/core/core_event.h"

#include "shared/base/assert.h"
#include "shared/base/hash.h"

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

uint64_t core_inventory_digest(uint64_t so_far, const struct core_inventory_item *item)
{
    so_far = fl_hash_u64(so_far, item->attempt.job.n);
    so_far = fl_hash_u64(so_far, (uint64_t)item->attempt.element << 16 | item->attempt.n);
    so_far = fl_hash_u64(so_far, item->attempt.incarnation);
    so_far = fl_hash_u64(so_far, (uint64_t)item->replica << 8 | (uint8_t)item->state);
    return fl_hash_u64(so_far, (uint32_t)item->exit_code);
}
