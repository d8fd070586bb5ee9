#include "shared/base/time_text.h"

#include "tests/fl_test.h"

static void times_are_rfc_3339_and_back(void **state)
{
    static const fl_ms times[] = {1, 951782400000, 1709164799999, 4102444800000, 1795000000123};
    static const char *const bad[] = {"2026-02-30T00:00:00Z",
                                      "2026-01-01 00:00:00Z",
                                      "2026-01-01T24:00:00Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-01-01T00:00:00",
                                      "1969-12-31T23:59:59Z",
                                      ""};
    char text[FL_TIME_TEXT_MAX];
    fl_ms again;

    (void)state;
    fl_time_print(951782400000, text);
    assert_string_equal(text, "2000-02-29T00:00:00.000Z");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        fl_time_print(times[i], text);
        assert_true(fl_time_parse(fl_str_c(text), &again));
        assert_true(again == times[i]);
    }
    assert_true(fl_time_parse(FL_STR("2000-02-29T00:00:00Z"), &again));
    assert_true(again == 951782400000);
    assert_true(fl_time_parse(FL_STR("1970-01-01T00:00:00Z"), &again));
    assert_true(again == 1); /* 0 means that no time is given */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fl_time_parse(fl_str_c(bad[i]), &again));
    }
}

FL_TESTS(cmocka_unit_test(times_are_rfc_3339_and_back))
