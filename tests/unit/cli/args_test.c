#include "cli/args.h"

#include <stdio.h>

#include "tests/fl_test.h"

enum { WORDS_MAX = 16 };

/* Cuts at single blanks; the words live as long as 'line'. */
static bool parse(char *line, struct fl_arena *arena, struct cli_args *args, struct fl_err *err)
{
    static const char *words[WORDS_MAX];
    int len = 0;

    for (char *word = strtok(line, " "); word && len < WORDS_MAX; word = strtok(NULL, " ")) {
        words[len++] = word;
    }
    return cli_args_parse(len, words, arena, args, err);
}

static void flags_stand_anywhere_before_the_command(void **state)
{
    char line[] = "fairlead -q ml run --gpus=8 -e A=1 --env B=2 -dn train -- python --help";
    struct fl_arena arena = {0};
    struct cli_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(parse(line, &arena, &args, &err));
    assert_string_equal(args.verb->words, "run");
    assert_string_equal(cli_value(&args, CLI_OPT_queue), "ml");
    assert_string_equal(cli_value(&args, CLI_OPT_gpus), "8");
    assert_string_equal(cli_value(&args, CLI_OPT_name), "train");
    assert_true(cli_has(&args, CLI_OPT_detach));
    assert_int_equal(args.values[CLI_OPT_env].len, 2);
    assert_string_equal(args.values[CLI_OPT_env].at[1], "B=2");
    assert_int_equal(args.command_len, 2);
    assert_string_equal(args.command[1], "--help");
    fl_arena_fini(&arena);
}

static void a_command_may_begin_without_dashes(void **state)
{
    static const struct {
        const char *line;
        size_t words, command;
    } cases[] = {
        {"fairlead run python -c 1", 0, 3},    {"fairlead run -d python --help", 0, 2},
        {"fairlead run -- -x", 0, 1},          {"fairlead exec -i job-1 ls -l", 1, 2},
        {"fairlead exec job-1 -- ls", 1, 1},   {"fairlead exec -- ls", 0, 1},
        {"fairlead cancel job-1 job-2", 2, 0},
    };
    struct fl_arena arena = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[64];
        struct cli_args args;
        struct fl_err err = {0};

        snprintf(line, sizeof line, "%s", cases[i].line);
        assert_true(parse(line, &arena, &args, &err));
        assert_int_equal(args.words.len, cases[i].words);
        assert_int_equal(args.command_len, cases[i].command);
    }
    fl_arena_fini(&arena);
}

static void a_dry_run_takes_the_word_of_kubectl_and_no_other(void **state)
{
    char line[] = "fairlead submit --dry-run=server f",
         other[] = "fairlead submit --dry-run=client f";
    struct fl_arena arena = {0};
    struct cli_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(parse(line, &arena, &args, &err));
    assert_true(cli_has(&args, CLI_OPT_dry_run));
    assert_false(parse(other, &arena, &args, &err));
    assert_string_equal(err.text, "--dry-run takes no value");
    fl_arena_fini(&arena);
}

static void a_verb_of_two_words_takes_what_follows(void **state)
{
    char line[] = "fairlead cluster join --ttl 1h east";
    struct fl_arena arena = {0};
    struct cli_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(parse(line, &arena, &args, &err));
    assert_string_equal(args.verb->words, "cluster join");
    assert_int_equal(args.words.len, 1);
    assert_string_equal(args.words.at[0], "east");
    fl_arena_fini(&arena);
}

