#include "shared/io/exits.h"

#include "tests/fl_test.h"

static enum fl_exit of(enum fl_code code)
{
    struct fl_err err = {.code = code};

    return fl_exit_of(&err);
}

static void a_script_can_tell_a_wrong_request_from_an_absent_server(void **state)
{
    (void)state;
    assert_int_equal(of(FL_INVALID), FL_EXIT_USAGE);
    assert_int_equal(of(FL_TOO_LARGE), FL_EXIT_USAGE);
    assert_int_equal(of(FL_DENIED), FL_EXIT_DENIED);
    assert_int_equal(of(FL_UNAVAILABLE), FL_EXIT_UNREACHABLE);
    assert_int_equal(of(FL_IO), FL_EXIT_IO);
    assert_int_equal(of(FL_TORN), FL_EXIT_INTERNAL);
    assert_int_equal(of(FL_ABSENT), FL_EXIT_FAILED);
}

static void each_code_has_one_row_with_words_for_one_program_at_least(void **state)
{
    (void)state;
    for (size_t i = 0; i < fl_exits_len; i++) {
        assert_true(fl_exits[i].code[0]);
        assert_true(fl_exits[i].daemon[0] || fl_exits[i].cli[0]);
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(fl_exits[i].code, fl_exits[j].code);
        }
    }
}

FL_TESTS(cmocka_unit_test(a_script_can_tell_a_wrong_request_from_an_absent_server),
         cmocka_unit_test(each_code_has_one_row_with_words_for_one_program_at_least))
