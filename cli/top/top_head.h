/* top_head.h - the upper part of a frame: the control plane, how fresh the data is, counts of jobs,
 * and meters of clusters. */
#pragma once

#include "cli/top/top_model.h"

/* Draws from the first row on, at most 'rows_max' rows, and returns how many it took. */
size_t top_head_draw(const struct top_model *model, struct top_cells *cells, size_t rows_max);

/* "disconnected, trying again in 3 s: connection refused"; "" while there is nothing to say. */
const char *top_head_link(const struct top_model *model, struct fl_arena *arena);
