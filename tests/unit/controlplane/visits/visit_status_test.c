/* How a visit ended, and the size of a terminal, as v5.channel.k8s.io has them. */
#include "controlplane/visits/visit_status.h"

#include "tests/fl_test.h"

static void check(enum fl_code code, int32_t exit_code, const char *why, const char *wanted)
{
    struct fl_visit_status status = {code, exit_code, fl_str_c(why)};
    char text[VISIT_STATUS_BYTES_MAX];
    struct fl_str got = visit_status_write(&status, text);

    if (!fl_str_eq(got, fl_str_c(wanted))) {
        print_message("got " FL_STR_FMT "\n", FL_STR_ARG(got));
        fail();
    }
}

static void an_end_is_a_status_of_kubernetes(void **state)
{
    (void)state;
    check(FL_OK, 0, "", "{\"metadata\":{},\"status\":\"Success\"}");
    check(FL_OK, 3, "",
          "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with exit code "
          "3\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"ExitCode\","
          "\"message\":\"3\"}]}}");
    check(FL_DENIED, 0, "the token is \"gone\"",
          "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"the token is \\\"gone\\\"\","
          "\"reason\":\"denied\"}");
    check(FL_IO, 0, "\xff",
          "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"?\","
          "\"reason\":\"io\"}");
}

static void a_size_is_two_numbers(void **state)
{
    static const char *const bad[] = {"",
                                      "{}",
                                      "[]",
                                      "{\"Width\":80}",
                                      "{\"Width\":\"80\",\"Height\":24}",
                                      "{\"Width\":-1,\"Height\":24}",
                                      "{\"Width\":65536,\"Height\":24}",
                                      "{\"Width\":80,"};
    struct fl_visit_size size;
    struct fl_err err = {0};

    (void)state;
    assert_true(visit_status_read_size(FL_STR("{\"Width\":80,\"Height\":24}"), &size, &err));
    assert_true(size.columns == 80 && size.rows == 24);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(visit_status_read_size(fl_str_c(bad[i]), &size, &err));
        assert_int_equal(err.code, FL_INVALID);
    }
}

FL_TESTS(cmocka_unit_test(an_end_is_a_status_of_kubernetes),
         cmocka_unit_test(a_size_is_two_numbers))
