#include "cli/top/top_keys.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/vec.h"

const char *top_model_job(const struct top_model *model)
{
    const struct top_row *row = top_model_row(model);

    if (model->mode == TOP_PANEL) return model->panel.job;
    return model->tab == TOP_JOBS && row ? row->key : NULL;
}

/* ---- orders ---------------------------------------------------------------------------------- */

enum act { CANCEL, HOLD, RELEASE, ACTS_LEN };

static const struct {
    const char *group, *action, *done;
} orders[TOP_TABS_LEN][ACTS_LEN] = {
    [TOP_JOBS] = {{"jobs", "cancel", "will be cancelled"},
                  {"jobs", "hold", "is held"},
                  {"jobs", "release", "may start"}},
    [TOP_QUEUES] =
        {[HOLD] = {"queues", "pause", "is paused"}, [RELEASE] = {"queues", "resume", "goes on"}},
    [TOP_CLUSTERS] = {[HOLD] = {"clusters", "cordon", "takes no new work"},
                      [RELEASE] = {"clusters", "uncordon", "takes work again"}},
};

static void add_name(struct top_order *order, const char *name)
{
    snprintf(order->names[order->names_len++], TOP_KEY_BYTES, "%s", name);
}

static bool may_act(const struct top_model *model, const char *job)
{
    const struct top_job *found = top_data_job(model->data, job);

    return !found || top_job_is_open(found);
}

/* Those that are tagged, else the one under the cursor. */
static void choose(struct top_model *model)
{
    struct top_order *order = &model->order;
    bool is_job = model->mode == TOP_PANEL || model->tab == TOP_JOBS;
    bool is_tagged = is_job && model->mode == TOP_LIST && model->tags.len;
    const struct top_row *row = top_model_row(model);
    const char *one = is_job ? top_model_job(model) : row ? row->key : NULL;

    fl_free(order->names);
    *order = (struct top_order){.names = fl_alloc_array(model->tags.len + 1, TOP_KEY_BYTES)};
    for (size_t i = 0; is_tagged && i < model->tags.len; i++) {
        if (may_act(model, model->tags.at[i])) add_name(order, model->tags.at[i]);
    }
    if (!is_tagged && one && (!is_job || may_act(model, one))) add_name(order, one);
}

static enum top_effect act(struct top_model *model, enum act act)
{
    enum top_tab tab = model->mode == TOP_PANEL ? TOP_JOBS : model->tab;

    if (!orders[tab][act].action) return TOP_NOTHING;
    choose(model);
    if (!model->order.names_len) {
        top_model_say(model, true, "%s",
                      tab == TOP_JOBS && top_model_job(model) ? "it has ended already"
                                                              : "there is nothing to choose");
        return TOP_NOTHING;
    }
    model->order.group = orders[tab][act].group;
    model->order.action = orders[tab][act].action;
    model->order.done = orders[tab][act].done;
    if (act == CANCEL || tab != TOP_JOBS) {
        model->mode = TOP_CONFIRM;
        return TOP_NOTHING;
    }
    top_model_untag(model); /* a hold can be taken back, so it is not asked about */
    return TOP_SEND;
}

static enum top_effect press_confirm(struct top_model *model, uint32_t key)
{
    bool is_sure = key == 'y' || key == 'Y';

    model->mode = *model->panel.job ? TOP_PANEL : TOP_LIST;
    if (!is_sure) {
        top_model_say(model, false, "nothing was changed");
        return TOP_NOTHING;
    }
    top_model_untag(model);
    return TOP_SEND;
}

/* ---- lines that are typed -------------------------------------------------------------------- */

static void begin_input(struct top_model *model, enum top_mode mode, const char *text)
{
    model->mode = mode;
    snprintf(model->input, sizeof model->input, "%s", text);
}

static void erase(char *text)
{
    size_t len = strlen(text);

    while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80) {
        len--;
    }
    text[len ? len - 1 : 0] = 0;
}

