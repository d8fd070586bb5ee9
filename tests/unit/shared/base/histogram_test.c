#include "shared/base/histogram.h"

#include <stdlib.h>

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static void each_length_is_in_the_bucket_of_its_bounds(void **state)
{
    struct fl_prng prng;

    (void)state;
    assert_int_equal(fl_histogram_bucket(-5), 0);
    assert_int_equal(fl_histogram_bucket(0), 0);
    assert_int_equal(fl_histogram_bucket(1), 1);
    assert_int_equal(fl_histogram_bucket(2), 3);
    assert_int_equal(fl_histogram_bucket(3), 4); /* the root of 8 is less */
    assert_int_equal(fl_histogram_bucket(4), 5);
    assert_int_equal(fl_histogram_bucket(1448), 21); /* the root of 2^21 is 1448.2 */
    assert_int_equal(fl_histogram_bucket(1449), 22);
    assert_true(fl_histogram_bucket(30 * FL_DAY_MS) < FL_HISTOGRAM_BUCKETS - 1);
    assert_int_equal(fl_histogram_bucket(36 * FL_DAY_MS), FL_HISTOGRAM_BUCKETS - 1);
    assert_int_equal(fl_histogram_bucket(INT64_MAX), FL_HISTOGRAM_BUCKETS - 1);
    fl_prng_seed(&prng, 1);
    for (int i = 0; i < 100000; i++) {
        fl_ms length = fl_prng_between(&prng, 1, (fl_ms)1 << fl_prng_below(&prng, 32));
        size_t bucket = fl_histogram_bucket(length);
        unsigned __int128 square = (unsigned __int128)length * (unsigned __int128)length;

        /* 2^((bucket - 1) / 2) <= length < 2^(bucket / 2), squared */
        if (bucket == FL_HISTOGRAM_BUCKETS - 1) continue;
        assert_true(square >> (bucket - 1) >= 1 && square >> bucket == 0);
    }
}

static int by_length(const void *a, const void *b)
{
    const fl_ms *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

/* As far as the header promises. */
static void check_percentiles(const fl_ms *sorted, size_t len, const struct fl_histogram *histogram)
{
    static const unsigned percents[] = {0, 1, 5, 50, 90, 95, 99, 100};

    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        size_t rank = (len * percents[i] + 99) / 100;
        double exact = (double)sorted[rank > 0 ? rank - 1 : 0];
        double got = (double)fl_histogram_percentile(histogram, percents[i]);

        if (got > exact * 1.18921 + 0.5 || got < exact / 1.18921 - 0.5) {
            fail_msg("percent %u of %zu: %f, exact %f", percents[i], len, got, exact);
        }
        assert_true(got <= (double)histogram->longest);
    }
}

static void percentiles_are_as_near_as_promised(void **state)
{
    enum { LEN_MAX = 3000 };
    static fl_ms lengths[LEN_MAX];
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 7);
    for (int round = 0; round < 200; round++) {
        size_t len = 1 + (size_t)fl_prng_below(&prng, LEN_MAX);
        uint64_t doublings = 1 + fl_prng_below(&prng, 31);
        struct fl_histogram histogram = {0};

        for (size_t i = 0; i < len; i++) { /* up to 24 days, each order of length alike */
            lengths[i] = fl_prng_between(&prng, 0, (fl_ms)1 << fl_prng_below(&prng, doublings));
            fl_histogram_add(&histogram, lengths[i]);
        }
        qsort(lengths, len, sizeof *lengths, by_length);
        assert_int_equal(fl_histogram_count(&histogram), len);
        assert_int_equal(histogram.longest, lengths[len - 1]);
        check_percentiles(lengths, len, &histogram);
    }
}

static void two_added_up_are_as_one_of_all(void **state)
{
    struct fl_histogram one = {0}, other = {0}, all = {0};

    (void)state;
    for (fl_ms length = 0; length < 5000; length += 7) {
        fl_histogram_add(length % 2 ? &one : &other, length);
        fl_histogram_add(&all, length);
    }
    fl_histogram_merge(&one, &other);
    assert_memory_equal(&one, &all, sizeof all);
}

static void an_empty_one_a_single_length_and_the_last_bucket_have_their_answers(void **state)
{
    struct fl_histogram histogram = {0};

    (void)state;
    assert_int_equal(fl_histogram_percentile(&histogram, 95), 0);
    fl_histogram_add(&histogram, 1000);
    assert_int_equal(fl_histogram_percentile(&histogram, 50), 861);
    fl_histogram_add(&histogram, 100 * FL_DAY_MS);
    assert_int_equal(fl_histogram_percentile(&histogram, 100), 100 * FL_DAY_MS);
}

static void no_count_wraps(void **state)
{
    struct fl_histogram histogram = {.counts = {[3] = FL_HISTOGRAM_COUNT_MAX, [9] = 5},
                                     .longest = 9};

    (void)state;
    fl_histogram_add(&histogram, 2);
    assert_true(histogram.counts[3] == FL_HISTOGRAM_COUNT_MAX);
    fl_histogram_merge(&histogram, &histogram);
    assert_true(histogram.counts[3] == FL_HISTOGRAM_COUNT_MAX);
    assert_true(fl_histogram_count(&histogram) == FL_HISTOGRAM_COUNT_MAX);
    assert_int_equal(fl_histogram_percentile(&histogram, 50), 2);
}

FL_TESTS(cmocka_unit_test(each_length_is_in_the_bucket_of_its_bounds),
         cmocka_unit_test(percentiles_are_as_near_as_promised),
         cmocka_unit_test(two_added_up_are_as_one_of_all),
         cmocka_unit_test(an_empty_one_a_single_length_and_the_last_bucket_have_their_answers),
         cmocka_unit_test(no_count_wraps))
