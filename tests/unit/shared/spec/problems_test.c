#include "shared/spec/problems.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void a_pointer_is_that_of_rfc_6901(void **state)
{
    struct fl_arena arena = {0};
    struct fl_path roles = {.key = FL_STR("roles")};
    struct fl_path item = {.up = &roles, .index = 12};
    struct fl_path odd = {.up = &item, .key = FL_STR("a/b~c")};
    struct fl_path empty = {.up = &odd, .key = FL_STR("")};

    (void)state;
    assert_string_equal(fl_path_pointer(NULL, (struct fl_str){0}, &arena).at, "");
    assert_string_equal(fl_path_pointer(NULL, FL_STR("x"), &arena).at, "/x");
    assert_string_equal(fl_path_pointer(&item, (struct fl_str){0}, &arena).at, "/roles/12");
    assert_string_equal(fl_path_pointer(&empty, FL_STR("z"), &arena).at, "/roles/12/a~1b~0c//z");
    fl_arena_fini(&arena);
}

static void what_was_there_is_quoted_shortly(void **state)
{
    struct fl_arena arena = {0};
    const struct fl_json *root;
    char text[FL_PROBLEM_GOT_MAX + 8];
    struct fl_str got;

    (void)state;
    assert_true(fl_json_parse(FL_STR("[1.50, \"a\", [], null]"), &arena, &root, NULL, NULL));
    assert_string_equal(fl_problem_got(root, &arena).at, "a list");
    assert_string_equal(fl_problem_got(root->first, &arena).at, "1.50");
    assert_string_equal(fl_problem_got(root->first->next, &arena).at, "\"a\"");
    memset(text, 'x', sizeof text);
    text[0] = text[sizeof text - 1] = '"';
    text[FL_PROBLEM_GOT_MAX] = '\xc3'; /* a character across the limit */
    text[FL_PROBLEM_GOT_MAX + 1] = '\xa4';
    assert_true(fl_json_parse((struct fl_str){text, sizeof text}, &arena, &root, NULL, NULL));
    got = fl_problem_got(root, &arena);
    assert_true(fl_str_is_text(got));
    assert_int_equal(got.len, FL_PROBLEM_GOT_MAX - 1 + 5);
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(a_pointer_is_that_of_rfc_6901),
         cmocka_unit_test(what_was_there_is_quoted_shortly))
