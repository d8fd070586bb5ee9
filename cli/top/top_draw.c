#include "cli/top/top_draw.h"

#include <stdio.h>
#include <string.h>

#include "cli/top/top_head.h"
#include "cli/top/top_keys.h"
#include "cli/top/top_overlay.h"

enum { GAP = 2, CUT_MIN = 8 }; /* no column is cut below CUT_MIN, or its head */

/* ---- the columns ----------------------------------------------------------------------------- */

struct layout {
    struct top_columns columns;
    size_t width[TOP_COLUMNS_MAX]; /* 0: left out */
    size_t left;                   /* where rows begin, beside the menu of columns */
};

static size_t total_of(const struct layout *layout)
{
    size_t total = 0;

    for (size_t i = 0; i < layout->columns.len; i++) {
        if (layout->width[i]) total += layout->width[i] + GAP;
    }
    return total ? total - GAP : 0;
}

static size_t narrowest(const struct top_column *column)
{
    size_t head = strlen(column->head);

    return head > CUT_MIN ? head : CUT_MIN;
}

/* The widest column that may still be cut; SIZE_MAX: there is none. */
static size_t find_widest(const struct layout *layout)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < layout->columns.len; i++) {
        const struct top_column *column = &layout->columns.at[i];

        if (!column->may_be_cut || layout->width[i] <= narrowest(column)) continue;
        if (found == SIZE_MAX || layout->width[i] > layout->width[found]) found = i;
    }
    return found;
}

static size_t find_spare(const struct layout *layout)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < layout->columns.len; i++) {
        const struct top_column *column = &layout->columns.at[i];

        if (!column->spare || !layout->width[i]) continue;
        if (found == SIZE_MAX || column->spare > layout->columns.at[found].spare) found = i;
    }
    return found;
}

/* Cuts what may be cut, then leaves out columns, until a row fits. */
static void fit(struct layout *layout, size_t width)
{
    while (total_of(layout) > width) {
        size_t widest = find_widest(layout), spare;

        if (widest != SIZE_MAX) {
            layout->width[widest]--;
            continue;
        }
        spare = find_spare(layout);
        if (spare == SIZE_MAX) return; /* the last columns are cut by the edge */
        layout->width[spare] = 0;
    }
}

static struct layout lay_out(const struct top_model *model, const struct top_cells *cells)
{
    struct layout layout = {.columns = top_columns_of(model->tab),
                            .left = model->mode == TOP_SORT ? TOP_MENU_COLUMNS + 1 : 0};

    for (size_t i = 0; i < layout.columns.len; i++) {
        layout.width[i] = strlen(layout.columns.at[i].head);
        for (size_t r = 0; r < model->rows_len; r++) {
            size_t width = top_cells_width(cells, model->rows[r].text[i]);

            if (width > layout.width[i]) layout.width[i] = width;
        }
    }
    fit(&layout, cells->columns - layout.left - 1);
    return layout;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static void draw_heads(const struct top_model *model, const struct layout *layout,
                       struct top_cells *cells, size_t row)
{
    const struct top_list *list = &model->lists[model->tab];
    size_t at = layout->left + 1;

    top_cells_fill(cells, row, layout->left, cells->columns, TOP_HEAD);
    for (size_t i = 0; i < layout->columns.len; i++) {
        const struct top_column *column = &layout->columns.at[i];
        size_t width = layout->width[i], len = strlen(column->head);

        if (!width) continue;
        top_cells_put(cells, row, column->is_right && width > len ? at + width - len : at, len,
                      TOP_HEAD, column->head);
        if (i == list->sort) { /* the mark stands in the gap */
            top_cells_put(cells, row, column->is_right ? at + width : at + len, 1, TOP_HEAD,
                          list->is_inverse ? "^" : "v");
        }
        at += width + GAP;
    }
}

static void draw_row(const struct top_row *row, const struct layout *layout,
                     struct top_cells *cells, size_t at_row, bool is_selected)
{
    enum top_style style = is_selected ? TOP_SELECTED : row->is_tagged ? TOP_TAGGED : TOP_PLAIN;
    size_t at = layout->left + 1;

