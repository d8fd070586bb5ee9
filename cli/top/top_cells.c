#include "cli/top/top_cells.h"

#include <string.h>
#include <wchar.h>

#include "shared/base/alloc.h"
#include "shared/base/arena.h"

/* ---- characters ------------------------------------------------------------------------------ */

/* Takes one character of UTF-8; '?' for a byte that begins none. */
static uint32_t take_char(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    size_t more = *at < 0x80 ? 0 : *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc2 ? 1 : SIZE_MAX;
    uint32_t c = more == 0 ? *at : *at & (0x3fU >> (more & 3));

    if (more == SIZE_MAX || *at > 0xf4) {
        (*text)++;
        return '?';
    }
    for (size_t i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            (*text)++;
            return '?';
        }
        c = c << 6 | (at[i] & 0x3f);
    }
    *text += more + 1;
    return c;
}

/* Characters without a width that steer how others are shown: none of them is let through. */
static bool is_steering(uint32_t c)
{
    return c == 0xad || c == 0x61c || c == 0xfeff || (c >= 0x180b && c <= 0x180f) ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c >= 0xe0000;
}

/* Chooses a picture for the character before it, which may change its width: it is left out. */
static bool is_selector(uint32_t c)
{
    return c >= 0xfe00 && c <= 0xfe0f;
}

/* The columns of a character, which becomes '?' if the terminal must not get it, and 0 if it is
 * left out. */
static size_t measure(const struct top_cells *cells, uint32_t *c)
{
    int width;

    if (*c >= ' ' && *c < 0x7f) return 1;
    if (cells->has_utf8 && is_selector(*c)) {
        *c = 0;
        return 0;
    }
    width = cells->has_utf8 && *c >= 0xa0 && !is_steering(*c) ? wcwidth((wchar_t)*c) : -1;
    if (width >= 0 && width <= 2) return (size_t)width;
    *c = '?';
    return 1;
}

/* ---- the grid -------------------------------------------------------------------------------- */

void top_cells_init(struct top_cells *cells, size_t rows, size_t columns, bool has_utf8)
{
    *cells = (struct top_cells){.rows = rows, .columns = columns, .has_utf8 = has_utf8};
    cells->at = fl_new_array(struct top_cell, rows * columns);
    for (size_t row = 0; row < rows; row++) {
        top_cells_fill(cells, row, 0, columns, TOP_PLAIN);
    }
}

void top_cells_fini(struct top_cells *cells)
{
    fl_free(cells->at);
    *cells = (struct top_cells){0};
}

static struct top_cell *cell_at(struct top_cells *cells, size_t row, size_t column)
{
    return &cells->at[row * cells->columns + column];
}

static size_t room(const struct top_cells *cells, size_t row, size_t column, size_t width)
{
    if (row >= cells->rows || column >= cells->columns) return 0;
    return width < cells->columns - column ? width : cells->columns - column;
}

void top_cells_fill(struct top_cells *cells, size_t row, size_t column, size_t width,
                    enum top_style style)
{
    width = room(cells, row, column, width);
    for (size_t i = 0; i < width; i++) {
        *cell_at(cells, row, column + i) = (struct top_cell){.c = ' ', .style = style};
    }
}

size_t top_cells_width(const struct top_cells *cells, const char *text)
{
    size_t width = 0;

    while (*text) {
        uint32_t c = take_char(&text);

        width += measure(cells, &c);
    }
    return width;
}

size_t top_cells_put(struct top_cells *cells, size_t row, size_t column, size_t width,
                     enum top_style style, const char *text)
{
    size_t used = 0, whole;
    bool is_cut;

    width = room(cells, row, column, width);
    is_cut = top_cells_width(cells, text) > width;
    whole = is_cut && width ? width - 1 : width;
    while (*text) {
        uint32_t c = take_char(&text);
        size_t columns = measure(cells, &c);

        if (columns == 0) {
            if (used && c) cell_at(cells, row, column + used - 1)->mark = c;
            continue;
        }
        if (used + columns > whole) break;
        *cell_at(cells, row, column + used) = (struct top_cell){.c = c, .style = style};
        if (columns == 2) {
            *cell_at(cells, row, column + used + 1) =
                (struct top_cell){.c = ' ', .style = style, .is_tail = true};
        }
        used += columns;
    }
    if (is_cut && used < width) {
        *cell_at(cells, row, column + used) =
            (struct top_cell){.c = cells->has_utf8 ? 0x2026 : '~', .style = style};
        used++;
    }
    return used;
}

size_t top_cells_wrap(const struct top_cells *cells, const char *text, size_t width)
{
    const char *at = text;
    size_t used = 0, blank = 0;

    while (*at) {
        const char *begin = at;
        uint32_t c = take_char(&at);

        used += measure(cells, &c);
        if (used > width) {
            if (c == ' ') return (size_t)(begin - text);
            return blank ? blank : begin > text ? (size_t)(begin - text) : (size_t)(at - text);
        }
        if (c == ' ' && begin > text) blank = (size_t)(at - text);
    }
    return (size_t)(at - text);
}

/* ---- as text --------------------------------------------------------------------------------- */

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

const char *top_cells_text(const struct top_cells *cells, struct fl_arena *arena)
{
    char *text = fl_arena_alloc(arena, cells->rows * (cells->columns * 8 + 1) + 1), *to = text;

    for (size_t row = 0; row < cells->rows; row++) {
        char *begin = to;

        for (size_t column = 0; column < cells->columns; column++) {
            const struct top_cell *cell = &cells->at[row * cells->columns + column];

            if (cell->is_tail) continue;
            to = put_utf8(to, cell->c);
            if (cell->mark) to = put_utf8(to, cell->mark);
        }
        while (to > begin && to[-1] == ' ') {
            to--;
        }
        *to++ = '\n';
    }
    *to = 0;
    return text;
}
