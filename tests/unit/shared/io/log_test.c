#include "shared/io/log.h"

#include <poll.h>

#include "tests/fl_test.h"

/* Lines go into a pipe, from which the tests read them. */
struct pipe_log {
    int read_fd, write_fd;
    char text[8192];
};

static struct pipe_log open_pipe(void)
{
    struct pipe_log log = {.read_fd = -1};
    struct fl_err err = {0};
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    log.read_fd = ends[0];
    log.write_fd = ends[1];
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    fl_log_open(&(struct fl_log_config){.fd = ends[1]});
    assert_true(fl_log_set_levels(FL_STR("info"), &err));
    return log;
}

static const char *read_log(struct pipe_log *log)
{
    ssize_t got = read(log->read_fd, log->text, sizeof log->text - 1);

    log->text[got > 0 ? got : 0] = '\0';
    return log->text;
}

static void close_pipe(struct pipe_log *log)
{
    fl_log_open(&(struct fl_log_config){.fd = STDERR_FILENO});
    close(log->read_fd);
    close(log->write_fd);
}

static void one_event_is_one_line_of_fields(void **state)
{
    struct pipe_log log = open_pipe();
    struct fl_err err = {.code = FL_IO, .text = "no route"};

    (void)state;
    fl_log(FL_LOG_WARN, "tunnel", "agent_lost", FL_LOG_N("cluster", 12), FL_LOG_I("skew_ms", -3),
           FL_LOG_S("peer", "10.0.0.7:4431"), FL_LOG_ERR(&err));
    assert_string_equal(read_log(&log),
                        "level=warn mod=tunnel event=agent_lost cluster=12 skew_ms=-3 "
                        "peer=10.0.0.7:4431 error=\"no route\"\n");
    fl_log(FL_LOG_INFO, "main", "started");
    assert_string_equal(read_log(&log), "level=info mod=main event=started\n");
    close_pipe(&log);
}

static void values_from_outside_break_no_line_and_no_terminal(void **state)
{
    static const struct {
        const char *value, *written;
    } rows[] = {
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"a=b", "\"a=b\""},
        {"x\nlevel=error mod=core", "\"x\\nlevel=error mod=core\""},
        {"\"\\", "\"\\\"\\\\\""},
        {"\x1b[31m\r\t\x7f", "\"\\x1b[31m\\x0d\\x09\\x7f\""},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xc2\x9b", "\"\\xc2\\x9b\""}, /* CSI in one character */
        {"\xff\xc3", "\"\\xff\\xc3\""},
    };
    struct pipe_log log = open_pipe();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char event[16], expected[256];

        snprintf(event, sizeof event, "value%zu", i);
        snprintf(expected, sizeof expected, "level=info mod=test event=%s v=%s\n", event,
                 rows[i].written);
        fl_log(FL_LOG_INFO, "test", event, FL_LOG_S("v", rows[i].value));
        assert_string_equal(read_log(&log), expected);
    }
    close_pipe(&log);
}

static void values_and_lines_are_cut(void **state)
{
    struct pipe_log log = open_pipe();
    char big[3000];
    const char *line;

    (void)state;
    memset(big, 'x', sizeof big);
    fl_log(FL_LOG_INFO, "test", "big", FL_LOG_STR("v", ((struct fl_str){big, sizeof big})));
    line = read_log(&log);
    assert_int_equal(strlen(line),
                     strlen("level=info mod=test event=big v=...\n") + FL_LOG_VALUE_MAX);
    fl_log(FL_LOG_INFO, "test", "bigger", FL_LOG_STR("a", ((struct fl_str){big, 1000})),
           FL_LOG_STR("b", ((struct fl_str){big, 1000})),
           FL_LOG_STR("c", ((struct fl_str){big, 1000})),
           FL_LOG_STR("d", ((struct fl_str){big, 1000})),
           FL_LOG_STR("e", ((struct fl_str){big, 1000})));
    line = read_log(&log);
    assert_int_equal(strlen(line), FL_LOG_LINE_MAX);
    assert_int_equal(line[FL_LOG_LINE_MAX - 1], '\n');
    close_pipe(&log);
}

static int evaluated;

static const char *evaluate(void)
{
    evaluated++;
    return "x";
}

