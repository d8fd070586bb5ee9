#include "controlplane/engine/engine_breaker.h"

#include "tests/fl_test.h"

static void only_a_full_disk_is_no_space(void **state)
{
    (void)state;
    assert_int_equal(engine_breaker_code(ENGINE_DB_FULL), FL_NO_SPACE);
    assert_int_equal(engine_breaker_code(ENGINE_DB_LOST), FL_UNAVAILABLE);
    assert_int_equal(engine_breaker_code(ENGINE_NOT_LEADING), FL_UNAVAILABLE);
    assert_int_equal(engine_breaker_code(ENGINE_OPEN_FOR_WORK), FL_UNAVAILABLE);
}

/* A client may wait for all but one: only that one names the person who can act. */
static void each_says_whether_to_try_again(void **state)
{
    (void)state;
    for (int i = ENGINE_OPEN_FOR_WORK; i <= ENGINE_DB_LOST; i++) {
        assert_non_null(strstr(engine_breaker_text((enum engine_breaker)i), "try again"));
    }
    assert_null(strstr(engine_breaker_text(ENGINE_DB_FULL), "try again"));
    assert_non_null(strstr(engine_breaker_text(ENGINE_DB_FULL), "until an admin makes space"));
}

FL_TESTS(cmocka_unit_test(only_a_full_disk_is_no_space),
         cmocka_unit_test(each_says_whether_to_try_again))
