#include "controlplane/logs/pattern.h"

#include <inttypes.h>

#include "shared/base/alloc.h"
#include "tests/fl_test.h"

enum { LONG_BYTES = 32 << 10 };

static struct log_pattern *pattern(const char *text, const char *flags)
{
    struct log_pattern_text wanted = {.text = fl_str_c(text),
                                      .is_regex = strchr(flags, 'E') != NULL,
                                      .ignores_case = strchr(flags, 'i') != NULL,
                                      .is_inverted = strchr(flags, 'v') != NULL};
    struct fl_err err = {0};
    struct log_pattern *made = log_pattern_create(&wanted, &err);

    if (!made) fail_msg("%s: %s", text, err.text);
    return made;
}

static enum log_verdict verdict(const char *text, const char *flags, struct fl_str line)
{
    struct log_pattern *made = pattern(text, flags);
    struct log_subject subject = {line, true, true};
    enum log_verdict found = log_pattern_match(made, &subject);

    log_pattern_destroy(made);
    return found;
}

static void check(const char *text, const char *flags, const char *line, bool is_hit)
{
    if (verdict(text, flags, fl_str_c(line)) != (is_hit ? LOG_HIT : LOG_MISS)) {
        fail_msg("'%s' with '%s' in '%s'", text, flags, line);
    }
}

static void a_text_is_found_as_it_stands(void **state)
{
    (void)state;
    check("a.c", "", "xx a.c\n", true);
    check("a.c", "", "abc\n", false);
    check("Err", "", "err\n", false);
    check("Err", "i", "an ERROR\n", true);
    check("a.c", "i", "ABC\n", false);
    check("\xc3\xa4", "i", "\xc3\x84rger\n", true);
    check("x", "", "", false);
    check("x", "", "\n", false);
}

static void a_regular_expression_matches_within_the_line_without_its_end(void **state)
{
    (void)state;
    check("epoch \\d+$", "E", "an epoch 12\n", true);
    check("epoch \\d+$", "E", "an epoch 12\r\n", true);
    check("epoch \\d+$", "E", "epoch 12.\n", false);
    check("^$", "E", "\n", true);
    check("^$", "E", "", true);
    check("a\\nb", "E", "a\n", false);
    check("^x.y$", "E", "x\xc3\xa9y\n", true); /* a sign, not a byte */
    check("ERR|WARN", "Ei", "a warning\n", true);
    check("(?<!x)y", "E", "xy\n", false);
}

static void inverted_the_other_lines_are_the_hits(void **state)
{
    (void)state;
    check("a", "v", "abc\n", false);
    check("a", "v", "xyz\n", true);
    check("^a", "Ev", "ba\n", true);
    check("A", "iv", "ba\n", false);
}

static void bytes_that_are_no_text_are_searched_through(void **state)
{
    static const char nasty[] = "one \0 two \xff\xfe three\n";
    struct fl_str line = {nasty, sizeof nasty - 1};

    (void)state;
    assert_int_equal(verdict("three$", "E", line), LOG_HIT);
    assert_int_equal(verdict("two", "", line), LOG_HIT);
    assert_int_equal(verdict("TWO", "i", line), LOG_HIT);
    assert_int_equal(verdict("two .+three", "E", line), LOG_MISS); /* a dot is a sign */
}

static void a_piece_of_a_line_has_no_beginning_or_end_of_it(void **state)
{
    struct log_pattern *begin = pattern("^b", "E"), *end = pattern("b$", "E");
    struct log_subject piece = {fl_str_c("b"), false, false};

    (void)state;
    assert_int_equal(log_pattern_match(begin, &piece), LOG_MISS);
    assert_int_equal(log_pattern_match(end, &piece), LOG_MISS);
    piece.is_begin = piece.is_end = true;
    assert_int_equal(log_pattern_match(begin, &piece), LOG_HIT);
    assert_int_equal(log_pattern_match(end, &piece), LOG_HIT);
    log_pattern_destroy(begin);
    log_pattern_destroy(end);
}

