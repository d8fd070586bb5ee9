#include "controlplane/engine/engine_retry.h"

#include "tests/fl_test.h"

static void waits_double_up_to_the_longest(void **state)
{
    struct engine_retry retry = {.first_ms = 200, .max_ms = 5000};
    static const fl_ms waits[] = {0, 200, 400, 800, 1600, 3200, 5000, 5000};

    (void)state;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        assert_int_equal(engine_retry_next(&retry, true), waits[i]);
    }
    retry.failures = UINT32_MAX; /* the count stays at its most */
    assert_int_equal(engine_retry_next(&retry, true), 5000);
    assert_int_equal(retry.failures, UINT32_MAX);
}

static void a_failure_that_wants_a_wait_gets_one_at_once(void **state)
{
    struct engine_retry retry = {.first_ms = 200, .max_ms = 5000};

    (void)state;
    assert_int_equal(engine_retry_next(&retry, false), 200);
    assert_int_equal(engine_retry_next(&retry, true), 400);
}

static void only_a_good_while_of_leading_begins_anew(void **state)
{
    struct engine_retry retry = {.first_ms = 200, .max_ms = 5000, .failures = 3};

    (void)state;
    engine_retry_led(&retry, 4999);
    assert_int_equal(engine_retry_next(&retry, true), 800);
    engine_retry_led(&retry, 5000);
    assert_int_equal(engine_retry_next(&retry, true), 0);
}

FL_TESTS(cmocka_unit_test(waits_double_up_to_the_longest),
         cmocka_unit_test(a_failure_that_wants_a_wait_gets_one_at_once),
         cmocka_unit_test(only_a_good_while_of_leading_begins_anew))
