/* kube_retry.h - whether a request that failed is sent again, and when.
 *
 *   429                       any request, after the time that the server names, or a second
 *   5xx that names a time     any request: the server did not begin with it
 *   500 502 503 504           only reads, with a growing wait
 *   everything else           not at all: the caller decides
 *
 * A wait is longer by up to half, at random, so that agents do not come back together.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stdbool.h>

#include "agent/kube/kube_status.h"
#include "shared/base/types.h"

struct fl_prng;

enum {
    KUBE_RETRIES_MAX = 6,
    KUBE_RETRY_WAIT_MS_MAX = 30000, /* a server that names more gets no second request */
};

/* -1: not again.  'retries' is how often it was sent again already. */
fl_ms kube_retry_wait(const struct kube_failure *failure, bool is_read, unsigned retries,
                      struct fl_prng *prng);

/* The growing wait alone: a quarter of a second, then twice as long each time, up to 8 s. */
fl_ms kube_retry_backoff(unsigned retries, struct fl_prng *prng);
