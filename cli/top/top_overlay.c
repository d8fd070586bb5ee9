#include "cli/top/top_overlay.h"

#include <string.h>

#include "cli/top/top_keys.h"

/* ---- the help -------------------------------------------------------------------------------- */

static const struct {
    const char *keys, *text;
} help[] = {
    {"Up Down k j PgUp PgDn", "move; Home g and End G to the ends"},
    {"Tab 1 2 3 4 Left Right", "jobs, queues, clusters, nodes"},
    {"Enter e", "a job: all about it, and why it waits; a queue's jobs; a cluster's nodes"},
    {"l", "the job's output as it comes; Ctrl-C and Enter lead back"},
    {"Space U", "tag a job; take all tags away"},
    {"F9 c", "cancel: the tagged jobs, else the job under the cursor; asks first"},
    {"F7 H  F8 R", "hold and release jobs; pause and resume queues; cordon and uncordon clusters"},
    {"F3 /  n N", "search; the next one, the one before"},
    {"F4 \\", "show only rows that have a text; Esc shows all again"},
    {"u", "only jobs of a user, @me for yours"},
    {"F6 s  I", "sort by a column, once more for the reverse; reverse"},
    {"a", "ended jobs too, or only open ones"},
    {"F5 r  p  + -", "refresh now; pause; slower and faster"},
    {"F10 q", "quit"},
};

void top_overlay_help(struct top_cells *cells, size_t row, size_t rows)
{
    size_t at = row;

    for (size_t i = 0; i < rows; i++) {
        top_cells_fill(cells, row + i, 0, cells->columns, TOP_PLAIN);
    }
    for (size_t i = 0; i < sizeof help / sizeof *help && at < row + rows; i++) {
        const char *text = help[i].text;

        top_cells_put(cells, at, 1, 23, TOP_BOLD, help[i].keys);
        do {
            size_t width = cells->columns - 25, len = top_cells_wrap(cells, text, width);
            char piece[128];

            if (at == row + rows) return;
            if (len >= sizeof piece) len = sizeof piece - 1;
            memcpy(piece, text, len);
            piece[len] = 0;
            top_cells_put(cells, at++, 25, width, TOP_PLAIN, piece);
            text += len;
            text += strspn(text, " ");
        } while (*text);
    }
}

/* ---- the menu of columns --------------------------------------------------------------------- */

void top_overlay_sort(const struct top_model *model, struct top_cells *cells, size_t row,
                      size_t rows)
{
    struct top_columns columns = top_columns_of(model->tab);
    const struct top_list *list = &model->lists[model->tab];

    for (size_t i = 0; i < rows; i++) {
        top_cells_fill(cells, row + i, 0, TOP_MENU_COLUMNS + 1, TOP_PLAIN);
    }
    top_cells_fill(cells, row, 0, TOP_MENU_COLUMNS, TOP_HEAD);
    top_cells_put(cells, row, 1, TOP_MENU_COLUMNS - 1, TOP_HEAD, "Sort by");
    for (size_t i = 0; i < columns.len && i + 1 < rows; i++) {
        enum top_style style = i == model->menu ? TOP_SELECTED : TOP_PLAIN;
        size_t used;

        top_cells_fill(cells, row + 1 + i, 0, TOP_MENU_COLUMNS, style);
        used =
            top_cells_put(cells, row + 1 + i, 1, TOP_MENU_COLUMNS - 1, style, columns.at[i].head);
        if (i == list->sort) {
            top_cells_put(cells, row + 1 + i, 2 + used, TOP_MENU_COLUMNS, style,
                          list->is_inverse ? "reverse" : "now");
        }
    }
}

/* ---- the question ---------------------------------------------------------------------------- */

/* "job-7 train": with its name, where that is known. */
static const char *name_of(const struct top_model *model, const char *id, struct fl_arena *arena)
{
    const struct top_job *job = NULL;

    if (strcmp(model->order.group, "jobs") == 0) job = top_data_job(model->data, id);
    return job ? fl_arena_printf(arena, "%s  %s  %s", id, job->state, job->name) : id;
}

void top_overlay_confirm(const struct top_model *model, struct top_cells *cells, size_t row,
                         size_t rows)
{
    const struct top_order *order = &model->order;
    struct fl_arena arena = {0};
    size_t shown = order->names_len, room = rows > 5 ? rows - 5 : 1, at = row;
    int group_len = (int)strlen(order->group) - (order->names_len == 1); /* "jobs", or "job" */

    if (shown > room) shown = room - 1;
    top_cells_fill(cells, at, 0, cells->columns, TOP_BAR);
    top_cells_put(cells, at++, 1, cells->columns, TOP_BAR,
                  fl_arena_printf(&arena, "%s %zu %.*s?", order->action, order->names_len,
                                  group_len, order->group));
    for (size_t i = at; i < at + shown + 4 && i < row + rows; i++) {
        top_cells_fill(cells, i, 0, cells->columns, TOP_PLAIN);
    }
    for (size_t i = 0; i < shown; i++) {
        top_cells_put(cells, at++, 3, cells->columns, TOP_BOLD,
                      name_of(model, order->names[i], &arena));
    }
    if (shown < order->names_len) {
        top_cells_put(cells, at++, 3, cells->columns, TOP_BOLD,
                      fl_arena_printf(&arena, "and %zu more", order->names_len - shown));
    }
    top_cells_put(cells, at + 1, 1, cells->columns, TOP_WARN, "y: yes   any other key: no");
    fl_arena_fini(&arena);
}

/* ---- the panel ------------------------------------------------------------------------------- */

struct piece {
    const char *text;
    bool is_head;
};

/* The lines in pieces that fit.  A line that begins in the first column is shown as a heading. */
static size_t wrap(const struct top_panel *panel, const struct top_cells *cells,
                   struct fl_arena *arena, struct piece **ret_at)
{
    struct {
        struct piece *at;
        size_t len, cap;
    } pieces = {0};
    size_t width = cells->columns - 1;

    for (size_t i = 0; i < panel->lines_len; i++) {
        const char *rest = panel->lines[i];

        do {
            size_t len = top_cells_wrap(cells, rest, width);
            struct piece piece = {fl_arena_copy(arena, rest, len),
                                  rest == panel->lines[i] && *rest && *rest != ' '};

            fl_arena_push(arena, &pieces, piece);
            rest += len;
            rest += strspn(rest, " ");
        } while (*rest);
    }
    *ret_at = pieces.at;
    return pieces.len;
}

void top_overlay_panel(struct top_model *model, struct top_cells *cells, size_t row, size_t rows)
{
    struct top_panel *panel = &model->panel;
    struct fl_arena arena = {0};
    struct piece *pieces;
    size_t len = wrap(panel, cells, &arena, &pieces);

    if (panel->scroll + rows > len) panel->scroll = len > rows ? len - rows : 0;
    for (size_t i = 0; i < rows; i++) {
        size_t at = panel->scroll + i;

        top_cells_fill(cells, row + i, 0, cells->columns, TOP_PLAIN);
        if (at >= len) continue;
        top_cells_put(cells, row + i, 1, cells->columns, pieces[at].is_head ? TOP_BOLD : TOP_PLAIN,
                      pieces[at].text);
    }
    fl_arena_fini(&arena);
}
