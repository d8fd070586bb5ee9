/* top_model.h - the state of 'top': which tab and row a person looks at, what is sorted, filtered
 * and tagged, and how fresh the data is.
 * The cursor stays on its job while rows come, go and move; it moves to a neighbour only when the
 * job has gone.  top_keys.h changes it by keys, top_draw.h shows it, verbs/top.c fills in the data.
 * Pure but for memory: time comes in, and nothing here waits or asks. */
#pragma once

#include "cli/top/top_data.h"
#include "cli/top/top_rows.h"
#include "shared/base/err.h"

enum {
    TOP_INPUT_BYTES = 64, /* a text that a person types, with its zero byte */
    TOP_KEY_BYTES = 336,  /* "cluster/node" */
    TOP_WHY_BYTES = 256,
    TOP_DELAY_MS_MIN = 500,
    TOP_DELAY_MS_MAX = 60000,
    TOP_MESSAGE_MS = 8000,
};

enum top_mode {
    TOP_LIST,
    TOP_SEARCH, /* this and the next two read a line */
    TOP_FILTER,
    TOP_USER,
    TOP_SORT,
    TOP_CONFIRM,
    TOP_HELP,
    TOP_PANEL, /* everything about one job */
};

enum top_link {
    TOP_CONNECTING,
    TOP_CONNECTED,
    TOP_AWAY,    /* no answer came */
    TOP_REFUSED, /* an answer came, and it was a problem */
};

struct top_list {
    char key[TOP_KEY_BYTES]; /* the key of the cursor's row; "": the first */
    size_t cursor, first;    /* its place, and that of the first row on the screen */
    size_t sort;             /* a column */
    bool is_inverse;
    char filter[TOP_INPUT_BYTES]; /* only rows that have this text; "": all */
};

/* A change that a key asks for: POST /v1/GROUP/NAME:ACTION for each name. */
struct top_order {
    const char *group, *action, *done; /* "jobs", "cancel", "will be cancelled" */
    char (*names)[TOP_KEY_BYTES];      /* from the heap */
    size_t names_len;
};

struct top_panel {
    char job[TOP_INPUT_BYTES];
    struct fl_arena arena; /* holds the lines */
    const char **lines;
    size_t lines_len, scroll;
};

struct top_model {
    enum top_tab tab;
    enum top_mode mode;
    struct top_list lists[TOP_TABS_LEN];
    struct top_data *data; /* NULL: none has come */

    /* the terms of the next look */
    char user[TOP_INPUT_BYTES], queue[TOP_INPUT_BYTES], cluster[TOP_INPUT_BYTES]; /* "": all */
    bool has_states; /* --state chooses, so is_open_only does not count */
    bool is_open_only, is_paused;
    int64_t delay_ms;

    char search[TOP_INPUT_BYTES]; /* "": none */
    char input[TOP_INPUT_BYTES];  /* the line that is read */
    size_t menu;                  /* the row of the menu of columns */
    struct {
        char (*at)[TOP_INPUT_BYTES];
        size_t len, cap;
    } tags; /* ids of jobs */
    struct top_order order;
    struct top_panel panel;

    /* how fresh it is */
    enum top_link link;
    char why[TOP_WHY_BYTES]; /* while TOP_AWAY or TOP_REFUSED */
    int64_t again_at;        /* the next try, on the clock of 'tick' */
    char refreshed[16];      /* "14:03:22"; "": never */
    int64_t refreshed_at;    /* the same on the clock of 'tick' */
    const char *url, *program_version;
    char message[TOP_WHY_BYTES];
    bool is_message_bad;
    int64_t message_until;

    /* the rows that are shown, made by top_model_arrange */
    struct fl_arena arena;
    struct top_row *rows;
    size_t rows_len, all_len; /* those of the filter, and all */
    size_t page_rows;         /* how many fit on the screen; set by top_draw */
    int64_t now, tick;        /* the time of day, and a clock that never steps; in ms */
};

void top_model_init(struct top_model *model, const char *url, int64_t delay_ms);
void top_model_fini(struct top_model *model);

/* Adopts a new snapshot and arranges it; tags of jobs that are gone are gone, too. */
void top_model_adopt(struct top_model *model, struct top_data *data);

/* Makes the rows for this moment and puts the cursor where it belongs.  After each change of the
 * data or of the choice of rows, and before a frame. */
void top_model_arrange(struct top_model *model, int64_t now, int64_t tick);

/* The row under the cursor; NULL: there is none. */
const struct top_row *top_model_row(const struct top_model *model);
void top_model_move(struct top_model *model,
                    int64_t rows); /* the cursor, as far as there are rows */
void top_model_show(struct top_model *model, enum top_tab tab);

/* Moves to the next row that has the text, from the cursor on; 'way' is 1 or -1, 0 begins at the
 * cursor's own row.  False: no row has it. */
FL_CHECK bool top_model_find(struct top_model *model, const char *text, int way);

bool top_model_is_tagged(const struct top_model *model, const char *job);
void top_model_tag(struct top_model *model, const char *job); /* or takes the tag away */
void top_model_untag(struct top_model *model);

void top_model_say(struct top_model *model, bool is_bad, const char *fmt, ...) FL_PRINTF(3, 4);

/* The panel's lines, which are copied. */
void top_model_set_panel(struct top_model *model, const char *const *lines, size_t lines_len);
