#include "controlplane/core/core_state.h"

/* Whether a job could ever run: sched/ever.h judges, and here the core's tables meet it. */

/* The entry of a shape that is not in the table, which the caller decoded or this does. */
static const struct shape_entry *entry_of(struct core *core, struct fl_str bytes)
{
    struct shape_entry *entry = fl_arena_new(&core->scratch, struct shape_entry);
    struct fl_err err = {0};

    entry->bytes = bytes;
    fl_assert(shape_decode(bytes, &entry->shape, &err)); /* check_shape looked */
    entry->replicas = shape_replicas(&entry->shape);
    for (uint32_t k = 0; k < entry->shape.kinds_len; k++) {
        entry->shape.kind_numbers[k] = resource_table_find(&core->resources, entry->shape.kinds[k]);
    }
    return entry;
}

const struct shape_entry *core_possible_entry(struct core *core, struct fl_str bytes)
{
    struct shape_slot slot = shape_table_find(&core->shapes, bytes);

    return slot.n ? shape_table_at(&core->shapes, slot) : entry_of(core, bytes);
}

const char *core_possible_refusal(struct core *core, struct fl_str shape)
{
    struct room *room = &core->round.chooser.room;
    uint64_t before = room->looked;
    const char *text;
    bool is_never;

    if (core->clusters.enrolled_len == 0) return NULL; /* people submit first and join later */
    is_never = ever_judge(&core->ever, room, core_possible_entry(core, shape), core->now, &text) ==
               EVER_NEVER;
    core_look(core, room->looked - before);
    return is_never ? text : NULL;
}
