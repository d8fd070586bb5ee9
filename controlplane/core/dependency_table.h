/* dependency_table.h - which open jobs wait for the end of which.
 * An edge leads from a job that waits to an open job that is older.  It is in two lists: those of
 * the job that waits, in the order in which it names them, and those of the job that it waits for,
 * in the order in which they came.  Jobs that wait for none, and for which none waits, cost
 * nothing here.  Uses shared/base only.  Not thread-safe: the core owns it and is its only
 * caller. */
#pragma once

#include "controlplane/core/slot.h"
#include "shared/base/dependency.h"
#include "shared/base/page_map.h"
#include "shared/base/slab.h"

enum {
    DEPENDENTS_MAX = 4096,      /* jobs that wait for one */
    DEPENDENCIES_MAX = 4000000, /* in all */
};

struct dependency_edge {
    uint64_t job, target;
    struct dependency_slot next_of_job; /* none: it is the last */
    struct dependency_slot next_of_target, prev_of_target;
    uint8_t on; /* enum fl_dependency_on */
};

struct dependency_table {
    struct fl_slab edges;
    struct fl_page_map of_job;    /* id -> the first edge of the job */
    struct fl_page_map of_target; /* id -> the first edge to it ... */
    struct fl_page_map last;      /* ... the last ... */
    struct fl_page_map count;     /* ... and how many there are */
};

void dependency_table_init(struct dependency_table *table);
void dependency_table_fini(struct dependency_table *table);

/* So many jobs wait for this one. */
uint32_t dependency_table_dependents(const struct dependency_table *table, uint64_t target);
/* So many edges more have room. */
bool dependency_table_has_room(const struct dependency_table *table, size_t edges);
/* 'job' waits for 'target', too; dependency_table_has_room was asked. */
void dependency_table_add(struct dependency_table *table, uint64_t job, uint64_t target,
                          enum fl_dependency_on on);
/* The first edge of the job, and the one behind it; NULL: there is none. */
const struct dependency_edge *dependency_table_first(const struct dependency_table *table,
                                                     uint64_t job);
const struct dependency_edge *dependency_table_next(const struct dependency_table *table,
                                                    const struct dependency_edge *edge);
/* Takes the first edge to the target out of both lists; false: no job waits for it. */
bool dependency_table_take(struct dependency_table *table, uint64_t target,
                           struct dependency_edge *ret);
/* The job waits for nothing any more; so many edges are gone. */
uint32_t dependency_table_drop(struct dependency_table *table, uint64_t job);
