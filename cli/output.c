#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/base/assert.h"

static FILE *pager;

bool cli_output_begin(struct cli *cli, struct fl_err *err)
{
    static const char *const formats[] = {"", "table", "wide", "json", "jsonl", "name"};
    const char *format = cli_value(&cli->args, CLI_OPT_output);
    const char *color = cli_value(&cli->args, CLI_OPT_color);
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

    cli->is_tty = isatty(STDOUT_FILENO);
    cli->has_color = cli->is_tty && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
    if (color && strcmp(color, "always") == 0) {
        cli->has_color = true;
    } else if (color && strcmp(color, "never") == 0) {
        cli->has_color = false;
    } else if (color && strcmp(color, "auto") != 0) {
        return fl_fail(err, FL_INVALID, "--color %s: wants auto, always or never", color);
    }
    if (!format) return true;
    for (size_t i = 1; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(format, formats[i]) != 0) continue;
        cli->format = (enum cli_format)i;
        return true;
    }
    return fl_fail(err, FL_INVALID, "--output %s: wants table, wide, json, jsonl or name", format);
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

bool cli_is_json(const struct cli *cli)
{
    return cli->format == CLI_FORMAT_json || cli->format == CLI_FORMAT_jsonl;
}

void cli_print_json(const struct cli *cli, const json_t *value)
{
    size_t flags = cli->format == CLI_FORMAT_json ? JSON_INDENT(2) : JSON_COMPACT;

    json_dumpf(value, stdout, flags | JSON_ENCODE_ANY);
    putchar('\n');
    if (cli->format == CLI_FORMAT_jsonl) fflush(stdout);
}

/* ---- tables ---------------------------------------------------------------------------------- */

enum { COLUMNS_MAX = 24 };

struct cli_table {
    const struct cli *cli;
    char *heads;
    struct {
        const char *head;
        bool is_shown, is_right;
        size_t width;
    } columns[COLUMNS_MAX];
    size_t columns_len;
    FL_VEC(char *) cells;
};

static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80; /* characters, not bytes */
    }
    return width;
}

struct cli_table *cli_table_create(const struct cli *cli, const char *columns)
{
    struct cli_table *table = fl_new(struct cli_table);
    char *rest;

    table->cli = cli;
    table->heads = strdup(columns);
    fl_assert(table->heads);
    rest = table->heads;
    for (char *head = strsep(&rest, "|"); head; head = strsep(&rest, "|")) {
        size_t i = table->columns_len++;

        fl_assert(i < COLUMNS_MAX);
        table->columns[i].is_shown = true;
        for (; *head == '+' || *head == '>'; head++) {
            if (*head == '>') table->columns[i].is_right = true;
            if (*head == '+' && cli->format != CLI_FORMAT_wide) table->columns[i].is_shown = false;
        }
        table->columns[i].head = head;
        table->columns[i].width = width_of(head);
    }
    return table;
}

void cli_table_put(struct cli_table *table, const char *fmt, ...)
{
    size_t column = table->cells.len % table->columns_len;
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    fl_assert(vasprintf(&text, fmt, args) >= 0);
    va_end(args);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    }
    if (!*text) {
        free(text);
        text = strdup("-");
        fl_assert(text);
    }
    if (width_of(text) > table->columns[column].width) {
        table->columns[column].width = width_of(text);
    }
    fl_vec_push(&table->cells, text);
}

static void put_cell(const struct cli_table *table, size_t column, const char *text, bool is_last,
                     FILE *out)
{
    int pad = (int)(table->columns[column].width - width_of(text));
    const char *color = "";

    if (strcmp(table->columns[column].head, "STATE") == 0) color = cli_color(table->cli, text);
    if (table->columns[column].is_right) fprintf(out, "%*s", pad, "");
    fprintf(out, "%s%s%s", color, text, *color ? cli_color_off(table->cli) : "");
    if (is_last) {
        fputc('\n', out);
    } else {
        fprintf(out, "%*s", table->columns[column].is_right ? 2 : pad + 2, "");
    }
}

void cli_table_print(struct cli_table *table, FILE *out)
{
    size_t last = 0;

    fl_assert(table->columns_len > 0);
    for (size_t i = 0; i < table->columns_len; i++) {
        if (table->columns[i].is_shown) last = i;
    }
    for (size_t i = 0; i < table->columns_len; i++) {
        if (table->columns[i].is_shown) put_cell(table, i, table->columns[i].head, i == last, out);
    }
    for (size_t i = 0; i < table->cells.len; i++) {
        size_t column = i % table->columns_len;

        if (table->columns[column].is_shown) {
            put_cell(table, column, table->cells.at[i], column == last, out);
        }
    }
    cli_table_destroy(table);
}

void cli_table_destroy(struct cli_table *table)
{
    for (size_t i = 0; i < table->cells.len; i++) {
        free(table->cells.at[i]);
    }
    fl_vec_fini(&table->cells);
    free(table->heads);
    fl_free(table);
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
