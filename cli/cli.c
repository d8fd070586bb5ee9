#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "cli/status_line.h"

int cli_fail(int code, const char *fmt, ...)
{
    va_list args;

    fflush(stdout);
    cli_status_line_clear();
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

struct fl_arena cli_begin_turn(struct cli *cli)
{
    struct fl_arena outer = cli->arena;

    cli->arena = (struct fl_arena){0};
    return outer;
}

void cli_end_turn(struct cli *cli, struct fl_arena outer)
{
    fl_arena_fini(&cli->arena);
    cli->arena = outer;
}

int64_t cli_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
