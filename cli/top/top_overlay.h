/* top_overlay.h - what is drawn over the list: the help, the menu of columns, the question before a
 * change, and the panel of a job. */
#pragma once

#include "cli/top/top_model.h"

enum { TOP_MENU_COLUMNS = 18 };

/* Each draws within the rows from 'row' on. */
void top_overlay_help(struct top_cells *cells, size_t row, size_t rows);
void top_overlay_sort(const struct top_model *model, struct top_cells *cells, size_t row,
                      size_t rows);
void top_overlay_confirm(const struct top_model *model, struct top_cells *cells, size_t row,
                         size_t rows);
/* Lines that are too long go on in the next row.  Keeps the scroll within the text. */
void top_overlay_panel(struct top_model *model, struct top_cells *cells, size_t row, size_t rows);
