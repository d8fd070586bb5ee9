#include "shared/io/metrics.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "shared/base/alloc.h"
#include "shared/base/assert.h"
#include "shared/base/enum_names.h"
#include "shared/base/map.h"
#include "shared/base/str.h"
#include "shared/base/vec.h"

#define OTHER "other"

const double fl_metric_seconds[16] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2,
                                      0.5,   1,     2,     5,    10,   20,   50,  100};

struct fl_metric {
    const struct family *family;
    char *labels[FL_METRIC_LABELS_MAX]; /* values */
    _Atomic double value;               /* a histogram's sum */
    atomic_ullong *buckets; /* a histogram's: one for each bound and one above; not cumulative */
};

struct family {
    const struct fl_metric_family *row;
    const double *bounds;
    size_t bounds_len, labels_len, series_max;
    struct fl_map by_labels; /* values, each with its final zero -> index */
    FL_VEC(struct fl_metric *) series;
};

struct collector {
    void (*fn)(void *ctx);
    void *ctx;
};

struct fl_metrics {
    pthread_mutex_t mutex;            /* guards the lists; the values are atomic */
    FL_VEC(struct family *) families; /* by name */
    FL_VEC(struct collector) collectors;
};

struct fl_metrics *fl_metrics_create(void)
{
    struct fl_metrics *metrics = fl_new(struct fl_metrics);

    pthread_mutex_init(&metrics->mutex, NULL);
    return metrics;
}

static void metric_destroy(struct fl_metric *metric)
{
    for (size_t i = 0; i < FL_METRIC_LABELS_MAX; i++) {
        fl_free(metric->labels[i]);
    }
    fl_free(metric->buckets);
    fl_free(metric);
}

void fl_metrics_destroy(struct fl_metrics *metrics)
{
    if (!metrics) return;
    for (size_t i = 0; i < metrics->families.len; i++) {
        struct family *family = metrics->families.at[i];

        for (size_t j = 0; j < family->series.len; j++) {
            metric_destroy(family->series.at[j]);
        }
        fl_vec_fini(&family->series);
        fl_map_fini(&family->by_labels);
        fl_free(family);
    }
    fl_vec_fini(&metrics->families);
    fl_vec_fini(&metrics->collectors);
    pthread_mutex_destroy(&metrics->mutex);
    fl_free(metrics);
}

/* ---- families and series --------------------------------------------------------------------- */

static size_t count_labels(const char *labels)
{
    size_t len = labels && labels[0] != '\0' ? 1 : 0;

    for (; labels && *labels; labels++) {
        if (*labels == ',') len++;
    }
    return len;
}

static struct family *family_create(const struct fl_metric_family *row)
{
    struct family *family = fl_new(struct family);

    family->row = row;
    family->labels_len = count_labels(row->labels);
    family->series_max = row->series_max > 0 ? row->series_max : FL_METRIC_SERIES_MAX;
    fl_assert(family->labels_len <= FL_METRIC_LABELS_MAX);
    if (row->kind == FL_METRIC_HISTOGRAM) {
        family->bounds = row->bounds ? row->bounds : fl_metric_seconds;
        family->bounds_len =
            row->bounds ? row->bounds_len : sizeof fl_metric_seconds / sizeof *fl_metric_seconds;
        fl_assert(family->bounds_len > 0 && family->bounds_len <= FL_METRIC_BOUNDS_MAX);
    }
    return family;
}

void fl_metrics_add(struct fl_metrics *metrics, const struct fl_metric_family *families, size_t len)
{
    pthread_mutex_lock(&metrics->mutex);
    for (size_t i = 0; i < len; i++) {
        size_t at = 0;

        while (at < metrics->families.len &&
               strcmp(metrics->families.at[at]->row->name, families[i].name) < 0) {
            at++;
        }
        fl_assert(at == metrics->families.len ||
                  strcmp(metrics->families.at[at]->row->name, families[i].name) != 0);
        fl_vec_insert(&metrics->families, at, family_create(&families[i]));
    }
    pthread_mutex_unlock(&metrics->mutex);
}

static struct family *find_family(const struct fl_metrics *metrics,
                                  const struct fl_metric_family *row)
{
    size_t low = 0, end = metrics->families.len;

    while (low < end) {
        size_t middle = low + (end - low) / 2;
        int order = strcmp(metrics->families.at[middle]->row->name, row->name);

        if (order == 0) return metrics->families.at[middle];
        if (order < 0) {
            low = middle + 1;
        } else {
            end = middle;
        }
    }
    fl_unreachable("fl_metrics_add has added the table of every series");
}

