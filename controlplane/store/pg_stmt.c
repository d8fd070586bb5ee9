#include "controlplane/store/pg_stmt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/store/row_columns.h"
#include "shared/base/assert.h"
#include "shared/base/str.h"

#define UNWRAP(...) __VA_ARGS__
#define COUNT_OF(...) COUNT_(_ __VA_OPT__(, ) __VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNT_(_, a, b, c, d, e, f, g, n, ...) n

/* stmts.def names types without a prefix. */
enum {
    BYTEA = PG_BYTEA,
    INT8 = PG_INT8,
    INT4 = PG_INT4,
    TEXT = PG_TEXT,
    BYTEA_ARRAY = PG_BYTEA_ARRAY,
    INT4_ARRAY = PG_INT4_ARRAY,
    INT8_ARRAY = PG_INT8_ARRAY,
};

const struct pg_stmt_info pg_stmts[PG_STMTS_LEN] = {
#define STMT(name, role, types, sql) {#name, PG_##role, 0, "", sql, {UNWRAP types}, COUNT_OF types},
#define ROW_STMT(name, role, place, without, types, sql)                                           \
    {#name, PG_##role, place, without, sql, {UNWRAP types}, COUNT_OF types},
#include "controlplane/store/stmts.def"
};

/* ---- writing --------------------------------------------------------------------------------- */

struct writer {
    const struct pg_stmt_info *info;
    struct pg_stmt_text *out;
    size_t len;
};

static void say(struct writer *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct writer *to, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(to->out->sql + to->len, PG_SQL_MAX - to->len, fmt, args);
    va_end(args);
    fl_assert(len >= 0 && (size_t)len < PG_SQL_MAX - to->len);
    to->len += (size_t)len;
}

/* The number of the parameter with this source; adds the parameter if there is none. */
static int param(struct writer *to, unsigned source, Oid type)
{
    struct pg_stmt_text *out = to->out;
    int i = 0;

    while (i < out->params && out->sources[i] != source) {
        i++;
    }
    if (i == out->params) {
        fl_assert(i < PG_PARAMS_MAX);
        out->types[i] = type;
        out->sources[i] = (uint8_t)source;
        out->params++;
    }
    return i + 1;
}

static int array(struct writer *to, size_t column)
{
    return param(to, (unsigned)column,
                 pg_array_type(row_table(to->info->place)->columns[column].type));
}

/* Whether 'word' is one of the words of 'list'. */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ' ') && (at[len] == '\0' || at[len] == ' ')) return true;
    }
    return false;
}

/* Numbers the arrays first, in the order of the columns. */
static void number_arrays(struct writer *to)
{
    const struct row_table *table = row_table(to->info->place);

    for (size_t i = 0; i < table->len; i++) {
        if (!has_word(to->info->without, table->columns[i].name)) (void)array(to, i);
    }
}

/* How one column appears in a list. */
enum how { BARE, OF_U, SAME, SET, UNNEST, ARRAY };

static void say_column(struct writer *to, enum how how, size_t i)
{
    const char *name = row_column_name(to->info->place, i);

    switch (how) {
    case BARE:
        say(to, "%s", name);
        break;
    case OF_U:
        say(to, "u.%s", name);
        break;
    case SAME:
        say(to, "s.%s = u.%s", name, name);
        break;
    case SET:
        say(to, "%s = excluded.%s", name, name);
        break;
    case UNNEST:
        say(to, "unnest($%d) %s", array(to, i), name);
        break;
    case ARRAY:
        say(to, "$%d", array(to, i));
        break;
    }
}

enum which { ALL, KEYS, OTHERS, FIRST };

static void say_columns(struct writer *to, enum which which, enum how how, const char *between)
{
    const struct row_table *table = row_table(to->info->place);
    bool has_one = false;

    for (size_t i = 0; i < table->len; i++) {
        const struct row_column *column = &table->columns[i];

        if (has_word(to->info->without, column->name)) continue;
        if (which != ALL && column->is_key != (which != OTHERS)) continue;
        if (has_one && which == FIRST) break;
        say(to, "%s", has_one ? between : "");
        say_column(to, how, i);
        has_one = true;
    }
}

static void say_param(struct writer *to, enum pg_source source)
{
    say(to, "$%d", param(to, source, PG_INT8));
}

static void say_stamps(struct writer *to)
{
    const char *stamps = row_stamps(to->info->place);

    if (strstr(stamps, ", batch")) {
        say(to, ", ");
        say_param(to, PG_OF_BATCH);
    }
    if (strstr(stamps, ", at")) {
        say(to, ", ");
        say_param(to, PG_OF_AT);
    }
}

static void say_sets(struct writer *to)
{
    say_columns(to, OTHERS, SET, ", ");
    if (strstr(row_stamps(to->info->place), ", at")) say(to, ", at = excluded.at");
}

static void say_word(struct writer *to, struct fl_str word)
{
    if (fl_str_eq(word, FL_STR("table"))) {
        say(to, "%s", row_table(to->info->place)->name);
    } else if (fl_str_eq(word, FL_STR("columns"))) {
        say_columns(to, ALL, BARE, ", ");
    } else if (fl_str_eq(word, FL_STR("u.columns"))) {
        say_columns(to, ALL, OF_U, ", ");
    } else if (fl_str_eq(word, FL_STR("keys"))) {
        say_columns(to, KEYS, BARE, ", ");
    } else if (fl_str_eq(word, FL_STR("key"))) {
        say_columns(to, FIRST, BARE, "");
    } else if (fl_str_eq(word, FL_STR("s.keys=u.keys"))) {
        say_columns(to, KEYS, SAME, " and ");
    } else if (fl_str_eq(word, FL_STR("sets"))) {
        say_sets(to);
    } else if (fl_str_eq(word, FL_STR("unnests"))) {
        say_columns(to, ALL, UNNEST, ", ");
    } else if (fl_str_eq(word, FL_STR("arrays"))) {
        say_columns(to, ALL, ARRAY, ", ");
    } else if (fl_str_eq(word, FL_STR("array"))) {
        say_columns(to, FIRST, ARRAY, "");
    } else if (fl_str_eq(word, FL_STR("stamps"))) {
        say(to, "%s", row_stamps(to->info->place));
    } else if (fl_str_eq(word, FL_STR("$stamps"))) {
        say_stamps(to);
    } else if (fl_str_eq(word, FL_STR("lo"))) {
        say_param(to, PG_OF_LO);
    } else if (fl_str_eq(word, FL_STR("hi"))) {
        say_param(to, PG_OF_HI);
    } else {
        fl_unreachable("a statement has a word that pg_stmt.h does not list");
    }
}

void pg_stmt_text(enum pg_stmt stmt, struct pg_stmt_text *ret_text)
{
    const struct pg_stmt_info *info = &pg_stmts[stmt];
    struct writer to = {.info = info, .out = ret_text};

    ret_text->params = info->params;
    memcpy(ret_text->types, info->types, sizeof info->types);
    memset(ret_text->sources, UINT8_MAX, sizeof ret_text->sources);
    if (strstr(info->sql, "{unnests}") || strstr(info->sql, "{arrays}")) number_arrays(&to);
    for (const char *at = info->sql; *at;) {
        const char *end = info->place && *at == '{' ? strchr(at, '}') : NULL;

        if (end) {
            say_word(&to, (struct fl_str){at + 1, (size_t)(end - at - 1)});
            at = end + 1;
        } else {
            say(&to, "%c", *at++);
        }
    }
}
