#include "shared/base/resource_name.h"

#include <string.h>

#include "tests/fl_test.h"

static void names_are_those_of_kubernetes(void **state)
{
    static const char *const good[] = {
        "nvidia.com/gpu",
        "nvidia.com/mig-1g.5gb",
        "rdma/hca_shared_devices_a",
        "hugepages-2Mi",
        "ephemeral-storage",
        "pods",
        "a",
        "x.io/y",
        "x.io/cpu",
    };
    static const char *const bad[] = {
        "",       "cpu", "memory", "gpus",    "/",       "x.io/", "/y",  "x.io/y/z", "x..io/y",
        "X.io/y", "-a",  "a-",     "x.io/_y", "x.io/y.", "a b",   "a\n", "x_y.io/z",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!fl_is_resource_name(fl_str_c(good[i]))) fail_msg("%s is refused", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (fl_is_resource_name(fl_str_c(bad[i]))) fail_msg("'%s' is taken", bad[i]);
    }
    assert_false(fl_is_resource_name((struct fl_str){"a\0b", 3}));
}

static void a_name_has_a_most(void **state)
{
    char text[FL_RESOURCE_NAME_BYTES_MAX + 2];

    (void)state;
    memset(text, 'a', sizeof text);
    assert_true(fl_is_resource_name((struct fl_str){text, 63}));
    assert_false(fl_is_resource_name((struct fl_str){text, 64}));
    for (size_t i = 63; i < 253; i += 64) {
        text[i] = '.';
    }
    text[253] = '/';
    assert_true(fl_is_resource_name((struct fl_str){text, 317}));
    assert_false(fl_is_resource_name((struct fl_str){text, 318}));
    text[253] = 'a';
    text[254] = '/';
    assert_false(fl_is_resource_name((struct fl_str){text, 300}));
}

static void some_count_bytes(void **state)
{
    (void)state;
    assert_true(fl_is_bytes_resource(FL_STR("ephemeral-storage")));
    assert_true(fl_is_bytes_resource(FL_STR("hugepages-2Mi")));
    assert_false(fl_is_bytes_resource(FL_STR("rdma/hca")));
    assert_int_equal(fl_resource_page_bytes(FL_STR("hugepages-1Gi")), 1 << 30);
    assert_int_equal(fl_resource_page_bytes(FL_STR("ephemeral-storage")), 0);
}

FL_TESTS(cmocka_unit_test(names_are_those_of_kubernetes), cmocka_unit_test(a_name_has_a_most),
         cmocka_unit_test(some_count_bytes))
