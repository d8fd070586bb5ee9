/* fl_test.h - what every unit test includes: cmocka with the headers it wants first, and FL_TESTS.
 * FL_TESTS(cmocka_unit_test(a), cmocka_unit_test(b)) is the last line of a test and defines main.
 * fl_test_aborts shows that a bug is caught: it runs 'fn' in a child, whose stderr is dropped, and
 * says whether that aborted.  fl_test_child gives the child's wait status, for what a sanitizer
 * should catch. */
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* cmocka answers how many tests failed: 256 of them must not look like none. */
#define FL_TESTS(...)                                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest fl_tests[] = {__VA_ARGS__};                                        \
        return cmocka_run_group_tests(fl_tests, NULL, NULL) != 0;                                  \
    }

static inline int fl_test_child(void (*fn)(void *arg), void *arg)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        if (null >= 0) dup2(null, STDERR_FILENO);
        fn(arg);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static inline bool fl_test_aborts(void (*fn)(void *arg), void *arg)
{
    int status = fl_test_child(fn, arg);

    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
