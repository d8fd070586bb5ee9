#include "agent/process/node_resources.h"

#include <stdio.h>

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void names_and_amounts_are_read(void **state)
{
    struct fl_arena arena = {0};
    struct fl_amounts amounts;
    struct fl_err err = {0};

    (void)state;
    assert_true(node_resources_read(
        FL_STR("  rdma/hca=4 ,ephemeral-storage = 10Gi,hugepages-2Mi=0, a.test/b-c_d.e=1"), &arena,
        &amounts, &err));
    assert_int_equal(amounts.len, 3);
    assert_int_equal(fl_amounts_of(&amounts, FL_STR("rdma/hca")), 4);
    assert_int_equal(fl_amounts_of(&amounts, FL_STR("a.test/b-c_d.e")), 1);
    assert_true(fl_amounts_of(&amounts, FL_STR("ephemeral-storage")) == (uint64_t)10 << 30);
    assert_true(node_resources_read(FL_STR(" "), &arena, &amounts, &err));
    assert_int_equal(amounts.len, 0);
    fl_arena_fini(&arena);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"rdma/hca", "'rdma/hca': the amount is not a whole number up to 2^50"},
        {"a/b=1,,c/d=2", "'' is no NAME=AMOUNT with the name of a resource"},
        {"cpu=4", "'cpu=4' is no NAME=AMOUNT with the name of a resource: it has a '/'"},
        {"license=4", "'license=4' is no NAME=AMOUNT"},
        {"a/b=1.5", "'a/b=1.5': the amount is not a whole number"},
        {"ephemeral-storage=much", "'ephemeral-storage=much': the amount is not a number of bytes"},
        {"a/b=1125899906842625", "the amount is not a whole number up to 2^50"},
        {"a/b=1, a/b=2", "a/b is there twice"},
    };
    struct fl_arena arena = {0};
    struct fl_amounts amounts;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fl_err err = {0};

        assert_false(node_resources_read(fl_str_c(rows[i].text), &arena, &amounts, &err));
        assert_ptr_equal(strstr(err.text, "node_resources: "), err.text);
        if (!strstr(err.text, rows[i].says)) fail_msg("%s: %s", rows[i].text, err.text);
    }
    fl_arena_fini(&arena);
}

static void a_node_has_so_many(void **state)
{
    struct fl_arena arena = {0};
    struct fl_amounts amounts;
    struct fl_err err = {0};
    char text[400];
    size_t len = 0;

    (void)state;
    for (int i = 0; i < 16; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%sa/%d=1", i ? "," : "", i);
    }
    assert_true(node_resources_read(fl_str_c(text), &arena, &amounts, &err));
    snprintf(text + len, sizeof text - len, ",a/16=1");
    assert_false(node_resources_read(fl_str_c(text), &arena, &amounts, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(names_and_amounts_are_read), cmocka_unit_test(what_is_wrong_is_named),
         cmocka_unit_test(a_node_has_so_many))
