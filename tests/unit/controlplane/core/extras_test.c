#include "controlplane/core/extras.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static void a_list_is_by_number_and_has_each_once(void **state)
{
    static const uint8_t order[] = {7, 2, 64, 1, 7, 9, 2};
    struct extras extras = {0}, copy = {0};

    (void)state;
    assert_null(extras_find(&extras, 1));
    for (size_t i = 0; i < sizeof order; i++) {
        extras_need(&extras, order[i])->total += order[i];
    }
    assert_int_equal(extras.len, 5);
    for (uint8_t i = 1; i < extras.len; i++) {
        assert_true(extras.at[i - 1].number < extras.at[i].number);
    }
    assert_int_equal(extras_find(&extras, 7)->total, 14);
    assert_null(extras_find(&extras, 8));
    assert_null(extras_find(&extras, 65));
    extras_copy(&copy, &extras);
    extras_need(&copy, 7)->total = 1;
    assert_int_equal(extras_find(&extras, 7)->total, 14);
    extras_find(&extras, 7)->total = 0;
    extras_prune(&extras);
    assert_int_equal(extras.len, 4);
    assert_null(extras_find(&extras, 7));
    extras_copy(&copy, &extras);
    assert_int_equal(copy.len, 4);
    for (uint8_t i = 0; i < 4; i++) {
        extras.at[i].total = 0;
    }
    extras_prune(&extras);
    assert_null(extras.at);
    extras_copy(&copy, &extras);
    assert_int_equal(copy.len, 0);
    extras_fini(&copy);
    extras_fini(&extras);
}

static void what_is_taken_beyond_what_is_free_is_owed_and_paid_first(void **state)
{
    struct extra extra = {.total = 8, .free = 5, .number = 1};

    (void)state;
    assert_int_equal(extra_take(&extra, 3), 3);
    assert_int_equal(extra_take(&extra, 4), 2);
    assert_int_equal(extra.free, 0);
    assert_int_equal(extra.owed, 2);
    assert_int_equal(extra_give(&extra, 1), 0);
    assert_int_equal(extra_give(&extra, 3), 2);
    assert_int_equal(extra.free, 2);
    assert_int_equal(extra.owed, 0);
    assert_int_equal(extra_give(&extra, 100), 6); /* no more than there is */
    assert_int_equal(extra.free, 8);
}

/* The rule of decision 66, said the other way round: after all that was there before the claims has
 * ended, and beside what came since, the claims are whole. */
static void beside_claims_is_free_what_leaves_them_whole(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 66);
    for (int i = 0; i < 20000; i++) {
        uint64_t total = fl_prng_below(&prng, 10), free = fl_prng_below(&prng, total + 1);
        uint64_t held = fl_prng_below(&prng, total - free + 1);
        uint64_t guests = fl_prng_below(&prng, held + 1);
        struct extra extra = {.total = total,
                              .free = free,
                              .held = held,
                              .guests = guests,
                              .claimed = fl_prng_below(&prng, held - guests + free + 1)};
        uint64_t spare = extra_spare(&extra);

        assert_true(spare <= free);
        assert_true(extra.claimed + guests + spare <= held + free || extra.claimed == 0);
        assert_true(spare == free || extra.claimed + guests + spare == held + free);
        assert_int_equal(extra_empty(&extra, true), held + free);
        assert_int_equal(extra_empty(&extra, false),
                         extra.claimed ? held + free - guests - extra.claimed : held + free);
    }
}

static void a_list_knows_whether_anything_is_claimed(void **state)
{
    struct extras extras = {0};

    (void)state;
    assert_false(extras_are_claimed(&extras));
    extras_need(&extras, 3)->held = 1;
    assert_false(extras_are_claimed(&extras));
    extras_need(&extras, 5)->claimed = 1;
    assert_true(extras_are_claimed(&extras));
    extras_fini(&extras);
}

FL_TESTS(cmocka_unit_test(a_list_is_by_number_and_has_each_once),
         cmocka_unit_test(what_is_taken_beyond_what_is_free_is_owed_and_paid_first),
         cmocka_unit_test(beside_claims_is_free_what_leaves_them_whole),
         cmocka_unit_test(a_list_knows_whether_anything_is_claimed))
