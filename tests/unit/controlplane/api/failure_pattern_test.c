#include "controlplane/api/failure_pattern.h"

#include "tests/fl_test.h"

static char text[FAILURE_PATTERN_BYTES_MAX + 1];

static const char *pattern(const char *line)
{
    struct fl_str made = failure_pattern(fl_str_c(line), text);

    assert_ptr_equal(made.at, text);
    assert_int_equal(strlen(text), made.len);
    assert_true(fl_str_is_utf8(made));
    return text;
}

static void what_differs_becomes_a_placeholder(void **state)
{
    static const struct {
        const char *line, *pattern;
    } cases[] = {
        {"ValueError: bad row 17", "ValueError: bad row <n>"},
        {"part-00012 of rank3 took 0.25s, 1e-05 left of 1,024",
         "part-<n> of rank<n> took <n>s, <n> left of <n>"},
        {"at 0x7f3a9c, digest 9f86d081884c7d65", "at <hex>, digest <hex>"},
        {"run 123e4567-e89b-12d3-a456-426614174000 is gone", "run <uuid> is gone"},
        {"2026-01-31T09:00:00.123Z no", "<time> no"},
        {"2026-01-31 09:00:00,5 no", "<time> no"},
        {"[2026/01/31 09:00:00+01:00] no", "[<time>] no"},
        {"09:15:00 no", "<time> no"},
        {"since 2026-01-31, no", "since <time>, no"},
        {"connect to 10.1.2.3:8080: refused", "connect to <addr>: refused"},
        {"connect to [fe80::1]:80", "connect to [<addr>]:<n>"},
        {"card 00:1b:44:11:3a:b7 down", "card <addr> down"},
        {"File \"/a/b-7.py\", line 3", "File \"<path>\", line <n>"},
        {"cannot open ../in/x.csv: no such file", "cannot open <path>: no such file"},
        {"cannot open ~/x.", "cannot open <path>."},
        {"GET http://h:80/a/b?c=1: 503", "GET <url>: <n>"},
        {"no s3://bucket/key-7.", "no <url>."},
        {"  two   blanks ", "two blanks"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(pattern(cases[i].line), cases[i].pattern);
    }
}

static void words_stay_as_they_are(void **state)
{
    static const char *const lines[] = {
        "KeyError: 'lr'",
        "n/a and/or none: a/b",
        "std::bad_alloc of c::d",
        "facade, decade and defaced",
        "\xe5\xa4\xb1\xe6\x95\x97: \xc3\xa4",
        "sh: train: not found",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_string_equal(pattern(lines[i]), lines[i]);
    }
}

static void a_long_pattern_is_cut_between_two_characters(void **state)
{
    char line[601];

    (void)state;
    for (size_t i = 0; i < 600; i++) {
        line[i] = i % 2 ? ' ' : '7';
    }
    line[600] = '\0';
    assert_true(strlen(pattern(line)) <= FAILURE_PATTERN_BYTES_MAX);
    memset(line, 'x', 600);
    memcpy(line + FAILURE_PATTERN_BYTES_MAX - 1, "\xc3\xa4", 2);
    assert_int_equal(strlen(pattern(line)), FAILURE_PATTERN_BYTES_MAX - 1);
}

static void any_bytes_have_a_pattern(void **state)
{
    static const char parts[] = "0fF:.-/~T Z,+x\"'[e9\xc3\xa4@";
    char line[60];
    uint32_t n = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t len = 0;

        for (; len < sizeof line; len++) {
            n = n * 1664525 + 1013904223;
            line[len] = parts[(n >> 16) % (sizeof parts - 1)];
        }
        (void)failure_pattern((struct fl_str){line, len}, text);
    }
}

FL_TESTS(cmocka_unit_test(what_differs_becomes_a_placeholder),
         cmocka_unit_test(words_stay_as_they_are),
         cmocka_unit_test(a_long_pattern_is_cut_between_two_characters),
         cmocka_unit_test(any_bytes_have_a_pattern))
