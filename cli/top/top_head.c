#include "cli/top/top_head.h"

#include <inttypes.h>
#include <string.h>

enum { SLOW_MS = 5000, METERS_COLUMNS_MIN = 80, NAME_COLUMNS = 12, STATE_COLUMNS = 9 };

/* ---- the first two rows ---------------------------------------------------------------------- */

static const char *const link_words[] = {[TOP_CONNECTING] = "connecting",
                                         [TOP_CONNECTED] = "connected",
                                         [TOP_AWAY] = "disconnected",
                                         [TOP_REFUSED] = "refused"};
static const enum top_style link_styles[] = {[TOP_CONNECTING] = TOP_WARN,
                                             [TOP_CONNECTED] = TOP_GOOD,
                                             [TOP_AWAY] = TOP_BAD,
                                             [TOP_REFUSED] = TOP_BAD};

static void draw_title(const struct top_model *model, struct top_cells *cells,
                       struct fl_arena *arena)
{
    const char *user = model->data ? model->data->user : "",
               *version = model->data ? model->data->version : "", *state, *right, *title, *whole;
    size_t width, left;

    state = link_words[model->link];
    right = model->is_paused
                ? "  paused"
                : fl_arena_printf(arena, "  every %g s", (double)model->delay_ms / 1000);
    right =
        fl_arena_printf(arena, "  %s%s", *model->refreshed ? model->refreshed : "--:--:--", right);
    width = strlen(state) + strlen(right) + 2;
    left = cells->columns > width ? cells->columns - width : 0;
    title = fl_arena_printf(arena, "fairlead  %s%s%s", model->url, *user ? "  " : "", user);
    whole = fl_arena_printf(arena, "%s  %s", title, *version ? version : model->program_version);
    top_cells_put(cells, 0, 0, left, TOP_BOLD,
                  top_cells_width(cells, whole) <= left ? whole : title);
    left = cells->columns + 2 > width ? cells->columns + 2 - width : 0;
    top_cells_put(cells, 0, left, strlen(state), link_styles[model->link], state);
    top_cells_put(cells, 0, left + strlen(state), strlen(right),
                  model->is_paused ? TOP_WARN : TOP_PLAIN, right);
}

static void draw_counts(const struct top_model *model, struct top_cells *cells,
                        struct fl_arena *arena)
{
    static const char *const states[] = {"running", "starting", "stopping",  "queued",
                                         "held",    "failed",   "cancelled", "succeeded"};
    const struct top_data *data = model->data;
    bool has_before = false;
    int64_t open = 0;
    size_t column;

    for (size_t i = 0; i < data->queues.len; i++) {
        open += data->queues.at[i].jobs;
    }
    column = top_cells_put(cells, 1, 0, cells->columns, TOP_PLAIN,
                           fl_arena_printf(arena, "Jobs: %" PRId64 " open; %zu%s shown%s", open,
                                           data->jobs.len, data->has_more_jobs ? " of more" : "",
                                           data->jobs.len ? ": " : ""));
    for (size_t s = 0; s < sizeof states / sizeof *states; s++) {
        size_t found = 0;

        for (size_t i = 0; i < data->jobs.len; i++) {
            found += strcmp(data->jobs.at[i].state, states[s]) == 0;
        }
        if (!found) continue;
        if (has_before) column += top_cells_put(cells, 1, column, 2, TOP_PLAIN, ", ");
        has_before = true;
        column += top_cells_put(cells, 1, column, cells->columns, top_state_style(states[s]),
                                fl_arena_printf(arena, "%zu %s", found, states[s]));
    }
}

/* ---- meters ---------------------------------------------------------------------------------- */

static enum top_style meter_style(int64_t used, int64_t total)
{
    if (used * 10 >= total * 9) return TOP_BAD;
    return used * 10 >= total * 6 ? TOP_WARN : TOP_GOOD;
}

/* "CPU[|||||      4/8]" in 'width' columns. */
static void draw_meter(struct top_cells *cells, size_t row, size_t column, size_t width,
                       const char *label, const char *text, int64_t used, int64_t total)
{
    size_t head = strlen(label), text_len = strlen(text), inner = width - head - 2, bars;

    bars = total > 0 ? (size_t)((double)used / (double)total * (double)inner + 0.5) : 0;
    if (bars > inner) bars = inner;
    if (used > 0 && bars == 0) bars = 1;
    top_cells_put(cells, row, column, head, TOP_BUSY, label);
    top_cells_put(cells, row, column + head, 1, TOP_BOLD, "[");
    for (size_t i = 0; i < bars; i++) {
        top_cells_put(cells, row, column + head + 1 + i, 1, meter_style(used, total), "|");
    }
    if (text_len > inner) text_len = inner;
    top_cells_put(cells, row, column + head + 1 + inner - text_len, text_len, TOP_PLAIN, text);
    top_cells_put(cells, row, column + width - 1, 1, TOP_BOLD, "]");
}

