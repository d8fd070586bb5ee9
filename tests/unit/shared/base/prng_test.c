#include "shared/base/prng.h"

#include "tests/fl_test.h"

static void below_zero(void *arg)
{
    fl_prng_below(arg, 0);
}

static void between_the_wrong_way_round(void *arg)
{
    fl_prng_between(arg, 1, 0);
}

static void draw_unseeded(void *arg)
{
    (void)arg;
    fl_prng_u64(&(struct fl_prng){0});
}

/* Published vectors: splitmix64 of 1234567, and xoshiro256** from the state 1, 2, 3, 4. */
static void the_numbers_are_those_of_the_published_generators(void **state)
{
    const uint64_t seeded[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                               4593380528125082431u};
    const uint64_t drawn[] = {11520u, 0u, 1509978240u, 1215971899390074240u};
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 1234567);
    for (int i = 0; i < 4; i++) {
        assert_true(prng.s[i] == seeded[i]);
    }
    prng = (struct fl_prng){{1, 2, 3, 4}};
    for (int i = 0; i < 4; i++) {
        assert_true(fl_prng_u64(&prng) == drawn[i]);
    }
}

static void equal_seeds_draw_equal_numbers_and_others_do_not(void **state)
{
    struct fl_prng a;
    struct fl_prng b;
    struct fl_prng c;

    (void)state;
    fl_prng_seed(&a, 0);
    fl_prng_seed(&b, 0);
    fl_prng_seed(&c, 1);
    for (int i = 0; i < 1000; i++) {
        uint64_t v = fl_prng_u64(&a);

        assert_true(v == fl_prng_u64(&b));
        assert_true(v != fl_prng_u64(&c));
    }
}

static void below_reaches_every_number_about_as_often(void **state)
{
    struct fl_prng prng;
    int seen[7] = {0};

    (void)state;
    fl_prng_seed(&prng, 2);
    for (int i = 0; i < 70000; i++) {
        uint64_t v = fl_prng_below(&prng, 7);

        assert_true(v < 7);
        seen[v]++;
    }
    for (int i = 0; i < 7; i++) {
        assert_true(seen[i] > 9500 && seen[i] < 10500);
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(fl_prng_below(&prng, 1), 0);
    }
}

/* For a range of 2/3 of all numbers, plain scaling would draw each odd one of the lower half twice
 * as often. */
static void below_is_fair_when_n_is_huge(void **state)
{
    const uint64_t n = UINT64_MAX / 3 * 2;
    struct fl_prng prng;
    int odd = 0;
    int even = 0;

    (void)state;
    fl_prng_seed(&prng, 4);
    for (int i = 0; i < 30000; i++) {
        uint64_t v = fl_prng_below(&prng, n);

        assert_true(v < n);
        if (v >= n / 2) continue;
        if (v % 2) {
            odd++;
        } else {
            even++;
        }
    }
    assert_true(odd > 7000 && odd < 8000);
    assert_true(even > 7000 && even < 8000);
}

static void between_includes_both_ends_and_any_range(void **state)
{
    struct fl_prng prng;
    int seen[4] = {0};
    int negative = 0;

    (void)state;
    fl_prng_seed(&prng, 3);
    for (int i = 0; i < 4000; i++) {
        int64_t v = fl_prng_between(&prng, -2, 1);

        assert_true(v >= -2 && v <= 1);
        seen[v + 2]++;
        negative += fl_prng_between(&prng, INT64_MIN, INT64_MAX) < 0;
    }
    for (int i = 0; i < 4; i++) {
        assert_true(seen[i] > 850);
    }
    assert_true(negative > 1800 && negative < 2200);
    assert_true(fl_prng_between(&prng, INT64_MIN, INT64_MIN) == INT64_MIN);
    assert_true(fl_prng_between(&prng, INT64_MAX, INT64_MAX) == INT64_MAX);
    assert_true(fl_prng_between(&prng, INT64_MAX - 1, INT64_MAX) >= INT64_MAX - 1);
}

static void a_chance_is_true_so_often(void **state)
{
    struct fl_prng prng;
    int hits = 0;

    (void)state;
    fl_prng_seed(&prng, 5);
    for (int i = 0; i < 100000; i++) {
        hits += fl_prng_chance(&prng, 250000);
        assert_false(fl_prng_chance(&prng, 0));
        assert_true(fl_prng_chance(&prng, 1000000));
    }
    assert_true(hits > 24000 && hits < 26000);
}

static void empty_ranges_and_no_seed_are_bugs(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 6);
    assert_true(fl_test_aborts(below_zero, &prng));
    assert_true(fl_test_aborts(between_the_wrong_way_round, &prng));
    assert_true(fl_test_aborts(draw_unseeded, NULL));
}

FL_TESTS(cmocka_unit_test(the_numbers_are_those_of_the_published_generators),
         cmocka_unit_test(equal_seeds_draw_equal_numbers_and_others_do_not),
         cmocka_unit_test(below_reaches_every_number_about_as_often),
         cmocka_unit_test(below_is_fair_when_n_is_huge),
         cmocka_unit_test(between_includes_both_ends_and_any_range),
         cmocka_unit_test(a_chance_is_true_so_often),
         cmocka_unit_test(empty_ranges_and_no_seed_are_bugs))
