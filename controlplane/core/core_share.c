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

/* Any one thing may come, or a small percentage would refuse a large array for ever.  A whole share
 * is no bound of its own: the tables have theirs. */
const char *core_owner_no_room(struct core *core, struct owner_slot slot, enum owner_share share,
                               uint32_t more)
{
    uint32_t most = part_of(whole_of(core, share), core->config.owner_percent);
    const struct owner *owner = slot.n ? owner_table_at(&core->owners, slot) : NULL;

    if (!owner || owner->name_len == 0 || owner->used[share] == 0) return NULL;
    if (core->config.owner_percent >= 100 || (uint64_t)owner->used[share] + more <= most) {
        return NULL;
    }
    return fl_arena_printf(&core->scratch,
                           "\"" FL_STR_FMT "\" has %" PRIu32 " %s, this job has %" PRIu32
                           " more, and one owner may have %" PRIu32
                           "; wait until some have ended (setting owner_percent)",
                           FL_STR_ARG(owner_name(owner)), owner->used[share],
                           owner_share_words(share), more, most);
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

/* The queue has its share of kinds, without the one that goes when its last job is moved. */
static const char *queue_has_kinds(struct core *core, const struct queue *queue, uint32_t goes)
{
    uint32_t most = part_of(core->config.shapes_max, core->config.queue_percent);

    if (!queue_table_has_room(&core->queues)) { /* the new one is made before the old one goes */
        return "open jobs have too many different shapes and priorities";
    }
    if (core->config.queue_percent >= 100 || queue->buckets.len < (uint64_t)most + goes) {
        return NULL;
    }
    return fl_arena_printf(&core->scratch,
                           "open jobs of queue \"%s\" have %zu different shapes and priorities, "
                           "the most that one queue may have; jobs that ask for the same are alike "
                           "(setting queue_percent)",
                           queue->name, queue->buckets.len);
}

const char *core_kind_no_room(struct core *core, const struct core_kind *kind)
{
    struct fl_queue_id id = kind->queue;
    struct bucket_slot bucket =
        queue_table_find_bucket(&core->queues, id, kind->priority, kind->shape);
    const struct bucket *was = kind->was.n ? queue_table_bucket(&core->queues, kind->was) : NULL;
    uint32_t goes = was && was->jobs == 1 && was->queue.n == id.n;
    const char *why = NULL;

    if (!bucket.n) why = queue_has_kinds(core, queue_table_at(&core->queues, id), goes);
    if (why || !kind->owner.n) return why;
    if (bucket.n && owner_table_jobs(&core->owners, kind->owner, bucket) > 0) return NULL;
    if (was && owner_table_jobs(&core->owners, kind->owner, kind->was) == 1) return NULL;
    return core_owner_no_room(core, kind->owner, OWNER_kinds, 1);
}