static struct log_passed pass(const char *text, const char *flags, const char *lines)
{
    struct log_pattern *made = pattern(text, flags);
    struct log_passed passed = log_pattern_pass(made, fl_str_c(lines), INT64_MAX);

    log_pattern_destroy(made);
    return passed;
}

static void behind_its_time_it_passes_over_one_line_of_an_expression(void **state)
{
    struct log_pattern *regex = pattern("x", "E"), *text = pattern("x", "");
    struct fl_str lines = FL_STR("a\nb\nc\n");

    (void)state;
    assert_int_equal(log_pattern_pass(regex, lines, 0).lines, 1);
    assert_int_equal(log_pattern_pass(regex, lines, INT64_MAX).lines, 3);
    assert_int_equal(log_pattern_pass(text, lines, 0).lines, 3); /* a text takes no time */
    assert_true(log_pattern_is_costly(regex) && !log_pattern_is_costly(text));
    log_pattern_destroy(regex);
    log_pattern_destroy(text);
}

static void whole_lines_that_do_not_match_are_passed_over(void **state)
{
    static const char *const flags[] = {"", "E", "i"};
    struct log_passed passed;

    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        passed = pass("x", flags[i], "a\n\nbx\nc\n");
        assert_true(passed.bytes == 3 && passed.lines == 2);
        passed = pass("x", flags[i], "a\nb\nc");
        assert_true(passed.bytes == 4 && passed.lines == 2 && !passed.has_verdict);
        passed = pass("x", flags[i], "x\na\n");
        assert_true(passed.bytes == 0 && passed.lines == 0);
        passed = pass("x", flags[i], "");
        assert_true(passed.bytes == 0 && !passed.has_verdict);
    }
    passed = pass("x", "E", "a\nx\n");
    assert_true(passed.has_verdict && passed.verdict == LOG_HIT);
    passed = pass("x", "v", "xa\nbx\nc\n");
    assert_true(passed.bytes == 6 && passed.has_verdict && passed.verdict == LOG_HIT);
    passed = pass("(a+)+$", "E", "b\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
    assert_true(passed.bytes == 2 && passed.verdict == LOG_UNDECIDED);
}

static void spans(const char *text, const char *flags, const char *line, const char *wanted)
{
    struct log_pattern *made = pattern(text, flags);
    struct log_subject subject = {fl_str_c(line), true, true};
    struct log_spans found;
    char told[256] = "";
    size_t len = 0;

    log_pattern_spans(made, &subject, &found);
    for (size_t i = 0; i < found.len; i++) {
        len += (size_t)snprintf(told + len, sizeof told - len, "%" PRIu32 "-%" PRIu32 " ",
                                found.at[i].begin, found.at[i].end);
    }
    assert_string_equal(told, wanted);
    log_pattern_destroy(made);
}

static void matches_tell_their_places_in_bytes(void **state)
{
    (void)state;
    spans("ab", "", "ab abab\n", "0-2 3-5 5-7 ");
    spans("\\d+", "E", "\xc3\xa4 12, 345\n", "3-5 7-10 ");
    spans("x*", "E", "axxb\xc3\xa4x\n", "1-3 6-7 "); /* empty matches are no places */
    spans("$", "E", "ab\n", "");
    spans("AB", "i", "xab\n", "1-3 ");
    spans("zz", "v", "ab\n", "");
    spans("a\\Kb", "E", "ab ab\n", "1-2 4-5 ");
}

static void of_many_matches_the_first_are_told(void **state)
{
    struct log_pattern *made = pattern("a", "E");
    struct log_subject subject = {{NULL, 2000}, true, true};
    struct log_spans found;
    char *line = fl_alloc(2000);

    (void)state;
    memset(line, 'a', 2000);
    subject.bytes.at = line;
    log_pattern_spans(made, &subject, &found);
    assert_int_equal(found.len, LOG_SPANS_MAX);
    assert_int_equal(found.at[LOG_SPANS_MAX - 1].end, LOG_SPANS_MAX);
    log_pattern_destroy(made);
    fl_free(line);
}

