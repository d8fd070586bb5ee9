#include "cli/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static volatile sig_atomic_t is_raw, is_resized;

bool cli_terminal_agrees(const char *what)
{
    char answer[8] = "";

    if (!cli_terminal_is_there() || !isatty(STDERR_FILENO)) return false;
    fprintf(stderr, "%s%sgo on, y/N? ", what, *what ? "; " : "");
    return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

bool cli_terminal_is_there(void)
{
    return isatty(STDIN_FILENO);
}

void cli_terminal_end(void)
{
    if (!is_raw) return;
    is_raw = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before); /* it is safe in a signal handler */
}

static void on_end(int number)
{
    cli_terminal_end();
    signal(number, SIG_DFL);
    raise(number);
}

static void on_resize(int number)
{
    (void)number;
    is_resized = 1;
}

void cli_terminal_begin(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV};
    struct sigaction action = {.sa_handler = on_end};
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &before) != 0) return;
    raw = before;
    cfmakeraw(&raw);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        sigaction(ends[i], &action, NULL);
    }
    action.sa_handler = on_resize;
    sigaction(SIGWINCH, &action, NULL);
    atexit(cli_terminal_end);
    is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

struct cli_terminal_size cli_terminal_size(void)
{
    struct winsize window = {0};

    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0) {
        return (struct cli_terminal_size){24, 80};
    }
    return (struct cli_terminal_size){window.ws_row, window.ws_col};
}

bool cli_terminal_was_resized(void)
{
    bool was = is_resized;

    is_resized = 0;
    return was;
}
