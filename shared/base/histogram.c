#include "shared/base/histogram.h"

#include "shared/base/assert.h"

enum { LAST = FL_HISTOGRAM_BUCKETS - 1 };

static uint64_t bounded(uint64_t a, uint64_t b)
{
    unsigned __int128 sum = (unsigned __int128)a + b;

    return sum > FL_HISTOGRAM_COUNT_MAX ? FL_HISTOGRAM_COUNT_MAX : (uint64_t)sum;
}

size_t fl_histogram_bucket(fl_ms length)
{
    unsigned __int128 square;
    unsigned doublings;
    size_t bucket;

    if (length <= 0) return 0;
    doublings = 63 - (unsigned)__builtin_clzll((unsigned long long)length);
    square = (unsigned __int128)(uint64_t)length * (uint64_t)length;
    /* In the upper half of a doubling the square is at least half of the next one's. */
    bucket = 1 + 2 * (size_t)doublings + (square >> (2 * doublings + 1) != 0);
    return bucket < LAST ? bucket : LAST;
}

void fl_histogram_add(struct fl_histogram *histogram, fl_ms length)
{
    uint64_t *count = &histogram->counts[fl_histogram_bucket(length)];

    *count = bounded(*count, 1);
    if (length > histogram->longest) histogram->longest = length;
}

void fl_histogram_merge(struct fl_histogram *to, const struct fl_histogram *more)
{
    for (size_t i = 0; i < FL_HISTOGRAM_BUCKETS; i++) {
        to->counts[i] = bounded(to->counts[i], more->counts[i]);
    }
    if (more->longest > to->longest) to->longest = more->longest;
}

uint64_t fl_histogram_count(const struct fl_histogram *histogram)
{
    uint64_t count = 0;

    for (size_t i = 0; i < FL_HISTOGRAM_BUCKETS; i++) {
        count = bounded(count, histogram->counts[i]);
    }
    return count;
}

/* The geometric middle. */
static fl_ms middle_of(size_t bucket)
{
    static const double quarters[2] = {1.1892071150027211,
                                       1.6817928305074290}; /* 2^(1/4), 2^(3/4) */

    if (bucket == 0) return 0;
    return (fl_ms)(quarters[(bucket - 1) % 2] * (double)(UINT64_C(1) << (bucket - 1) / 2) + 0.5);
}

fl_ms fl_histogram_percentile(const struct fl_histogram *histogram, unsigned percent)
{
    uint64_t count = fl_histogram_count(histogram), seen = 0, rank;
    fl_ms middle;
    size_t i = 0;

    fl_assert(percent <= 100);
    if (count == 0) return 0;
    rank = (uint64_t)(((unsigned __int128)count * percent + 99) / 100);
    if (rank == 0) rank = 1;
    while (i < LAST && (seen = bounded(seen, histogram->counts[i])) < rank) {
        i++;
    }
    middle = middle_of(i);
    return i == LAST || middle > histogram->longest ? histogram->longest : middle;
}