/* The values as a key, each with its final zero. */
static size_t make_key(const char *const *labels, size_t len,
                       char key[FL_METRIC_LABELS_MAX * (FL_METRIC_LABEL_MAX + 1)])
{
    size_t key_len = 0;

    for (size_t i = 0; i < len; i++) {
        size_t label_len = strnlen(labels[i], FL_METRIC_LABEL_MAX);

        /* Not in the middle of a character. */
        while (label_len > 0 && !fl_str_is_utf8((struct fl_str){labels[i], label_len})) {
            label_len--;
        }
        memcpy(key + key_len, labels[i], label_len);
        key_len += label_len;
        key[key_len++] = '\0';
    }
    return key_len;
}

static struct fl_metric *metric_create(const struct family *family, const char *key)
{
    struct fl_metric *metric = fl_new(struct fl_metric);

    metric->family = family;
    for (size_t i = 0; i < family->labels_len; i++) {
        size_t len = strlen(key);

        metric->labels[i] = fl_new_array(char, len + 1);
        memcpy(metric->labels[i], key, len);
        key += len + 1;
    }
    if (family->bounds_len > 0) {
        metric->buckets = fl_new_array(atomic_ullong, family->bounds_len + 1);
    }
    return metric;
}

static struct fl_metric *find_or_add(struct family *family, const char *const *labels)
{
    char key[FL_METRIC_LABELS_MAX * (FL_METRIC_LABEL_MAX + 1)];
    size_t key_len = make_key(labels, family->labels_len, key);
    uint64_t i;

    if (fl_map_find(&family->by_labels, key, key_len, &i)) return family->series.at[i];
    /* The last place is for "other", which all further label sets share. */
    if (family->labels_len > 0 && family->series.len + 1 >= family->series_max) {
        const char *others[FL_METRIC_LABELS_MAX] = {OTHER, OTHER, OTHER, OTHER, OTHER, OTHER};

        key_len = make_key(others, family->labels_len, key);
        if (fl_map_find(&family->by_labels, key, key_len, &i)) return family->series.at[i];
    }
    fl_map_put(&family->by_labels, key, key_len, family->series.len);
    fl_vec_push(&family->series, metric_create(family, key));
    return family->series.at[family->series.len - 1];
}

