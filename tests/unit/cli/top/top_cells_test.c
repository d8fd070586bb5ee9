#include "cli/top/top_cells.h"

#include <locale.h>

#include "shared/base/arena.h"
#include "tests/fl_test.h"

/* The first row of a grid of that many columns once the text was put. */
static void shows(const char *text, size_t columns, bool has_utf8, const char *want)
{
    struct fl_arena arena = {0};
    struct top_cells cells;

    top_cells_init(&cells, 1, columns, has_utf8);
    top_cells_put(&cells, 0, 0, columns, TOP_PLAIN, text);
    assert_string_equal(top_cells_text(&cells, &arena), want);
    top_cells_fini(&cells);
    fl_arena_fini(&arena);
}

static void no_control_character_gets_through(void **state)
{
    (void)state;
    shows("a\033[31mb\007c", 20, true, "a?[31mb?c\n");
    shows("del\x7f tab\t nl\n", 20, true, "del? tab? nl?\n");
    shows("c1 \xc2\x9b"
          "31m",
          20, true, "c1 ?31m\n");
}

static void characters_that_turn_the_text_around_are_shown_as_question_marks(void **state)
{
    (void)state;
    shows("a\u202eb\u2066c\u200bd\ufeff", 20, true, "a?b?c?d?\n");
}

static void bytes_that_are_no_utf8_are_question_marks(void **state)
{
    (void)state;
    shows("a\xff"
          "b\xc3",
          20, true, "a?b?\n");
    shows("\xe2\x82", 20, true, "??\n");
}

static void without_utf8_only_ascii_is_shown(void **state)
{
    (void)state;
    shows("j\u00f6b", 20, false, "j?b\n");
}

static void wide_characters_take_two_columns_and_are_never_halved(void **state)
{
    (void)state;
    shows("\u65e5\u672c\u8a9e", 6, true, "\u65e5\u672c\u8a9e\n");
    shows("\u65e5\u672c\u8a9e", 5, true, "\u65e5\u672c\u2026\n");
    shows("\u65e5\u672c\u8a9e", 4, true, "\u65e5\u2026\n");
    shows("\u65e5\u672c", 1, true, "\u2026\n");
}

static void a_mark_stays_with_its_letter(void **state)
{
    (void)state;
    shows("e\u0301t", 2, true, "e\u0301t\n");
    shows("\u2764\ufe0fe\u0301\ufe0f", 4, true, "\u2764e\u0301\n"); /* without selectors */
}

static void what_is_too_long_ends_with_a_sign(void **state)
{
    (void)state;
    shows("training", 8, true, "training\n");
    shows("training", 7, true, "traini\u2026\n");
    shows("training", 7, false, "traini~\n");
}

static void what_is_outside_is_left_out(void **state)
{
    struct top_cells cells;

    (void)state;
    top_cells_init(&cells, 2, 4, true);
    assert_int_equal(top_cells_put(&cells, 2, 0, 4, TOP_PLAIN, "below"), 0);
    assert_int_equal(top_cells_put(&cells, 0, 4, 4, TOP_PLAIN, "beside"), 0);
    assert_int_equal(top_cells_put(&cells, 1, 2, 10, TOP_PLAIN, "abc"), 2);
    top_cells_fill(&cells, 7, 7, 7, TOP_BAD);
    top_cells_fini(&cells);
}

static void a_line_is_wrapped_behind_a_blank(void **state)
{
    struct top_cells cells;

    (void)state;
    top_cells_init(&cells, 1, 8, true);
    assert_int_equal(top_cells_wrap(&cells, "needs more room", 20), 15);
    assert_int_equal(top_cells_wrap(&cells, "needs more room", 12), 11);
    assert_int_equal(top_cells_wrap(&cells, "needs more room", 10), 10);
    assert_int_equal(top_cells_wrap(&cells, "longerthanthis", 6), 6);
    assert_int_equal(top_cells_wrap(&cells, "\u65e5", 1), 3); /* it always goes on */
    top_cells_fini(&cells);
}

static int set_locale(void **state)
{
    (void)state;
    return setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_control_character_gets_through),
        cmocka_unit_test(characters_that_turn_the_text_around_are_shown_as_question_marks),
        cmocka_unit_test(bytes_that_are_no_utf8_are_question_marks),
        cmocka_unit_test(without_utf8_only_ascii_is_shown),
        cmocka_unit_test(wide_characters_take_two_columns_and_are_never_halved),
        cmocka_unit_test(a_mark_stays_with_its_letter),
        cmocka_unit_test(what_is_too_long_ends_with_a_sign),
        cmocka_unit_test(what_is_outside_is_left_out),
        cmocka_unit_test(a_line_is_wrapped_behind_a_blank),
    };

    return cmocka_run_group_tests(tests, set_locale, NULL) != 0;
}
