#include "shared/base/assert.h"

#include "tests/fl_test.h"

static void assert_number(void *arg)
{
    fl_assert(*(int *)arg == 7);
}

static void reach_the_unreachable(void *arg)
{
    (void)arg;
    fl_unreachable("the caller has looked");
}

static void a_false_condition_aborts_and_a_true_one_does_not(void **state)
{
    int seven = 7;
    int eight = 8;

    (void)state;
    assert_false(fl_test_aborts(assert_number, &seven));
    assert_true(fl_test_aborts(assert_number, &eight));
}

static void what_cannot_be_reached_aborts(void **state)
{
    (void)state;
    assert_true(fl_test_aborts(reach_the_unreachable, NULL));
}

static void a_condition_is_evaluated_exactly_once(void **state)
{
    int times = 0;

    (void)state;
    fl_assert(++times);
    assert_int_equal(times, 1);
}

static void the_message_names_file_line_and_condition(void **state)
{
    char text[400] = "";
    char want[200];
    size_t len = 0;
    ssize_t got;
    int pipe_fds[2];
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (dup2(pipe_fds[1], STDERR_FILENO) < 0) _exit(0);
        dprintf(STDERR_FILENO, "%s:%d: 2 + 2 == 5\n", __FILE__, __LINE__ + 1);
        fl_assert(2 + 2 == 5);
        _exit(0);
    }
    close(pipe_fds[1]);
    while ((got = read(pipe_fds[0], text + len, sizeof(text) - 1 - len)) > 0) {
        len += (size_t)got;
    }
    close(pipe_fds[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    snprintf(want, sizeof(want), "%.*s", (int)(strcspn(text, "\n") + 1), text);
    assert_string_equal(text + strlen(want), want); /* the expected text, then the text */
}

FL_TESTS(cmocka_unit_test(a_false_condition_aborts_and_a_true_one_does_not),
         cmocka_unit_test(what_cannot_be_reached_aborts),
         cmocka_unit_test(a_condition_is_evaluated_exactly_once),
         cmocka_unit_test(the_message_names_file_line_and_condition))