static void refused(const char *text, const char *why)
{
    struct log_pattern_text wanted = {.text = fl_str_c(text), .is_regex = true};
    struct fl_err err = {0};

    if (log_pattern_create(&wanted, &err)) fail_msg("'%s' was taken", text);
    assert_int_equal(err.code, FL_INVALID);
    if (!strstr(err.text, why)) fail_msg("'%s': %s", text, err.text);
}

static void what_is_no_pattern_is_refused_with_the_place(void **state)
{
    char deep[LOG_PATTERN_BYTES_MAX + 1] = {0};

    (void)state;
    refused("a(b", "parenthesis, at byte 3");
    refused("[z-a]", "range out of order");
    refused("(?<=a+)b", "lookbehind");
    refused("a\\Cb", "\\C");
    refused("\xff", "UTF-8");
    memset(deep, '(', 60);
    memset(deep + 60, ')', 60);
    refused(deep, "nested");
}

static void limits_of_the_pattern_itself_may_only_be_lower(void **state)
{
    (void)state;
    refused("(*LIMIT_MATCH=99999999999999)a", "at byte");
    check("(*LIMIT_MATCH=4000000000)a", "E", "a\n", true);
    check("(*NO_JIT)^a+$", "E", "aaa\n", true);
    check("(*UTF)(*UCP)\\w", "E", "a\n", true);
}

/* Machine code and interpreter have the same limits. */
static void a_match_that_takes_too_long_is_undecided(void **state)
{
    static const char *const endless[] = {"(a+)+$", "(*NO_JIT)(a+)+$", "(a|aa)+$",
                                          "(*LIMIT_MATCH=4000000000)(a+)+$", "^(a?){30}a{30}[bc]"};
    char *line = fl_alloc(LONG_BYTES);

    (void)state;
    memset(line, 'a', LONG_BYTES);
    line[59] = line[LONG_BYTES - 1] = '!';
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        enum log_verdict brief = verdict(endless[i], "E", (struct fl_str){line, 60});

        if (brief != LOG_UNDECIDED) fail_msg("%s: %d", endless[i], (int)brief);
    }
    assert_int_equal(verdict("(a+)+$", "E", (struct fl_str){line, LONG_BYTES}), LOG_UNDECIDED);
    assert_int_equal(verdict("(a+)+$", "Ev", (struct fl_str){line, LONG_BYTES}), LOG_UNDECIDED);
    assert_int_not_equal(verdict("(?:.|x)+(?R)?y", "E", (struct fl_str){line, LONG_BYTES}),
                         LOG_HIT);
    assert_int_equal(verdict("!$", "E", (struct fl_str){line, LONG_BYTES}), LOG_HIT);
    fl_free(line);
}

FL_TESTS(cmocka_unit_test(a_text_is_found_as_it_stands),
         cmocka_unit_test(a_regular_expression_matches_within_the_line_without_its_end),
         cmocka_unit_test(inverted_the_other_lines_are_the_hits),
         cmocka_unit_test(bytes_that_are_no_text_are_searched_through),
         cmocka_unit_test(a_piece_of_a_line_has_no_beginning_or_end_of_it),
         cmocka_unit_test(whole_lines_that_do_not_match_are_passed_over),
         cmocka_unit_test(behind_its_time_it_passes_over_one_line_of_an_expression),
         cmocka_unit_test(matches_tell_their_places_in_bytes),
         cmocka_unit_test(of_many_matches_the_first_are_told),
         cmocka_unit_test(what_is_no_pattern_is_refused_with_the_place),
         cmocka_unit_test(limits_of_the_pattern_itself_may_only_be_lower),
         cmocka_unit_test(a_match_that_takes_too_long_is_undecided))
