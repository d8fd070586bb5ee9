#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static FILE *pager;

bool cli_output_begin(struct cli *cli, struct fl_err *err)
{
    const char *color = cli_value(&cli->args, CLI_OPT_color);
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    struct winsize size;

    cli->is_tty = isatty(STDOUT_FILENO);
    if (cli->is_tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) cli->width = size.ws_col;
    cli->has_color = cli->is_tty && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    if (color && strcmp(color, "always") == 0) {
        cli->has_color = true;
    } else if (color && strcmp(color, "never") == 0) {
        cli->has_color = false;
    } else if (color && strcmp(color, "auto") != 0) {
        return fl_fail(err, FL_INVALID, "--color %s: wants auto, always or never", color);
    }
    return true;
}

/* A minimal machine has no less; without this check the shell's complaint would replace the
 * answer. */
static bool has_less(void)
{
    return access("/usr/bin/less", X_OK) == 0 || access("/bin/less", X_OK) == 0 ||
           access("/usr/local/bin/less", X_OK) == 0;
}

void cli_page(const struct cli *cli)
{
    const char *program = getenv("PAGER");

    if (!cli->is_tty || cli_has(&cli->args, CLI_OPT_no_pager) || pager) return;
    if (program && (!*program || strcmp(program, "cat") == 0)) return;
    if (!program && !has_less()) return;
    setenv("LESS", "FRX", false);
    fflush(stdout);
    pager = popen(program ? program : "less", "we"); /* the user's own choice of program */
    if (!pager) return;
    if (dup2(fileno(pager), STDOUT_FILENO) < 0) pager = NULL;
}

void cli_output_end(void)
{
    fflush(stdout);
    if (!pager) return;
    close(STDOUT_FILENO);
    pclose(pager);
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *cli_ago(struct cli *cli, int64_t ms)
{
    long s = ms > 0 ? (long)(ms / 1000) : 0;

    if (s < 60) return fl_arena_printf(&cli->arena, "%lds", s);
    if (s < 3600) return fl_arena_printf(&cli->arena, "%ldm%lds", s / 60, s % 60);
    if (s < 86400) return fl_arena_printf(&cli->arena, "%ldh%ldm", s / 3600, s % 3600 / 60);
    return fl_arena_printf(&cli->arena, "%ldd%ldh", s / 86400, s % 86400 / 3600);
}

const char *cli_bytes(struct cli *cli, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    double value = (double)bytes;

    while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    return fl_arena_printf(&cli->arena, "%.*f %s",
                           value < 10 && unit && value != (double)(int)value, value, units[unit]);
}

const char *cli_cpu(struct cli *cli, int64_t ms)
{
    if (ms >= 60000) return cli_ago(cli, ms);
    return fl_arena_printf(&cli->arena, "%.*fs", ms < 10000 ? 2 : 1, (double)ms / 1000);
}

const char *cli_time(struct cli *cli, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[32];

    if (!gmtime_r(&seconds, &parts)) return "-";
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    return fl_arena_printf(&cli->arena, "%s.%03dZ", text, (int)(ms % 1000));
}

int64_t cli_parse_time(const char *text)
{
    struct tm parts = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
    int64_t ms = 0;

    if (!rest) return -1;
    if (*rest == '.') {
        int scale = 100;

        for (rest++; *rest >= '0' && *rest <= '9'; rest++) {
            ms += (*rest - '0') * scale;
            scale /= 10;
        }
    }
    if (strcmp(rest, "Z") != 0) return -1;
    return (int64_t)timegm(&parts) * 1000 + ms;
}

static struct tm parts_of(const struct cli *cli, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts = {0};

    if (cli_has(&cli->args, CLI_OPT_utc)) {
        gmtime_r(&seconds, &parts);
        parts.tm_zone = "UTC";
    } else {
        localtime_r(&seconds, &parts);
    }
    return parts;
}

const char *cli_when(struct cli *cli, const char *time)
{
    int64_t ms = cli_parse_time(time);
    struct tm parts;
    char text[64];

    if (ms < 0) return cli_plain(cli, time);
    parts = parts_of(cli, ms);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &parts);
    return fl_arena_printf(&cli->arena, "%s", text);
}

const char *cli_instant(struct cli *cli, const char *time)
{
    int64_t ms = cli_parse_time(time);
    struct tm parts;
    char text[32];
    long minutes;

    if (ms < 0) return cli_plain(cli, time);
    parts = parts_of(cli, ms);
    minutes = parts.tm_gmtoff / 60;
    if (minutes == 0) return cli_time(cli, ms);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    return fl_arena_printf(&cli->arena, "%s.%03d%c%02ld:%02ld", text, (int)(ms % 1000),
                           minutes < 0 ? '-' : '+', labs(minutes) / 60, labs(minutes) % 60);
}

const char *cli_plain(struct cli *cli, const char *text)
{
    char *copy;

    if (!text) return "";
    copy = fl_arena_copy(&cli->arena, text, strlen(text));
    for (char *c = copy; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    }
    return copy;
}

const char *cli_words(struct cli *cli, const json_t *list)
{
    const char *words = "";
    json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        words = fl_arena_printf(&cli->arena, "%s%s%s", words, *words ? "," : "",
                                json_string_value(one));
    }
    return words;
}

/* The length of a colour sequence (ESC [ digits m) at 'bytes'; 0: it is not one. */
static size_t color_len(const char *bytes, size_t len)
{
    size_t i = 2;

    if (len < 3 || bytes[0] != '\033' || bytes[1] != '[') return 0;
    while (i < len && i < 32 && ((bytes[i] >= '0' && bytes[i] <= '9') || bytes[i] == ';')) {
        i++;
    }
    return i < len && bytes[i] == 'm' ? i + 1 : 0;
}

void cli_log_write(const struct cli *cli, const char *bytes, size_t len, bool is_raw)
{
    if (is_raw || !cli->is_tty) {
        fwrite(bytes, 1, len, stdout);
        return;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        size_t color = color_len(bytes + i, len - i);

        if (color) {
            if (cli->has_color) fwrite(bytes + i, 1, color, stdout);
            i += color - 1;
        } else if (c == '\n' || c == '\t' || c == '\r' ||
                   (c >= ' ' && c != 0x7f &&
                    !(c == 0xc2 && i + 1 < len && (unsigned char)bytes[i + 1] < 0xa0))) {
            putchar(c);
        } else {
            putchar('?');
            if (c == 0xc2) i++; /* a control character of two bytes */
        }
    }
}

const char *cli_color(const struct cli *cli, const char *state)
{
    if (!cli->has_color) return "";
    if (strncmp(state, "failed", 6) == 0 || strcmp(state, "lost") == 0) return "\033[31m";
    if (strcmp(state, "succeeded") == 0 || strcmp(state, "ready") == 0) return "\033[32m";
    if (strcmp(state, "running") == 0 || strcmp(state, "starting") == 0) return "\033[36m";
    if (strcmp(state, "cancelled") == 0 || strcmp(state, "stopping") == 0) return "\033[33m";
    return "";
}

const char *cli_color_off(const struct cli *cli)
{
    return cli->has_color ? "\033[0m" : "";
}
