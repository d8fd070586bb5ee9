#include "agent/kube/kube_json.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void what_is_absent_has_no_members(void **state)
{
    struct fl_arena arena = {0};
    const struct fl_json *root, *list;

    (void)state;
    assert_true(fl_json_parse(FL_STR("{\"a\":null,\"b\":\"text\",\"c\":[{\"name\":\"x\",\"n\":1},"
                                     "{\"name\":\"y\",\"n\":2},3],\"d\":true,\"e\":false}"),
                              &arena, &root, NULL, NULL));
    assert_null(kube_json_at(NULL, "a"));
    assert_null(kube_json_at(root, "a"));
    assert_null(kube_json_at(root, "z"));
    assert_null(kube_json_at(kube_json_at(root, "b"), "z"));
    assert_null(kube_json_list(root, "b"));
    assert_int_equal(kube_json_string(root, "c").len, 0);
    assert_int_equal(kube_json_string(root, "b").len, 4);
    assert_true(kube_json_says(root, "b", "text"));
    assert_true(kube_json_is_true(root, "d"));
    assert_false(kube_json_is_true(root, "e") || kube_json_is_true(root, "b"));
    list = kube_json_list(root, "c");
    assert_int_equal(kube_json_at(kube_json_find(list, "name", FL_STR("y")), "n")->n, 2);
    assert_null(kube_json_find(list, "name", FL_STR("w")));
    assert_null(kube_json_find(NULL, "name", FL_STR("w")));
    assert_null(kube_json_find(root, "name", FL_STR("w")));
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(what_is_absent_has_no_members))
