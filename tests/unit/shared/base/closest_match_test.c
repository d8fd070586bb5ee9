#include "shared/base/closest_match.h"

#include "tests/fl_test.h"

static const char *best(const char *word)
{
    static const char *const words[] = {"replicas",    "resources", "args", "env", "array",
                                        "notClusters", "clusters",  "hold", "name"};
    struct fl_closest_match match = fl_closest_match(fl_str_c(word));

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        fl_closest_match_offer(&match, fl_str_c(words[i]));
    }
    return match.best.len ? match.best.at : "";
}

static void the_word_that_was_meant_is_found(void **state)
{
    (void)state;
    assert_string_equal(best("replcias"), "replicas");
    assert_string_equal(best("Replicas"), "replicas");
    assert_string_equal(best("replica"), "replicas");
    assert_string_equal(best("arg"), "args");
    assert_string_equal(best("aray"), "array");
    assert_string_equal(best("evn"), "env");
    assert_string_equal(best("not_clusters"), "notClusters");
    assert_string_equal(best("cluster"), "clusters");
    assert_string_equal(best("env"), "env");
}

static void what_is_far_from_all_stays_empty(void **state)
{
    char longer[FL_CLOSEST_MATCH_BYTES_MAX + 2];

    (void)state;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    assert_string_equal(best("zebra"), "");
    assert_string_equal(best(""), "");
    assert_string_equal(best("x"), "");
    assert_string_equal(best(longer), "");
}

FL_TESTS(cmocka_unit_test(the_word_that_was_meant_is_found),
         cmocka_unit_test(what_is_far_from_all_stays_empty))