static void type(char *text, uint32_t c)
{
    size_t len = strlen(text);
    char bytes[5] = {0};

    if (c < 0x80) {
        bytes[0] = (char)c;
    } else if (c < 0x800) {
        bytes[0] = (char)(0xc0 | c >> 6);
        bytes[1] = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        bytes[0] = (char)(0xe0 | c >> 12);
        bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (c & 0x3f));
    } else {
        bytes[0] = (char)(0xf0 | c >> 18);
        bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (c & 0x3f));
    }
    if (len + strlen(bytes) < TOP_INPUT_BYTES) strcat(text, bytes);
}

/* After each character: a search and a filter are seen while they are typed. */
static void follow_input(struct top_model *model)
{
    if (model->mode == TOP_SEARCH) {
        if (*model->input && !top_model_find(model, model->input, 0)) {
            top_model_say(model, true, "not found: %s", model->input);
        }
    } else if (model->mode == TOP_FILTER) {
        memcpy(model->lists[model->tab].filter, model->input, sizeof model->input);
        top_model_arrange(model, model->now, model->tick);
    }
}

static enum top_effect end_input(struct top_model *model)
{
    enum top_mode was = model->mode;

    model->mode = TOP_LIST;
    if (was == TOP_SEARCH) memcpy(model->search, model->input, sizeof model->search);
    if (was != TOP_USER) return TOP_NOTHING;
    memcpy(model->user, model->input, sizeof model->user);
    return TOP_LOOK;
}

static enum top_effect press_input(struct top_model *model, uint32_t key)
{
    switch (key) {
    case TOP_KEY_ENTER:
        return end_input(model);
    case TOP_KEY_ESC:
        if (model->mode == TOP_FILTER) {
            model->lists[model->tab].filter[0] = 0;
            top_model_arrange(model, model->now, model->tick);
        }
        model->mode = TOP_LIST;
        return TOP_NOTHING;
    case TOP_KEY_F1 + 2:
        if (model->mode == TOP_SEARCH && !top_model_find(model, model->input, 1)) {
            top_model_say(model, true, "not found: %s", model->input);
        }
        return TOP_NOTHING;
    case TOP_KEY_BACKSPACE:
        erase(model->input);
        break;
    default:
        if (key < ' ' || key >= TOP_KEY_UP) return TOP_NOTHING;
        type(model->input, key);
    }
    follow_input(model);
    return TOP_NOTHING;
}

/* ---- the menu of columns --------------------------------------------------------------------- */

static void sort_by(struct top_model *model, size_t column)
{
    struct top_list *list = &model->lists[model->tab];

    list->is_inverse = list->sort == column && !list->is_inverse;
    list->sort = column;
    top_model_arrange(model, model->now, model->tick);
}

static enum top_effect press_sort(struct top_model *model, uint32_t key)
{
    size_t last = top_columns_of(model->tab).len - 1;

    switch (key) {
    case TOP_KEY_UP:
    case 'k':
        if (model->menu) model->menu--;
        break;
    case TOP_KEY_DOWN:
    case 'j':
        if (model->menu < last) model->menu++;
        break;
    case TOP_KEY_HOME:
        model->menu = 0;
        break;
    case TOP_KEY_END:
        model->menu = last;
        break;
    case TOP_KEY_ENTER:
        sort_by(model, model->menu);
        model->mode = TOP_LIST;
        break;
    case TOP_KEY_ESC:
    case 'q':
    case TOP_KEY_F1 + 5:
        model->mode = TOP_LIST;
        break;
    default:
        break;
    }
    return TOP_NOTHING;
}

/* ---- the panel and the help ------------------------------------------------------------------ */

static enum top_effect open_panel(struct top_model *model)
{
    static const char *const wait[] = {"asking the control plane ..."};
    const char *job = top_model_job(model);

    if (!job || strlen(job) >= sizeof model->panel.job) return TOP_NOTHING;
    memcpy(model->panel.job, job, strlen(job) + 1);
    model->panel.scroll = 0;
    top_model_set_panel(model, wait, 1);
    model->mode = TOP_PANEL;
    return TOP_LOOK;
}

static void close_panel(struct top_model *model)
{
    model->panel.job[0] = 0;
    model->mode = TOP_LIST;
}

