/* top_cells.h - one frame of the screen as a grid of cells, each a character and a style.
 * All text goes in by top_cells_put, which lets no control character through: a name that carries
 * escapes shows as question marks.  Wide characters take two cells.  Without UTF-8 every character
 * beyond ASCII is a question mark.  The width of a character is that of wcwidth, so the caller has
 * set the locale.
 * Pure but for memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fl_arena;

enum top_style {
    TOP_PLAIN,
    TOP_BOLD,
    TOP_DIM,
    TOP_GOOD,
    TOP_BAD,
    TOP_BUSY,
    TOP_WARN,
    TOP_HEAD,     /* heads of columns */
    TOP_SELECTED, /* the row of the cursor */
    TOP_TAGGED,
    TOP_BAR, /* labels of the bar at the bottom, and prompts */
    TOP_STYLES_LEN
};

struct top_cell {
    uint32_t c, mark;     /* a character, and one that combines with it or 0 */
    enum top_style style; /* a wide character's is that of its first cell */
    bool is_tail;         /* the second cell of a wide character */
};

struct top_cells {
    size_t rows, columns;
    bool has_utf8;
    struct top_cell *at; /* rows * columns */
};

void top_cells_init(struct top_cells *cells, size_t rows, size_t columns, bool has_utf8);
void top_cells_fini(struct top_cells *cells); /* zeroed is fine */

/* Blanks of that style; a part outside of the grid is left out. */
void top_cells_fill(struct top_cells *cells, size_t row, size_t column, size_t width,
                    enum top_style style);

/* Puts the text into at most 'width' columns; one that is longer ends with a sign that it was cut.
 * Returns how many columns it took. */
size_t top_cells_put(struct top_cells *cells, size_t row, size_t column, size_t width,
                     enum top_style style, const char *text);

/* How many columns the text takes where there is room. */
size_t top_cells_width(const struct top_cells *cells, const char *text);

/* The bytes of the text that fill at most 'width' columns, cut at a blank where one is.  The rest
 * may begin with blanks. */
size_t top_cells_wrap(const struct top_cells *cells, const char *text, size_t width);

/* The frame as text: a line each row, without blanks at its end. */
const char *top_cells_text(const struct top_cells *cells, struct fl_arena *arena);
