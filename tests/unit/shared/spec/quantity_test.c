#include "shared/spec/quantity.h"

#include "tests/fl_test.h"

static void quantities_are_those_of_kubernetes(void **state)
{
    static const struct {
        const char *text;
        uint64_t milli;
    } cases[] = {
        {"0", 0},
        {"1", 1000},
        {"500m", 500},
        {"1.5", 1500},
        {".5", 500},
        {"2.", 2000},
        {"0.0001", 1},
        {"1e3", 1000000},
        {"1E-1", 100},
        {"2k", 2000000},
        {"1Ki", 1024000},
        {"1.5Mi", 1572864000},
        {"1M", 1000000000},
        {"0.5Gi", 536870912000},
        {"100000000000000m", 100000000000000},
        {"1500u", 2},
        {"250000000n", 250},
        {"1n", 1},
    };
    static const char *const bad[] = {
        "",
        "-1",
        "+1",
        "1 ",
        " 1",
        "1.2.3",
        ".",
        "m",
        "1mm",
        "1ki",
        "1KI",
        "1e",
        "1e+",
        "1e99",
        "0x10",
        "1_000",
        "99999999999999999999",
        "16Ei",
        "18446744073709551616m",
        "Infinity",
        "0.1234567890123456789",
    };
    uint64_t n;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!fl_quantity_milli(fl_str_c(cases[i].text), &n) || n != cases[i].milli) {
            fail_msg("%s", cases[i].text);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (fl_quantity_milli(fl_str_c(bad[i]), &n)) fail_msg("taken: %s", bad[i]);
    }
    assert_true(fl_quantity_units(FL_STR("1.5Gi"), &n));
    assert_int_equal(n, (uint64_t)3 << 29);
    assert_true(fl_quantity_units(FL_STR("1m"), &n)); /* rounded up */
    assert_int_equal(n, 1);
}

static void what_is_written_reads_back(void **state)
{
    static const uint64_t numbers[] = {
        0, 1, 999, 1000, 1500, 1024, 1536, 1 << 20, UINT64_MAX / 1000};
    char text[FL_QUANTITY_TEXT_MAX];
    uint64_t n;

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fl_quantity_write_milli(numbers[i], text);
        assert_true(fl_quantity_milli(fl_str_c(text), &n));
        assert_int_equal(n, numbers[i]);
        fl_quantity_write_bytes(numbers[i], text);
        assert_true(fl_quantity_units(fl_str_c(text), &n));
        assert_int_equal(n, numbers[i]);
    }
    fl_quantity_write_bytes((uint64_t)3 << 29, text);
    assert_string_equal(text, "1536Mi");
    fl_quantity_write_milli(1500, text);
    assert_string_equal(text, "1500m");
}

static void times_are_seconds_or_have_units_in_order(void **state)
{
    static const char *const bad[] = {"",       "s",   "-1s",    "1m1h",       "1h1h",
                                      "1.5h",   "1w",  "1h 30m", "4294967296", "4294967295s1s",
                                      "50000d", "1h30"};
    uint32_t s;

    (void)state;
    assert_true(fl_duration_s(FL_STR("90s"), &s) && s == 90);
    assert_true(fl_duration_s(FL_STR("90"), &s) && s == 90);
    assert_true(fl_duration_s(FL_STR("1h30m"), &s) && s == 5400);
    assert_true(fl_duration_s(FL_STR("2d0h5s"), &s) && s == 172805);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (fl_duration_s(fl_str_c(bad[i]), &s)) fail_msg("taken: %s", bad[i]);
    }
}

FL_TESTS(cmocka_unit_test(quantities_are_those_of_kubernetes),
         cmocka_unit_test(what_is_written_reads_back),
         cmocka_unit_test(times_are_seconds_or_have_units_in_order))
