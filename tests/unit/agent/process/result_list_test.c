/* Which kept files have to go, and the words for those that went. */
#include "agent/process/result_list.h"

#include <stdio.h>

#include "tests/fl_test.h"

static const struct result_limits limits = {
    .keep_ms = 1000, .bytes_max = 100, .replica_bytes_max = 60, .entries_max = 4};

static void add(struct result_list *list, unsigned job, fl_ms at, uint64_t bytes)
{
    struct result_entry entry = {.at = at, .state = RESULT_MEASURED, .bytes = bytes};

    layout_name((struct fl_attempt){.job = {job}, .n = 1, .incarnation = 1}, 0, entry.replica);
    result_list_add(list, entry, INT64_MAX);
}

/* Lets go all that has to, and writes down what: "5" goes, "(5)" leaves a note. */
static const char *settle(struct result_list *list, const struct result_limits *by, fl_ms now)
{
    static char said[256];
    struct result_entry *entry;
    enum result_fate fate;

    said[0] = 0;
    while ((fate = result_list_next(list, by, now, &entry)) != RESULT_ALL_STAY) {
        size_t len = strlen(said);

        snprintf(said + len, sizeof said - len, fate == RESULT_GOES ? "%c " : "(%c) ",
                 entry->replica[4]);
        if (fate == RESULT_GOES) {
            result_list_remove(list, entry);
        } else {
            result_list_set(list, entry, RESULT_MADE_ROOM, 0);
        }
    }
    return said;
}

static void what_is_over_goes_the_oldest_first(void **state)
{
    struct result_list list = {0};

    (void)state;
    add(&list, 2, 20, 10);
    add(&list, 1, 10, 10);
    add(&list, 3, 30, 10);
    assert_string_equal(settle(&list, &limits, 1009), "");
    assert_int_equal(result_list_due_in(&list, &limits, 1009), 1);
    assert_string_equal(settle(&list, &limits, 1010), "1 ");
    assert_string_equal(settle(&list, &limits, 5000), "2 3 ");
    assert_int_equal(list.bytes, 0);
    assert_int_equal(result_list_due_in(&list, &limits, 5000), -1);
    result_list_fini(&list);
}

static void the_oldest_make_room_until_all_fit(void **state)
{
    struct result_list list = {0};

    (void)state;
    add(&list, 1, 10, 50);
    add(&list, 2, 20, 50);
    assert_string_equal(settle(&list, &limits, 30), "");
    add(&list, 3, 30, 60);
    assert_string_equal(settle(&list, &limits, 30), "(1) (2) ");
    assert_int_equal(list.bytes, 60);
    assert_string_equal(settle(&list, &limits, 1010),
                        "1 "); /* the note goes when its time is over */
    result_list_fini(&list);
}

static void there_are_no_more_entries_than_may_be(void **state)
{
    struct result_list list = {0};

    (void)state;
    for (unsigned i = 1; i <= 6; i++) {
        add(&list, i, i, 1);
    }
    assert_string_equal(settle(&list, &limits, 10), "1 2 ");
    result_list_fini(&list);
}

static void with_a_time_of_zero_all_goes(void **state)
{
    struct result_limits none = limits;
    struct result_list list = {0};

    (void)state;
    none.keep_ms = 0;
    add(&list, 1, 10, 1);
    assert_string_equal(settle(&list, &none, 10), "1 ");
    result_list_fini(&list);
}

static void one_of_the_future_is_kept_no_longer_than_others(void **state)
{
    struct result_entry entry = {.replica = "job-1-0-1-1-0", .at = 900000};
    struct result_list list = {0};
    char name[RESULT_NAME_MAX];

    (void)state;
    result_list_add(&list, entry, 50);
    result_entry_name(&list.entries.at[0], name);
    assert_string_equal(name, "job-1-0-1-1-0@900000"); /* on the disk it is still called so */
    assert_string_equal(settle(&list, &limits, 1049), "");
    assert_string_equal(settle(&list, &limits, 1050), "1 ");
    result_list_fini(&list);
}

/* Those from before the clock was set back are no newer than those from after. */
static void a_clock_that_is_set_back_does_not_make_the_newest_go_first(void **state)
{
    struct result_entry entry = {.state = RESULT_MEASURED, .bytes = 60};
    struct result_list list = {0};

    (void)state;
    add(&list, 1, 10, 0);
    add(&list, 2, 900000, 30);
    add(&list, 3, 900001, 30);
    snprintf(entry.replica, sizeof entry.replica, "job-4-0-1-1-0");
    entry.at = 500;
    result_list_add(&list, entry, 500);
    assert_string_equal(settle(&list, &limits, 500), "(1) (2) ");
    assert_string_equal(settle(&list, &limits, 1499), "1 ");
    assert_string_equal(settle(&list, &limits, 1500), "2 3 4 ");
    result_list_fini(&list);
}

