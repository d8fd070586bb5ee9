#include "controlplane/api/line_range.h"

#include "tests/fl_test.h"

static void a_range_of_lines_has_a_first_line_and_perhaps_a_last(void **state)
{
    static const struct {
        const char *text;
        uint64_t first, last;
    } good[] = {
        {"lines=100-199", 100, 199},
        {"lines=0-0", 0, 0},
        {"Lines=7-", 7, UINT64_MAX},
        {"lines=0-18446744073709551615", 0, UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct line_range range;

        assert_int_equal(line_range_parse(fl_str_c(good[i].text), &range), LINE_RANGE_GIVEN);
        assert_true(range.first == good[i].first && range.last == good[i].last);
    }
}

static void another_unit_is_no_range_and_what_cannot_be_given_is_a_bad_one(void **state)
{
    static const char *const none[] = {"", "bytes=0-9", "lines", "line=0-9"};
    static const char *const bad[] = {
        "lines=",
        "lines=-5",
        "lines=5",
        "lines=2-1",
        "lines=0-1,4-5",
        "lines=+1-2",
        "lines=1- 2",
        "lines=a-b",
        "lines=1-2-3",
        "lines=18446744073709551615-",
        "lines=99999999999999999999-",
    };
    struct line_range range = {3, 4};

    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(line_range_parse(fl_str_c(none[i]), &range), LINE_RANGE_NONE);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(line_range_parse(fl_str_c(bad[i]), &range), LINE_RANGE_BAD);
    }
    assert_true(range.first == 3 && range.last == 4);
}

static struct log_line piece(uint32_t replica, bool is_begin, bool is_end)
{
    return (struct log_line){.replica = replica, .is_begin = is_begin, .is_end = is_end};
}

static void
pieces_of_long_lines_of_two_outputs_are_told_apart_and_the_cut_is_between_lines(void **state)
{
    /* Lines of replicas 0 and 1 in pieces, the third line is not in it. */
    const struct log_line pieces[] = {piece(0, true, false),  piece(1, true, false),
                                      piece(0, false, false), piece(0, false, true),
                                      piece(0, true, true),   piece(1, false, true)};
    static const bool is_in[] = {true, true, true, true, false, true};
    struct line_cut cut = {.lines_max = 2};
    size_t bytes = 0;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        assert_false(line_cut_is_done(&cut));
        assert_int_equal(cut.whole_lines, 0);
        assert_int_equal(line_cut_has(&cut, &pieces[i]), is_in[i]);
        if (is_in[i]) line_cut_mark(&cut, bytes += 10);
    }
    assert_true(line_cut_is_done(&cut));
    assert_int_equal(cut.whole_lines, 2);
    assert_int_equal(cut.whole_bytes, 50);
    line_cut_fini(&cut);
}

static void what_is_given_ends_with_the_last_line_that_is_whole(void **state)
{
    const struct log_line first = piece(0, true, true), second = piece(0, true, false);
    struct line_cut cut = {.lines_max = 3};

    (void)state;
    assert_true(line_cut_has(&cut, &first));
    line_cut_mark(&cut, 5);
    assert_true(line_cut_has(&cut, &second));
    line_cut_mark(&cut, 9);
    assert_false(line_cut_is_done(&cut));
    assert_int_equal(cut.whole_lines, 1);
    assert_int_equal(cut.whole_bytes, 5);
    line_cut_fini(&cut);
}

static void a_gap_is_all_the_lines_that_are_missing_in_it(void **state)
{
    struct line_cut cut = {.lines_max = 10};
    struct log_line gap = piece(0, true, true);
    const struct log_line line = piece(0, true, true);

    (void)state;
    gap.gap = FL_LOG_GAP_limit;
    gap.gap_lines = 8;
    assert_true(line_cut_has(&cut, &line));
    line_cut_mark(&cut, 10);
    assert_true(line_cut_has(&cut, &gap));
    line_cut_mark(&cut, 20);
    assert_int_equal(cut.whole_lines, 9);
    gap.gap_lines = 1000; /* more than the range has room for: it ends in the gap */
    assert_true(line_cut_has(&cut, &gap));
    line_cut_mark(&cut, 30);
    assert_int_equal(cut.whole_lines, 10);
    assert_true(line_cut_is_done(&cut));
    assert_false(line_cut_has(&cut, &line));
    line_cut_fini(&cut);
}

FL_TESTS(cmocka_unit_test(a_range_of_lines_has_a_first_line_and_perhaps_a_last),
         cmocka_unit_test(another_unit_is_no_range_and_what_cannot_be_given_is_a_bad_one),
         cmocka_unit_test(
             pieces_of_long_lines_of_two_outputs_are_told_apart_and_the_cut_is_between_lines),
         cmocka_unit_test(what_is_given_ends_with_the_last_line_that_is_whole),
         cmocka_unit_test(a_gap_is_all_the_lines_that_are_missing_in_it))
