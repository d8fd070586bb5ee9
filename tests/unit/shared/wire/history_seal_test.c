#include "shared/wire/history_seal.h"

#include <stdio.h>
#include <string.h>

#include "tests/fl_test.h"

static void a_seal_comes_back_as_it_went(void **state)
{
    char text[FL_HISTORY_TEXT_MAX], list[FL_HISTORY_TEXT_MAX + 32];

    (void)state;
    for (size_t len = 0; len <= FL_HISTORY_SEAL_BYTES_MAX; len++) {
        struct fl_history_seal seal = {.len = len}, again = {.len = 99};

        for (size_t i = 0; i < len; i++) {
            seal.at[i] = (uint8_t)(i * 37 + len);
        }
        fl_history_seal_print(&seal, text);
        snprintf(list, sizeof list, "[\"images\",%s]", text);
        assert_true(fl_history_seal_find(fl_str_c(list), &again));
        assert_int_equal(again.len, len);
        assert_memory_equal(again.at, seal.at, sizeof seal.at);
    }
}

static void an_older_agent_names_no_seal(void **state)
{
    struct fl_history_seal seal;

    (void)state;
    assert_false(fl_history_seal_find(FL_STR("[]"), &seal));
    assert_false(fl_history_seal_find(FL_STR("[\"images\",\"historya\"]"), &seal));
    assert_false(fl_history_seal_find(FL_STR(""), &seal));
}

static void a_malformed_seal_is_none(void **state)
{
    static const char *const bad[] = {"[\"history:0\"]", "[\"history:0g\"]", "[\"history:00",
                                      "[\"history:", "[\"history:AA\"]"};
    char large[300];
    struct fl_history_seal seal;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(fl_history_seal_find(fl_str_c(bad[i]), &seal));
        assert_int_equal(seal.len, 0);
    }
    memset(large, 'a', sizeof large);
    snprintf(large, sizeof large, "\"history:");
    large[9] = 'a';
    large[9 + 130] = '"';
    assert_true(fl_history_seal_find((struct fl_str){large, sizeof large}, &seal));
    assert_int_equal(seal.len, 0);
}

FL_TESTS(cmocka_unit_test(a_seal_comes_back_as_it_went),
         cmocka_unit_test(an_older_agent_names_no_seal), cmocka_unit_test(a_malformed_seal_is_none))
