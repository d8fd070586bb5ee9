#include "controlplane/api/v1/log_selection.h"

#include "tests/fl_test.h"

static void replicas_are_numbers_and_ranges(void **state)
{
    struct log_query query = {0};

    (void)state;
    assert_true(log_selection_replicas(FL_STR("0,3,8-11,4294967295"), &query));
    assert_int_equal(query.replicas_len, 4);
    assert_true(query.replicas[0].first == 0 && query.replicas[0].last == 0);
    assert_true(query.replicas[2].first == 8 && query.replicas[2].last == 11);
    assert_int_equal(query.replicas[3].last, UINT32_MAX);
}

static void what_is_no_list_of_replicas_is_refused(void **state)
{
    static const char *const bad[] = {"",   "a",     "1,", ",1", "1,,2", "2-1",       "-1",
                                      "1-", "1-2-3", "1 ", "+1", "0x1",  "4294967296"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct log_query query = {0};

        if (log_selection_replicas(fl_str_c(bad[i]), &query)) fail_msg("'%s'", bad[i]);
    }
}

static void a_list_has_at_most_so_many_parts(void **state)
{
    char text[2 * LOG_RANGES_MAX + 3] = "";
    struct log_query query = {0}, fuller = {0};

    (void)state;
    for (size_t i = 0; i < LOG_RANGES_MAX; i++) {
        text[2 * i] = '7';
        text[2 * i + 1] = ',';
    }
    assert_true(log_selection_replicas((struct fl_str){text, 2 * LOG_RANGES_MAX - 1}, &query));
    assert_int_equal(query.replicas_len, LOG_RANGES_MAX);
    text[2 * LOG_RANGES_MAX] = '7';
    assert_false(log_selection_replicas((struct fl_str){text, 2 * LOG_RANGES_MAX + 1}, &fuller));
}

FL_TESTS(cmocka_unit_test(replicas_are_numbers_and_ranges),
         cmocka_unit_test(what_is_no_list_of_replicas_is_refused),
         cmocka_unit_test(a_list_has_at_most_so_many_parts))
