#include "shared/spec/indexes.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/arena.h"
#include "shared/base/job_limits.h"
#include "tests/fl_test.h"

/* Its canonical text, or why it is refused. */
static const char *canonical(struct fl_arena *arena, const char *text, uint32_t *ret_len)
{
    struct fl_indexes indexes = {0};
    struct fl_err err = {0};

    if (!fl_indexes_parse(fl_str_c(text), arena, &indexes, &err)) {
        return fl_arena_printf(arena, "%s", err.text);
    }
    *ret_len = indexes.len;
    return fl_arena_printf(arena, FL_STR_FMT, FL_STR_ARG(indexes.text));
}

static void equal_lists_of_numbers_have_one_text(void **state)
{
    static const struct {
        const char *text, *wanted;
        uint32_t len;
    } rows[] = {
        {"1-100", "1-100", 100},
        {"0-99:4", "0-96:4", 25},
        {"1,3,5-9", "1,3,5-9", 7},
        {"1,3,5,7", "1-7:2", 4},
        {"1-3,4-6", "1-6", 6},
        {"1-5:2,7-9:2", "1-9:2", 5},
        {"1-2,4-10:2", "1-2,4-10:2", 6},
        {"1,4-10:2", "1,4-10:2", 5},
        {"7", "7", 1},
        {"7-7", "7", 1},
        {"7-8:5", "7", 1},
        {"1-4:3", "1,4", 2},
        {"5-6", "5-6", 2},
        {"007-009", "7-9", 3},
        {"1,5,6,7", "1,5-7", 4},
        {"1,10-20:10,30,31,32", "1,10,20,30-32", 6},
        {"1-5:2,6-12:3", "1,3,5-6,9,12", 6},
        {"1-7:2,8,9", "1-5:2,7-9", 6},
        {"2,4,7,9,12", "2,4,7,9,12", 5},
        {"999999999", "999999999", 1},
        {"0-9", "", 10}, /* each has its own number */
        {"0", "", 1},
        {"0,1,2-3,4", "", 5},
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t len = 0, again = 0;

        assert_string_equal(canonical(&arena, rows[i].text, &len), rows[i].wanted);
        assert_int_equal(len, rows[i].len);
        if (!*rows[i].wanted) continue;
        assert_string_equal(canonical(&arena, rows[i].wanted, &again), rows[i].wanted);
        assert_int_equal(again, rows[i].len);
    }
    fl_arena_fini(&arena);
}

static void a_list_that_is_none_is_refused_by_name(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "'' is no number"},
        {"1,", "'' is no number"},
        {"a", "'a' is no number"},
        {"1-", "'1-' is no number"},
        {"1:2", "'1:2' is no number"},
        {"1-9:", "'1-9:' is no number"},
        {"-1", "'-1' is no number"},
        {" 1", "' 1' is no number"},
        {"1000000000", "'1000000000' is no number up to 999999999"},
        {"99999999999999999999", "is no number"},
        {"9-1", "'9-1' ends before it begins"},
        {"1-9:0", "'1-9:0' has the step 0"},
        {"5,3", "'3' does not begin behind 5, the number before it"},
        {"1-9,9", "'9' does not begin behind 9"},
        {"1-9:2,2-8:2", "'2-8:2' does not begin behind 9"},
        {"0-16777216", "the list has over 16777216 numbers"},
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t len = 0;

        assert_non_null(strstr(canonical(&arena, rows[i].text, &len), rows[i].why));
        assert_int_equal(len, 0);
    }
    fl_arena_fini(&arena);
}

static void a_long_list_is_refused_as_written_and_as_canonical(void **state)
{
    char text[FL_JOB_INDEXES_BYTES_MAX + 16] = "";
    struct fl_arena arena = {0};
    size_t len = 0;
    uint32_t many = 0;

    (void)state;
    for (unsigned n = 1; len + 8 < FL_JOB_INDEXES_BYTES_MAX; n++) { /* no two steps are equal */
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", n > 1 ? "," : "", n * n);
    }
    assert_string_equal(canonical(&arena, text, &many), text);
    while (len <= FL_JOB_INDEXES_BYTES_MAX) {
        text[len++] = '0';
    }
    text[len] = '\0';
    assert_non_null(strstr(canonical(&arena, text, &many), "the list has over 4096 bytes"));
    fl_arena_fini(&arena);
}

