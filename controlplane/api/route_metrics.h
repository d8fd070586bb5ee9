/* route_metrics.h - requests, errors and latency of each route, as metrics.
 * The label is the route's pattern as its table has it, so there are never more series than routes.
 * A request counts when its answer goes out; one that streams, when its stream begins.
 * One object a front; several write to the same series. */
#pragma once

#include "shared/base/types.h"
#include "shared/io/metrics.h"

struct api_route;
struct route_metrics; /* opaque */

enum route_metric { ROUTE_REQUESTS, ROUTE_ERRORS, ROUTE_SECONDS, ROUTE_DENIALS, ROUTE_METRICS_LEN };

/* To be added to the metrics once, before the first front is there. */
extern const struct fl_metric_family route_metric_families[ROUTE_METRICS_LEN];

struct route_metrics *route_metrics_create(struct fl_metrics *metrics);
void route_metrics_destroy(struct route_metrics *routes); /* NULL is fine */

/* 'route' NULL: no route is there for what was asked.  'status' 0: the peer went away before. */
void route_metrics_count(struct route_metrics *routes, const struct api_route *route,
                         unsigned status, fl_ms took);

/* A request was refused; 'has_row': the audit gets a row of it. */
void route_metrics_denied(struct route_metrics *routes, bool has_row);
