/* Which names a pattern with stars takes. */
#include "shared/base/name_pattern.h"

#include <string.h>

#include "shared/base/prng.h"
#include "tests/fl_test.h"

static bool fits(const char *pattern, const char *name)
{
    return fl_name_fits(fl_str_c(pattern), fl_str_c(name));
}

static void a_pattern_without_a_star_is_the_name(void **state)
{
    (void)state;
    assert_true(fits("train", "train"));
    assert_false(fits("train", "train-2"));
    assert_false(fits("train-2", "train"));
    assert_false(fits("Train", "train"));
    assert_true(fits("", ""));
    assert_false(fits("", "a"));
    assert_false(fits("a?c", "abc"));
}

static void a_star_stands_for_any_characters(void **state)
{
    (void)state;
    assert_true(fits("train*", "train"));
    assert_true(fits("train*", "train-2"));
    assert_true(fits("*-2", "train-2"));
    assert_true(fits("*rai*", "train"));
    assert_true(fits("t*n-*2", "train-12"));
    assert_true(fits("*", ""));
    assert_true(fits("**", "a"));
    assert_false(fits("*x*", "train"));
    assert_false(fits("t*x", "train"));
    assert_true(fits("*ab", "aab"));
    assert_true(fits("a*ab*b", "aababb"));
    assert_false(fits("*a", ""));
}

/* The same said otherwise: a star takes nothing, or one more character. */
static bool fits_plainly(const char *pattern, const char *name)
{
    if (!*pattern) return !*name;
    if (*pattern == '*') {
        return fits_plainly(pattern + 1, name) || (*name && fits_plainly(pattern, name + 1));
    }
    return *pattern == *name && fits_plainly(pattern + 1, name + 1);
}

static void short_words_of_two_letters_fit_as_the_rule_says(void **state)
{
    struct fl_prng prng;

    (void)state;
    fl_prng_seed(&prng, 1);
    for (int i = 0; i < 20000; i++) {
        char pattern[8] = {0}, name[8] = {0};
        size_t pattern_len = fl_prng_below(&prng, 7), name_len = fl_prng_below(&prng, 8);

        for (size_t k = 0; k < pattern_len; k++) {
            pattern[k] = "ab*"[fl_prng_below(&prng, 3)];
        }
        for (size_t k = 0; k < name_len; k++) {
            name[k] = "ab"[fl_prng_below(&prng, 2)];
        }
        if (fits(pattern, name) != fits_plainly(pattern, name)) {
            fail_msg("'%s' and '%s'", pattern, name);
        }
    }
}

FL_TESTS(cmocka_unit_test(a_pattern_without_a_star_is_the_name),
         cmocka_unit_test(a_star_stands_for_any_characters),
         cmocka_unit_test(short_words_of_two_letters_fit_as_the_rule_says))
