/* kube_rate_limit.h - when the next request to an API server may start.
 * Three limits hold together: so many requests at once, so many a second with a burst before (a
 * token bucket), and none before a time that the server named.  Streams, as watches are, last for
 * minutes; they take a token, and do not count among the requests at once.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>

#include "shared/base/types.h"

#define KUBE_RATE_LIMIT_NEVER INT64_MAX /* not before a request ends */

struct kube_rate_limit {
    unsigned per_second, burst, at_once_max;
    int64_t tokens; /* in thousandths */
    fl_ms filled_at;
    fl_ms paused_until;
    unsigned running;
};

/* Each limit is over 0. */
void kube_rate_limit_init(struct kube_rate_limit *limit, unsigned per_second, unsigned burst,
                          unsigned at_once_max, fl_ms now);

/* 'now' or earlier: it may start; later: look again then. */
fl_ms kube_rate_limit_ready_at(struct kube_rate_limit *limit, bool is_stream, fl_ms now);

void kube_rate_limit_start(struct kube_rate_limit *limit, bool is_stream,
                           fl_ms now); /* only when ready */
void kube_rate_limit_end(struct kube_rate_limit *limit, bool is_stream);

void kube_rate_limit_pause(struct kube_rate_limit *limit, fl_ms until); /* the latest counts */