    top_cells_fill(cells, at_row, layout->left, cells->columns, style);
    if (row->is_tagged) top_cells_put(cells, at_row, layout->left, 1, style, "*");
    for (size_t i = 0; i < layout->columns.len; i++) {
        const struct top_column *column = &layout->columns.at[i];
        bool is_state = strcmp(column->head, "STATE") == 0 && style == TOP_PLAIN;
        const char *text = *row->text[i] ? row->text[i] : "-";
        size_t width = layout->width[i], used = top_cells_width(cells, text);

        if (!width) continue;
        top_cells_put(cells, at_row, column->is_right && used < width ? at + width - used : at,
                      width, is_state ? row->state : style, text);
        at += width + GAP;
    }
}

static void draw_empty(const struct top_model *model, struct top_cells *cells, size_t row)
{
    const char *text = "nothing is there yet";

    if (!model->data) {
        text = "asking the control plane ...";
    } else if (model->all_len) {
        text = "no row has the filter's text; Esc shows all";
    } else if (model->tab == TOP_JOBS) {
        text = "no jobs: 'fairlead run echo hello' starts one";
    }
    top_cells_put(cells, row, 1, cells->columns, TOP_DIM, text);
}

static void draw_list(const struct top_model *model, struct top_cells *cells, size_t row,
                      size_t rows, bool has_cursor)
{
    const struct top_list *list = &model->lists[model->tab];
    struct layout layout = lay_out(model, cells);

    draw_heads(model, &layout, cells, row);
    if (!model->rows_len) draw_empty(model, cells, row + 1);
    for (size_t i = 0; i + 1 < rows && list->first + i < model->rows_len; i++) {
        draw_row(&model->rows[list->first + i], &layout, cells, row + 1 + i,
                 has_cursor && list->first + i == list->cursor);
    }
}

/* ---- the rest of the frame ------------------------------------------------------------------- */

static const char *put_choice(struct fl_arena *arena, const char *text, const char *what,
                              const char *value)
{
    if (!*value) return text;
    return fl_arena_printf(arena, "%s  %s: %s", text, what, value);
}

/* The tabs, and at the right how the rows were chosen. */
static void draw_tabs(const struct top_model *model, struct top_cells *cells, size_t row,
                      struct fl_arena *arena)
{
    const char *choice = "";
    size_t at = 0, room, width, count_width;
    const char *count;

    for (size_t tab = 0; tab < TOP_TABS_LEN; tab++) {
        const char *name = fl_arena_printf(arena, tab == model->tab ? "[%zu %s]" : " %zu %s ",
                                           tab + 1, top_tab_name((enum top_tab)tab));

        at += top_cells_put(cells, row, at, cells->columns, tab == model->tab ? TOP_BOLD : TOP_DIM,
                            name);
    }
    if (model->tab == TOP_JOBS) {
        choice = put_choice(arena, choice, "queue", model->queue);
        choice = put_choice(arena, choice, "user", model->user);
        if (model->is_open_only && !model->has_states) {
            choice = fl_arena_printf(arena, "%s  open only", choice);
        }
    }
    if (model->tab == TOP_NODES) choice = put_choice(arena, choice, "cluster", model->cluster);
    choice = put_choice(arena, choice, "filter", model->lists[model->tab].filter);
    count = model->rows_len ? fl_arena_printf(arena, "  %zu/%zu",
                                              model->lists[model->tab].cursor + 1, model->rows_len)
                            : "";
    if (model->tags.len && model->tab == TOP_JOBS) {
        count = fl_arena_printf(arena, "  %zu tagged%s", model->tags.len, count);
    }
    count_width = strlen(count);
    room = cells->columns > at + count_width ? cells->columns - at - count_width : 0;
    width = top_cells_width(cells, choice);
    if (width > room) width = room;
    top_cells_put(cells, row, cells->columns - count_width - width, width, TOP_WARN, choice);
    top_cells_put(cells, row, cells->columns - count_width, count_width, TOP_PLAIN, count);
}

static void draw_keys(struct top_cells *cells, size_t row)
{
    static const struct {
        const char *key, *text;
    } keys[] = {{"F1", "Help"},  {"F3", "Search"}, {"F4", "Filter"},  {"F5", "Refresh"},
                {"F6", "Sort"},  {"F7", "Hold"},   {"F8", "Release"}, {"F9", "Cancel"},
                {"F10", "Quit"}, {"Tab", "Next"},  {"Enter", "Open"}, {"l", "Logs"},
                {"u", "User"},   {"Space", "Tag"}, {"p", "Pause"}};
    size_t at = 0;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (at + strlen(keys[i].key) + strlen(keys[i].text) > cells->columns) return;
        at += top_cells_put(cells, row, at, cells->columns, TOP_PLAIN, keys[i].key);
        at += top_cells_put(cells, row, at, cells->columns, TOP_BAR, keys[i].text);
        if (cells->columns >= 100) at++;
    }
}

