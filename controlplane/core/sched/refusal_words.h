/* refusal_words.h - says why no enrolled cluster could ever run a shape, with the nearest one that
 * some could: a smaller replica, fewer of them at once, other labels or clusters.  The words are
 * for the person who submits it.
 * Uses room and shape_table.  Not thread-safe. */
#pragma once

#include "controlplane/core/resource_table.h"
#include "controlplane/core/sched/judge.h"

enum { REFUSAL_WORDS_MAX = 501 }; /* with the zero byte; a kept answer holds no longer text */

/* False: the looks ended before all nodes were looked at; then the text says only what is sure
 * without them. */
bool refusal_words_write(struct room *room, const struct shape *shape,
                         const struct resource_table *resources, uint64_t looks_max,
                         char ret_text[REFUSAL_WORDS_MAX]);

/* Without GPUs, accelerators may be there by their names alone: says which, the first few, and what
 * to do.  'offered' is by the number of the resource.  False: none of them is an accelerator. */
bool refusal_words_accelerators(const struct resource_table *resources,
                                const bool offered[RESOURCES_MAX + 1],
                                char ret_text[REFUSAL_WORDS_MAX]);
