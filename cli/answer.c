#include "cli/answer.h"

#include <stdio.h>
#include <string.h>

#include "cli/answer_path.h"
#include "cli/answer_yaml.h"
#include "cli/json_read.h"
#include "cli/output.h"
#include "cli/sort_answers.h"
#include "cli/table.h"
#include "shared/base/buf.h"

#define FORMATS "table, wide, json, jsonl, yaml, name, jsonpath=... or custom-columns=..."

struct column {
    const char *head;
    const struct cli_path *path;
};

struct cli_shape {
    const struct cli_template *template; /* NULL: the format is not jsonpath */
    struct column columns[CLI_TABLE_COLUMNS_MAX];
    size_t columns_len;
    struct cli_order order; /* .path NULL: as they come */
    bool has_printed;
};

/* ---- the flags ------------------------------------------------------------------------------- */

/* The end of a column: a comma that is in no brackets or quotes, or the end. */
static const char *column_end(const char *at)
{
    char quote = 0;
    int depth = 0;

    for (; *at && (*at != ',' || quote || depth > 0); at++) {
        if (*at == '\\' && at[1]) {
            at++;
        } else if (quote) {
            if (*at == quote) quote = 0;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else {
            depth += (*at == '[') - (*at == ']');
        }
    }
    return at;
}

static bool add_column(struct cli *cli, const char *at, size_t len, struct fl_err *err)
{
    struct cli_shape *shape = cli->shape;
    struct column *column = &shape->columns[shape->columns_len];
    const char *colon = memchr(at, ':', len);
    struct fl_str path;

    if (!colon || colon == at || colon + 1 == at + len) {
        return fl_fail(err, FL_INVALID,
                       "--output custom-columns: '%.*s' is no column: wants HEAD:PATH, as "
                       "JOB:.id,FAILED:.elements.failed",
                       (int)len, at);
    }
    if (shape->columns_len == CLI_TABLE_COLUMNS_MAX) {
        return fl_fail(err, FL_INVALID, "--output custom-columns: at most %d columns",
                       CLI_TABLE_COLUMNS_MAX);
    }
    path = (struct fl_str){colon + 1, (size_t)(at + len - colon) - 1};
    shape->columns_len++;
    column->head = fl_arena_copy(&cli->arena, at, (size_t)(colon - at));
    column->path = cli_path_parse(path, &cli->arena, err);
    return column->path || fl_err_wrap(err, "--output custom-columns, %s", column->head);
}

static bool read_columns(struct cli *cli, const char *text, struct fl_err *err)
{
    for (const char *at = text, *end;; at = end + 1) {
        end = column_end(at);
        if (!add_column(cli, at, (size_t)(end - at), err)) return false;
        if (!*end) return true;
    }
}

/* A format with a value behind '='. */
static bool read_shaped(struct cli *cli, const char *text, struct fl_err *err)
{
    const char *value = strchr(text, '=');
    size_t len = value ? (size_t)(value - text) : strlen(text);

    value = value ? value + 1 : "";
    if (len == strlen("jsonpath") && strncmp(text, "jsonpath", len) == 0) {
        cli->format = CLI_FORMAT_jsonpath;
        if (!*value) {
            return fl_fail(err, FL_INVALID,
                           "--output jsonpath: the template is missing, as jsonpath='{.id} "
                           "{.state}'");
        }
        cli->shape->template = cli_template_parse(fl_str_c(value), &cli->arena, err);
        return cli->shape->template || fl_err_wrap(err, "--output jsonpath");
    }
    if (len == strlen("custom-columns") && strncmp(text, "custom-columns", len) == 0) {
        cli->format = CLI_FORMAT_columns;
        return read_columns(cli, value, err);
    }
    return fl_fail(err, FL_INVALID, "--output %s: wants " FORMATS, text);
}

static bool read_format(struct cli *cli, const char *text, struct fl_err *err)
{
    static const char *const formats[] = {"", "table", "wide", "json", "jsonl", "yaml", "name"};

    for (size_t i = 1; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(text, formats[i]) != 0) continue;
        cli->format = (enum cli_format)i;
        return true;
    }
    return read_shaped(cli, text, err);
}

bool cli_answer_begin(struct cli *cli, struct fl_err *err)
{
    const char *format = cli_value(&cli->args, CLI_OPT_output);
    const char *sort = cli_value(&cli->args, CLI_OPT_sort);

    cli->shape = fl_arena_new(&cli->arena, struct cli_shape);
    if (format && !read_format(cli, format, err)) return false;
    if (sort && !cli_order_parse(sort, &cli->arena, &cli->shape->order, err)) {
        return fl_err_wrap(err, "--sort %s", sort);
    }
    return true;
}

