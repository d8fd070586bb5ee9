#include "controlplane/api/v1/batch_bounds.h"

#include "shared/base/arena.h"
#include "tests/fl_test.h"

static void lines_are_counted_whether_good_or_not(void **state)
{
    struct batch_bounds bounds = {0};
    struct fl_err err = {0};

    (void)state;
    for (size_t i = 0; i < BATCH_LINES_MAX; i++) {
        assert_true(batch_bounds_line(&bounds, NULL, &err));
    }
    assert_false(batch_bounds_line(&bounds, NULL, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    assert_non_null(strstr(err.text, "nothing was submitted"));
}

static void values_of_all_lines_are_counted_together(void **state)
{
    struct batch_bounds bounds = {.values = BATCH_VALUES_MAX - 6};
    struct fl_arena arena = {0};
    const struct fl_json *line;
    struct fl_err err = {0};

    (void)state;
    assert_true(
        fl_json_parse(FL_STR("{\"a\":[1,{\"b\":null}],\"c\":\"d\"}"), &arena, &line, NULL, &err));
    assert_true(batch_bounds_line(&bounds, line, &err));
    assert_int_equal(bounds.values, BATCH_VALUES_MAX);
    assert_false(batch_bounds_line(&bounds, line, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
    fl_arena_fini(&arena);
}

/* Lines and jobs at their most leave room for problems. */
static void an_answer_is_bounded_before_the_deed(void **state)
{
    struct batch_bounds bounds = {0};
    struct fl_err err = {0};
    size_t room;

    (void)state;
    for (size_t i = 1; i < BATCH_LINES_MAX; i++) {
        assert_true(batch_bounds_result(&bounds, 0, &err));
    }
    room = API_ANSWER_BYTES_MAX - bounds.answer_bytes - BATCH_RESULT_BYTES;
    assert_true(room > (size_t)8 << 20);
    assert_true(batch_bounds_result(&bounds, room, &err));
    assert_false(batch_bounds_result(&bounds, 0, &err));
    assert_int_equal(err.code, FL_TOO_LARGE);
}

FL_TESTS(cmocka_unit_test(lines_are_counted_whether_good_or_not),
         cmocka_unit_test(values_of_all_lines_are_counted_together),
         cmocka_unit_test(an_answer_is_bounded_before_the_deed))
