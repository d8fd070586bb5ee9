#include "cli/top/top_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/base/assert.h"
#include "shared/base/vec.h"

void top_model_init(struct top_model *model, const char *url, int64_t delay_ms)
{
    *model = (struct top_model){.url = url, .delay_ms = delay_ms, .page_rows = 1};
}

void top_model_fini(struct top_model *model)
{
    top_data_destroy(model->data);
    fl_vec_fini(&model->tags);
    fl_free(model->order.names);
    fl_arena_fini(&model->panel.arena);
    fl_arena_fini(&model->arena);
    *model = (struct top_model){0};
}

/* ---- tags ------------------------------------------------------------------------------------ */

static size_t find_tag(const struct top_model *model, const char *job)
{
    size_t i = 0;

    while (i < model->tags.len && strcmp(model->tags.at[i], job) != 0) {
        i++;
    }
    return i;
}

bool top_model_is_tagged(const struct top_model *model, const char *job)
{
    return find_tag(model, job) < model->tags.len;
}

void top_model_tag(struct top_model *model, const char *job)
{
    size_t found = find_tag(model, job), len = strlen(job);

    if (found < model->tags.len) {
        model->tags.len--;
        memmove(model->tags.at + found, model->tags.at + found + 1,
                (model->tags.len - found) * sizeof *model->tags.at);
        return;
    }
    if (len >= sizeof *model->tags.at || model->tags.len == TOP_JOBS_MAX) return;
    fl_vec_reserve(&model->tags, model->tags.len + 1);
    memcpy(model->tags.at[model->tags.len++], job, len + 1);
}

void top_model_untag(struct top_model *model)
{
    fl_vec_clear(&model->tags);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void keep_filtered(struct top_model *model)
{
    size_t columns_len = top_columns_of(model->tab).len, kept = 0;
    const char *filter = model->lists[model->tab].filter;

    for (size_t i = 0; i < model->all_len; i++) {
        struct top_row *row = &model->rows[i];

        if (*filter && !top_row_has(row, columns_len, filter)) continue;
        row->is_tagged = model->tab == TOP_JOBS && top_model_is_tagged(model, row->key);
        model->rows[kept++] = *row;
    }
    model->rows_len = kept;
}

static void remember_row(struct top_model *model)
{
    struct top_list *list = &model->lists[model->tab];
    const struct top_row *row = top_model_row(model);

    snprintf(list->key, sizeof list->key, "%s", row ? row->key : "");
}

/* The row that had the cursor has it again; if it is gone, the one that took its place has. */
static void place_cursor(struct top_model *model)
{
    struct top_list *list = &model->lists[model->tab];

    for (size_t i = 0; *list->key && i < model->rows_len; i++) {
        if (strcmp(model->rows[i].key, list->key) == 0) list->cursor = i;
    }
    top_model_move(model, 0);
}

void top_model_arrange(struct top_model *model, int64_t now, int64_t tick)
{
    struct top_list *list = &model->lists[model->tab];

    model->now = now;
    model->tick = tick;
    if (tick >= model->message_until) model->message[0] = 0;
    fl_arena_reset(&model->arena);
    model->rows = NULL;
    model->rows_len = model->all_len = 0;
    if (!model->data) return;
    model->rows = top_rows_make(model->data, model->tab, now, &model->arena, &model->all_len);
    keep_filtered(model);
    top_rows_sort(model->rows, model->rows_len, model->tab, list->sort, list->is_inverse);
    place_cursor(model);
}

void top_model_adopt(struct top_model *model, struct top_data *data)
{
    top_data_destroy(model->data);
    model->data = data;
    for (size_t i = model->tags.len; i > 0; i--) {
        if (!top_data_job(data, model->tags.at[i - 1])) {
            top_model_tag(model, model->tags.at[i - 1]);
        }
    }
    top_model_arrange(model, model->now, model->tick);
}

const struct top_row *top_model_row(const struct top_model *model)
{
    size_t cursor = model->lists[model->tab].cursor;

    return cursor < model->rows_len ? &model->rows[cursor] : NULL;
}

void top_model_move(struct top_model *model, int64_t rows)
{
    struct top_list *list = &model->lists[model->tab];
    int64_t last = (int64_t)model->rows_len - 1, to = (int64_t)list->cursor + rows;

    if (to > last) to = last;
    if (to < 0) to = 0;
    list->cursor = (size_t)to;
    if (list->cursor < list->first) list->first = list->cursor;
    if (list->cursor >= list->first + model->page_rows) {
        list->first = list->cursor + 1 - model->page_rows;
    }
    if (model->rows_len <= model->page_rows) {
        list->first = 0;
    } else if (list->first + model->page_rows > model->rows_len) {
        list->first = model->rows_len - model->page_rows;
    }
    remember_row(model);
}

void top_model_show(struct top_model *model, enum top_tab tab)
{
    model->tab = tab;
    top_model_arrange(model, model->now, model->tick);
}

bool top_model_find(struct top_model *model, const char *text, int way)
{
    struct top_list *list = &model->lists[model->tab];
    size_t columns_len = top_columns_of(model->tab).len, len = model->rows_len;
    size_t step = way < 0 ? len - 1 : 1, at = list->cursor;

    if (!*text || !len) return false;
    if (way) at += step;
    for (size_t i = 0; i < len; i++, at += step) {
        if (!top_row_has(&model->rows[at % len], columns_len, text)) continue;
        top_model_move(model, (int64_t)(at % len) - (int64_t)list->cursor);
        return true;
    }
    return false;
}

/* ---- texts ----------------------------------------------------------------------------------- */

void top_model_say(struct top_model *model, bool is_bad, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(model->message, sizeof model->message, fmt, args);
    va_end(args);
    model->is_message_bad = is_bad;
    model->message_until = model->tick + TOP_MESSAGE_MS;
}

void top_model_set_panel(struct top_model *model, const char *const *lines, size_t lines_len)
{
    struct top_panel *panel = &model->panel;

    fl_arena_reset(&panel->arena);
    panel->lines = fl_arena_array(&panel->arena, const char *, lines_len);
    panel->lines_len = lines_len;
    for (size_t i = 0; i < lines_len; i++) {
        panel->lines[i] = fl_arena_copy(&panel->arena, lines[i], strlen(lines[i]));
    }
}