/* All lists of numbers below 12: the text depends on the numbers alone, and gives each back. */
static void each_number_is_found_both_ways(void **state)
{
    enum { NUMBERS = 12 };
    struct fl_arena arena = {0};

    (void)state;
    for (unsigned set = 1; set < 1U << NUMBERS; set++) {
        uint32_t numbers[NUMBERS], len = 0, element = 0;
        struct fl_indexes indexes, again;
        struct fl_err err = {0};
        const char *text = "";

        for (uint32_t n = 0; n < NUMBERS; n++) {
            if (!(set >> n & 1)) continue;
            numbers[len++] = n;
            text = fl_arena_printf(&arena, "%s%s%u", text, *text ? "," : "", n);
        }
        assert_true(fl_indexes_parse(fl_str_c(text), &arena, &indexes, &err));
        assert_int_equal(indexes.len, len);
        assert_true(indexes.text.len <= strlen(text));
        if (indexes.text.len > 0) {
            assert_true(fl_indexes_parse(indexes.text, &arena, &again, &err));
            assert_true(fl_str_eq(indexes.text, again.text));
        }
        for (uint32_t i = 0; i < len; i++) {
            assert_int_equal(fl_indexes_at(indexes.text, i), numbers[i]);
            assert_true(fl_indexes_find(indexes.text, numbers[i], &element));
            assert_int_equal(element, i);
        }
        for (uint32_t n = 0; n < NUMBERS && indexes.text.len > 0; n++) {
            assert_int_equal(fl_indexes_find(indexes.text, n, &element), set >> n & 1);
        }
        fl_arena_fini(&arena);
        arena = (struct fl_arena){0};
    }
}

/* Adds "5,8,11" for the range from 5 with step 3; returns the last. */
static uint32_t spell(struct fl_arena *arena, const char **text, uint32_t first, uint32_t step,
                      uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        *text = fl_arena_printf(arena, "%s%s%u", *text, **text ? "," : "", first + i * step);
    }
    return first + (len - 1) * step;
}

/* Two ranges of each kind, one behind the other. */
static void ranges_and_their_numbers_one_by_one_are_the_same(void **state)
{
    struct fl_arena arena = {0};

    (void)state;
    for (uint32_t kind = 0; kind < 3 * 5 * 4 * 3 * 5; kind++) {
        uint32_t step = kind % 3 + 1, len = kind / 3 % 5 + 1, gap = kind / 15 % 4 + 1;
        uint32_t step2 = kind / 60 % 3 + 1, len2 = kind / 180 + 1, many = 0, same = 0;
        const char *spelt = "", *ranges;
        uint32_t last = spell(&arena, &spelt, 2, step, len);
        uint32_t last2 = spell(&arena, &spelt, last + gap, step2, len2);

        ranges = fl_arena_printf(&arena, "2-%u:%u,%u-%u:%u", last, step, last + gap, last2, step2);
        assert_string_equal(canonical(&arena, ranges, &many), canonical(&arena, spelt, &same));
        assert_int_equal(many, len + len2);
        assert_int_equal(same, many);
    }
    fl_arena_fini(&arena);
}

static void an_element_without_an_index_has_its_own_number(void **state)
{
    uint32_t element = 0;

    (void)state;
    assert_int_equal(fl_indexes_at(FL_STR(""), 7), 7);
    assert_int_equal(fl_indexes_at(FL_STR("5-6"), 2), 2);
    assert_int_equal(fl_indexes_at(FL_STR("junk"), 2), 2);
    assert_true(fl_indexes_find(FL_STR(""), 7, &element));
    assert_int_equal(element, 7);
    assert_int_equal(fl_indexes_at(FL_STR("1-16777216"), FL_JOB_ELEMENT_LAST), 16777216);
}

FL_TESTS(cmocka_unit_test(equal_lists_of_numbers_have_one_text),
         cmocka_unit_test(a_list_that_is_none_is_refused_by_name),
         cmocka_unit_test(a_long_list_is_refused_as_written_and_as_canonical),
         cmocka_unit_test(each_number_is_found_both_ways),
         cmocka_unit_test(ranges_and_their_numbers_one_by_one_are_the_same),
         cmocka_unit_test(an_element_without_an_index_has_its_own_number))
