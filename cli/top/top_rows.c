#include "cli/top/top_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shared/base/assert.h"

static const struct top_column jobs[] = {
    {"JOB"},
    {"NAME", .is_text = true, .may_be_cut = true},
    {"STATE"},
    {"QUEUE", .is_text = true, .may_be_cut = true, .spare = 2},
    {"CLUSTER", .is_text = true, .may_be_cut = true},
    {"ELEMENTS", .is_right = true, .spare = 4},
    {"AGE", .is_right = true},
    {"TOOK", .is_right = true, .spare = 3},
    {"PRI", .is_right = true, .spare = 5},
    {"USER", .is_text = true, .may_be_cut = true, .spare = 1},
    {"NOTE", .is_text = true, .may_be_cut = true},
};

static const struct top_column queues[] = {
    {"QUEUE", .is_text = true, .may_be_cut = true},
    {"STATE", .is_text = true},
    {"HELD", .is_right = true},
    {"QUEUED", .is_right = true},
    {"STARTING", .is_right = true},
    {"RUNNING", .is_right = true},
    {"STOPPING", .is_right = true},
    {"DEFAULT CPU", .is_right = true, .is_text = true},
};

static const struct top_column clusters[] = {
    {"CLUSTER", .is_text = true, .may_be_cut = true},
    {"STATE", .is_text = true},
    {"NODES", .is_right = true},
    {"CPU", .is_right = true},
    {"MEMORY", .is_right = true},
    {"GPU", .is_right = true},
    {"ATTEMPTS", .is_right = true},
    {"CORDON", .is_text = true, .may_be_cut = true},
};

static const struct top_column nodes[] = {
    {"CLUSTER", .is_text = true, .may_be_cut = true},
    {"NODE", .is_text = true, .may_be_cut = true},
    {"STATE", .is_text = true},
    {"CPU", .is_right = true},
    {"MEMORY", .is_right = true},
    {"GPU", .is_right = true},
};

#define COLUMNS(array)                                                                             \
    {                                                                                              \
        array, sizeof(array) / sizeof *(array)                                                     \
    }

static const struct {
    const char *name;
    struct top_columns columns;
} tabs[TOP_TABS_LEN] = {
    [TOP_JOBS] = {"Jobs", COLUMNS(jobs)},
    [TOP_QUEUES] = {"Queues", COLUMNS(queues)},
    [TOP_CLUSTERS] = {"Clusters", COLUMNS(clusters)},
    [TOP_NODES] = {"Nodes", COLUMNS(nodes)},
};

const char *top_tab_name(enum top_tab tab)
{
    return tabs[tab].name;
}

struct top_columns top_columns_of(enum top_tab tab)
{
    return tabs[tab].columns;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *top_span(struct fl_arena *arena, int64_t ms)
{
    long s = ms > 0 ? (long)(ms / 1000) : 0;

    if (s < 60) return fl_arena_printf(arena, "%lds", s);
    if (s < 3600) return fl_arena_printf(arena, "%ldm%lds", s / 60, s % 60);
    if (s < 86400) return fl_arena_printf(arena, "%ldh%ldm", s / 3600, s % 3600 / 60);
    return fl_arena_printf(arena, "%ldd%ldh", s / 86400, s % 86400 / 3600);
}

const char *top_memory(struct fl_arena *arena, int64_t bytes)
{
    static const char units[] = "BKMGTP";
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1024 && unit + 2 < sizeof units) {
        value /= 1024;
        unit++;
    }
    return fl_arena_printf(arena, "%.*f%c", value < 10 && value != (double)(int)value, value,
                           units[unit]);
}

const char *top_cpus(struct fl_arena *arena, int64_t milli)
{
    return fl_arena_printf(arena, "%.*f", milli % 1000 != 0, (double)milli / 1000);
}

enum top_style top_state_style(const char *state)
{
    static const struct {
        const char *state;
        enum top_style style;
    } styles[] = {
        {"running", TOP_BUSY},  {"starting", TOP_BUSY}, {"succeeded", TOP_GOOD},
        {"failed", TOP_BAD},    {"stopping", TOP_WARN}, {"cancelled", TOP_WARN},
        {"held", TOP_WARN},     {"ready", TOP_GOOD},    {"cordoned", TOP_WARN},
        {"draining", TOP_WARN}, {"joining", TOP_WARN},  {"away", TOP_WARN},
        {"lost", TOP_BAD},      {"locked", TOP_BAD},    {"revoked", TOP_BAD},
        {"not ready", TOP_BAD}, {"paused", TOP_WARN},
    };

    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        if (strcmp(styles[i].state, state) == 0) return styles[i].style;
    }
    return TOP_PLAIN;
}

