#include "shared/wire/http_target.h"

#include "tests/fl_test.h"

static void assert_str(struct fl_str s, const char *text)
{
    assert_int_equal(s.len, strlen(text));
    if (s.len) assert_memory_equal(s.at, text, s.len);
}

static void a_path_is_cut_before_it_is_decoded(void **state)
{
    struct fl_str path = FL_STR("/v1/a%2Fb//"), segment, text;
    char out[16];

    (void)state;
    assert_true(fl_http_take_segment(&path, &segment));
    assert_str(segment, "v1");
    assert_true(fl_http_take_segment(&path, &segment));
    assert_str(segment, "a%2Fb");
    assert_true(fl_http_decode(segment, FL_HTTP_IN_PATH, out, &text));
    assert_str(text, "a/b");
    assert_true(fl_http_take_segment(&path, &segment));
    assert_str(segment, "");
    assert_true(fl_http_take_segment(&path, &segment));
    assert_str(segment, "");
    assert_false(fl_http_take_segment(&path, &segment));
}

static void a_query_is_cut_into_pairs(void **state)
{
    struct fl_str query = FL_STR("a=1&&b&=c&d=e=f&"), name, value;
    static const char *const want[][2] = {{"a", "1"}, {"b", ""}, {"", "c"}, {"d", "e=f"}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_true(fl_http_take_pair(&query, &name, &value));
        assert_str(name, want[i][0]);
        assert_str(value, want[i][1]);
    }
    assert_false(fl_http_take_pair(&query, &name, &value));
}

static void what_is_decoded_is_text(void **state)
{
    struct fl_str text;
    char out[32];

    (void)state;
    assert_true(fl_http_decode(FL_STR("a+b%2b%C3%A4"), FL_HTTP_IN_QUERY, out, &text));
    assert_str(text, "a b+\xc3\xa4");
    assert_true(fl_http_decode(FL_STR("a+b%2541"), FL_HTTP_IN_PATH, out, &text));
    assert_str(text, "a+b%41"); /* once */
    assert_true(fl_http_decode(FL_STR("%2f%2F%6a%6A"), FL_HTTP_IN_PATH, out, &text));
    assert_str(text, "//jj");
    assert_false(fl_http_decode(FL_STR("%00"), FL_HTTP_IN_PATH, out, &text));
    assert_false(fl_http_decode(FL_STR("%ff"), FL_HTTP_IN_PATH, out, &text));
    assert_false(fl_http_decode(FL_STR("%c3"), FL_HTTP_IN_PATH, out, &text));
    assert_false(fl_http_decode(FL_STR("%4"), FL_HTTP_IN_PATH, out, &text));
    assert_false(fl_http_decode(FL_STR("%"), FL_HTTP_IN_PATH, out, &text));
    assert_false(fl_http_decode(FL_STR("%zz"), FL_HTTP_IN_PATH, out, &text));
}

FL_TESTS(cmocka_unit_test(a_path_is_cut_before_it_is_decoded),
         cmocka_unit_test(a_query_is_cut_into_pairs), cmocka_unit_test(what_is_decoded_is_text))
