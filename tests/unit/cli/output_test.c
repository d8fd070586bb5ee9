#include "cli/output.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/fl_test.h"

static void spans_bytes_and_times_are_short_and_exact(void **state)
{
    struct cli cli = {0};

    (void)state;
    assert_string_equal(cli_ago(&cli, -5), "0s");
    assert_string_equal(cli_ago(&cli, 59999), "59s");
    assert_string_equal(cli_ago(&cli, 41 * 60000 + 7000), "41m7s");
    assert_string_equal(cli_ago(&cli, 3600000 * 25), "1d1h");
    assert_string_equal(cli_bytes(&cli, 512), "512 B");
    assert_string_equal(cli_bytes(&cli, 1536), "1.5 KiB");
    assert_string_equal(cli_bytes(&cli, (uint64_t)16 << 30), "16 GiB");
    assert_string_equal(cli_time(&cli, 1767322800123), "2026-01-02T03:00:00.123Z");
    assert_int_equal(cli_parse_time("2026-01-02T03:00:00.123Z"), 1767322800123);
    assert_int_equal(cli_parse_time("2026-01-02T03:00:00Z"), 1767322800000);
    assert_int_equal(cli_parse_time("2026-01-02 03:00"), -1);
    assert_int_equal(cli_parse_time(""), -1);
    fl_arena_fini(&cli.arena);
}

static void times_are_in_the_zone_of_the_machine_or_in_utc(void **state)
{
    static const char time[] = "2026-07-31T22:30:00.123Z";
    const char *switched[] = {"fairlead", "ps", "--utc"};
    struct cli cli = {0};
    struct fl_err err = {0};

    (void)state;
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    assert_string_equal(cli_when(&cli, time), "2026-08-01 00:30:00 CEST");
    assert_string_equal(cli_instant(&cli, time), "2026-08-01T00:30:00.123+02:00");
    assert_string_equal(cli_when(&cli, "a\033b"), "a?b");
    assert_string_equal(cli_when(&cli, ""), "");
    setenv("TZ", "America/St_Johns", 1);
    tzset();
    assert_string_equal(cli_instant(&cli, time), "2026-07-31T20:00:00.123-02:30");
    assert_true(cli_args_parse(3, switched, &cli.arena, &cli.args, &err));
    assert_string_equal(cli_when(&cli, time), "2026-07-31 22:30:00 UTC");
    assert_string_equal(cli_instant(&cli, time), time);
    unsetenv("TZ");
    tzset();
    fl_arena_fini(&cli.arena);
}

/* The text on stdout, as on a terminal. */
static void log_on_terminal(const char *bytes, size_t len, bool is_raw, bool has_color, char *ret,
                            size_t max)
{
    struct cli cli = {.is_tty = true, .has_color = has_color};
    int pipe_fds[2], kept = dup(STDOUT_FILENO);
    ssize_t got;

    assert_int_equal(pipe(pipe_fds), 0);
    fflush(stdout);
    dup2(pipe_fds[1], STDOUT_FILENO);
    cli_log_write(&cli, bytes, len, is_raw);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(pipe_fds[1]);
    got = read(pipe_fds[0], ret, max - 1);
    close(pipe_fds[0]);
    ret[got > 0 ? got : 0] = 0;
}

static void a_terminal_gets_no_control_characters_but_colour(void **state)
{
    static const char evil[] = "a\033[31mred\033[0m\033]0;title\007\033[2J\x9b"
                               "1m\xc2\x9b"
                               "2J\b\tb\n";
    char got[128];

    (void)state;
    log_on_terminal(evil, sizeof evil - 1, false, true, got, sizeof got);
    assert_string_equal(got, "a\033[31mred\033[0m?]0;title??[2J\x9b"
                             "1m?2J?\tb\n");
    log_on_terminal(evil, sizeof evil - 1, false, false, got, sizeof got);
    assert_string_equal(got, "ared?]0;title??[2J\x9b"
                             "1m?2J?\tb\n");
    log_on_terminal(evil, sizeof evil - 1, true, false, got, sizeof got);
    assert_memory_equal(got, evil, sizeof evil - 1);
}

FL_TESTS(cmocka_unit_test(spans_bytes_and_times_are_short_and_exact),
         cmocka_unit_test(times_are_in_the_zone_of_the_machine_or_in_utc),
         cmocka_unit_test(a_terminal_gets_no_control_characters_but_colour))
