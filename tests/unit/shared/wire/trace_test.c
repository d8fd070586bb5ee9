#include "shared/wire/trace.h"

#include "tests/fl_test.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"

static bool is_taken(const char *traceparent)
{
    struct fl_http_field field = {FL_STR("traceparent"), fl_str_c(traceparent)};
    struct fl_http_head head = {.fields = &field, .fields_len = 1};
    struct fl_traces traces = {.seed = 1};
    char trace[FL_TRACE_MAX];
    bool is_own = fl_trace_name(&traces, &head, trace);

    assert_int_equal(strlen(trace), is_own ? 32 : 16);
    if (is_own) assert_string_equal(trace, TRACE);
    return is_own;
}

static void a_trace_of_the_callers_own_is_taken_over_if_it_is_one(void **state)
{
    (void)state;
    assert_true(is_taken("00-" TRACE "-00f067aa0ba902b7-01"));
    assert_false(is_taken(""));
    assert_false(is_taken("01-" TRACE "-00f067aa0ba902b7-01"));
    assert_false(is_taken("00-" TRACE "x00f067aa0ba902b7-01"));
    assert_false(is_taken("00-" TRACE "-00f067aa0ba902b7-011"));
    assert_false(is_taken("00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    assert_false(is_taken("00-00000000000000000000000000000000-00f067aa0ba902b7-01"));
}

static void each_of_ours_is_another(void **state)
{
    struct fl_traces traces = {.seed = 1}, others = {.seed = 2};
    char one[FL_TRACE_MAX], two[FL_TRACE_MAX], three[FL_TRACE_MAX];

    (void)state;
    assert_false(fl_trace_name(&traces, NULL, one));
    assert_false(fl_trace_name(&traces, NULL, two));
    assert_false(fl_trace_name(&others, NULL, three));
    assert_int_equal(strlen(one), 16);
    assert_string_not_equal(one, two);
    assert_string_not_equal(one, three);
}

FL_TESTS(cmocka_unit_test(a_trace_of_the_callers_own_is_taken_over_if_it_is_one),
         cmocka_unit_test(each_of_ours_is_another))