static const char *share(struct fl_arena *arena, const char *used, const char *total)
{
    return fl_arena_printf(arena, "%s/%s", used, total);
}

static void draw_cluster(const struct top_cluster *cluster, struct top_cells *cells, size_t row,
                         size_t column, size_t width, struct fl_arena *arena)
{
    size_t before = NAME_COLUMNS + STATE_COLUMNS + 2, meter = (width - before) / 3, at;
    const struct top_amounts *used = &cluster->used, *total = &cluster->total;

    top_cells_put(cells, row, column, NAME_COLUMNS, TOP_PLAIN, cluster->name);
    top_cells_put(cells, row, column + NAME_COLUMNS + 1, STATE_COLUMNS,
                  top_state_style(cluster->state), cluster->state);
    at = column + before;
    draw_meter(cells, row, at, meter - 1, "CPU",
               share(arena, top_cpus(arena, used->cpu_milli), top_cpus(arena, total->cpu_milli)),
               used->cpu_milli, total->cpu_milli);
    draw_meter(
        cells, row, at + meter, meter - 1, "Mem",
        share(arena, top_memory(arena, used->memory_bytes), top_memory(arena, total->memory_bytes)),
        used->memory_bytes, total->memory_bytes);
    draw_meter(cells, row, at + 2 * meter, meter - 1, "GPU",
               fl_arena_printf(arena, "%" PRId64 "/%" PRId64, used->gpus, total->gpus), used->gpus,
               total->gpus);
}

/* Those that take no work first: they are what a person has to see. */
static size_t *order_of(const struct top_data *data, struct fl_arena *arena)
{
    size_t *order = fl_arena_array(arena, size_t, data->clusters.len), len = 0;

    for (int is_ready = 0; is_ready < 2; is_ready++) {
        for (size_t i = 0; i < data->clusters.len; i++) {
            if ((strcmp(data->clusters.at[i].state, "ready") == 0) == is_ready) order[len++] = i;
        }
    }
    return order;
}

static void draw_rest(const struct top_data *data, const size_t *order, size_t shown,
                      struct top_cells *cells, size_t row, struct fl_arena *arena)
{
    size_t ready = 0, rest = data->clusters.len - shown;

    for (size_t i = shown; i < data->clusters.len; i++) {
        ready += strcmp(data->clusters.at[order[i]].state, "ready") == 0;
    }
    top_cells_put(cells, row, 0, cells->columns, TOP_DIM,
                  fl_arena_printf(arena, "and %zu more cluster%s, %zu ready", rest,
                                  rest == 1 ? "" : "s", ready));
}

/* As many meters a row as fit; clusters beyond 'rows_max' rows are counted in the last one. */
static size_t draw_meters(const struct top_model *model, struct top_cells *cells, size_t row,
                          size_t rows_max, struct fl_arena *arena)
{
    const struct top_data *data = model->data;
    size_t a_row = cells->columns / METERS_COLUMNS_MIN, rows, shown, width;
    const size_t *order = order_of(data, arena);

    if (!data->clusters.len || !rows_max) return 0;
    a_row = a_row ? a_row : 1;
    width = cells->columns / a_row;
    rows = (data->clusters.len + a_row - 1) / a_row;
    shown = data->clusters.len;
    if (rows > rows_max) {
        rows = rows_max;
        shown = (rows - 1) * a_row;
    }
    for (size_t i = 0; i < shown; i++) {
        draw_cluster(&data->clusters.at[order[i]], cells, row + i / a_row, i % a_row * width, width,
                     arena);
    }
    if (shown < data->clusters.len) draw_rest(data, order, shown, cells, row + rows - 1, arena);
    return rows;
}

/* ---- all of it ------------------------------------------------------------------------------- */

const char *top_head_link(const struct top_model *model, struct fl_arena *arena)
{
    int64_t left = (model->again_at - model->tick + 999) / 1000;
    int64_t age = model->tick - model->refreshed_at;

    if (model->link == TOP_CONNECTED && !model->is_paused && age > model->delay_ms + SLOW_MS) {
        return fl_arena_printf(arena, "no answer for %" PRId64 " s", age / 1000);
    }
    if (model->link != TOP_AWAY && model->link != TOP_REFUSED) return "";
    if (left <= 0) {
        return fl_arena_printf(arena, "%s, trying again: %s", link_words[model->link], model->why);
    }
    return fl_arena_printf(arena, "%s, trying again in %" PRId64 " s: %s", link_words[model->link],
                           left, model->why);
}

size_t top_head_draw(const struct top_model *model, struct top_cells *cells, size_t rows_max)
{
    struct fl_arena arena = {0};
    size_t rows = 1;

    draw_title(model, cells, &arena);
    if (model->data && rows_max > 1) {
        draw_counts(model, cells, &arena);
        rows = 2 + draw_meters(model, cells, 2, rows_max - 2, &arena);
    }
    fl_arena_fini(&arena);
    return rows;
}
