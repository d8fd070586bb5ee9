#include "controlplane/core/resource_table.h"

#include <stdio.h>

#include "tests/fl_test.h"

static void a_name_keeps_its_number(void **state)
{
    struct resource_table table = {0};

    (void)state;
    assert_int_equal(resource_table_find(&table, FL_STR("rdma/hca")), 0);
    assert_int_equal(resource_table_add(&table, FL_STR("rdma/hca")), 1);
    assert_int_equal(resource_table_add(&table, FL_STR("pods")), 2);
    assert_int_equal(resource_table_find(&table, FL_STR("rdma/hca")), 1);
    assert_int_equal(resource_table_find(&table, FL_STR("pods")), 2);
    assert_int_equal(resource_table_find(&table, FL_STR("pod")), 0);
    assert_true(fl_str_eq(resource_table_name(&table, 2), FL_STR("pods")));
    resource_table_fini(&table);
}

static void the_table_has_a_most(void **state)
{
    struct resource_table table = {0};
    char name[24];

    (void)state;
    for (int i = 1; i <= RESOURCES_MAX; i++) {
        (void)snprintf(name, sizeof name, "x.io/r%d", i);
        assert_int_equal(resource_table_add(&table, fl_str_c(name)), i);
    }
    assert_int_equal(resource_table_add(&table, FL_STR("one/more")), 0);
    assert_int_equal(resource_table_find(&table, FL_STR("one/more")), 0);
    assert_int_equal(resource_table_find(&table, FL_STR("x.io/r64")), 64);
    resource_table_fini(&table);
}

static void a_row_says_the_number(void **state)
{
    struct resource_table table = {0};
    struct fl_err err = {0};

    (void)state;
    assert_true(resource_table_put(&table, 3, FL_STR("pods"), &err));
    assert_true(resource_table_put(&table, 1, FL_STR("rdma/hca"), &err));
    assert_int_equal(resource_table_find(&table, FL_STR("pods")), 3);
    assert_int_equal(resource_table_find(&table, FL_STR("")), 0);
    assert_false(resource_table_put(&table, 3, FL_STR("a/b"), &err));
    assert_int_equal(err.code, FL_EXISTS);
    assert_false(resource_table_put(&table, 4, FL_STR("pods"), &err));
    assert_int_equal(err.code, FL_EXISTS);
    assert_false(resource_table_put(&table, 0, FL_STR("a/b"), &err));
    assert_int_equal(err.code, FL_INVALID);
    assert_false(resource_table_put(&table, RESOURCES_MAX + 1, FL_STR("a/b"), &err));
    assert_false(resource_table_put(&table, 5, FL_STR("cpu"), &err));
    assert_int_equal(resource_table_add(&table, FL_STR("a/b")), 5);
    resource_table_fini(&table);
}

FL_TESTS(cmocka_unit_test(a_row_says_the_number), cmocka_unit_test(a_name_keeps_its_number),
         cmocka_unit_test(the_table_has_a_most))
