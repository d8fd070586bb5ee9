#include "controlplane/engine/engine_mutes.h"

#include "tests/fl_test.h"

static const struct fl_cluster one = {1}, two = {2};

static void a_cluster_is_muted_until_its_time_is_over(void **state)
{
    struct engine_mutes mutes = {0};

    (void)state;
    engine_mutes_add(&mutes, one, 100, 0);
    assert_true(engine_mutes_has(&mutes, one, 99));
    assert_false(engine_mutes_has(&mutes, one, 100));
    assert_false(engine_mutes_has(&mutes, two, 99));
    engine_mutes_add(&mutes, one, 200, 50); /* again: later, in the same place */
    assert_true(engine_mutes_has(&mutes, one, 150));
    assert_int_equal(mutes.len, 1);
    engine_mutes_add(&mutes, two, 400, 250); /* the place of 'one' is free */
    assert_int_equal(mutes.len, 1);
    assert_true(engine_mutes_has(&mutes, two, 300));
}

static void when_all_places_are_taken_the_first_is_heard_again(void **state)
{
    struct engine_mutes mutes = {0};

    (void)state;
    for (uint32_t i = 1; i <= ENGINE_MUTES_MAX + 1; i++) {
        engine_mutes_add(&mutes, (struct fl_cluster){i}, 100, 0);
    }
    assert_int_equal(mutes.len, ENGINE_MUTES_MAX);
    assert_false(engine_mutes_has(&mutes, one, 1));
    assert_true(engine_mutes_has(&mutes, two, 1));
    assert_true(engine_mutes_has(&mutes, (struct fl_cluster){ENGINE_MUTES_MAX + 1}, 1));
}

FL_TESTS(cmocka_unit_test(a_cluster_is_muted_until_its_time_is_over),
         cmocka_unit_test(when_all_places_are_taken_the_first_is_heard_again))