/* How far a key moves what is on the screen; 0: it is no key for that. */
static int64_t rows_of(const struct top_model *model, uint32_t key)
{
    int64_t page = model->page_rows > 1 ? (int64_t)model->page_rows - 1 : 1;

    switch (key) {
    case TOP_KEY_UP:
    case 'k':
        return -1;
    case TOP_KEY_DOWN:
    case 'j':
        return 1;
    case TOP_KEY_PAGE_UP:
        return -page;
    case TOP_KEY_PAGE_DOWN:
        return page;
    case TOP_KEY_HOME:
    case 'g':
        return INT32_MIN;
    case TOP_KEY_END:
    case 'G':
        return INT32_MAX;
    default:
        return 0;
    }
}

static enum top_effect press_panel(struct top_model *model, uint32_t key)
{
    int64_t rows = rows_of(model, key), to = (int64_t)model->panel.scroll + rows;

    if (rows) {
        model->panel.scroll = to > 0 ? (size_t)to : 0; /* top_draw knows where it ends */
        return TOP_NOTHING;
    }
    switch (key) {
    case TOP_KEY_ESC:
    case TOP_KEY_ENTER:
    case 'q':
    case TOP_KEY_F10:
        close_panel(model);
        return TOP_NOTHING;
    case 'l':
        return TOP_FOLLOW;
    case 'r':
    case TOP_KEY_F1 + 4:
        return TOP_LOOK;
    case 'H':
    case TOP_KEY_F1 + 6:
        return act(model, HOLD);
    case 'R':
    case TOP_KEY_F1 + 7:
        return act(model, RELEASE);
    case 'c':
    case TOP_KEY_F1 + 8:
        return act(model, CANCEL);
    default:
        return TOP_NOTHING;
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

/* A queue leads to its jobs, a cluster to its nodes, a job to its panel. */
static enum top_effect enter_row(struct top_model *model)
{
    const struct top_row *row = top_model_row(model);

    if (!row || model->tab == TOP_NODES) return TOP_NOTHING;
    if (model->tab == TOP_JOBS) return open_panel(model);
    if (model->tab == TOP_QUEUES) {
        snprintf(model->queue, sizeof model->queue, "%s", row->key);
        model->lists[TOP_JOBS].filter[0] = 0;
        top_model_show(model, TOP_JOBS);
    } else {
        snprintf(model->cluster, sizeof model->cluster, "%s", row->key);
        model->lists[TOP_NODES].filter[0] = 0;
        top_model_show(model, TOP_NODES);
    }
    return TOP_LOOK;
}

/* Esc takes back one choice of rows, the latest kind first. */
static enum top_effect widen(struct top_model *model)
{
    char *filter = model->lists[model->tab].filter;
    bool has_filter = *filter;
    char *choice = model->tab == TOP_NODES ? model->cluster
                   : *model->queue         ? model->queue
                                           : model->user;

    if (has_filter) {
        *filter = 0;
    } else if (model->tab == TOP_JOBS || model->tab == TOP_NODES) {
        if (!*choice) return TOP_NOTHING;
        *choice = 0;
    }
    top_model_arrange(model, model->now, model->tick);
    return has_filter ? TOP_NOTHING : TOP_LOOK;
}

static enum top_effect show(struct top_model *model, size_t tab)
{
    top_model_show(model, (enum top_tab)(tab % TOP_TABS_LEN));
    return model->tab == TOP_NODES ? TOP_LOOK : TOP_NOTHING; /* nodes are asked for while seen */
}

static void change_delay(struct top_model *model, bool is_longer)
{
    static const int64_t steps[] = {TOP_DELAY_MS_MIN, 1000, 2000, 5000, 10000, 30000,
                                    TOP_DELAY_MS_MAX};
    int64_t to = model->delay_ms;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (is_longer && steps[i] > model->delay_ms) {
            to = steps[i];
            break;
        }
        if (!is_longer && steps[i] < model->delay_ms) to = steps[i];
    }
    model->delay_ms = to;
    top_model_say(model, false, "every %g s", (double)to / 1000);
}

static void find_again(struct top_model *model, int way)
{
    if (!*model->search) {
        begin_input(model, TOP_SEARCH, "");
    } else if (!top_model_find(model, model->search, way)) {
        top_model_say(model, true, "not found: %s", model->search);
    }
}

/* Keys that change the look of the list; false: it is another one. */
static bool press_look(struct top_model *model, uint32_t key)
{
    const char *job = top_model_job(model);

    switch (key) {
    case TOP_KEY_F1:
    case 'h':
    case '?':
        model->mode = TOP_HELP;
        return true;
    case TOP_KEY_F1 + 2:
    case '/':
        begin_input(model, TOP_SEARCH, "");
        return true;
    case 'n':
        find_again(model, 1);
        return true;
    case 'N':
        find_again(model, -1);
        return true;
    case TOP_KEY_F1 + 3:
    case '\\':
        begin_input(model, TOP_FILTER, model->lists[model->tab].filter);
        return true;
    case 'u':
        begin_input(model, TOP_USER, model->user);
        return true;
    case TOP_KEY_F1 + 5:
    case 's':
        model->menu = model->lists[model->tab].sort;
        model->mode = TOP_SORT;
        return true;
    case 'I':
        sort_by(model, model->lists[model->tab].sort);
        return true;
    case ' ':
        if (job) top_model_tag(model, job);
        top_model_move(model, 1);
        return true;
    case 'U':
        top_model_untag(model);
        return true;
    case '+':
    case '-':
        change_delay(model, key == '+');
        return true;
    default:
        return false;
    }
}

static enum top_effect press_list(struct top_model *model, uint32_t key)
{
    int64_t rows = rows_of(model, key);

