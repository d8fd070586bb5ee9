/* stopped_table.h - the attempts that were stopped, so that a STOP beats a START that comes after
 * it.  One entry an element: its highest stopped attempt.  At the bound the entry touched longest
 * ago goes, which is harmless: a START that comes even later makes a gate that never gets its GO.
 * Uses shared/base only.  Not thread-safe. */
#pragma once

#include <stdint.h>

#include "shared/base/map.h"
#include "shared/base/slab.h"
#include "shared/base/types.h"

struct stopped {
    struct fl_attempt attempt;
    uint32_t grace_ms;
    uint32_t prev, next; /* in the order touched */
};

struct stopped_table {
    struct fl_slab entries;
    struct fl_map by_element;
    uint32_t first, last;
    uint32_t entries_max;
};

void stopped_table_init(struct stopped_table *table, uint32_t entries_max); /* > 0 */
void stopped_table_fini(struct stopped_table *table);
void stopped_table_clear(struct stopped_table *table);

/* An attempt that is stopped already keeps its first grace; an attempt older than the known one
 * changes nothing. */
void stopped_table_put(struct stopped_table *table, struct fl_attempt attempt, uint32_t grace_ms);

/* The highest stopped attempt of the same element; NULL: none is remembered.  Borrowed. */
const struct stopped *stopped_table_find(const struct stopped_table *table,
                                         struct fl_attempt attempt);

uint64_t stopped_table_hash(const struct stopped_table *table, uint64_t so_far);
void stopped_table_check(const struct stopped_table *table);