static void levels_are_set_by_module_at_run_time(void **state)
{
    static const char *const bad[] = {"loud",    "info,,warn",  "info,warn",      "=info",
                                      "tunnel=", "tunnel=loud", "info=debug=warn"};
    struct pipe_log log = open_pipe();
    struct fl_err err = {0};

    (void)state;
    evaluated = 0;
    fl_log(FL_LOG_DEBUG, "tunnel", "frame", FL_LOG_S("v", evaluate()));
    assert_int_equal(evaluated, 0);
    assert_true(fl_log_set_levels(FL_STR("warn,tunnel=debug"), &err));
    fl_log(FL_LOG_DEBUG, "tunnel", "frame", FL_LOG_S("v", evaluate()));
    fl_log(FL_LOG_INFO, "http", "request", FL_LOG_S("v", evaluate()));
    assert_int_equal(evaluated, 1);
    assert_string_equal(read_log(&log), "level=debug mod=tunnel event=frame v=x\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(fl_log_set_levels(fl_str_c(bad[i]), &err));
        assert_int_equal(err.code, FL_INVALID);
    }
    assert_true(fl_log_is_on(FL_LOG_DEBUG, "tunnel")); /* a refused text changes nothing */
    assert_false(fl_log_is_on(FL_LOG_INFO, "http"));
    close_pipe(&log);
}

static void what_repeats_says_that_it_goes_quiet_and_does(void **state)
{
    struct pipe_log log = open_pipe();
    struct fl_err err = {0};
    uint64_t suppressed = fl_log_counts().suppressed;
    const char *text;
    size_t lines = 0;

    (void)state;
    for (int i = 0; i < 3 * FL_LOG_REPEATS_MAX; i++) {
        fl_log(FL_LOG_WARN, "test", "flood");
        fl_log(FL_LOG_WARN, "test", i == 0 ? "other" : "flood");
    }
    text = read_log(&log);
    for (const char *at = text; (at = strstr(at, "event=flood")); at++) {
        lines++;
    }
    /* A window may end during the loop on a very slow machine, but not often. */
    assert_true(lines >= FL_LOG_REPEATS_MAX && lines < 3 * FL_LOG_REPEATS_MAX);
    assert_non_null(strstr(text, "quiet_ms="));
    assert_non_null(strstr(text, "event=other\n"));
    assert_true(fl_log_counts().suppressed > suppressed);
    assert_true(fl_log_set_levels(FL_STR("debug"), &err));
    for (int i = 0; i < 2 * FL_LOG_REPEATS_MAX; i++) {
        fl_log(FL_LOG_DEBUG, "test", "detail");
    }
    text = read_log(&log);
    lines = 0;
    for (const char *at = text; (at = strstr(at, "event=detail\n")); at++) {
        lines++;
    }
    assert_int_equal(lines, 2 * FL_LOG_REPEATS_MAX);
    close_pipe(&log);
}

static void a_reader_that_does_not_read_loses_lines_and_is_told_how_many(void **state)
{
    struct pipe_log log = open_pipe();
    struct fl_err err = {0};
    uint64_t dropped = fl_log_counts().dropped;
    char value[1000], expected[64];

    (void)state;
    assert_true(fl_log_set_levels(FL_STR("debug"), &err));
    memset(value, 'x', sizeof value);
    while (fl_log_counts().dropped < dropped + 7) {
        fl_log(FL_LOG_DEBUG, "test", "fill",
               FL_LOG_STR("v", ((struct fl_str){value, sizeof value})));
    }
    while (read_log(&log)[0]) {
    }
    fl_log(FL_LOG_INFO, "test", "again");
    snprintf(expected, sizeof expected, "level=info mod=test event=again dropped=%d\n", 7);
    assert_string_equal(read_log(&log), expected);
    close_pipe(&log);
}

static void a_line_may_begin_with_the_time(void **state)
{
    struct pipe_log log = open_pipe();
    const char *line;

    (void)state;
    fl_log_open(&(struct fl_log_config){.fd = log.write_fd, .has_time = true});
    fl_log(FL_LOG_INFO, "test", "timed");
    line = read_log(&log);
    assert_int_equal(strncmp(line, "time=20", 7), 0);
    assert_string_equal(line + strlen("time=2026-11-22T10:20:00.123Z"),
                        " level=info mod=test event=timed\n");
    close_pipe(&log);
}

FL_TESTS(cmocka_unit_test(one_event_is_one_line_of_fields),
         cmocka_unit_test(values_from_outside_break_no_line_and_no_terminal),
         cmocka_unit_test(values_and_lines_are_cut),
         cmocka_unit_test(levels_are_set_by_module_at_run_time),
         cmocka_unit_test(what_repeats_says_that_it_goes_quiet_and_does),
         cmocka_unit_test(a_reader_that_does_not_read_loses_lines_and_is_told_how_many),
         cmocka_unit_test(a_line_may_begin_with_the_time))
