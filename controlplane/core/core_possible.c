#include "controlplane/core/core_state.h"

/* Whether a job could ever run: sched/feasibility.h judges, and here the core's tables meet it. */

/* The entry of a shape that is not in the table.  It is large, and a request may bring a thousand:
 * so there is one place for it. */
static const struct shape_entry *decode(struct core *core, struct fl_str bytes, struct fl_err *err)
{
    struct shape_entry *entry = &core->decoded;

    *entry = (struct shape_entry){.bytes = bytes};
    if (!shape_decode(bytes, &entry->shape, err)) return NULL;
    entry->replicas = shape_replicas(&entry->shape);
    for (uint32_t k = 0; k < entry->shape.kinds_len; k++) {
        entry->shape.kind_numbers[k] = resource_table_find(&core->resources, entry->shape.kinds[k]);
    }
    return entry;
}

const struct shape_entry *core_possible_entry(struct core *core, struct fl_str bytes,
                                              struct fl_err *err)
{
    struct shape_slot slot = shape_table_find(&core->shapes, bytes);

    return slot.n ? shape_table_at(&core->shapes, slot) : decode(core, bytes, err);
}

const char *core_possible_refusal(struct core *core, const struct shape_entry *entry)
{
    struct room *room = &core->round.chooser.room;
    uint64_t before = room->looked;
    const char *text;
    bool is_never;

    if (core->clusters.enrolled_len == 0) return NULL; /* people submit first and join later */
    is_never =
        feasibility_judge(&core->feasibility, room, entry, core->now, &text) == FEASIBILITY_NEVER;
    core_look(core, room->looked - before);
    core->looked_for_submits += room->looked - before;
    return is_never ? text : NULL;
}
