/* The terminal of a shell is changed and restored: a terminal of our own, in a child whose standard
 * input it is. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "tests/fl_test.h"

static int open_terminal(void)
{
    struct winsize window = {.ws_row = 33, .ws_col = 101};
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) _exit(10);
    ioctl(master, TIOCSWINSZ, &window);
    slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || dup2(slave, STDIN_FILENO) < 0) _exit(11);
    return master;
}

static struct termios flags(void)
{
    struct termios now = {0};

    if (tcgetattr(STDIN_FILENO, &now) != 0) _exit(12);
    return now;
}

static bool is_raw(void)
{
    struct termios now = flags();

    return !(now.c_lflag & (ICANON | ECHO | ISIG)) && !(now.c_oflag & OPOST);
}

static void have_a_terminal(void *arg)
{
    (void)arg;
    (void)open_terminal();
    if (!cli_terminal_is_there()) _exit(1);
    if (cli_terminal_size().rows != 33 || cli_terminal_size().columns != 101) _exit(2);
    cli_terminal_begin();
    if (!is_raw()) _exit(3);
    if (cli_terminal_was_resized()) _exit(4);
    raise(SIGWINCH);
    if (!cli_terminal_was_resized() || cli_terminal_was_resized()) _exit(5);
    cli_terminal_end();
    if (is_raw()) _exit(6);
    cli_terminal_end(); /* once more: nothing happens */
    if (is_raw()) _exit(7);
}

static void a_terminal_is_raw_and_then_as_before(void **state)
{
    (void)state;
    assert_int_equal(fl_test_child(have_a_terminal, NULL), 0);
}

/* The terminal outlives the process that a signal ends. */
static void be_killed(void *arg)
{
    (void)arg;
    cli_terminal_begin();
    if (!is_raw()) _exit(3);
    raise(SIGTERM);
}

static void die_and_look(void *arg)
{
    int how;

    (void)arg;
    (void)open_terminal();
    how = fl_test_child(be_killed, NULL);
    if (!WIFSIGNALED(how) || WTERMSIG(how) != SIGTERM) _exit(1);
    if (is_raw()) _exit(2);
}

static void a_signal_leaves_the_terminal_as_it_was(void **state)
{
    (void)state;
    assert_int_equal(fl_test_child(die_and_look, NULL), 0);
}

static void have_none(void *arg)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)arg;
    if (dup2(null, STDIN_FILENO) < 0) _exit(1);
    if (cli_terminal_is_there()) _exit(2);
    if (cli_terminal_size().rows != 24 || cli_terminal_size().columns != 80) _exit(3);
    cli_terminal_begin();
    cli_terminal_end();
}

static void without_a_terminal_nothing_is_done(void **state)
{
    (void)state;
    assert_int_equal(fl_test_child(have_none, NULL), 0);
}

FL_TESTS(cmocka_unit_test(a_terminal_is_raw_and_then_as_before),
         cmocka_unit_test(a_signal_leaves_the_terminal_as_it_was),
         cmocka_unit_test(without_a_terminal_nothing_is_done))