static void draw_bottom(const struct top_model *model, struct top_cells *cells, size_t row,
                        struct fl_arena *arena)
{
    static const char *const prompts[] = {[TOP_SEARCH] = "Search: ",
                                          [TOP_FILTER] = "Filter: ",
                                          [TOP_USER] = "User (@me: yourself, empty: all): "};
    bool is_input =
        model->mode == TOP_SEARCH || model->mode == TOP_FILTER || model->mode == TOP_USER;
    size_t used;

    if (is_input) {
        top_cells_fill(cells, row, 0, cells->columns, TOP_BAR);
        used = top_cells_put(cells, row, 0, cells->columns, TOP_BAR, prompts[model->mode]);
        top_cells_put(cells, row, used, cells->columns, TOP_BAR,
                      fl_arena_printf(arena, "%s_", model->input));
    } else if (model->mode == TOP_PANEL) {
        top_cells_put(cells, row, 0, cells->columns, TOP_BAR,
                      "Esc Back  l Logs  H Hold  R Release  c Cancel  Up Down PgUp PgDn Move");
    } else if (model->mode == TOP_HELP) {
        top_cells_put(cells, row, 0, cells->columns, TOP_BAR, "any key leads back");
    } else {
        draw_keys(cells, row);
    }
}

/* A message, or the state of a lost connection, has the row above the last one. */
static size_t draw_message(const struct top_model *model, struct top_cells *cells, size_t row,
                           struct fl_arena *arena)
{
    const char *link = top_head_link(model, arena);

    if (*model->message) {
        top_cells_put(cells, row, 0, cells->columns, model->is_message_bad ? TOP_BAD : TOP_BOLD,
                      model->message);
    } else if (*link) {
        top_cells_put(cells, row, 0, cells->columns, TOP_BAD, link);
    } else {
        return 0;
    }
    return 1;
}

static void draw_body(struct top_model *model, struct top_cells *cells, size_t row, size_t rows)
{
    if (model->mode == TOP_HELP) {
        top_overlay_help(cells, row, rows);
        return;
    }
    if (*model->panel.job) {
        model->page_rows = rows;
        top_overlay_panel(model, cells, row, rows);
    } else {
        model->page_rows = rows - 1; /* without the heads */
        top_model_move(model, 0);
        draw_list(model, cells, row, rows, true);
    }
    if (model->mode == TOP_SORT) top_overlay_sort(model, cells, row, rows);
    if (model->mode == TOP_CONFIRM) top_overlay_confirm(model, cells, row, rows);
}

void top_draw(struct top_model *model, struct top_cells *cells)
{
    struct fl_arena arena = {0};
    size_t row, bottom = cells->rows - 1;

    if (cells->rows < TOP_ROWS_MIN || cells->columns < TOP_COLUMNS_MIN) {
        top_cells_put(cells, 0, 0, cells->columns, TOP_BOLD, "too small for fairlead top");
        top_cells_put(cells, 1, 0, cells->columns, TOP_PLAIN,
                      fl_arena_printf(&arena, "wants %dx%d, has %zux%zu; Ctrl-C quits",
                                      TOP_COLUMNS_MIN, TOP_ROWS_MIN, cells->columns, cells->rows));
        fl_arena_fini(&arena);
        return;
    }
    row = top_head_draw(model, cells, 2 + (cells->rows - TOP_ROWS_MIN) / 3);
    draw_bottom(model, cells, bottom, &arena);
    bottom -= draw_message(model, cells, bottom - 1, &arena);
    draw_tabs(model, cells, row, &arena);
    draw_body(model, cells, row + 1, bottom - row - 1);
    fl_arena_fini(&arena);
}

void top_draw_once(struct top_model *model, size_t columns, bool has_utf8,
                   struct top_cells *ret_cells)
{
    size_t rows = 4 + model->data->clusters.len + (model->rows_len ? model->rows_len : 1), row;

    if (columns < TOP_COLUMNS_MIN) columns = TOP_COLUMNS_MIN;
    top_cells_init(ret_cells, rows, columns, has_utf8);
    row = top_head_draw(model, ret_cells, rows);
    model->lists[model->tab].first = 0;
    draw_list(model, ret_cells, row + 1, rows - row - 1, false);
    row += 2 + (model->rows_len ? model->rows_len : 1);
    if (row < ret_cells->rows) ret_cells->rows = row;
}
