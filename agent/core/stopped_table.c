#include "agent/core/stopped_table.h"

#include "agent/core/element.h"
#include "shared/base/assert.h"
#include "shared/base/hash.h"

void stopped_table_init(struct stopped_table *table, uint32_t entries_max)
{
    fl_assert(entries_max > 0);
    *table = (struct stopped_table){.entries_max = entries_max};
    fl_slab_init(&table->entries, sizeof(struct stopped), entries_max);
}

void stopped_table_fini(struct stopped_table *table)
{
    fl_slab_fini(&table->entries);
    fl_map_fini(&table->by_element);
}

static struct stopped *at(const struct stopped_table *table, uint32_t slot)
{
    return fl_slab_at(&table->entries, slot);
}

static uint32_t find_slot(const struct stopped_table *table, struct fl_attempt attempt)
{
    struct element_key key = element_key(attempt);
    uint64_t slot = 0;

    return fl_map_find(&table->by_element, &key, sizeof(key), &slot) ? (uint32_t)slot : 0;
}

static void append(struct stopped_table *table, uint32_t slot)
{
    struct stopped *entry = at(table, slot);

    entry->prev = table->last;
    entry->next = 0;
    if (table->last) {
        at(table, table->last)->next = slot;
    } else {
        table->first = slot;
    }
    table->last = slot;
}

static void unlink_slot(struct stopped_table *table, uint32_t slot)
{
    struct stopped *entry = at(table, slot);

    if (entry->prev) {
        at(table, entry->prev)->next = entry->next;
    } else {
        table->first = entry->next;
    }
    if (entry->next) {
        at(table, entry->next)->prev = entry->prev;
    } else {
        table->last = entry->prev;
    }
}

static void drop_first(struct stopped_table *table)
{
    uint32_t slot = table->first;
    struct element_key key = element_key(at(table, slot)->attempt);

    fl_map_remove(&table->by_element, &key, sizeof(key));
    unlink_slot(table, slot);
    fl_slab_give(&table->entries, slot);
}

void stopped_table_clear(struct stopped_table *table)
{
    while (table->first) {
        drop_first(table);
    }
}

void stopped_table_put(struct stopped_table *table, struct fl_attempt attempt, uint32_t grace_ms)
{
    struct element_key key = element_key(attempt);
    uint32_t slot = find_slot(table, attempt);

    if (slot) {
        struct stopped *entry = at(table, slot);

        if (attempt_is_older(attempt, entry->attempt)) return;
        if (attempt_is_older(entry->attempt, attempt)) {
            entry->attempt = attempt;
            entry->grace_ms = grace_ms;
        }
        unlink_slot(table, slot);
        append(table, slot);
        return;
    }
    if (table->entries.len == table->entries_max) drop_first(table);
    slot = fl_slab_take(&table->entries);
    at(table, slot)->attempt = attempt;
    at(table, slot)->grace_ms = grace_ms;
    append(table, slot);
    fl_map_put(&table->by_element, &key, sizeof(key), slot);
}

const struct stopped *stopped_table_find(const struct stopped_table *table,
                                         struct fl_attempt attempt)
{
    uint32_t slot = find_slot(table, attempt);

    return slot ? at(table, slot) : NULL;
}

uint64_t stopped_table_hash(const struct stopped_table *table, uint64_t so_far)
{
    for (uint32_t slot = table->first; slot; slot = at(table, slot)->next) {
        so_far = attempt_hash(so_far, at(table, slot)->attempt);
        so_far = fl_hash_u64(so_far, at(table, slot)->grace_ms);
    }
    return so_far;
}

void stopped_table_check(const struct stopped_table *table)
{
    size_t len = 0;
    uint32_t prev = 0;

    for (uint32_t slot = table->first; slot; slot = at(table, slot)->next) {
        fl_assert(at(table, slot)->prev == prev);
        fl_assert(find_slot(table, at(table, slot)->attempt) == slot);
        prev = slot;
        len++;
    }
    fl_assert(table->last == prev);
    fl_assert(len == table->entries.len && len == table->by_element.len);
    fl_assert(len <= table->entries_max);
}
