/* nearest.h - says why no enrolled cluster could ever run a shape, with the nearest one that some
 * could: a smaller replica, fewer of them at once, other labels or clusters.  The words are for the
 * person who submits it.
 * Uses room and shape_table.  Not thread-safe. */
#pragma once

#include "controlplane/core/sched/judge.h"

enum { NEAREST_TEXT_MAX = 501 }; /* with the zero byte; a kept answer holds no longer text */

struct resource_table;

/* False: the looks ended before all nodes were looked at; then the text says only what is sure
 * without them. */
bool nearest_say(struct room *room, const struct shape *shape,
                 const struct resource_table *resources, uint64_t looks_max,
                 char ret_text[NEAREST_TEXT_MAX]);
