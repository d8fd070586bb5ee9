#include "shared/base/line_level.h"

#include "tests/fl_test.h"

/* One a line, "level|line": the dashboard's level.test.ts reads them, too. */
static const char cases_path[] = "controlplane/dashboard/src/logs/level_cases.txt";

static void common_formats_tell_their_level_as_in_the_dashboard(void **state)
{
    FILE *file = fopen(cases_path, "r");
    char one[256];
    int cases = 0;

    (void)state;
    assert_non_null(file);
    for (; fgets(one, sizeof one, file); cases++) {
        char *line = strchr(one, '|');
        const char *level;

        assert_non_null(line);
        *line++ = 0;
        level = fl_line_level_name(fl_line_level_guess(fl_str_c(line)));
        if (strcmp(level, one) != 0) fail_msg("%s, not %s: %s", level, one, line);
    }
    assert_true(cases > 20);
    fclose(file);
}

static void colours_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(fl_line_level_guess(FL_STR("\033[31mERROR\033[0m x\n")), FL_LINE_LEVEL_error);
    assert_int_equal(fl_line_level_guess(FL_STR("\033[1;33m[warn]\033[0m x\n")),
                     FL_LINE_LEVEL_warn);
    assert_int_equal(fl_line_level_guess(FL_STR("\033[")), FL_LINE_LEVEL_none);
    assert_int_equal(fl_line_level_guess(FL_STR("\033")), FL_LINE_LEVEL_none);
    assert_int_equal(fl_line_level_guess(FL_STR("\033[1;1;1;1;1")), FL_LINE_LEVEL_none);
    /* Found by the fuzzer: a cut one took the next line with it. */
    assert_int_equal(fl_line_level_guess(FL_STR("a \033[0\nx ERROR")), FL_LINE_LEVEL_none);
}

static void only_the_beginning_is_looked_at(void **state)
{
    static const char zeros[] = "(\0) \0 level=\0warn";
    const struct fl_str error = FL_STR("ERROR");
    char line[300];

    (void)state;
    memset(line, ' ', sizeof line);
    memcpy(line + 200, error.at, error.len);
    assert_int_equal(fl_line_level_guess((struct fl_str){line, sizeof line}), FL_LINE_LEVEL_none);
    memcpy(line + 100, error.at, error.len);
    assert_int_equal(fl_line_level_guess((struct fl_str){line, sizeof line}), FL_LINE_LEVEL_error);
    assert_int_equal(fl_line_level_guess((struct fl_str){line + 100, 3}), FL_LINE_LEVEL_none);
    assert_int_equal(fl_line_level_guess((struct fl_str){NULL, 0}), FL_LINE_LEVEL_none);
    assert_int_equal(fl_line_level_guess((struct fl_str){zeros, sizeof zeros - 1}),
                     FL_LINE_LEVEL_none);
}

static void levels_are_chosen_by_their_names(void **state)
{
    uint32_t levels = 7;

    (void)state;
    assert_true(fl_line_levels_parse(FL_STR("error"), &levels));
    assert_int_equal(levels, 1 << FL_LINE_LEVEL_error);
    assert_true(fl_line_levels_parse(FL_STR("debug,none,debug"), &levels));
    assert_int_equal(levels, 1 << FL_LINE_LEVEL_debug | 1 << FL_LINE_LEVEL_none);
    assert_false(fl_line_levels_parse(FL_STR("error,grave"), &levels));
    assert_false(fl_line_levels_parse(FL_STR("error,,warn"), &levels));
    assert_false(fl_line_levels_parse(FL_STR("error,"), &levels));
    assert_false(fl_line_levels_parse(FL_STR(","), &levels));
    assert_false(fl_line_levels_parse((struct fl_str){0}, &levels));
    assert_false(fl_line_levels_parse(FL_STR("ERROR"), &levels));
    assert_false(fl_line_levels_parse(FL_STR(""), &levels));
    assert_int_equal(levels, 1 << FL_LINE_LEVEL_debug | 1 << FL_LINE_LEVEL_none);
}

FL_TESTS(cmocka_unit_test(common_formats_tell_their_level_as_in_the_dashboard),
         cmocka_unit_test(colours_are_passed_over),
         cmocka_unit_test(only_the_beginning_is_looked_at),
         cmocka_unit_test(levels_are_chosen_by_their_names))