static void what_is_not_there_is_refused_with_what_was_meant(void **state)
{
    static const struct {
        const char *line, *text;
    } cases[] = {
        {"fairlead submitt x", "no verb 'submitt'; did you mean 'submit'?"},
        {"fairlead cluster jion", "no verb 'cluster jion'; did you mean 'cluster join'?"},
        {"fairlead cluster", "'cluster' wants one more word; see 'fairlead help cluster'"},
        {"fairlead run --replcas 4", "no flag --replcas here; did you mean --replicas?"},
        {"fairlead ps --gpus 4", "no flag --gpus here; see 'fairlead help ps'"},
        {"fairlead ps -Z", "no flag -Z here; see 'fairlead help ps'"},
        {"fairlead run --queue", "--queue wants a value: --queue QUEUE"},
        {"fairlead run -q", "-q wants a value: -q QUEUE"},
        {"fairlead run --detach=1", "--detach takes no value"},
        {"fairlead run -q a -q b", "--queue is given twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fl_arena arena = {0};
        struct cli_args args;
        struct fl_err err = {0};
        char line[128];

        snprintf(line, sizeof line, "%s", cases[i].line);
        assert_false(parse(line, &arena, &args, &err));
        assert_string_equal(err.text, cases[i].text);
        fl_arena_fini(&arena);
    }
}

static void lines_of_a_script_are_flags_and_the_command_line_wins(void **state)
{
    char line[] = "fairlead run --script job.sh -q urgent";
    struct fl_arena arena = {0};
    struct cli_args args;
    struct fl_err err = {0};

    (void)state;
    assert_true(parse(line, &arena, &args, &err));
    assert_true(
        cli_args_script(&args,
                        "#!/bin/sh\n#FAIRLEAD -q ml --replicas 4\n#FAIRLEAD --name \"a b\"\n"
                        "#FAIRLEADER no\necho hello\n",
                        &arena, &err));
    assert_string_equal(cli_value(&args, CLI_OPT_queue), "urgent");
    assert_string_equal(cli_value(&args, CLI_OPT_replicas), "4");
    assert_string_equal(cli_value(&args, CLI_OPT_name), "a b");
    assert_false(cli_args_script(&args, "\n#FAIRLEAD --gpu\n", &arena, &err));
    assert_string_equal(err.text, "line 2: no flag --gpu here; did you mean --gpus?");
    assert_false(cli_args_script(&args, "#FAIRLEAD python\n", &arena, &err));
    assert_string_equal(err.text, "line 1: 'python' is no flag: a #FAIRLEAD line holds flags only");
    assert_false(cli_args_script(&args, "#FAIRLEAD -n 'a\n", &arena, &err));
    assert_string_equal(err.text, "line 1: a quote is not closed");
    fl_arena_fini(&arena);
}

static void times_are_read_as_people_write_them(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"90", 90000},      {"90s", 90000},    {"30m", 1800000},
                {"1h30m", 5400000}, {"2d", 172800000}, {"0", 0}};
    static const char *const bad[] = {"", "s", "1w", "-1", "1h-3m", "1.5h", "99999999999"};
    int64_t ms;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(cli_duration(good[i].text, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(cli_duration(bad[i], &ms));
    }
}

static void lists_of_numbers_ascend(void **state)
{
    static const char *const bad[] = {"",   "a",  "3-1",      "1,1",     "2,1", "1,",
                                      "1-", "-1", "16777216", "0-70000", "1 2"};
    struct fl_arena arena = {0};
    struct fl_err err = {0};
    uint32_t *at;
    size_t len;

    (void)state;
    assert_true(cli_numbers("0-2,7", &arena, &at, &len, &err));
    assert_int_equal(len, 4);
    assert_int_equal(at[2], 2);
    assert_int_equal(at[3], 7);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(cli_numbers(bad[i], &arena, &at, &len, &err));
    }
    fl_arena_fini(&arena);
}

FL_TESTS(cmocka_unit_test(flags_stand_anywhere_before_the_command),
         cmocka_unit_test(a_command_may_begin_without_dashes),
         cmocka_unit_test(a_dry_run_takes_the_word_of_kubectl_and_no_other),
         cmocka_unit_test(a_verb_of_two_words_takes_what_follows),
         cmocka_unit_test(what_is_not_there_is_refused_with_what_was_meant),
         cmocka_unit_test(lines_of_a_script_are_flags_and_the_command_line_wins),
         cmocka_unit_test(times_are_read_as_people_write_them),
         cmocka_unit_test(lists_of_numbers_ascend))
