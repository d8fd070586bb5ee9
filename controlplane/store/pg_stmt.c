#include "controlplane/store/pg_stmt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "controlplane/store/row_columns.h"
#include "shared/base/assert.h"
#include "shared/base/str.h"

#define UNWRAP(...) __VA_ARGS__
#define COUNT_OF(...) ((int)(sizeof((const Oid[]){0 __VA_OPT__(, ) __VA_ARGS__}) / sizeof(Oid)) - 1)

/* stmts.def names types without a prefix. */
enum {
    BYTEA = PG_BYTEA,
    INT8 = PG_INT8,
    INT4 = PG_INT4,
    TEXT = PG_TEXT,
    BYTEA_ARRAY = PG_BYTEA_ARRAY,
    INT4_ARRAY = PG_INT4_ARRAY,
    INT8_ARRAY = PG_INT8_ARRAY,
    TEXT_ARRAY = PG_TEXT_ARRAY,
};

const struct pg_stmt_info pg_stmts[PG_STMTS_LEN] = {
#define STMT(name, role, types, sql) ROW_STMT(name, role, 0, "", types, sql)
#define ROW_STMT(name, role, place, without, types, sql)                                           \
    {#name, PG_##role, place, 0, without, sql, {UNWRAP types}, COUNT_OF types},
#define EDIT_STMT(name, edits, sql) {#name, PG_WRITER, ROW_job_edit, PG_EDITS_##edits, "", sql},
#define ALIKE_STMT(text, stmt, with_, without_)                                                    \
    {.name = #text,                                                                                \
     .role = PG_WRITER,                                                                            \
     .without = (without_),                                                                        \
     .alike = true,                                                                                \
     .of = PG_STMT_##stmt,                                                                         \
     .with = (with_)},
#include "controlplane/store/stmts.def"
};

/* ---- writing --------------------------------------------------------------------------------- */

struct writer {
    const struct pg_stmt_info *info, *alike; /* NULL: it is not alike */
    struct row_columns columns;
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
    return param(to, (unsigned)column, pg_array_type(row_column_type(to->columns.at[column])));
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

static bool is_left_out(const struct writer *to, size_t i)
{
    const char *name = to->columns.at[i]->name;
    const struct row_field *edited = row_field_named(ROW_job_new, name);

    if (to->info->edits == PG_EDITS_OPEN_JOB) return !edited || !edited->is_in_open_job;
    if (to->info->edits == PG_EDITS_JOB) return !edited;
    return has_word(to->info->without, name);
}

static bool is_one(const struct writer *to, size_t i)
{
    const struct row_field *field = to->columns.at[i];

    if (!to->alike || (i == 0 && field->is_key)) return false;
    if (field->max > 0) return has_word(to->alike->with, field->name);
    return field->type != ROW_TYPE_COUNT && !has_word(to->alike->without, field->name);
}

static int one(struct writer *to, size_t column)
{
    return param(to, (unsigned)(PG_OF_ONE + column), row_column_type(to->columns.at[column]));
}

/* Numbers the columns' parameters first, in their order. */
static void number_columns(struct writer *to)
{
    for (size_t i = 0; i < to->columns.len; i++) {
        if (!is_left_out(to, i)) (void)(is_one(to, i) ? one(to, i) : array(to, i));
    }
}

enum which { ALL, KEYS, OTHERS, FIRST };

/* Words that stand for a list of columns.  In 'each', * is the column's name and $ its array. */
static const struct word {
    const char *word;
    enum which which;
    const char *each, *between;
    const char *each_one; /* for columns that are one value; NULL: as 'each', "": nothing */
} words[] = {
    {"columns", ALL, "*", ", "},
    {"u.columns", ALL, "u.*", ", ", "$"},
    {"j.columns", ALL, "j.*", ", "},
    {"keys", KEYS, "*", ", "},
    {"key", FIRST, "*", ""},
    {"s.keys=u.keys", KEYS, "s.* = u.*", " and "},
    {"sets", OTHERS, "* = excluded.*", ", "},
    {"u.sets", OTHERS, "* = u.*", ", "},
    {"unnests", ALL, "unnest($) *", ", ", ""},
    {"arrays", ALL, "$", ", "},
    {"array", FIRST, "$", ""},
};

static void say_columns(struct writer *to, const struct word *word)
{
    bool has_one = false;

    for (size_t i = 0; i < to->columns.len; i++) {
        const char *text = word->each_one && is_one(to, i) ? word->each_one : word->each;

        if (is_left_out(to, i) || !*text) continue;
        if (word->which != ALL && to->columns.at[i]->is_key != (word->which != OTHERS)) continue;
        if (has_one && word->which == FIRST) break;
        say(to, "%s", has_one ? word->between : "");
        for (const char *each = text; *each; each++) {
            if (*each == '*') {
                say(to, "%s", row_column_name(&to->columns, i));
            } else if (*each == '$') {
                say(to, "$%d", is_one(to, i) ? one(to, i) : array(to, i));
            } else {
                say(to, "%c", *each);
            }
        }
        has_one = true;
    }
}

static void say_param(struct writer *to, const char *before, enum pg_source source)
{
    say(to, "%s$%d", before, param(to, source, PG_INT8));
}

static void say_word(struct writer *to, struct fl_str word)
{
    const struct row_columns *columns = &to->columns;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!fl_str_eq(word, fl_str_c(words[i].word))) continue;
        say_columns(to, &words[i]);
        if (words[i].which == OTHERS && columns->has_at) say(to, ", at = excluded.at");
        return;
    }
    if (fl_str_eq(word, FL_STR("table"))) {
        say(to, "%s", columns->table);
    } else if (fl_str_eq(word, FL_STR("stamps"))) {
        say(to, "%s%s", columns->has_batch ? ", batch" : "", columns->has_at ? ", at" : "");
    } else if (fl_str_eq(word, FL_STR("$stamps"))) {
        if (columns->has_batch) say_param(to, ", ", PG_OF_BATCH);
        if (columns->has_at) say_param(to, ", ", PG_OF_AT);
    } else if (fl_str_eq(word, FL_STR("lo"))) {
        say_param(to, "", PG_OF_LO);
    } else if (fl_str_eq(word, FL_STR("hi"))) {
        say_param(to, "", PG_OF_HI);
    } else {
        fl_unreachable("a statement has a word that pg_stmt.h does not list");
    }
}

void pg_stmt_text(enum pg_stmt stmt, struct pg_stmt_text *ret_text)
{
    const struct pg_stmt_info *alike = pg_stmts[stmt].alike ? &pg_stmts[stmt] : NULL;
    const struct pg_stmt_info *info = alike ? &pg_stmts[alike->of] : &pg_stmts[stmt];
    struct writer to = {.info = info, .alike = alike, .out = ret_text};

    ret_text->params = info->params;
    memcpy(ret_text->types, info->types, sizeof info->types);
    memset(ret_text->sources, UINT8_MAX, sizeof ret_text->sources);
    if (info->place) to.columns = row_columns(info->place);
    if (strstr(info->sql, "{unnests}") || strstr(info->sql, "{arrays}")) number_columns(&to);
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
