/* histogram.h - how often times of each length came, and percentiles of them.
 * Buckets are logarithmic, two for each doubling, so any span from 1 ms to a month has the same
 * relative error in few numbers: bucket 0 is for 0 ms, bucket i for at least 2^((i-1)/2) ms and
 * less than 2^(i/2) ms.  The last one has no end: it begins at 35 days.
 * The layout is kept in databases, so it is never changed.  Histograms add up.  No sum wraps.
 * Uses shared/base only.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shared/base/types.h"

enum { FL_HISTOGRAM_BUCKETS = 65 };

/* The most that Postgres's bigint holds. */
#define FL_HISTOGRAM_COUNT_MAX ((uint64_t)INT64_MAX)

struct fl_histogram { /* {0} is empty */
    uint64_t counts[FL_HISTOGRAM_BUCKETS];
    fl_ms longest; /* as it is, not rounded */
};

size_t fl_histogram_bucket(fl_ms length); /* below 0 counts as 0 */

void fl_histogram_add(struct fl_histogram *histogram, fl_ms length);
void fl_histogram_merge(struct fl_histogram *to, const struct fl_histogram *more);

uint64_t fl_histogram_count(const struct fl_histogram *histogram);

/* So many percent of the times are at most this long, by the nearest rank; 0 when it is empty.
 * The answer stands in the middle of the right bucket, so it is at most 19 % (2^(1/4)) longer or
 * shorter than the exact one, and half a millisecond by rounding; it is never longer than
 * 'longest'.  In the last bucket it is 'longest'. */
fl_ms fl_histogram_percentile(const struct fl_histogram *histogram, unsigned percent);
