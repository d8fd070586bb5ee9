#include "cli/status_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "shared/io/clock.h"

static struct {
    bool is_on, is_shown, has_utf8;
    int64_t began_at;
} live;

static bool has_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

bool cli_status_line_begin(void)
{
    const char *term = getenv("TERM");

    live.is_on = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
    live.has_utf8 = has_utf8();
    live.began_at = fl_clock_mono();
    return live.is_on;
}

bool cli_status_line_is_on(void)
{
    return live.is_on;
}

void cli_status_line_clear(void)
{
    if (!live.is_shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    live.is_shown = false;
}

void cli_status_line_end(void)
{
    cli_status_line_clear();
    live.is_on = false;
}

static size_t columns(void)
{
    struct winsize size = {0};

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

/* As many whole characters as fit, one column each. */
static size_t fitting(const char *text, size_t room)
{
    size_t bytes = 0;

    for (size_t seen = 0; text[bytes]; bytes++) {
        if (((unsigned char)text[bytes] & 0xc0) != 0x80 && seen++ == room) break;
    }
    return bytes;
}

static const char *sign(int64_t passed_ms)
{
    static const char *const dots[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
    static const char *const strokes[] = {"-", "\\", "|", "/"};
    size_t frame = (size_t)(passed_ms / CLI_STATUS_LINE_FRAME_MS);

    return live.has_utf8 ? dots[frame % (sizeof dots / sizeof *dots)]
                         : strokes[frame % (sizeof strokes / sizeof *strokes)];
}

void cli_status_line_say(const char *fmt, ...)
{
    int64_t passed_ms = fl_clock_mono() - live.began_at;
    char text[CLI_STATUS_LINE_TEXT_MAX];
    char time[32];
    size_t room = columns();
    va_list args;

    if (!live.is_on) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (passed_ms < 60000) {
        snprintf(time, sizeof time, "%llds", (long long)(passed_ms / 1000));
    } else {
        snprintf(time, sizeof time, "%lldm%02llds", (long long)(passed_ms / 60000),
                 (long long)(passed_ms / 1000 % 60));
    }
    room = room > strlen(time) + 6 ? room - strlen(time) - 6 : 1;
    fprintf(stderr, "\r\033[K%s %.*s  %s", sign(passed_ms), (int)fitting(text, room), text, time);
    fflush(stderr);
    live.is_shown = true;
}

bool cli_status_line_wait(int64_t ms, const char *fmt, ...)
{
    int64_t end = fl_clock_mono() + ms;
    char text[CLI_STATUS_LINE_TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    do {
        int64_t left = end - fl_clock_mono();

        cli_status_line_say("%s", text);
        if (live.is_on && left > CLI_STATUS_LINE_FRAME_MS) left = CLI_STATUS_LINE_FRAME_MS;
        if (!cli_sleep_ms(left > 0 ? left : 0)) return false;
    } while (fl_clock_mono() < end);
    return true;
}

int64_t cli_status_line_due(int64_t other)
{
    int64_t due = fl_clock_mono() + CLI_STATUS_LINE_FRAME_MS;

    if (!live.is_on) return other;
    return other && other < due ? other : due;
}
