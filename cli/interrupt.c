#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "shared/io/exits.h"

static volatile sig_atomic_t is_interrupted;
static void (*last_put_back)(void);

static void on_interrupt(int number)
{
    (void)number;
    if (is_interrupted) {
        if (last_put_back) last_put_back();
        _exit(FL_EXIT_CANCELLED);
    }
    is_interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_at_last_interrupt(void (*put_back)(void))
{
    last_put_back = put_back;
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