bool cli_is_data(const struct cli *cli)
{
    return cli->format >= CLI_FORMAT_json;
}

bool cli_answer_streams(const struct cli *cli)
{
    if (cli->shape->order.path) return false;
    return cli->format == CLI_FORMAT_jsonl || cli->format == CLI_FORMAT_name ||
           cli->format == CLI_FORMAT_jsonpath;
}

/* ---- printing -------------------------------------------------------------------------------- */

void cli_print_json(const struct cli *cli, const json_t *value)
{
    bool is_for_eyes =
        cli->format == CLI_FORMAT_json || (cli->format != CLI_FORMAT_jsonl && cli->is_tty);
    size_t flags = is_for_eyes ? JSON_INDENT(2) : JSON_COMPACT;

    json_dumpf(value, stdout, flags | JSON_ENCODE_ANY);
    putchar('\n');
}

static void print_yaml(struct cli_shape *shape, const json_t *answer)
{
    if (shape->has_printed) puts("---");
    cli_yaml_put(answer, stdout);
}

static void print_line(struct cli *cli, const json_t *answer)
{
    struct fl_buf line;

    fl_buf_init(&line, CLI_VALUE_BYTES_MAX);
    cli_template_put(cli->shape->template, answer, &line);
    cli_log_write(cli, (const char *)line.at, line.len, false);
    putchar('\n');
    fl_buf_fini(&line);
}

static void put_cells(struct cli *cli, struct cli_table *table, const json_t *answer)
{
    const struct cli_shape *shape = cli->shape;

    for (size_t i = 0; i < shape->columns_len; i++) {
        struct fl_buf cell;

        fl_buf_init(&cell, CLI_VALUE_BYTES_MAX);
        cli_path_put(shape->columns[i].path, answer, ",", &cell);
        cli_table_put(table, "%.*s", (int)cell.len, (const char *)cell.at);
        fl_buf_fini(&cell);
    }
}

static struct cli_table *begin_table(struct cli *cli)
{
    struct cli_table *table = cli_table_create_empty(cli);

    for (size_t i = 0; i < cli->shape->columns_len; i++) {
        cli_table_column(table, cli->shape->columns[i].head);
    }
    return table;
}

/* Rows that come one by one have a head above the first alone. */
static void print_row(struct cli *cli, const json_t *answer, bool has_head)
{
    struct cli_table *table = begin_table(cli);

    if (!has_head) cli_table_without_head(table);
    put_cells(cli, table, answer);
    cli_table_print(table, stdout);
}

static void print_rows(struct cli *cli, const json_t *list)
{
    struct cli_table *table = begin_table(cli);
    json_t *one;
    size_t i;

    json_array_foreach(list, i, one) put_cells(cli, table, one);
    cli_table_print(table, stdout);
}

static void print_one(struct cli *cli, const json_t *answer, const char *name)
{
    switch (cli->format) {
    case CLI_FORMAT_text:
    case CLI_FORMAT_table:
    case CLI_FORMAT_wide:
        break;
    case CLI_FORMAT_json:
    case CLI_FORMAT_jsonl:
        cli_print_json(cli, answer);
        break;
    case CLI_FORMAT_yaml:
        print_yaml(cli->shape, answer);
        break;
    case CLI_FORMAT_name:
        printf("%s\n", cli_plain(cli, cli_text(answer, name)));
        break;
    case CLI_FORMAT_jsonpath:
        print_line(cli, answer);
        break;
    case CLI_FORMAT_columns:
        print_row(cli, answer, !cli->shape->has_printed);
        break;
    }
    cli->shape->has_printed = true;
}

static bool is_for_people(const struct cli *cli, const char *name)
{
    return !cli_is_data(cli) || (cli->format == CLI_FORMAT_name && !name);
}

bool cli_answer(struct cli *cli, const json_t *answer, const char *name)
{
    if (is_for_people(cli, name)) return false;
    print_one(cli, answer, name);
    fflush(stdout); /* a reader waits for it */
    return true;
}

bool cli_answer_list(struct cli *cli, json_t *list, const char *name)
{
    json_t *one;
    size_t i;

    if (cli->shape->order.path) cli_order_apply(&cli->shape->order, list);
    if (is_for_people(cli, name)) return false;
    if (cli->format == CLI_FORMAT_json || cli->format == CLI_FORMAT_yaml) {
        print_one(cli, list, name);
    } else if (cli->format == CLI_FORMAT_columns) {
        print_rows(cli, list);
    } else {
        json_array_foreach(list, i, one) print_one(cli, one, name);
    }
    return true;
}
