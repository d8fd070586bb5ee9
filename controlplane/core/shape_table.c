#include "controlplane/core/shape_table.h"

#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"

static const struct shape_slot none = {0};

void shape_table_init(struct shape_table *table, uint32_t shapes_max)
{
    fl_assert(shapes_max > 0);
    memset(table, 0, sizeof *table);
    fl_slab_init(&table->entries, sizeof(struct shape_entry), shapes_max);
    table->shapes_max = shapes_max;
    table->id_next = 1;
}

void shape_table_fini(struct shape_table *table)
{
    struct shape_slot slot;

    for (uint64_t id = 0; (slot.n = fl_page_map_next(&table->by_id, id, &id)) != 0; id++) {
        fl_free((void *)shape_table_at(table, slot)->bytes.at);
    }
    fl_page_map_fini(&table->by_id);
    fl_map_fini(&table->by_bytes);
    fl_slab_fini(&table->entries);
}

struct shape_entry *shape_table_at(const struct shape_table *table, struct shape_slot slot)
{
    return fl_slab_at(&table->entries, slot.n);
}

struct shape_slot shape_table_find(const struct shape_table *table, struct fl_str bytes)
{
    uint64_t slot = 0;

    (void)fl_map_find(&table->by_bytes, bytes.at, bytes.len, &slot);
    return (struct shape_slot){(uint32_t)slot};
}

struct shape_slot shape_table_find_id(const struct shape_table *table, uint32_t id)
{
    return (struct shape_slot){fl_page_map_find(&table->by_id, id)};
}

static void idle_push(struct shape_table *table, struct shape_slot slot)
{
    struct shape_entry *entry = shape_table_at(table, slot);

    entry->idle_next = none;
    entry->idle_prev = table->idle_last;
    if (table->idle_last.n) {
        shape_table_at(table, table->idle_last)->idle_next = slot;
    } else {
        table->idle_first = slot;
    }
    table->idle_last = slot;
}

static void idle_remove(struct shape_table *table, struct shape_slot slot)
{
    struct shape_entry *entry = shape_table_at(table, slot);

    if (entry->idle_prev.n) {
        shape_table_at(table, entry->idle_prev)->idle_next = entry->idle_next;
    } else {
        table->idle_first = entry->idle_next;
    }
    if (entry->idle_next.n) {
        shape_table_at(table, entry->idle_next)->idle_prev = entry->idle_prev;
    } else {
        table->idle_last = entry->idle_prev;
    }
    entry->idle_prev = entry->idle_next = none;
}

bool shape_table_add(struct shape_table *table, uint32_t id, struct fl_str bytes,
                     struct shape_slot *ret_slot, struct fl_err *err)
{
    struct shape_entry *entry;
    struct shape_slot slot;

    if (id == 0) id = table->id_next;
    if (shape_table_find(table, bytes).n || shape_table_find_id(table, id).n) {
        return fl_fail(err, FL_EXISTS, "shape %u is there already", id);
    }
    slot.n = fl_slab_take(&table->entries);
    if (!slot.n) {
        return fl_fail(err, FL_FULL, "open jobs have %u different shapes, the most there can be",
                       table->shapes_max);
    }
    entry = shape_table_at(table, slot);
    entry->bytes.at = memcpy(fl_alloc(bytes.len), bytes.at, bytes.len);
    entry->bytes.len = bytes.len;
    if (!shape_decode(entry->bytes, &entry->shape, err)) {
        fl_free((void *)entry->bytes.at);
        fl_slab_give(&table->entries, slot.n);
        return false;
    }
    entry->id = id;
    entry->replicas = shape_replicas(&entry->shape);
    fl_map_put(&table->by_bytes, bytes.at, bytes.len, slot.n);
    fl_page_map_put(&table->by_id, id, slot.n);
    if (id >= table->id_next) table->id_next = id + 1;
    idle_push(table, slot);
    *ret_slot = slot;
    return true;
}

void shape_table_number_one(struct shape_table *table, struct shape_slot slot,
                            const struct resource_table *resources)
{
    struct shape *shape = &shape_table_at(table, slot)->shape;

    for (uint32_t k = 0; k < shape->kinds_len; k++) {
        shape->kind_numbers[k] = resource_table_find(resources, shape->kinds[k]);
    }
}

void shape_table_number(struct shape_table *table, struct fl_str name, uint8_t number)
{
    struct shape_slot slot;

    for (uint64_t id = 0; (slot.n = fl_page_map_next(&table->by_id, id, &id)) != 0; id++) {
        struct shape *shape = &shape_table_at(table, slot)->shape;

        for (uint32_t k = 0; k < shape->kinds_len; k++) {
            if (fl_str_eq(shape->kinds[k], name)) shape->kind_numbers[k] = number;
        }
    }
}

bool shape_table_has_room(const struct shape_table *table)
{
    return table->entries.len < table->shapes_max || table->idle_first.n;
}

uint32_t shape_table_evict(struct shape_table *table)
{
    if (table->entries.len < table->shapes_max || !table->idle_first.n) return 0;
    return shape_table_at(table, table->idle_first)->id;
}

void shape_table_drop(struct shape_table *table, uint32_t id)
{
    struct shape_slot slot = {fl_page_map_remove(&table->by_id, id)};
    struct shape_entry *entry = shape_table_at(table, slot);

    fl_assert(entry->refs == 0);
    idle_remove(table, slot);
    fl_map_remove(&table->by_bytes, entry->bytes.at, entry->bytes.len);
    fl_free((void *)entry->bytes.at);
    fl_slab_give(&table->entries, slot.n);
}

void shape_table_ref(struct shape_table *table, struct shape_slot slot)
{
    if (shape_table_at(table, slot)->refs++ == 0) idle_remove(table, slot);
}

void shape_table_unref(struct shape_table *table, struct shape_slot slot)
{
    struct shape_entry *entry = shape_table_at(table, slot);

    fl_assert(entry->refs > 0);
    if (--entry->refs == 0) idle_push(table, slot);
}
