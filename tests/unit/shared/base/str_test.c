#include "shared/base/str.h"

#include "tests/fl_test.h"

static struct fl_str bytes(const char *at, size_t len)
{
    return (struct fl_str){at, len};
}

static void a_view_is_equal_by_its_bytes(void **state)
{
    struct fl_str empty = {0};

    (void)state;
    assert_true(fl_str_eq(FL_STR("job"), fl_str_c("job")));
    assert_false(fl_str_eq(FL_STR("job"), FL_STR("jobs")));
    assert_false(fl_str_eq(FL_STR("job"), FL_STR("Job")));
    assert_true(fl_str_eq(empty, FL_STR("")));
    assert_true(fl_str_eq(fl_str_c(NULL), empty));
    assert_int_equal(FL_STR("a\0b").len, 3);
    assert_false(fl_str_eq(bytes("a\0b", 3), bytes("a\0c", 3)));
}

static void views_are_ordered_by_bytes_and_prefixes_come_first(void **state)
{
    struct fl_str ordered[] = {{0},           FL_STR("\0"), FL_STR("a"),   FL_STR("a\0"),
                               FL_STR("a-b"), FL_STR("ab"), FL_STR("\xff")};

    (void)state;
    for (int a = 0; a < 7; a++) {
        for (int b = 0; b < 7; b++) {
            int order = fl_str_cmp(ordered[a], ordered[b]);

            assert_int_equal((order > 0) - (order < 0), (a > b) - (a < b));
        }
    }
}

static void a_view_prints_without_a_zero_byte(void **state)
{
    struct fl_str part = bytes("jobqueue", 3);
    struct fl_str empty = {0};
    char text[20];

    (void)state;
    snprintf(text, sizeof(text), "<" FL_STR_FMT "><" FL_STR_FMT ">", FL_STR_ARG(part),
             FL_STR_ARG(empty));
    assert_string_equal(text, "<job><>");
}

static void a_bad_byte_is_seen_at_each_place(void **state)
{
    char text[80];

    (void)state;
    for (size_t place = 0; place + 2 <= sizeof text; place++) {
        memset(text, 'a', sizeof text);
        text[place] = '\xc3';
        text[place + 1] = '\xa4';
        assert_true(fl_str_is_utf8(bytes(text, sizeof text)));
        text[place + 1] = 'a';
        assert_false(fl_str_is_utf8(bytes(text, sizeof text)));
    }
}

static void well_formed_utf8_is_told_from_the_rest(void **state)
{
    const char *good[] = {"",
                          "plain",
                          "exactly8",
                          "longer than eight \u00e4 bytes",
                          "\xc2\x80",
                          "\u07ff",
                          "\u0800",
                          "\u20ac",
                          "\xed\x9f\xbf",
                          "\xee\x80\x80",
                          "\uffff",
                          "\U00010000",
                          "\U0010ffff",
                          "1234567\U0001f6a2"};
    const char *bad[] = {"\x80",             /* a continuation alone */
                         "\xc3",             /* cut */
                         "\xe2\x82",         /* cut */
                         "\xf0\x9f\x9a",     /* cut */
                         "\xc0\x80",         /* overlong zero */
                         "\xc1\xbf",         /* overlong */
                         "\xe0\x9f\xbf",     /* overlong */
                         "\xf0\x8f\xbf\xbf", /* overlong */
                         "\xed\xa0\x80",     /* surrogate */
                         "\xed\xbf\xbf",     /* surrogate */
                         "\xf4\x90\x80\x80", /* over U+10FFFF */
                         "\xf5\x80\x80\x80",
                         "\xff",
                         "\xe2\x28\xa1",        /* second byte */
                         "\xe2\x82\x28",        /* third byte */
                         "\xf0\x9f\x9a\x28",    /* fourth byte */
                         "12345678\x80",        /* behind a fast stretch */
                         "12345\xe2\x82 78901", /* within one */
                         "\xc3\xa4\xc3"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(fl_str_is_utf8(fl_str_c(good[i])));
        assert_true(fl_str_is_text(fl_str_c(good[i])));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(fl_str_is_utf8(fl_str_c(bad[i])));
        assert_false(fl_str_is_text(fl_str_c(bad[i])));
    }
}

/* Encodes every number there is and wants exactly the scalar values accepted. */
static void each_scalar_value_is_accepted_and_no_surrogate(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x120000; c++) {
        char at[4];
        size_t len;

        if (c < 0x80) {
            at[0] = (char)c;
            len = 1;
        } else if (c < 0x800) {
            at[0] = (char)(0xc0 | c >> 6);
            len = 2;
        } else if (c < 0x10000) {
            at[0] = (char)(0xe0 | c >> 12);
            len = 3;
        } else {
            at[0] = (char)(0xf0 | c >> 18);
            len = 4;
        }
        for (size_t i = 1; i < len; i++) {
            at[i] = (char)(0x80 | (c >> (6 * (len - 1 - i)) & 63));
        }
        if (fl_str_is_utf8(bytes(at, len)) != (c < 0xd800 || (c > 0xdfff && c < 0x110000))) fail();
        if (len > 1 && fl_str_is_utf8(bytes(at, len - 1))) fail();
    }
}