struct fl_metric *fl_metric_find(struct fl_metrics *metrics, const struct fl_metric_family *family,
                                 const char *const *labels, size_t labels_len)
{
    struct family *found;
    struct fl_metric *metric;

    pthread_mutex_lock(&metrics->mutex);
    found = find_family(metrics, family);
    fl_assert(found->labels_len == labels_len);
    metric = find_or_add(found, labels + 1);
    pthread_mutex_unlock(&metrics->mutex);
    return metric;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void add(_Atomic double *value, double n)
{
    double before = atomic_load_explicit(value, memory_order_relaxed);

    while (!atomic_compare_exchange_weak_explicit(value, &before, before + n, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

void fl_metric_add(struct fl_metric *metric, double n)
{
    fl_assert(metric->family->row->kind != FL_METRIC_HISTOGRAM);
    fl_assert(n >= 0 || metric->family->row->kind == FL_METRIC_GAUGE);
    add(&metric->value, n);
}

void fl_metric_set(struct fl_metric *metric, double value)
{
    fl_assert(metric->family->row->kind != FL_METRIC_HISTOGRAM);
    atomic_store_explicit(&metric->value, value, memory_order_relaxed);
}

void fl_metric_observe(struct fl_metric *metric, double value)
{
    const struct family *family = metric->family;
    size_t i = 0;

    fl_assert(family->row->kind == FL_METRIC_HISTOGRAM);
    while (i < family->bounds_len && value > family->bounds[i]) {
        i++;
    }
    atomic_fetch_add_explicit(&metric->buckets[i], 1, memory_order_relaxed);
    add(&metric->value, value);
}

double fl_metric_value(const struct fl_metric *metric)
{
    return atomic_load_explicit(&metric->value, memory_order_relaxed);
}

/* ---- exposition ------------------------------------------------------------------------------ */

FL_ENUM_NAMES(fl_metric_kind_name, enum fl_metric_kind, FL_METRIC_KINDS(FL_MEANING))

void fl_metrics_on_collect(struct fl_metrics *metrics, void (*fn)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&metrics->mutex);
    fl_vec_push(&metrics->collectors, (struct collector){fn, ctx});
    pthread_mutex_unlock(&metrics->mutex);
}

static void put(struct fl_buf *buf, const char *text)
{
    fl_buf_put(buf, text, strlen(text));
}

static void put_double(struct fl_buf *buf, double value)
{
    char text[32];

    if (isinf(value)) {
        put(buf, value > 0 ? "+Inf" : "-Inf");
        return;
    }
    /* The shortest that reads back as the same number. */
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    put(buf, text);
}

static void put_escaped(struct fl_buf *buf, const char *text, bool is_label)
{
    for (; *text; text++) {
        if (*text == '\\') {
            put(buf, "\\\\");
        } else if (*text == '\n') {
            put(buf, "\\n");
        } else if (*text == '"' && is_label) {
            put(buf, "\\\"");
        } else {
            fl_buf_put(buf, text, 1);
        }
    }
}

/* name{a="x",le="0.5"} and a space; 'le' may be NULL. */
static void put_name(struct fl_buf *buf, const struct fl_metric *metric, const char *suffix,
                     const double *le)
{
    const struct family *family = metric->family;
    const char *name = family->row->labels;
    bool has_labels = family->labels_len > 0 || le;

    put(buf, family->row->name);
    put(buf, suffix);
    if (has_labels) put(buf, "{");
    for (size_t i = 0; i < family->labels_len; i++) {
        size_t len = strcspn(name, ",");

        if (i > 0) put(buf, ",");
        fl_buf_put(buf, name, len);
        put(buf, "=\"");
        put_escaped(buf, metric->labels[i], true);
        put(buf, "\"");
        name += len + (name[len] == ',');
    }
    if (le) {
        put(buf, family->labels_len > 0 ? ",le=\"" : "le=\"");
        put_double(buf, *le);
        put(buf, "\"");
    }
    put(buf, has_labels ? "} " : " ");
}

static void put_count(struct fl_buf *buf, uint64_t n)
{
    char text[32];

    snprintf(text, sizeof text, "%llu\n", (unsigned long long)n);
    put(buf, text);
}

static void put_histogram(struct fl_buf *buf, const struct fl_metric *metric)
{
    const struct family *family = metric->family;
    static const double infinity = INFINITY;
    uint64_t sum = 0;

    for (size_t i = 0; i <= family->bounds_len; i++) {
        sum += atomic_load_explicit(&metric->buckets[i], memory_order_relaxed);
        put_name(buf, metric, "_bucket", i < family->bounds_len ? &family->bounds[i] : &infinity);
        put_count(buf, sum);
    }
    put_name(buf, metric, "_sum", NULL);
    put_double(buf, fl_metric_value(metric));
    put(buf, "\n");
    put_name(buf, metric, "_count", NULL);
    put_count(buf, sum);
}

static int by_labels(const void *a, const void *b)
{
    const struct fl_metric *const *left = a, *const *right = b;
    int order = 0;

    for (size_t i = 0; i < (*left)->family->labels_len && order == 0; i++) {
        order = strcmp((*left)->labels[i], (*right)->labels[i]);
    }
    return order;
}

static void put_family(struct fl_buf *buf, const struct family *family)
{
    struct fl_metric **sorted;

    if (family->series.len == 0) return;
    put(buf, "# HELP ");
    put(buf, family->row->name);
    put(buf, " ");
    put_escaped(buf, family->row->help, false);
    put(buf, "\n# TYPE ");
    put(buf, family->row->name);
    put(buf, " ");
    put(buf, fl_metric_kind_name(family->row->kind));
    put(buf, "\n");
    sorted = fl_new_array(struct fl_metric *, family->series.len);
    memcpy(sorted, family->series.at, family->series.len * sizeof *sorted);
    qsort(sorted, family->series.len, sizeof *sorted, by_labels);
    for (size_t i = 0; i < family->series.len; i++) {
        if (family->row->kind == FL_METRIC_HISTOGRAM) {
            put_histogram(buf, sorted[i]);
        } else {
            put_name(buf, sorted[i], "", NULL);
            put_double(buf, fl_metric_value(sorted[i]));
            put(buf, "\n");
        }
    }
    fl_free(sorted);
}

bool fl_metrics_write(struct fl_metrics *metrics, struct fl_buf *buf)
{
    size_t collectors_len;

    pthread_mutex_lock(&metrics->mutex);
    collectors_len = metrics->collectors.len;
    pthread_mutex_unlock(&metrics->mutex);
    /* Outside the lock: they ask for series. */
    for (size_t i = 0; i < collectors_len; i++) {
        struct collector collector;

        pthread_mutex_lock(&metrics->mutex);
        collector = metrics->collectors.at[i];
        pthread_mutex_unlock(&metrics->mutex);
        collector.fn(collector.ctx);
    }
    pthread_mutex_lock(&metrics->mutex);
    for (size_t i = 0; i < metrics->families.len; i++) {
        put_family(buf, metrics->families.at[i]);
    }
    pthread_mutex_unlock(&metrics->mutex);
    return !buf->is_over;
}

void fl_metrics_print_markdown(const struct fl_metric_family *families, size_t len, FILE *out)
{
    fprintf(out, "| metric | kind | labels | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < len; i++) {
        fprintf(out, "| `%s` | %s | %s | %s |\n", families[i].name,
                fl_metric_kind_name(families[i].kind), families[i].labels ? families[i].labels : "",
                families[i].help);
    }
}
