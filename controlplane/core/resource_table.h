/* resource_table.h - the resources that nodes have offered, and a small number for each name.
 * A name gets its number, from 1, when a node first offers it, and keeps it; a job that asks for a
 * name takes none of the few numbers.  Numbers stay inside the core; rows, agents and people say
 * names.  Uses shared/base only.  Not thread-safe: the core owns it and is its only caller. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/vec.h"

enum { RESOURCES_MAX = 64 };

struct resource_table {
    FL_VEC(struct fl_str) names; /* owned; number i + 1 is at[i]; empty: it is free */
};

void resource_table_fini(struct resource_table *table);

/* 0: it has none. */
uint8_t resource_table_find(const struct resource_table *table, struct fl_str name);

/* The next number for a name that has none; 0: all are in use. */
uint8_t resource_table_add(struct resource_table *table, struct fl_str name);

/* This number, as a row says.  FL_INVALID: one that cannot be, or no name; FL_EXISTS: the number or
 * the name is there. */
FL_CHECK bool resource_table_put(struct resource_table *table, uint8_t number, struct fl_str name,
                                 struct fl_err *err);

struct fl_str resource_table_name(const struct resource_table *table, uint8_t number);
