#include "shared/base/err.h"

#include "shared/base/str.h"
#include "tests/fl_test.h"

#define LAST (sizeof(((struct fl_err *)NULL)->text) - 1) /* the longest text */

static void fail_with_ok(void *arg)
{
    (void)arg;
    fl_fail(NULL, FL_OK, "nothing is wrong");
}

static void a_failure_has_a_code_and_a_text(void **state)
{
    struct fl_err err = {0};

    (void)state;
    assert_false(fl_fail(&err, FL_FULL, "all %d slots are in use", 8));
    assert_int_equal(err.code, FL_FULL);
    assert_string_equal(err.text, "all 8 slots are in use");
}

static void nobody_needs_to_ask_for_the_reason(void **state)
{
    (void)state;
    assert_false(fl_fail(NULL, FL_FULL, "all %d slots are in use", 8));
    assert_false(fl_err_wrap(NULL, "cluster %s", "a"));
}

static void wrapping_puts_context_in_front_and_keeps_the_code(void **state)
{
    struct fl_err err = {0};

    (void)state;
    fl_fail(&err, FL_ABSENT, "no such queue");
    assert_false(fl_err_wrap(&err, "cluster %s", "a"));
    assert_false(fl_err_wrap(&err, "batch %d", 3));
    assert_int_equal(err.code, FL_ABSENT);
    assert_string_equal(err.text, "batch 3: cluster a: no such queue");
}

static void arguments_may_be_the_old_text(void **state)
{
    struct fl_err err = {0};

    (void)state;
    fl_fail(&err, FL_IO, "cut");
    fl_fail(&err, FL_UNAVAILABLE, "%s, %s", err.text, err.text);
    assert_string_equal(err.text, "cut, cut");
    fl_err_wrap(&err, "%s", err.text);
    assert_string_equal(err.text, "cut, cut: cut, cut");
}

static void a_text_of_255_bytes_fits_and_a_longer_one_is_cut(void **state)
{
    struct fl_err err = {0};
    char text[400];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[LAST] = 0;
    fl_fail(&err, FL_INVALID, "%s", text);
    assert_string_equal(err.text, text);

    text[LAST] = 'y';
    text[399] = 0;
    fl_fail(&err, FL_INVALID, "%s", text);
    text[LAST] = 0;
    assert_string_equal(err.text, text);
}

static void wrapping_cuts_the_end(void **state)
{
    struct fl_err err = {0};
    char text[LAST + 1];

    (void)state;
    memset(text, 'x', LAST);
    text[LAST] = 0;
    fl_fail(&err, FL_INVALID, "%s", text);
    fl_err_wrap(&err, "here");
    assert_int_equal(strlen(err.text), LAST);
    assert_memory_equal(err.text, "here: xxx", 9);

    fl_err_wrap(&err, "%s", text); /* no room for any of the old */
    assert_string_equal(err.text, text);
}

/* At each distance from the end, with characters of 2, 3 and 4 bytes. */
static void a_character_is_never_cut_in_two(void **state)
{
    const char *characters[] = {"\u00e4", "\u20ac", "\U0001f6a2"};

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        size_t width = strlen(characters[c]);

        for (size_t before = LAST - 5; before <= LAST; before++) {
            struct fl_err err = {0};
            char text[300];
            size_t fits = before + width <= LAST ? before + width : before;

            memset(text, 'x', before);
            memcpy(text + before, characters[c], width);
            memset(text + before + width, 'x', 20);
            text[before + width + 20] = 0;
            fl_fail(&err, FL_INVALID, "%s", text);
            assert_true(fl_str_is_utf8(fl_str_c(err.text)));
            assert_true(strlen(err.text) >= fits);
            assert_memory_equal(err.text, text, strlen(err.text));

            err.text[0] = 0;
            fl_err_wrap(&err, "%s", text); /* the cut is in the prefix */
            assert_true(fl_str_is_utf8(fl_str_c(err.text)));

            text[before + width] = 0;
            fl_fail(&err, FL_INVALID, "%s", text + 1); /* at most one byte more than before */
            fl_err_wrap(&err, "ab");                   /* the cut is in the tail */
            assert_true(fl_str_is_utf8(fl_str_c(err.text)));
        }
    }
}

static void each_code_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(fl_code_name(FL_OK), "ok");
    assert_string_equal(fl_code_name(FL_TOO_LARGE), "too_large");
    assert_string_equal(fl_code_name(FL_IO), "io");
    for (int a = FL_OK; a <= FL_IMPOSSIBLE; a++) {
        assert_true(strlen(fl_code_meaning((enum fl_code)a)) > 5);
        assert_string_not_equal(fl_code_name((enum fl_code)a), "unknown");
        for (int b = a + 1; b <= FL_IMPOSSIBLE; b++) {
            assert_string_not_equal(fl_code_name((enum fl_code)a), fl_code_name((enum fl_code)b));
        }
    }
}

static void a_code_that_is_not_in_the_list_is_unknown(void **state)
{
    (void)state;
    assert_string_equal(fl_code_name((enum fl_code)(FL_IMPOSSIBLE + 1)), "unknown");
    assert_string_equal(fl_code_name((enum fl_code)1000), "unknown");
    assert_non_null(fl_code_meaning((enum fl_code)1000));
}

static void failing_with_ok_is_a_bug(void **state)
{
    (void)state;
    assert_true(fl_test_aborts(fail_with_ok, NULL));
}

FL_TESTS(cmocka_unit_test(a_failure_has_a_code_and_a_text),
         cmocka_unit_test(nobody_needs_to_ask_for_the_reason),
         cmocka_unit_test(wrapping_puts_context_in_front_and_keeps_the_code),
         cmocka_unit_test(arguments_may_be_the_old_text),
         cmocka_unit_test(a_text_of_255_bytes_fits_and_a_longer_one_is_cut),
         cmocka_unit_test(wrapping_cuts_the_end), cmocka_unit_test(a_character_is_never_cut_in_two),
         cmocka_unit_test(each_code_has_a_name_of_its_own),
         cmocka_unit_test(a_code_that_is_not_in_the_list_is_unknown),
         cmocka_unit_test(failing_with_ok_is_a_bug))
