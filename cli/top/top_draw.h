/* top_draw.h - draws one frame of 'top' from its model onto cells.
 * The frame, from above: the head (top_head.h), the tabs, the rows of a tab or the panel of a job,
 * a line for messages, and the keys or the line that is typed. */
#pragma once

#include "cli/top/top_model.h"

enum { TOP_ROWS_MIN = 12, TOP_COLUMNS_MIN = 60 };

/* A screen that is smaller than the minimum gets a sentence instead.  Notes in the model how many
 * rows there are for the list, and how far the panel can be moved. */
void top_draw(struct top_model *model, struct top_cells *cells);

/* The page of 'top --once': head and all rows of the tab, without tabs and keys.  Makes the cells,
 * 'columns' wide, but not below the minimum, and as high as it takes. */
void top_draw_once(struct top_model *model, size_t columns, bool has_utf8,
                   struct top_cells *ret_cells);
