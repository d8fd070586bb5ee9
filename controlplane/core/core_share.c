#include <inttypes.h>

#include "controlplane/core/core_state.h"

/* No queue and no owner may take all the room that is there for everybody.  Loading does not look:
 * a database that holds more keeps it. */

static uint32_t part_of(uint32_t whole, uint32_t percent)
{
    uint64_t part = (uint64_t)whole * percent / 100;

    return part > 0 ? (uint32_t)part : 1;
}

static uint32_t whole_of(const struct core *core, enum owner_share share)
{
    switch (share) {
    case OWNER_jobs:
        return core->config.jobs_max;
    case OWNER_kinds:
        return core->config.shapes_max;
    case OWNER_waits:
        return DEPENDENCIES_MAX;
    case OWNER_singletons:
        return SINGLETONS_MAX;
    case OWNER_pairs:
        return PAIRS_MAX;
    case OWNER_pair_elements:
        return PAIR_ELEMENTS_MAX;
    case OWNER_SHARES_LEN:
        break;
    }
    fl_unreachable("a share is one of OWNER_SHARES");
}

/* Any one thing may come, or a small percentage would refuse a large array for ever. */
const char *core_owner_no_room(struct core *core, struct owner_slot slot, enum owner_share share,
                               uint32_t more)
{
    uint32_t most = part_of(whole_of(core, share), core->config.owner_percent);
    const struct owner *owner = slot.n ? owner_table_at(&core->owners, slot) : NULL;

    if (!owner || owner->name_len == 0 || owner->used[share] == 0) return NULL;
    if ((uint64_t)owner->used[share] + more <= most) return NULL;
    return fl_arena_printf(&core->scratch,
                           "\"" FL_STR_FMT "\" has %" PRIu32 " %s, and one owner may have %" PRIu32
                           "; wait until some have ended (setting owner_percent)",
                           FL_STR_ARG(owner_name(owner)), owner->used[share],
                           owner_share_words(share), most);
}

const char *core_queue_no_room(struct core *core, struct fl_queue_id id)
{
    const struct queue *queue = queue_table_at(&core->queues, id);

    if (queue->jobs < part_of(core->config.jobs_max, core->config.queue_percent)) return NULL;
    return fl_arena_printf(&core->scratch,
                           "queue \"%s\" has %" PRIu32 " open jobs, the most that one queue may "
                           "have; wait until some have ended, or make alike ones elements of one "
                           "job (setting queue_percent)",
                           queue->name, queue->jobs);
}

const char *core_kind_no_room(struct core *core, struct fl_queue_id id, int32_t priority,
                              struct shape_slot shape, struct owner_slot owner)
{
    const struct queue *queue = queue_table_at(&core->queues, id);
    struct bucket_slot bucket = queue_table_find_bucket(&core->queues, id, priority, shape);

    if (bucket.n && owner.n && owner_table_has_kind(&core->owners, owner, bucket)) return NULL;
    if (!bucket.n &&
        queue->buckets.len >= part_of(core->config.shapes_max, core->config.queue_percent)) {
        return fl_arena_printf(&core->scratch,
                               "open jobs of queue \"%s\" have %zu different shapes and "
                               "priorities, the most that one queue may have; jobs that ask for "
                               "the same are alike (setting queue_percent)",
                               queue->name, queue->buckets.len);
    }
    if (!bucket.n && !queue_table_has_room(&core->queues)) {
        return "open jobs have too many different shapes and priorities";
    }
    return core_owner_no_room(core, owner, OWNER_kinds, 1);
}
