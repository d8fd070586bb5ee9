#include "controlplane/logs/limit_share.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static uint64_t kept(const uint64_t *lengths, size_t len, uint64_t share)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        sum += lengths[i] < share ? lengths[i] : share;
    }
    return sum;
}

static void who_has_little_leaves_the_rest_to_the_others(void **state)
{
    (void)state;
    assert_true(log_limit_share((uint64_t[]){100}, 1, 100) == LOG_LIMIT_SHARE_ALL);
    assert_int_equal(log_limit_share((uint64_t[]){101}, 1, 100), 100);
    assert_true(log_limit_share((uint64_t[]){60, 40}, 2, 100) == LOG_LIMIT_SHARE_ALL);
    assert_int_equal(log_limit_share((uint64_t[]){60, 60}, 2, 100), 50);
    assert_int_equal(log_limit_share((uint64_t[]){90, 20}, 2, 100), 80);
    assert_int_equal(log_limit_share((uint64_t[]){0, 1000, 0, 20, 30, 1000}, 6, 100), 26);
    assert_int_equal(log_limit_share((uint64_t[]){UINT64_MAX, UINT64_MAX, 1}, 3, 100), 49);
}

static void all_together_keep_what_they_may_and_no_more(void **state)
{
    struct fl_prng prng;
    uint64_t lengths[40] = {0};

    (void)state;
    fl_prng_seed(&prng, 7);
    for (int round = 0; round < 2000; round++) {
        size_t len = 1 + fl_prng_below(&prng, 40);
        uint64_t bytes_max = len + fl_prng_below(&prng, 3000);
        uint64_t share;

        for (size_t i = 0; i < len; i++) {
            lengths[i] = fl_prng_below(&prng, 1 + fl_prng_below(&prng, 500));
        }
        share = log_limit_share(lengths, len, bytes_max);
        if (share == LOG_LIMIT_SHARE_ALL) {
            assert_true(kept(lengths, len, share) <= bytes_max);
        } else {
            assert_true(kept(lengths, len, share) <= bytes_max);
            assert_true(kept(lengths, len, share + 1) > bytes_max);
        }
    }
}

static void what_once_was_not_kept_stays_so_while_outputs_grow(void **state)
{
    struct fl_prng prng;
    uint64_t lengths[8] = {0};
    struct log_middle before[8] = {0};

    (void)state;
    fl_prng_seed(&prng, 8);
    for (int round = 0; round < 2000; round++) {
        uint64_t share;

        lengths[fl_prng_below(&prng, 8)] += fl_prng_below(&prng, 50);
        share = log_limit_share(lengths, 8, 5000);
        for (size_t i = 0; i < 8; i++) {
            struct log_middle middle = log_limit_share_middle(share, lengths[i]);

            if (before[i].begin < before[i].end) {
                assert_true(middle.begin <= before[i].begin && middle.end >= before[i].end);
            }
            before[i] = middle;
        }
    }
    assert_int_equal(log_limit_share(lengths, 8, 5000), 625); /* by now all are long */
}

static void the_middle_is_what_neither_half_of_the_share_reaches(void **state)
{
    struct log_middle middle = log_limit_share_middle(100, 1000);

    (void)state;
    assert_true(log_middle_has(&middle, 50, 950));
    assert_false(log_middle_has(&middle, 49, 950));
    assert_false(log_middle_has(&middle, 50, 951));
    assert_true(log_middle_meets(&middle, 0, 51));
    assert_false(log_middle_meets(&middle, 0, 50));
    assert_false(log_middle_meets(&middle, 950, 1000));
    middle = log_limit_share_middle(100, 100);
    assert_false(log_middle_has(&middle, 0, 1));
    assert_false(log_middle_meets(&middle, 0, 100));
    middle = log_limit_share_middle(LOG_LIMIT_SHARE_ALL, 1000);
    assert_false(log_middle_meets(&middle, 0, 1000));
}

FL_TESTS(cmocka_unit_test(who_has_little_leaves_the_rest_to_the_others),
         cmocka_unit_test(all_together_keep_what_they_may_and_no_more),
         cmocka_unit_test(what_once_was_not_kept_stays_so_while_outputs_grow),
         cmocka_unit_test(the_middle_is_what_neither_half_of_the_share_reaches))
