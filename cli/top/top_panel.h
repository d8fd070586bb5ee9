/* top_panel.h - everything about one job as lines: the job itself, why it waits or ended, each
 * cluster's verdict, its live elements and its attempts.
 * Pure but for memory. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct fl_arena;

enum { TOP_PANEL_LINES_MAX = 400 };

/* Lines in the arena, at most TOP_PANEL_LINES_MAX; those that head a part begin in the first
 * column.  'job' is the answer of GET /v1/jobs/{job}, 'why' that of its explain, or NULL. */
const char *const *top_panel_lines(const json_t *job, const json_t *why, int64_t now,
                                   struct fl_arena *arena, size_t *ret_len);
