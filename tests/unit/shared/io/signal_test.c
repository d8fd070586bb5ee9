/* Signals, the lifeline and systemd's datagrams: a program's orders to go, and its notices. */
#include "shared/io/signal.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "shared/io/clock.h"
#include "shared/io/lifeline.h"
#include "shared/io/notify.h"
#include "tests/fl_test.h"

enum { WAIT_MS = 60000 };

static void on_signal(void *ctx, int number)
{
    *(int *)ctx = number;
}

static void a_signal_is_a_call_on_the_loop(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_signals *signals;
    fl_ms end = fl_clock_mono() + WAIT_MS;
    int seen = 0;

    (void)state;
    fl_signals_block();
    signals = fl_signals_create(loop, on_signal, &seen);
    fl_loop_turn(loop, 0);
    assert_int_equal(seen, 0);
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    while (seen == 0 && fl_clock_mono() < end) {
        fl_loop_turn(loop, 1000);
    }
    assert_int_equal(seen, SIGTERM);
    fl_signals_destroy(signals);
    fl_signals_destroy(NULL);
    fl_signals_restore();
    fl_loop_destroy(loop);
}

static void on_cut(void *ctx)
{
    (*(int *)ctx)++;
}

static void the_lifeline_is_cut_when_the_last_holder_is_gone(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_lifeline *lifeline;
    struct fl_err err = {0};
    fl_ms end = fl_clock_mono() + WAIT_MS;
    int ours = -1, theirs = -1, taken = -1, cuts = 0;
    char number[16];

    (void)state;
    assert_true(fl_lifeline_pipe(&ours, &theirs, &err));
    assert_int_equal(fcntl(ours, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(fcntl(theirs, F_GETFD) & FD_CLOEXEC, 0);
    snprintf(number, sizeof number, "%d", theirs);
    setenv(FL_LIFELINE_VARIABLE, number, 1);
    assert_true(fl_lifeline_take(&taken, &err));
    assert_int_equal(taken, theirs);
    assert_int_equal(fcntl(taken, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_null(getenv(FL_LIFELINE_VARIABLE));
    lifeline = fl_lifeline_create(loop, taken, on_cut, &cuts);
    fl_loop_turn(loop, 0);
    assert_int_equal(cuts, 0);
    close(ours);
    while (cuts == 0 && fl_clock_mono() < end) {
        fl_loop_turn(loop, 1000);
    }
    fl_loop_turn(loop, 0);
    assert_int_equal(cuts, 1);
    fl_lifeline_destroy(lifeline);
    fl_loop_destroy(loop);
}

static void without_a_variable_there_is_no_lifeline_and_a_wrong_one_is_refused(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_err err = {0};
    int fd = 7;

    (void)state;
    unsetenv(FL_LIFELINE_VARIABLE);
    assert_true(fl_lifeline_take(&fd, &err));
    assert_int_equal(fd, -1);
    fl_lifeline_destroy(fl_lifeline_create(loop, fd, on_cut, NULL));
    setenv(FL_LIFELINE_VARIABLE, "9999", 1);
    assert_false(fl_lifeline_take(&fd, &err));
    assert_int_equal(err.code, FL_INVALID);
    setenv(FL_LIFELINE_VARIABLE, "x", 1);
    assert_false(fl_lifeline_take(&fd, &err));
    unsetenv(FL_LIFELINE_VARIABLE);
    fl_loop_destroy(loop);
}

static bool say(void *ctx)
{
    return *(bool *)ctx;
}

static const char *receive(int fd, char text[512])
{
    ssize_t got = recv(fd, text, 511, MSG_DONTWAIT);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

static void systemd_is_told_by_datagrams(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct fl_loop *loop = fl_loop_create();
    struct fl_notify *notify;
    fl_ms end = fl_clock_mono() + WAIT_MS;
    bool is_well = true;
    char name[64], text[512];
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), len;

    (void)state;
    len = snprintf(name, sizeof name, "@fl-notify-test-%d", (int)getpid());
    memcpy(address.sun_path + 1, name + 1, (size_t)len - 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len)),
                     0);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("WATCHDOG_USEC", "20000", 1);
    unsetenv("WATCHDOG_PID");
    notify = fl_notify_take();
    assert_null(getenv("NOTIFY_SOCKET"));
    assert_true(fl_notify_is_on(notify));
    fl_notify_ready(notify);
    assert_string_equal(receive(fd, text), "READY=1\n");
    fl_notify_status(notify, "leading\nMAINPID=1");
    assert_string_equal(receive(fd, text), "STATUS=leading MAINPID=1");
    fl_notify_stopping(notify);
    assert_string_equal(receive(fd, text), "STOPPING=1\n");

    fl_notify_watch(notify, loop, say, &is_well);
    text[0] = '\0';
    while (!text[0] && fl_clock_mono() < end) {
        fl_loop_turn(loop, 1000);
        receive(fd, text);
    }
    assert_string_equal(text, "WATCHDOG=1\n");
    is_well = false;
    while (receive(fd, text)[0]) {
    }
    for (int i = 0; i < 5; i++) {
        fl_loop_turn(loop, 1000); /* the timer comes, and says nothing */
    }
    assert_string_equal(receive(fd, text), "");
    fl_notify_destroy(notify);
    close(fd);
    fl_loop_destroy(loop);
}

static void without_systemd_nothing_is_told(void **state)
{
    struct fl_loop *loop = fl_loop_create();
    struct fl_notify *notify;

    (void)state;
    unsetenv("NOTIFY_SOCKET");
    setenv("WATCHDOG_USEC", "20000", 1);
    notify = fl_notify_take();
    assert_false(fl_notify_is_on(notify));
    fl_notify_ready(notify);
    fl_notify_watch(notify, loop, say, NULL);
    fl_loop_turn(loop, 0);
    fl_notify_destroy(notify);
    fl_notify_destroy(NULL);
    fl_loop_destroy(loop);
}

FL_TESTS(cmocka_unit_test(a_signal_is_a_call_on_the_loop),
         cmocka_unit_test(the_lifeline_is_cut_when_the_last_holder_is_gone),
         cmocka_unit_test(without_a_variable_there_is_no_lifeline_and_a_wrong_one_is_refused),
         cmocka_unit_test(systemd_is_told_by_datagrams),
         cmocka_unit_test(without_systemd_nothing_is_told))
