#include "shared/base/resources.h"

#include <stddef.h>

#include "shared/base/prng.h"
#include "tests/fl_test.h"

enum { KINDS = 3 };

/* The same amounts as numbers in a row, for a second opinion. */
struct row {
    uint64_t at[KINDS];
};

static struct fl_resources one(struct row row)
{
    return (struct fl_resources){
        .memory_bytes = row.at[0], .cpu_milli = (uint32_t)row.at[1], .gpus = (uint32_t)row.at[2]};
}

static struct row row_of(struct fl_resources one)
{
    return (struct row){{one.memory_bytes, one.cpu_milli, one.gpus}};
}

static struct fl_resources_sum sum(struct row row)
{
    return (struct fl_resources_sum){row.at[0], row.at[1], row.at[2]};
}

static struct row row_of_sum(struct fl_resources_sum sum)
{
    return (struct row){{sum.memory_bytes, sum.cpu_milli, sum.gpus}};
}

/* Small numbers are often equal, and often 0. */
static struct row draw(struct fl_prng *prng)
{
    struct row row;

    for (size_t k = 0; k < KINDS; k++) {
        row.at[k] = fl_prng_below(prng, 8);
    }
    return row;
}

static uint64_t less_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void as_many_fit_as_the_scarcest_resource_allows(void **state)
{
    struct fl_resources room = {.memory_bytes = 100, .cpu_milli = 9000, .gpus = 4};
    struct fl_resources two_cpus = {.cpu_milli = 2000};

    (void)state;
    assert_int_equal(fl_resources_count(room, two_cpus, 9), 4);
    assert_int_equal(fl_resources_count(room, two_cpus, 3), 3);
    assert_int_equal(fl_resources_count(room, (struct fl_resources){30, 1000, 1}, 9), 3);
    assert_int_equal(fl_resources_count(room, (struct fl_resources){1, 1, 5}, 9), 0);
    assert_int_equal(fl_resources_count(room, (struct fl_resources){0}, 9), 9);
}

static void each_resource_counts_for_itself(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 97);
    for (int round = 0; round < 20000; round++) {
        struct row a = draw(&prng), b = draw(&prng);
        struct row least = row_of(fl_resources_least(one(a), one(b)));
        struct row most = row_of(fl_resources_most(one(a), one(b)));
        struct row part = row_of(fl_resources_sum_least(sum(a), one(b)));
        struct fl_resources added = one(a), cut = one(a);
        struct fl_resources_sum sum_added = sum(a), sum_cut = sum(a);
        bool is_same = true, is_zero = true, is_fit = true;

        fl_resources_add(&added, one(b));
        fl_resources_take_most(&cut, one(b));
        fl_resources_sum_add(&sum_added, one(b));
        fl_resources_sum_take_most(&sum_cut, one(b));
        for (size_t k = 0; k < KINDS; k++) {
            uint64_t left = a.at[k] - less_of(a.at[k], b.at[k]);

            assert_int_equal(least.at[k], less_of(a.at[k], b.at[k]));
            assert_int_equal(most.at[k], a.at[k] + b.at[k] - less_of(a.at[k], b.at[k]));
            assert_int_equal(part.at[k], less_of(a.at[k], b.at[k]));
            assert_int_equal(row_of(added).at[k], a.at[k] + b.at[k]);
            assert_int_equal(row_of_sum(sum_added).at[k], a.at[k] + b.at[k]);
            assert_int_equal(row_of(cut).at[k], left);
            assert_int_equal(row_of_sum(sum_cut).at[k], left);
            is_same = is_same && a.at[k] == b.at[k];
            is_zero = is_zero && a.at[k] == 0;
            is_fit = is_fit && b.at[k] <= a.at[k];
        }
        assert_int_equal(fl_resources_is_same(one(a), one(b)), is_same);
        assert_int_equal(fl_resources_sum_is_same(sum(a), sum(b)), is_same);
        assert_int_equal(fl_resources_is_zero(one(a)), is_zero);
        assert_int_equal(fl_resources_sum_is_zero(sum(a)), is_zero);
        assert_int_equal(fl_resources_fit(one(b), one(a)), is_fit);
        assert_int_equal(fl_resources_sum_has(sum(a), one(b)), is_fit);
        assert_int_equal(fl_resources_count(one(a), one(b), 1), is_fit);
    }
}

static void what_was_taken_comes_back(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 98);
    for (int round = 0; round < 20000; round++) {
        struct row room = draw(&prng), each = draw(&prng);
        uint32_t times = fl_resources_count(one(room), one(each), 5);
        struct fl_resources left = one(room);
        struct fl_resources_sum taken = {0}, all = sum(room);

        fl_resources_take_times(&left, one(each), times);
        for (uint32_t i = 0; i < times; i++) {
            fl_resources_sum_add(&taken, one(each));
            fl_resources_sum_take(&all, one(each));
        }
        assert_true(times == 5 || !fl_resources_fit(one(each), left));
        assert_true(fl_resources_sum_is_same(all, fl_resources_sum_of(left)));
        fl_resources_sum_merge(&all, taken);
        assert_true(fl_resources_sum_is_same(all, sum(room)));
        while (times-- > 0) {
            fl_resources_take(&left, (struct fl_resources){0});
            fl_resources_add(&left, one(each));
        }
        assert_true(fl_resources_is_same(left, one(room)));
    }
}

static void a_sum_does_not_wrap_where_one_would(void **state)
{
    const struct fl_resources most = {
        .memory_bytes = (uint64_t)1 << 46, .cpu_milli = UINT32_MAX, .gpus = UINT32_MAX};
    struct fl_resources_sum all = {0};

    (void)state;
    for (int i = 0; i < 5000; i++) {
        fl_resources_sum_add(&all, most);
    }
    assert_true(all.cpu_milli == 5000 * (uint64_t)UINT32_MAX && all.gpus == all.cpu_milli);
    assert_true(all.memory_bytes == 5000 * most.memory_bytes);
    assert_true(fl_resources_is_same(fl_resources_sum_least(all, most), most));
}

FL_TESTS(cmocka_unit_test(as_many_fit_as_the_scarcest_resource_allows),
         cmocka_unit_test(each_resource_counts_for_itself),
         cmocka_unit_test(what_was_taken_comes_back),
         cmocka_unit_test(a_sum_does_not_wrap_where_one_would))