static const char *share(struct fl_arena *arena, const char *used, const char *total)
{
    return fl_arena_printf(arena, "%s/%s", used, total);
}

/* Three columns from 'column' on, ranked by the part that is used. */
static void put_amounts(struct top_row *row, size_t column, const struct top_amounts *used,
                        const struct top_amounts *total, struct fl_arena *arena)
{
    const int64_t all[] = {total->cpu_milli, total->memory_bytes, total->gpus},
                  held[] = {used->cpu_milli, used->memory_bytes, used->gpus};

    row->text[column] =
        share(arena, top_cpus(arena, used->cpu_milli), top_cpus(arena, total->cpu_milli));
    row->text[column + 1] =
        share(arena, top_memory(arena, used->memory_bytes), top_memory(arena, total->memory_bytes));
    row->text[column + 2] = fl_arena_printf(arena, "%" PRId64 "/%" PRId64, used->gpus, total->gpus);
    for (size_t i = 0; i < 3; i++) {
        row->rank[column + i] = all[i] ? -(int64_t)((double)held[i] / (double)all[i] * 1e6) : 1;
    }
}

static void put_number(struct top_row *row, size_t column, int64_t number, struct fl_arena *arena)
{
    row->text[column] = fl_arena_printf(arena, "%" PRId64, number);
    row->rank[column] = -number; /* the highest first */
}

/* ---- jobs ------------------------------------------------------------------------------------ */

enum { STATES_LEN = 8 };

static const char *const states[STATES_LEN] = {"running", "starting", "stopping",  "queued",
                                               "held",    "failed",   "cancelled", "succeeded"};

static int64_t rank_of_state(const char *state)
{
    for (int64_t i = 0; i < STATES_LEN; i++) {
        if (strcmp(states[i], state) == 0) return i;
    }
    return STATES_LEN;
}

/* Ids of later jobs have more digits, or greater ones; those are of base 36 at most. */
static int64_t number_of(const char *id)
{
    const char *digits = strchr(id, '-');
    int64_t number = 0;

    for (digits = digits ? digits + 1 : id; *digits && number < INT64_MAX / 64; digits++) {
        int digit = *digits <= '9' ? *digits - '0' : *digits - 'a' + 10;

        number = number * 36 + (digit >= 0 && digit < 36 ? digit : 0);
    }
    return number;
}

static const char *note_of(const struct top_job *job, int64_t now, struct fl_arena *arena)
{
    if (strcmp(job->state, "succeeded") == 0) return "";
    if (job->unknown_since >= 0) {
        return fl_arena_printf(arena, "%s, unknown for %s", job->reason,
                               top_span(arena, now - job->unknown_since));
    }
    if (job->exit_code > 0) {
        return fl_arena_printf(arena, "%s, exit %" PRId64, job->reason, job->exit_code);
    }
    return job->reason;
}

static void make_job(const struct top_job *job, int64_t now, struct fl_arena *arena,
                     struct top_row *row)
{
    bool is_open = top_job_is_open(job);
    int64_t took = job->ended_at - job->submitted_at;
    const int64_t ranks[] = {(is_open ? 0 : INT64_MAX / 2) - number_of(job->id),
                             0,
                             rank_of_state(job->state),
                             0,
                             0,
                             -job->elements,
                             -job->submitted_at,
                             job->ended_at < 0 ? 0 : -took,
                             -job->priority,
                             0,
                             0};
    const char *texts[] = {job->id,
                           job->name,
                           job->state,
                           job->queue,
                           job->cluster,
                           job->elements > 1 ? fl_arena_printf(arena, "%" PRId64 "/%" PRId64,
                                                               job->succeeded, job->elements)
                                             : "1",
                           job->submitted_at < 0 ? "-" : top_span(arena, now - job->submitted_at),
                           job->ended_at < 0 || job->submitted_at < 0 ? "-" : top_span(arena, took),
                           fl_arena_printf(arena, "%" PRId64, job->priority),
                           job->user,
                           note_of(job, now, arena)};

