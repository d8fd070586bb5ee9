#include "controlplane/api/call_budget.h"

#include "tests/fl_test.h"

static void requests_take_up_to_the_limit_and_give_back(void **state)
{
    struct call_budget budget = {.max = 100};
    struct fl_err err = {0};

    (void)state;
    assert_true(call_budget_take(&budget, 0, 60, &err));
    assert_true(call_budget_take(&budget, 0, 40, &err));
    assert_true(call_budget_take(&budget, 60, 0, &err));
    assert_false(call_budget_take(&budget, 60, 1, &err));
    assert_int_equal(err.code, FL_UNAVAILABLE);
    assert_non_null(strstr(err.text, "100 of 100 bytes (setting requests_memory)"));
    call_budget_give(&budget, 40);
    assert_false(call_budget_take(&budget, 0, 41, &err));
    assert_true(call_budget_take(&budget, 0, 40, &err));
    call_budget_give(&budget, 100);
    assert_int_equal(atomic_load(&budget.used), 0);
}

static void a_request_that_needs_more_than_there_is_need_not_try_again(void **state)
{
    struct call_budget budget = {.max = 100};
    struct fl_err err = {0};

    (void)state;
    assert_true(call_budget_take(&budget, 0, 60, &err));
    assert_false(call_budget_take(&budget, 60, 41, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_non_null(strstr(err.text, "needs 101 bytes"));
    assert_non_null(strstr(err.text, "setting requests_memory, 100"));
    assert_null(strstr(err.text, "try again"));
    assert_false(call_budget_take(&budget, 60, SIZE_MAX - 60, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_true(call_budget_take(&budget, 60, 40, &err));
    call_budget_give(&budget, 100);
    assert_int_equal(atomic_load(&budget.used), 0);
}

FL_TESTS(cmocka_unit_test(requests_take_up_to_the_limit_and_give_back),
         cmocka_unit_test(a_request_that_needs_more_than_there_is_need_not_try_again))