static void a_beginning_cuts_no_character(void **state)
{
    struct fl_str text = FL_STR("a\u00e4\u20ac\U0001f600");
    static const size_t len[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};

    (void)state;
    for (size_t i = 0; i < sizeof len / sizeof *len; i++) {
        assert_int_equal(fl_str_begin(text, i).len, len[i]);
    }
}

static void text_has_no_zero_byte(void **state)
{
    (void)state;
    assert_true(fl_str_is_utf8(bytes("a\0b", 3)));
    assert_false(fl_str_is_text(bytes("a\0b", 3)));
    assert_true(fl_str_is_text((struct fl_str){0}));
}

static void a_name_is_a_dns_label(void **state)
{
    const char *good[] = {"a", "0", "a-b", "queue-7", "a--b"};
    const char *bad[] = {"", "-", "-a", "a-", "A", "a_b", "a.b", "a b", "\u00e4", "a\n"};
    char longest[65];

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(fl_str_is_name(fl_str_c(good[i])));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(fl_str_is_name(fl_str_c(bad[i])));
    }
    assert_false(fl_str_is_name(bytes("a\0b", 3)));
    memset(longest, 'x', sizeof(longest));
    assert_true(fl_str_is_name(bytes(longest, FL_NAME_BYTES_MAX)));
    assert_false(fl_str_is_name(bytes(longest, FL_NAME_BYTES_MAX + 1)));
}

static void numbers_are_parsed_whole_or_not_at_all(void **state)
{
    const char *bad[] = {"",
                         " 1",
                         "1 ",
                         "+1",
                         "-1",
                         "0x1",
                         "1a",
                         "18446744073709551616",
                         "18446744073709551620",
                         "99999999999999999999",
                         "100000000000000000000"};
    uint64_t n = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(fl_str_parse_u64(fl_str_c(bad[i]), &n));
        assert_int_equal(n, 7);
    }
    assert_true(fl_str_parse_u64(FL_STR("0"), &n));
    assert_int_equal(n, 0);
    assert_true(fl_str_parse_u64(FL_STR("18446744073709551615"), &n));
    assert_true(n == UINT64_MAX);
    assert_true(fl_str_parse_u64(bytes("12345", 3), &n));
    assert_int_equal(n, 123);
}

static void a_list_is_cut_into_its_words(void **state)
{
    struct fl_str rest = FL_STR("a,,bc");

    (void)state;
    assert_true(fl_str_eq(fl_str_cut(&rest, ','), FL_STR("a")));
    assert_true(fl_str_eq(fl_str_cut(&rest, ','), FL_STR("")));
    assert_true(fl_str_eq(rest, FL_STR("bc")));
    assert_true(fl_str_eq(fl_str_cut(&rest, ','), FL_STR("bc")));
    assert_int_equal(rest.len, 0);
    assert_int_equal(fl_str_cut(&rest, ',').len, 0);
    rest = (struct fl_str){0};
    assert_int_equal(fl_str_cut(&rest, ',').len, 0);
}

static void a_word_that_is_missing_at_the_end_of_a_list_is_an_empty_one(void **state)
{
    struct fl_str rest = FL_STR("a,bc,"), word;

    (void)state;
    assert_true(fl_str_next_word(&rest, ',', &word) && fl_str_eq(word, FL_STR("a")));
    assert_true(fl_str_next_word(&rest, ',', &word) && fl_str_eq(word, FL_STR("bc")));
    assert_true(fl_str_next_word(&rest, ',', &word));
    assert_int_equal(word.len, 0);
    assert_false(fl_str_next_word(&rest, ',', &word));
    rest = FL_STR("");
    assert_true(fl_str_next_word(&rest, ',', &word));
    assert_int_equal(word.len, 0);
    assert_false(fl_str_next_word(&rest, ',', &word));
}

FL_TESTS(cmocka_unit_test(a_view_is_equal_by_its_bytes),
         cmocka_unit_test(views_are_ordered_by_bytes_and_prefixes_come_first),
         cmocka_unit_test(a_view_prints_without_a_zero_byte),
         cmocka_unit_test(a_bad_byte_is_seen_at_each_place),
         cmocka_unit_test(well_formed_utf8_is_told_from_the_rest),
         cmocka_unit_test(each_scalar_value_is_accepted_and_no_surrogate),
         cmocka_unit_test(a_beginning_cuts_no_character), cmocka_unit_test(text_has_no_zero_byte),
         cmocka_unit_test(a_name_is_a_dns_label),
         cmocka_unit_test(numbers_are_parsed_whole_or_not_at_all),
         cmocka_unit_test(a_list_is_cut_into_its_words),
         cmocka_unit_test(a_word_that_is_missing_at_the_end_of_a_list_is_an_empty_one))
