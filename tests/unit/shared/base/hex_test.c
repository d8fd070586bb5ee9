#include "shared/base/hex.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

static void all_bytes_print_as_two_digits_each(void **state)
{
    uint8_t bytes[256];
    char text[FL_HEX_MAX(sizeof bytes)], each[3];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    fl_hex_print(bytes, sizeof bytes, text);
    assert_int_equal(strlen(text), 512);
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(each, sizeof each, "%02zx", i);
        assert_memory_equal(text + 2 * i, each, 2);
    }
    fl_hex_print(bytes, 0, text);
    assert_string_equal(text, "");
}

static void only_what_is_printed_is_parsed(void **state)
{
    uint8_t bytes[2] = {0};

    (void)state;
    assert_true(fl_hex_parse("0fa9", 2, bytes));
    assert_memory_equal(bytes, "\x0f\xa9", 2);
    assert_false(fl_hex_parse("0fA9", 2, bytes));
    assert_false(fl_hex_parse("0fg9", 2, bytes));
    assert_false(fl_hex_parse("0f", 2, bytes));
    assert_true(fl_hex_parse("", 0, bytes));
}

static void digits_are_of_either_case(void **state)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

    (void)state;
    for (int c = 0; c < 256; c++) {
        const char *low = c ? strchr(lower, c) : NULL, *up = c ? strchr(upper, c) : NULL;

        assert_int_equal(fl_hex_digit((char)c), low ? low - lower : up ? up - upper : -1);
    }
}

FL_TESTS(cmocka_unit_test(all_bytes_print_as_two_digits_each),
         cmocka_unit_test(only_what_is_printed_is_parsed),
         cmocka_unit_test(digits_are_of_either_case))
