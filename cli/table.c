#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "shared/base/assert.h"

enum { GAP = 2, CUT_MIN = 8 }; /* no column is cut below CUT_MIN, or its head */

struct column {
    char *head;
    bool is_shown, is_right, may_be_cut;
    size_t width;
};

struct cli_table {
    const struct cli *cli;
    struct column columns[CLI_TABLE_COLUMNS_MAX];
    size_t columns_len;
    bool has_no_head;
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

struct cli_table *cli_table_create_empty(const struct cli *cli)
{
    struct cli_table *table = fl_new(struct cli_table);

    table->cli = cli;
    return table;
}

void cli_table_without_head(struct cli_table *table)
{
    table->has_no_head = true;
}

static struct column *add_column(struct cli_table *table, const char *head, size_t len)
{
    struct column *column = &table->columns[table->columns_len];

    fl_assert(table->columns_len < CLI_TABLE_COLUMNS_MAX && table->cells.len == 0);
    table->columns_len++;
    column->head = strndup(head, len);
    fl_assert(column->head);
    column->is_shown = true;
    column->width = width_of(column->head);
    return column;
}

void cli_table_column(struct cli_table *table, const char *head)
{
    (void)add_column(table, head, strlen(head));
}

struct cli_table *cli_table_create(const struct cli *cli, const char *columns)
{
    struct cli_table *table = cli_table_create_empty(cli);
    bool is_wide = cli->format == CLI_FORMAT_wide;

    for (const char *at = columns; *at; at += *at == '|') {
        size_t marks = strspn(at, "+>~"), len = strcspn(at, "|");
        struct column *column = add_column(table, at + marks, len - marks);

        column->is_shown = is_wide || !memchr(at, '+', marks);
        column->is_right = memchr(at, '>', marks);
        column->may_be_cut = !is_wide && memchr(at, '~', marks);
        at += len;
    }
    return table;
}

void cli_table_put(struct cli_table *table, const char *fmt, ...)
{
    struct column *column = &table->columns[table->cells.len % table->columns_len];
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
    if (width_of(text) > column->width) column->width = width_of(text);
    fl_vec_push(&table->cells, text);
}

/* ---- to the terminal's width ----------------------------------------------------------------- */

static size_t narrowest(const struct column *column)
{
    size_t head = width_of(column->head);

    return head > CUT_MIN ? head : CUT_MIN;
}

/* NULL: no column can be cut any more. */
static struct column *widest(struct cli_table *table)
{
    struct column *found = NULL;

    for (size_t i = 0; i < table->columns_len; i++) {
        struct column *one = &table->columns[i];

        if (!one->is_shown || !one->may_be_cut || one->width <= narrowest(one)) continue;
        if (!found || one->width > found->width) found = one;
    }
    return found;
}

static void fit(struct cli_table *table)
{
    size_t width = 0;

    for (size_t i = 0; i < table->columns_len; i++) {
        if (table->columns[i].is_shown) width += table->columns[i].width + GAP;
    }
    for (; table->cli->width && width > table->cli->width + GAP; width--) {
        struct column *column = widest(table);

        if (!column) break;
        column->width--;
    }
}

/* The first 'width' characters of a text that has more, the last of them as "…". */
static void put_cut(const char *text, size_t width, FILE *out)
{
    const char *end = text;

    for (size_t i = 0; i + 1 < width; i++) {
        end++;
        while (((unsigned char)*end & 0xc0) == 0x80) {
            end++;
        }
    }
    fprintf(out, "%.*s\u2026", (int)(end - text), text);
}

/* ---- printing -------------------------------------------------------------------------------- */

static void put_cell(const struct cli_table *table, const struct column *column, const char *text,
                     bool is_last, FILE *out)
{
    size_t width = width_of(text);
    int pad = width < column->width ? (int)(column->width - width) : 0;
    const char *color = "";

    if (strcmp(column->head, "STATE") == 0) color = cli_color(table->cli, text);
    if (column->is_right) fprintf(out, "%*s", pad, "");
    fputs(color, out);
    if (width > column->width) {
        put_cut(text, column->width, out);
    } else {
        fputs(text, out);
    }
    if (*color) fputs(cli_color_off(table->cli), out);
    if (is_last) {
        fputc('\n', out);
    } else {
        fprintf(out, "%*s", column->is_right ? GAP : pad + GAP, "");
    }
}

void cli_table_print(struct cli_table *table, FILE *out)
{
    size_t last = 0;

    fl_assert(table->columns_len > 0 && table->cells.len % table->columns_len == 0);
    fit(table);
    for (size_t i = 0; i < table->columns_len; i++) {
        if (table->columns[i].is_shown) last = i;
    }
    for (size_t i = 0; i < table->columns_len && !table->has_no_head; i++) {
        const struct column *column = &table->columns[i];

        if (column->is_shown) put_cell(table, column, column->head, i == last, out);
    }
    for (size_t row = 0; row < table->cells.len; row += table->columns_len) {
        for (size_t i = 0; i < table->columns_len; i++) {
            const struct column *column = &table->columns[i];

            if (column->is_shown) put_cell(table, column, table->cells.at[row + i], i == last, out);
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
    for (size_t i = 0; i < table->columns_len; i++) {
        free(table->columns[i].head);
    }
    fl_free(table);
}