    _Static_assert(sizeof texts / sizeof *texts == sizeof jobs / sizeof *jobs, "a text a column");
    memcpy(row->text, texts, sizeof texts);
    memcpy(row->rank, ranks, sizeof ranks);
    row->key = job->id;
    row->state = top_state_style(job->state);
}

/* ---- queues, clusters, nodes ----------------------------------------------------------------- */

static void make_queue(const struct top_queue *queue, struct fl_arena *arena, struct top_row *row)
{
    row->key = row->text[0] = queue->name;
    row->text[1] = queue->is_paused ? "paused" : "open";
    put_number(row, 2, queue->held, arena);
    put_number(row, 3, queue->queued, arena);
    put_number(row, 4, queue->starting, arena);
    put_number(row, 5, queue->running, arena);
    put_number(row, 6, queue->stopping, arena);
    row->text[7] = *queue->default_cpu ? queue->default_cpu : "preset";
    row->state = top_state_style(row->text[1]);
}

static void make_cluster(const struct top_cluster *cluster, struct fl_arena *arena,
                         struct top_row *row)
{
    row->key = row->text[0] = cluster->name;
    row->text[1] = cluster->state;
    row->text[2] =
        fl_arena_printf(arena, "%" PRId64 "/%" PRId64, cluster->nodes_ready, cluster->nodes);
    row->rank[2] = -cluster->nodes;
    put_amounts(row, 3, &cluster->used, &cluster->total, arena);
    put_number(row, 6, cluster->attempts, arena);
    row->text[7] = cluster->cordon;
    row->state = top_state_style(cluster->state);
}

static void make_node(const struct top_node *node, struct fl_arena *arena, struct top_row *row)
{
    row->key = fl_arena_printf(arena, "%s/%s", node->cluster, node->name);
    row->text[0] = node->cluster;
    row->text[1] = node->name;
    row->text[2] = node->is_ready ? "ready" : "not ready";
    put_amounts(row, 3, &node->used, &node->total, arena);
    row->state = top_state_style(row->text[2]);
}

struct top_row *top_rows_make(const struct top_data *data, enum top_tab tab, int64_t now,
                              struct fl_arena *arena, size_t *ret_len)
{
    const size_t lens[TOP_TABS_LEN] = {[TOP_JOBS] = data->jobs.len,
                                       [TOP_QUEUES] = data->queues.len,
                                       [TOP_CLUSTERS] = data->clusters.len,
                                       [TOP_NODES] = data->nodes.len};
    struct top_row *rows = fl_arena_array(arena, struct top_row, lens[tab]);

    for (size_t i = 0; i < lens[tab]; i++) {
        if (tab == TOP_JOBS) make_job(&data->jobs.at[i], now, arena, &rows[i]);
        if (tab == TOP_QUEUES) make_queue(&data->queues.at[i], arena, &rows[i]);
        if (tab == TOP_CLUSTERS) make_cluster(&data->clusters.at[i], arena, &rows[i]);
        if (tab == TOP_NODES) make_node(&data->nodes.at[i], arena, &rows[i]);
    }
    *ret_len = lens[tab];
    return rows;
}

/* ---- order and search ------------------------------------------------------------------------ */

struct order {
    enum top_tab tab;
    size_t column;
    bool is_inverse;
};

static int compare_column(const struct top_row *a, const struct top_row *b, enum top_tab tab,
                          size_t column)
{
    if (tabs[tab].columns.at[column].is_text) return strcasecmp(a->text[column], b->text[column]);
    return (a->rank[column] > b->rank[column]) - (a->rank[column] < b->rank[column]);
}

static int compare(const void *left, const void *right, void *ctx)
{
    const struct top_row *a = left, *b = right;
    const struct order *order = ctx;
    int way = compare_column(a, b, order->tab, order->column);

    if (way) return order->is_inverse ? -way : way;
    way = compare_column(a, b, order->tab, 0);
    return way ? way : strcmp(a->key, b->key);
}

void top_rows_sort(struct top_row *rows, size_t len, enum top_tab tab, size_t column,
                   bool is_inverse)
{
    struct order order = {tab, column, is_inverse};

    fl_assert(column < tabs[tab].columns.len);
    if (len) qsort_r(rows, len, sizeof *rows, compare, &order);
}

bool top_row_has(const struct top_row *row, size_t columns_len, const char *text)
{
    for (size_t i = 0; i < columns_len; i++) {
        if (strcasestr(row->text[i], text)) return true;
    }
    return false;
}
