#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/live_line.h"

static volatile sig_atomic_t is_interrupted;

int cli_fail(int code, const char *fmt, ...)
{
    va_list args;

    fflush(stdout);
    cli_live_clear();
    fputs("fairlead: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    return code;
}

int cli_fail_err(const struct fl_err *err)
{
    return cli_fail(fl_exit_of(err), "%s", err->text);
}

static void on_interrupt(int number)
{
    (void)number;
    if (is_interrupted) _exit(CLI_CANCELLED); /* the second time: at once */
    is_interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_is_interrupted(void)
{
    return is_interrupted;
}

bool cli_sleep_ms(int64_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (!is_interrupted && nanosleep(&left, &left) < 0 && errno == EINTR) {
        continue;
    }
    return !is_interrupted;
}

int64_t cli_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
