#include "controlplane/api/denial_budget.h"

#include "tests/fl_test.h"

static void a_minute_has_so_many_rows_and_the_rest_is_counted(void **state)
{
    struct denial_budget budget = {.rows_max = 2};

    (void)state;
    assert_true(denial_budget_take(&budget, 59999));
    assert_true(denial_budget_take(&budget, 59999));
    assert_false(denial_budget_take(&budget, 59999));
    assert_int_equal(denial_budget_next(59999), 60000);
    assert_int_equal(denial_budget_next(60000), 120000);
    assert_true(denial_budget_take(&budget, 60000));
    assert_true(denial_budget_take(&budget, 59999)); /* another front's clock, a turn behind */
    assert_false(denial_budget_take(&budget, 59999));
    assert_false(denial_budget_take(&budget, 119999));
    denial_budget_count(&budget, 5);
    assert_int_equal(denial_budget_counted(&budget), 8);
    assert_int_equal(denial_budget_counted(&budget), 0);
    assert_true(denial_budget_take(&budget, 600000));
}

FL_TESTS(cmocka_unit_test(a_minute_has_so_many_rows_and_the_rest_is_counted))
