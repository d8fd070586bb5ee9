#include "shared/base/taint.h"

#include <stdio.h>

#include "tests/fl_test.h"

static void each_taint_and_toleration_has_one_text(void **state)
{
    static const char *const taints[] = {"a:NoSchedule", "a=b:NoExecute",
                                         "nvidia.com/gpu=present:PreferNoSchedule"};
    static const char *const tolerations[] = {
        "a", "a=",          "a=b", "a:NoSchedule", "a=:NoExecute", "x.io/a=b:PreferNoSchedule",
        "*", "*:NoSchedule"};
    char text[FL_TAINT_TEXT_BYTES_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof taints / sizeof *taints; i++) {
        struct fl_taint taint;

        assert_true(fl_taint_parse(fl_str_c(taints[i]), &taint));
        assert_true(
            fl_str_eq((struct fl_str){text, fl_taint_write(&taint, text)}, fl_str_c(taints[i])));
    }
    for (size_t i = 0; i < sizeof tolerations / sizeof *tolerations; i++) {
        struct fl_toleration one;

        assert_true(fl_toleration_parse(fl_str_c(tolerations[i]), &one));
        assert_true(fl_str_eq((struct fl_str){text, fl_toleration_write(&one, text)},
                              fl_str_c(tolerations[i])));
    }
}

static void other_texts_are_none(void **state)
{
    static const char *const bad[] = {
        "",        ":NoSchedule", "=b:NoSchedule",  "a=b=c:NoSchedule", "a:b:NoSchedule",
        "a:Later", "a:",          "a b:NoSchedule", "a\n:NoSchedule",   "a=\xc3\xa4:NoSchedule"};
    static const char *const no_taints[] = {"a", "a=b", "a=:NoSchedule", "*:NoSchedule"};
    char text[FL_TAINT_TEXT_BYTES_MAX + 2];
    struct fl_taint taint;
    struct fl_toleration toleration;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fl_taint_parse(fl_str_c(bad[i]), &taint));
        assert_false(fl_toleration_parse(fl_str_c(bad[i]), &toleration));
    }
    for (size_t i = 0; i < sizeof no_taints / sizeof *no_taints; i++) {
        assert_false(fl_taint_parse(fl_str_c(no_taints[i]), &taint));
    }
    assert_false(fl_toleration_parse(FL_STR("*=a"), &toleration));
    snprintf(text, sizeof text, "%0318d:NoExecute", 1);
    assert_false(fl_taint_parse(fl_str_c(text), &taint));
    assert_true(fl_taint_parse(fl_str_c(text + 1), &taint));
    snprintf(text, sizeof text, "a=%064d:NoExecute", 1);
    assert_false(fl_taint_parse(fl_str_c(text), &taint));
}

static void lists_are_sorted_and_bounded(void **state)
{
    static const char *const bad[] = {
        "a:NoSchedule", "b:NoSchedule\na:NoSchedule\n", "a:NoSchedule\na:NoSchedule\n",
        "\n",           "a:PreferNoSchedule\n",         "a:NoSchedule\n\n"};
    char many[FL_NODE_TAINTS_BYTES_MAX + 400];
    size_t len = 0;

    (void)state;
    assert_true(fl_taints_are_list((struct fl_str){0}));
    assert_true(fl_taints_are_list(FL_STR("a:NoExecute\na:NoSchedule\nb=c:NoSchedule\n")));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fl_taints_are_list(fl_str_c(bad[i])));
    }
    for (int i = 0; i < FL_NODE_TAINTS_MAX + 1; i++) {
        assert_int_equal(fl_taints_are_list((struct fl_str){many, len}), true);
        len += (size_t)sprintf(many + len, "t%02d:NoSchedule\n", i);
    }
    assert_false(fl_taints_are_list((struct fl_str){many, len}));
    len = 0;
    for (int i = 0; i < 7; i++) {
        len += (size_t)sprintf(many + len, "t%0280d:NoSchedule\n", i);
    }
    assert_true(len > FL_NODE_TAINTS_BYTES_MAX);
    assert_false(fl_taints_are_list((struct fl_str){many, len}));
    assert_true(fl_tolerations_are_list(FL_STR("*\na=b\n"), 2));
    assert_false(fl_tolerations_are_list(FL_STR("*\na=b\n"), 1));
    assert_false(fl_tolerations_are_list(FL_STR("*=b\n"), 2));
}

static void a_toleration_goes_for_its_key_value_and_effect(void **state)
{
    static const struct {
        const char *toleration, *taint;
        bool is;
    } cases[] = {
        {"a", "a:NoSchedule", true},
        {"a", "a=b:NoExecute", true},
        {"a", "b:NoSchedule", false},
        {"a=b", "a=b:NoSchedule", true},
        {"a=b", "a=c:NoSchedule", false},
        {"a=b", "a:NoSchedule", false},
        {"a=", "a:NoSchedule", true},
        {"a=", "a=b:NoSchedule", false},
        {"a:NoSchedule", "a:NoSchedule", true},
        {"a:NoSchedule", "a:NoExecute", false},
        {"*", "a=b:NoExecute", true},
        {"*:NoExecute", "a:NoSchedule", false},
        {"a=b:NoExecute", "a=b:NoExecute", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_toleration toleration;
        struct fl_taint taint;

        assert_true(fl_toleration_parse(fl_str_c(cases[i].toleration), &toleration));
        assert_true(fl_taint_parse(fl_str_c(cases[i].taint), &taint));
        assert_int_equal(fl_tolerates(&toleration, &taint), cases[i].is);
    }
}

FL_TESTS(cmocka_unit_test(each_taint_and_toleration_has_one_text),
         cmocka_unit_test(other_texts_are_none), cmocka_unit_test(lists_are_sorted_and_bounded),
         cmocka_unit_test(a_toleration_goes_for_its_key_value_and_effect))
