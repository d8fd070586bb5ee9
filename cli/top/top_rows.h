/* top_rows.h - the rows of a tab: a job, queue, cluster or node as columns of text, and the order
 * of rows by a column.
 * Pure but for memory. */
#pragma once

#include "cli/top/top_cells.h"
#include "cli/top/top_data.h"

enum top_tab { TOP_JOBS, TOP_QUEUES, TOP_CLUSTERS, TOP_NODES, TOP_TABS_LEN };

enum { TOP_COLUMNS_MAX = 11 };

struct top_column {
    const char *head;
    bool is_right, is_text; /* sorted by its text, else by its rank */
    bool may_be_cut;        /* where the terminal is narrow; the widest first */
    int spare;              /* then columns are left out, the highest number first; 0: never */
};

struct top_columns {
    const struct top_column *at;
    size_t len;
};

struct top_row {
    const char *key; /* the row's name as long as it is there: an id, or "cluster/node" */
    const char *text[TOP_COLUMNS_MAX];
    int64_t rank[TOP_COLUMNS_MAX];
    enum top_style state; /* how the column STATE is shown */
    bool is_tagged;
};

const char *top_tab_name(enum top_tab tab);
struct top_columns top_columns_of(enum top_tab tab);

/* One row for each job and so on of the snapshot, in the arena.  'now' is the time of day in ms. */
struct top_row *top_rows_make(const struct top_data *data, enum top_tab tab, int64_t now,
                              struct fl_arena *arena, size_t *ret_len);

/* Sorts by a column; rows that are alike there stay in the order of column 0. */
void top_rows_sort(struct top_row *rows, size_t len, enum top_tab tab, size_t column,
                   bool is_inverse);

/* Whether a column has the text, in capitals or not. */
bool top_row_has(const struct top_row *row, size_t columns_len, const char *text);

/* "12s", "4m10s", "3h2m", "5d1h"; in the arena. */
const char *top_span(struct fl_arena *arena, int64_t ms);
const char *top_memory(struct fl_arena *arena, int64_t bytes); /* "512M", "1.5G" */
const char *top_cpus(struct fl_arena *arena, int64_t milli);   /* "8", "0.5" */

enum top_style top_state_style(const char *state);