static void add_new(struct result_list *list, unsigned job, fl_ms at)
{
    struct result_entry entry = {.at = at};

    layout_name((struct fl_attempt){.job = {job}, .n = 1, .incarnation = 1}, 0, entry.replica);
    result_list_add(list, entry, INT64_MAX);
}

static struct result_entry *find(const struct result_list *list, unsigned job)
{
    char name[LAYOUT_NAME_MAX];

    layout_name((struct fl_attempt){.job = {job}, .n = 1, .incarnation = 1}, 0, name);
    return result_list_find(list, name);
}

/* The first to be measured, by a walk through all. */
static const struct result_entry *first_new(const struct result_list *list, size_t *ret_len)
{
    const struct result_entry *first = NULL;

    *ret_len = 0;
    for (size_t i = list->entries.len; i > list->head; i--) {
        if (list->entries.at[i - 1].state != RESULT_NEW) continue;
        first = &list->entries.at[i - 1];
        ++*ret_len;
    }
    return first;
}

static void what_is_to_be_measured_is_known_through_all_changes(void **state)
{
    struct result_list list = {0};
    unsigned job = 0;

    (void)state;
    for (unsigned i = 0; i < 4000; i++) {
        struct result_entry *entry;
        size_t len;

        add_new(&list, ++job, i % 7 == 0 ? i : i + 5);
        if (i % 3 == 0) result_list_set(&list, result_list_unmeasured(&list), RESULT_MEASURED, 1);
        if (i % 4 == 0) result_list_remove(&list, result_list_oldest(&list));
        if (i % 5 == 0 && (entry = find(&list, job / 2))) result_list_remove(&list, entry);
        if (i % 6 == 0 && (entry = find(&list, job - 1))) {
            result_list_set(&list, entry, RESULT_TOO_LARGE, 0);
        }
        assert_ptr_equal(result_list_unmeasured(&list), first_new(&list, &len));
        assert_int_equal(list.unmeasured, len);
    }
    while (result_list_len(&list) > 0) {
        result_list_remove(&list, result_list_oldest(&list));
    }
    assert_int_equal(list.bytes, 0);
    assert_null(result_list_unmeasured(&list));
    result_list_fini(&list);
}

static void a_name_says_all_and_others_are_no_names(void **state)
{
    static const char *const good[] = {"job-7k-0-1-1-3@1764000000000", "job-1-0-1-1-0@5@large",
                                       "job-1-0-1-1-0@5@room"};
    static const char *const bad[] = {"",
                                      "job-1-0-1-1-0",
                                      "job-1@5",
                                      "job-1-0-1-1-0@",
                                      "job-1-0-1-1-0@5@",
                                      "job-1-0-1-1-0@5@other",
                                      "job-1-0-1-1-0@-5",
                                      "job-1-0-1-1-0@99999999999999999999",
                                      "../job-1-0-1-1-0@5",
                                      ".gone-job-1-0-1-1-0@5"};
    struct result_entry entry;
    char name[RESULT_NAME_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(result_entry_parse(good[i], &entry));
        result_entry_name(&entry, name);
        assert_string_equal(name, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(result_entry_parse(bad[i], &entry));
    }
}

static void explains(const struct result_list *list, const struct result_limits *by,
                     const char *word)
{
    struct fl_err err = {0};

    assert_false(result_list_explain(list, by, "job-1-0-1-1-0", &err));
    assert_int_equal(err.code, FL_ABSENT);
    if (!strstr(err.text, word)) fail_msg("no '%s' in '%s'", word, err.text);
}

static void what_is_not_kept_is_explained(void **state)
{
    struct result_limits by = limits;
    struct result_list list = {0};

    (void)state;
    explains(&list, &by, "ended over 1 s ago (agent setting keep_results)");
    by.keep_ms = 2 * FL_HOUR_MS;
    explains(&list, &by, "ended over 2 h ago");
    explains(&list, &by, "or over 4 newer ones are kept here");
    add(&list, 1, 10, 5);
    result_list_set(&list, &list.entries.at[0], RESULT_TOO_LARGE, 0);
    explains(&list, &by, "over 60 bytes (agent setting keep_results_job_bytes)");
    result_list_set(&list, &list.entries.at[0], RESULT_MADE_ROOM, 0);
    explains(&list, &by, "made room for newer ones");
    by.keep_ms = 0;
    explains(&list, &by, "keep_results is 0");
    result_list_fini(&list);
}

FL_TESTS(cmocka_unit_test(what_is_over_goes_the_oldest_first),
         cmocka_unit_test(the_oldest_make_room_until_all_fit),
         cmocka_unit_test(there_are_no_more_entries_than_may_be),
         cmocka_unit_test(with_a_time_of_zero_all_goes),
         cmocka_unit_test(one_of_the_future_is_kept_no_longer_than_others),
         cmocka_unit_test(a_clock_that_is_set_back_does_not_make_the_newest_go_first),
         cmocka_unit_test(what_is_to_be_measured_is_known_through_all_changes),
         cmocka_unit_test(a_name_says_all_and_others_are_no_names),
         cmocka_unit_test(what_is_not_kept_is_explained))
