#include "controlplane/api/route_metrics.h"

#include "controlplane/api/router.h"
#include "shared/base/alloc.h"
#include "shared/base/vec.h"

const struct fl_metric_family route_metric_families[ROUTE_METRICS_LEN] = {
    [ROUTE_REQUESTS] = {"fairlead_http_route_requests_total", FL_METRIC_COUNTER, "method,route",
                        "requests to a route of the API that were answered, or began to stream"},
    [ROUTE_ERRORS] = {"fairlead_http_route_errors_total", FL_METRIC_COUNTER, "method,route,class",
                      "answered with 4xx or 5xx; gone: the peer left before its answer"},
    [ROUTE_SECONDS] = {"fairlead_http_route_seconds", FL_METRIC_HISTOGRAM, "method,route",
                       "from a request's head to its answer, or to the begin of its stream"},
    [ROUTE_DENIALS] = {"fairlead_http_denials_total", FL_METRIC_COUNTER, "audit",
                       "refused requests: row, the audit has one; count, it has their number only"},
};

enum error_class { CLASS_4XX, CLASS_5XX, CLASS_GONE, CLASSES_LEN };

/* Made when they are first written to: most routes are never used. */
struct series {
    const struct api_route *route;
    struct fl_metric *requests, *errors[CLASSES_LEN], *seconds;
};

struct route_metrics {
    struct fl_metrics *metrics;
    struct fl_metric *denials[2]; /* without and with a row */
    FL_VEC(struct series) series; /* by the address of their route */
};

struct route_metrics *route_metrics_create(struct fl_metrics *metrics)
{
    struct route_metrics *routes = fl_new(struct route_metrics);

    routes->metrics = metrics;
    return routes;
}

void route_metrics_destroy(struct route_metrics *routes)
{
    if (!routes) return;
    fl_vec_fini(&routes->series);
    fl_free(routes);
}

static struct series *series_of(struct route_metrics *routes, const struct api_route *route)
{
    size_t low = 0, end = routes->series.len;

    while (low < end) {
        size_t middle = low + (end - low) / 2;

        if (routes->series.at[middle].route < route) {
            low = middle + 1;
        } else {
            end = middle;
        }
    }
    if (low == routes->series.len || routes->series.at[low].route != route) {
        fl_vec_insert(&routes->series, low, (struct series){.route = route});
    }
    return &routes->series.at[low];
}

static void count_error(struct route_metrics *routes, struct series *series, enum error_class class,
                        const char *method, const char *path)
{
    static const char *const names[CLASSES_LEN] = {"4xx", "5xx", "gone"};

    if (!series->errors[class]) {
        series->errors[class] = fl_metric(routes->metrics, &route_metric_families[ROUTE_ERRORS],
                                          method, path, names[class]);
    }
    fl_metric_add(series->errors[class], 1);
}

void route_metrics_count(struct route_metrics *routes, const struct api_route *route,
                         unsigned status, fl_ms took)
{
    struct series *series = series_of(routes, route);
    const char *method = route ? api_method_name(route->method) : "other";
    const char *path = route ? route->path : "other";

    if (status == 0) {
        count_error(routes, series, CLASS_GONE, method, path);
        return;
    }
    if (!series->requests) {
        series->requests =
            fl_metric(routes->metrics, &route_metric_families[ROUTE_REQUESTS], method, path);
        series->seconds =
            fl_metric(routes->metrics, &route_metric_families[ROUTE_SECONDS], method, path);
    }
    fl_metric_add(series->requests, 1);
    fl_metric_observe(series->seconds, (double)took / 1e3);
    if (status >= 500) {
        count_error(routes, series, CLASS_5XX, method, path);
    } else if (status >= 400) {
        count_error(routes, series, CLASS_4XX, method, path);
    }
}

void route_metrics_denied(struct route_metrics *routes, bool has_row)
{
    struct fl_metric **series = &routes->denials[has_row];

    if (!*series) {
        *series = fl_metric(routes->metrics, &route_metric_families[ROUTE_DENIALS],
                            has_row ? "row" : "count");
    }
    fl_metric_add(*series, 1);
}