    if (rows) {
        top_model_move(model, rows);
        return TOP_NOTHING;
    }
    if (press_look(model, key)) {
        if (model->mode == TOP_LIST) top_model_arrange(model, model->now, model->tick);
        return TOP_NOTHING;
    }
    switch (key) {
    case 'q':
    case TOP_KEY_F10:
        return TOP_QUIT;
    case TOP_KEY_TAB:
    case TOP_KEY_RIGHT:
        return show(model, model->tab + 1);
    case TOP_KEY_BACK_TAB:
    case TOP_KEY_LEFT:
        return show(model, model->tab + TOP_TABS_LEN - 1);
    case '1':
    case '2':
    case '3':
    case '4':
        return show(model, key - '1');
    case TOP_KEY_ENTER:
        return enter_row(model);
    case 'e':
        return open_panel(model);
    case TOP_KEY_ESC:
        return widen(model);
    case 'l':
        return top_model_job(model) ? TOP_FOLLOW : TOP_NOTHING;
    case 'a':
        model->is_open_only = !model->is_open_only;
        return TOP_LOOK;
    case 'p':
        model->is_paused = !model->is_paused;
        return model->is_paused ? TOP_NOTHING : TOP_LOOK;
    case 'r':
    case TOP_KEY_F1 + 4:
        return TOP_LOOK;
    case 'H':
    case TOP_KEY_F1 + 6:
        return act(model, HOLD);
    case 'R':
    case TOP_KEY_F1 + 7:
        return act(model, RELEASE);
    case 'c':
    case TOP_KEY_F1 + 8:
        return act(model, CANCEL);
    default:
        return TOP_NOTHING;
    }
}

enum top_effect top_keys_press(struct top_model *model, uint32_t key)
{
    if (key == '\r') key = TOP_KEY_ENTER;
    if (key == '\b') key = TOP_KEY_BACKSPACE;
    switch (model->mode) {
    case TOP_SEARCH:
    case TOP_FILTER:
    case TOP_USER:
        return press_input(model, key);
    case TOP_SORT:
        return press_sort(model, key);
    case TOP_CONFIRM:
        return press_confirm(model, key);
    case TOP_HELP:
        model->mode = TOP_LIST; /* any key */
        return TOP_NOTHING;
    case TOP_PANEL:
        return press_panel(model, key);
    case TOP_LIST:
        break;
    }
    return press_list(model, key);
}
