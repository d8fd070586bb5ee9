/* shape_table.h - the shapes in use, each once.
 * A shape that no open job has stays until its room is needed: the next job of its kind is likely.
 * A shape's number means it for as long as it is here, and no longer: the newest may go, and after
 * a reload its number is the next one's.  So numbers never leave the core but in rows: open_job's,
 * whose shapes are in use and stay, and the journal's, from which none is looked up.  A cache of
 * specs goes by job and digest.  Uses shared/base only.  Not thread-safe: the core owns it and is
 * its only caller. */
#pragma once

#include "controlplane/core/resource_table.h"
#include "controlplane/core/shape.h"
#include "controlplane/core/slot.h"
#include "shared/base/map.h"
#include "shared/base/page_map.h"
#include "shared/base/slab.h"

struct shape_entry {
    uint32_t id;
    uint32_t refs;                          /* open jobs of this shape */
    struct shape_slot idle_next, idle_prev; /* among those without refs, oldest first */
    struct fl_str bytes;                    /* owned */
    struct shape shape;                     /* its strings point into 'bytes' */
    uint32_t replicas;
};

struct shape_table {
    struct fl_slab entries;
    struct fl_map by_bytes;   /* -> slot */
    struct fl_page_map by_id; /* -> slot */
    struct shape_slot idle_first, idle_last;
    uint32_t id_next;
    uint32_t shapes_max;
};

void shape_table_init(struct shape_table *table, uint32_t shapes_max);
void shape_table_fini(struct shape_table *table);

struct shape_entry *shape_table_at(const struct shape_table *table, struct shape_slot slot);

/* None: it is not there. */
struct shape_slot shape_table_find(const struct shape_table *table, struct fl_str bytes);
struct shape_slot shape_table_find_id(const struct shape_table *table, uint32_t id);

/* A new shape under 'id' (0: the next free one).  FL_INVALID: the bytes are no shape; FL_EXISTS:
 * the id or the bytes are there; FL_FULL: all are in use by open jobs.  ret_slot has no refs
 * yet. */
FL_CHECK bool shape_table_add(struct shape_table *table, uint32_t id, struct fl_str bytes,
                              struct shape_slot *ret_slot, struct fl_err *err);

/* A new shape would find room, if need be by the eviction of an idle one. */
bool shape_table_has_room(const struct shape_table *table);

/* The id of the shape that must go before the next can come; 0: there is room, or nothing idle. */
uint32_t shape_table_evict(struct shape_table *table);
void shape_table_drop(struct shape_table *table, uint32_t id);

/* The numbers of the resources that a new shape asks for by name, as far as there are any yet. */
void shape_table_number_one(struct shape_table *table, struct shape_slot slot,
                            const struct resource_table *resources);
/* From now on the resource of this name has this number. */
void shape_table_number(struct shape_table *table, struct fl_str name, uint8_t number);

void shape_table_ref(struct shape_table *table, struct shape_slot slot);
void shape_table_unref(struct shape_table *table, struct shape_slot slot);
