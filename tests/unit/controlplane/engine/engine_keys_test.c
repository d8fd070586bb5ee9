#include "controlplane/engine/engine_keys.h"

#include "tests/fl_test.h"

static const struct fl_tenant one = {1};
static const struct fl_tenant two = {2};

static void a_key_is_held_once_and_free_again_afterwards(void **state)
{
    struct engine_keys keys;
    struct fl_err err = {0};

    (void)state;
    engine_keys_init(&keys, 8);
    assert_true(engine_keys_hold(&keys, one, FL_STR("a"), &err));
    assert_false(engine_keys_hold(&keys, one, FL_STR("a"), &err));
    assert_int_equal(err.code, FL_CONFLICT);
    assert_non_null(strstr(err.text, "still running"));
    engine_keys_free(&keys, one, FL_STR("a"));
    assert_true(engine_keys_hold(&keys, one, FL_STR("a"), &err));
    engine_keys_fini(&keys);
}

static void tenants_do_not_see_each_others_keys(void **state)
{
    struct engine_keys keys;
    struct fl_err err = {0};

    (void)state;
    engine_keys_init(&keys, 8);
    assert_true(engine_keys_hold(&keys, one, FL_STR("a"), &err));
    assert_true(engine_keys_hold(&keys, two, FL_STR("a"), &err));
    engine_keys_free(&keys, one, FL_STR("a"));
    assert_false(engine_keys_hold(&keys, two, FL_STR("a"), &err));
    engine_keys_fini(&keys);
}

static void at_its_limit_it_takes_no_more(void **state)
{
    struct engine_keys keys;
    struct fl_err err = {0};
    char longest[FL_KEY_BYTES_MAX];

    (void)state;
    memset(longest, 'k', sizeof longest);
    engine_keys_init(&keys, 2);
    assert_true(engine_keys_hold(&keys, one, FL_STR("a"), &err));
    assert_true(engine_keys_hold(&keys, one, (struct fl_str){longest, sizeof longest}, &err));
    assert_false(engine_keys_hold(&keys, one, FL_STR("c"), &err));
    assert_int_equal(err.code, FL_FULL);
    engine_keys_free(&keys, one, FL_STR("a"));
    assert_true(engine_keys_hold(&keys, one, FL_STR("c"), &err));
    engine_keys_fini(&keys);
}

static void free_unheld(void *arg)
{
    engine_keys_free(arg, one, FL_STR("a"));
}

static void freeing_a_key_that_is_not_held_is_a_bug(void **state)
{
    struct engine_keys keys;

    (void)state;
    engine_keys_init(&keys, 2);
    assert_true(fl_test_aborts(free_unheld, &keys));
    engine_keys_fini(&keys);
}

FL_TESTS(cmocka_unit_test(a_key_is_held_once_and_free_again_afterwards),
         cmocka_unit_test(tenants_do_not_see_each_others_keys),
         cmocka_unit_test(at_its_limit_it_takes_no_more),
         cmocka_unit_test(freeing_a_key_that_is_not_held_is_a_bug))
