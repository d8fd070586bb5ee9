/* metrics.h - counters, gauges and histograms, with labels from bounded sets.
 * A module that measures declares a table of families, adds it once, and keeps the series it writes
 * to.  docs/reference/metrics.md is made from the same tables.
 *
 *     const struct fl_metric_family http_metrics[] = {
 *         [HTTP_REQUESTS] = {"fairlead_http_requests_total", FL_METRIC_COUNTER,
 *                            "route,method,code", "..."},
 *     };
 *     fl_metrics_add(metrics, http_metrics, HTTP_METRICS_LEN);
 *     struct fl_metric *requests =
 *         fl_metric(metrics, &http_metrics[HTTP_REQUESTS], "/v1/jobs", "GET", "200");
 *     fl_metric_add(requests, 1);
 *
 * A family has at most series_max label sets (0: FL_METRIC_SERIES_MAX).  The last is a series whose
 * labels are all "other", which further label sets share: memory is bounded for any input.  A label
 * value is cut at FL_METRIC_LABEL_MAX bytes.
 * Thread-safe: writing is atomic and never waits, finding a series takes a lock.  Add families
 * before the threads start. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shared/base/buf.h"
#include "shared/base/err.h"

enum {
    FL_METRIC_SERIES_MAX = 1000,
    FL_METRIC_LABEL_MAX = 127,
    FL_METRIC_LABELS_MAX = 6,
    FL_METRIC_BOUNDS_MAX = 24,
};

#define FL_METRIC_KINDS(X) X(COUNTER, "counter") X(GAUGE, "gauge") X(HISTOGRAM, "histogram")

enum fl_metric_kind {
#define FL_METRIC_KIND_ENUM(name, text) FL_METRIC_##name,
    FL_METRIC_KINDS(FL_METRIC_KIND_ENUM)
#undef FL_METRIC_KIND_ENUM
};

const char *fl_metric_kind_name(enum fl_metric_kind kind);

struct fl_metric_family {
    const char *name;
    enum fl_metric_kind kind;
    const char *labels; /* "route,method"; NULL: none */
    const char *help;   /* one sentence */
    uint32_t series_max;
    const double *bounds; /* a histogram's, rising; NULL: fl_metric_seconds */
    size_t bounds_len;
};

/* 1 ms to 100 s, three a decade: for latencies. */
extern const double fl_metric_seconds[16];

struct fl_metrics;
struct fl_metric; /* one series; lives as long as the metrics */

struct fl_metrics *fl_metrics_create(void);
void fl_metrics_destroy(struct fl_metrics *metrics); /* NULL is fine */

/* The table is borrowed and stays.  A name that is there already is a bug. */
void fl_metrics_add(struct fl_metrics *metrics, const struct fl_metric_family *families,
                    size_t len);

/* The series of these label values, in the family's order; made when it is new.  Never NULL. */
#define fl_metric(metrics, family, ...)                                                            \
    fl_metric_find((metrics), (family), (const char *const[]){"", ##__VA_ARGS__},                  \
                   sizeof((const char *const[]){"", ##__VA_ARGS__}) / sizeof(char *) - 1)

void fl_metric_add(struct fl_metric *metric, double n);     /* counter (n >= 0) or gauge */
void fl_metric_set(struct fl_metric *metric, double value); /* gauge, or a counter kept elsewhere */
void fl_metric_observe(struct fl_metric *metric, double value); /* histogram */
double fl_metric_value(const struct fl_metric *metric);         /* a histogram's sum */

/* fl_metrics_write calls 'fn' first, on its own thread: for values that are set only when asked. */
void fl_metrics_on_collect(struct fl_metrics *metrics, void (*fn)(void *ctx), void *ctx);

/* The text format of Prometheus, 0.0.4; families in order of their names, series of their labels.
 * False: it did not fit. */
FL_CHECK bool fl_metrics_write(struct fl_metrics *metrics, struct fl_buf *buf);

/* The rows of a Markdown table. */
void fl_metrics_print_markdown(const struct fl_metric_family *families, size_t len, FILE *out);

/* Behind the macro; the labels begin at labels[1]. */
struct fl_metric *fl_metric_find(struct fl_metrics *metrics, const struct fl_metric_family *family,
                                 const char *const *labels, size_t labels_len);
