#include "cli/sort_answers.h"

#include <stdlib.h>

#include "tests/fl_test.h"

static void is_sorted(const char *by, const char *list_text, const char *want)
{
    json_t *list = json_loads(list_text, 0, NULL), *one, *places = json_array();
    struct fl_arena arena = {0};
    struct cli_order order;
    struct fl_err err = {0};
    char *text;
    size_t i;

    assert_non_null(list);
    assert_true(cli_order_parse(by, &arena, &order, &err));
    cli_order_apply(&order, list);
    json_array_foreach(list, i, one) json_array_append(places, json_object_get(one, "i"));
    text = json_dumps(places, JSON_COMPACT);
    assert_string_equal(text, want);
    free(text);
    json_decref(places);
    json_decref(list);
    fl_arena_fini(&arena);
}

static void numbers_and_texts_go_by_their_value(void **state)
{
    (void)state;
    is_sorted("n", "[{\"i\":1,\"n\":10},{\"i\":2,\"n\":9},{\"i\":3,\"n\":9.5}]", "[2,3,1]");
    is_sorted("n", "[{\"i\":1,\"n\":9007199254740993},{\"i\":2,\"n\":9007199254740992}]", "[2,1]");
    is_sorted(".name", "[{\"i\":1,\"name\":\"node-10\"},{\"i\":2,\"name\":\"node-2\"}]", "[2,1]");
    is_sorted("-.a.b", "[{\"i\":1,\"a\":{\"b\":1}},{\"i\":2,\"a\":{\"b\":2}}]", "[2,1]");
    is_sorted("b", "[{\"i\":1,\"b\":true},{\"i\":2,\"b\":false}]", "[2,1]");
    is_sorted("n", "[]", "[]");
}

static void equal_ones_keep_their_order_and_those_without_it_are_last(void **state)
{
    static const char list[] =
        "[{\"i\":1},{\"i\":2,\"n\":1},{\"i\":3,\"n\":null},{\"i\":4,\"n\":1},"
        "{\"i\":5,\"n\":0},{\"i\":6,\"n\":\"x\"}]";

    (void)state;
    is_sorted("n", list, "[5,2,4,6,1,3]");
    is_sorted("-n", list, "[2,4,5,6,1,3]");
}

static void what_is_no_field_is_refused(void **state)
{
    struct fl_arena arena = {0};
    struct cli_order order;
    struct fl_err err = {0};

    (void)state;
    assert_false(cli_order_parse("-", &arena, &order, &err));
    assert_false(cli_order_parse(".a[", &arena, &order, &err));
    assert_non_null(strstr(err.text, "is no path"));
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(numbers_and_texts_go_by_their_value),
         cmocka_unit_test(equal_ones_keep_their_order_and_those_without_it_are_last),
         cmocka_unit_test(what_is_no_field_is_refused))
