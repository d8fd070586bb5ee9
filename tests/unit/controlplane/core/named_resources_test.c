#include "controlplane/core/named_resources.h"

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static void a_list_is_by_number_and_has_each_once(void **state)
{
    static const uint8_t order[] = {7, 2, 64, 1, 7, 9, 2};
    struct named_resources named = {0}, copy = {0};

    (void)state;
    assert_null(named_resources_find(&named, 1));
    for (size_t i = 0; i < sizeof order; i++) {
        named_resources_need(&named, order[i])->total += order[i];
    }
    assert_int_equal(named.len, 5);
    for (uint8_t i = 1; i < named.len; i++) {
        assert_true(named.at[i - 1].number < named.at[i].number);
    }
    assert_int_equal(named_resources_find(&named, 7)->total, 14);
    assert_null(named_resources_find(&named, 8));
    assert_null(named_resources_find(&named, 65));
    named_resources_copy(&copy, &named);
    named_resources_need(&copy, 7)->total = 1;
    assert_int_equal(named_resources_find(&named, 7)->total, 14);
    named_resources_find(&named, 7)->total = 0;
    named_resources_prune(&named);
    assert_int_equal(named.len, 4);
    assert_null(named_resources_find(&named, 7));
    named_resources_copy(&copy, &named);
    assert_int_equal(copy.len, 4);
    for (uint8_t i = 0; i < 4; i++) {
        named.at[i].total = 0;
    }
    named_resources_prune(&named);
    assert_null(named.at);
    named_resources_copy(&copy, &named);
    assert_int_equal(copy.len, 0);
    named_resources_fini(&copy);
    named_resources_fini(&named);
}

static void what_is_taken_beyond_what_is_free_is_owed_and_paid_first(void **state)
{
    struct named_resource resource = {.total = 8, .free = 5, .number = 1};

    (void)state;
    assert_int_equal(named_resource_take(&resource, 3), 3);
    assert_int_equal(named_resource_take(&resource, 4), 2);
    assert_int_equal(resource.free, 0);
    assert_int_equal(resource.owed, 2);
    assert_int_equal(named_resource_give(&resource, 1), 0);
    assert_int_equal(named_resource_give(&resource, 3), 2);
    assert_int_equal(resource.free, 2);
    assert_int_equal(resource.owed, 0);
    assert_int_equal(named_resource_give(&resource, 100), 6); /* no more than there is */
    assert_int_equal(resource.free, 8);
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
        struct named_resource resource = {.total = total,
                                          .free = free,
                                          .held = held,
                                          .guests = guests,
                                          .claimed =
                                              fl_prng_below(&prng, held - guests + free + 1)};
        uint64_t spare = named_resource_spare(&resource);

        assert_true(spare <= free);
        assert_true(resource.claimed + guests + spare <= held + free || resource.claimed == 0);
        assert_true(spare == free || resource.claimed + guests + spare == held + free);
        assert_int_equal(named_resource_empty(&resource, true), held + free);
        assert_int_equal(named_resource_empty(&resource, false),
                         resource.claimed ? held + free - guests - resource.claimed : held + free);
    }
}

static void a_list_knows_whether_anything_is_claimed(void **state)
{
    struct named_resources named = {0};

    (void)state;
    assert_false(named_resources_are_claimed(&named));
    named_resources_need(&named, 3)->held = 1;
    assert_false(named_resources_are_claimed(&named));
    named_resources_need(&named, 5)->claimed = 1;
    assert_true(named_resources_are_claimed(&named));
    named_resources_fini(&named);
}

FL_TESTS(cmocka_unit_test(a_list_is_by_number_and_has_each_once),
         cmocka_unit_test(what_is_taken_beyond_what_is_free_is_owed_and_paid_first),
         cmocka_unit_test(beside_claims_is_free_what_leaves_them_whole),
         cmocka_unit_test(a_list_knows_whether_anything_is_claimed))
