#include "cli/answer_path.h"

#include <stdlib.h>
#include <string.h>

struct step {
    enum { STEP_KEY, STEP_INDEX, STEP_EVERY } kind;
    const char *key;
    long index; /* from the end if it is negative */
};

struct cli_path {
    struct step at[CLI_PATH_STEPS_MAX];
    size_t len;
};

struct part {
    struct fl_str text;          /* without a path */
    const struct cli_path *path; /* NULL: text */
};

struct cli_template {
    struct part at[CLI_TEMPLATE_PARTS_MAX];
    size_t len;
};

/* ---- parsing a path -------------------------------------------------------------------------- */

struct parser {
    const char *at, *end;
    struct fl_arena *arena;
    struct cli_path *path;
};

static bool has(const struct parser *parser, char c)
{
    return parser->at < parser->end && *parser->at == c;
}

/* Up to one of 'ends'; behind '\' each character is a part of it. */
static const char *take_key(struct parser *parser, const char *ends)
{
    char *key = fl_arena_alloc(parser->arena, (size_t)(parser->end - parser->at) + 1);
    size_t len = 0;

    while (parser->at < parser->end && !strchr(ends, *parser->at)) {
        if (*parser->at == '\\' && parser->at + 1 < parser->end) parser->at++;
        key[len++] = *parser->at++;
    }
    key[len] = 0;
    return key;
}

static bool take_name(struct parser *parser, struct step *ret_step)
{
    if (has(parser, '*')) {
        parser->at++;
        *ret_step = (struct step){.kind = STEP_EVERY};
        return true;
    }
    *ret_step = (struct step){.kind = STEP_KEY, .key = take_key(parser, ".[]'\" ")};
    return ret_step->key[0] != 0;
}

/* Behind '['. */
static bool take_brackets(struct parser *parser, struct step *ret_step)
{
    if (has(parser, '\'') || has(parser, '"')) {
        char quote[] = {*parser->at++, 0};

        *ret_step = (struct step){.kind = STEP_KEY, .key = take_key(parser, quote)};
        if (parser->at == parser->end) return false;
        parser->at++;
    } else if (has(parser, '*')) {
        *ret_step = (struct step){.kind = STEP_EVERY};
        parser->at++;
    } else {
        const char *digits = take_key(parser, "]");
        char *rest;

        *ret_step = (struct step){.kind = STEP_INDEX, .index = strtol(digits, &rest, 10)};
        if (rest == digits || *rest) return false;
    }
    if (!has(parser, ']')) return false;
    parser->at++;
    return true;
}

static bool take_step(struct parser *parser, bool is_first, struct step *ret_step)
{
    if (has(parser, '[')) {
        parser->at++;
        return take_brackets(parser, ret_step);
    }
    if (has(parser, '.')) {
        parser->at++;
    } else if (!is_first) {
        return false;
    }
    return take_name(parser, ret_step);
}

const struct cli_path *cli_path_parse(struct fl_str text, struct fl_arena *arena,
                                      struct fl_err *err)
{
    struct cli_path *path = fl_arena_new(arena, struct cli_path);
    struct parser parser = {text.at, text.at + text.len, arena, path};

    if (has(&parser, '$') || has(&parser, '@')) parser.at++;
    if (parser.end - parser.at == 1 && *parser.at == '.') parser.at++; /* the answer itself */
    while (parser.at < parser.end) {
        const char *from = parser.at;

        if (path->len == CLI_PATH_STEPS_MAX) {
            fl_fail(err, FL_INVALID, "a path has at most %d steps", CLI_PATH_STEPS_MAX);
            return NULL;
        }
        if (take_step(&parser, from == text.at, &path->at[path->len++])) continue;
        fl_fail(err, FL_INVALID,
                "'%.*s' is no path, at '%.*s': wants .name, .name.name, .name[0], .name[*] or "
                "['a.b']",
                (int)text.len, text.at, (int)(parser.end - from), from);
        return NULL;
    }
    if (text.len > 0) return path;
    fl_fail(err, FL_INVALID,
            "a path is empty: wants .name, .name.name, .name[0], .name[*] or ['a.b']");
    return NULL;
}

/* ---- following it ---------------------------------------------------------------------------- */

static const json_t *item(const json_t *list, long index)
{
    long len = (long)json_array_size(list);

    if (index < 0) index += len;
    return index >= 0 && index < len ? json_array_get(list, (size_t)index) : NULL;
}

typedef bool found_fn(void *ctx, const json_t *value); /* false: no further one is wanted */

static bool walk(const struct step *step, size_t left, const json_t *value, found_fn *found,
                 void *ctx);

static bool walk_every(const struct step *next, size_t left, const json_t *value, found_fn *found,
                       void *ctx)
{
    const char *key;
    json_t *one;
    size_t i;

    json_array_foreach(value, i, one)
    {
        if (!walk(next, left, one, found, ctx)) return false;
    }
    json_object_foreach((json_t *)value, key, one)
    {
        if (!walk(next, left, one, found, ctx)) return false;
    }
    return true;
}

static bool walk(const struct step *step, size_t left, const json_t *value, found_fn *found,
                 void *ctx)
{
    for (; value && left > 0; step++, left--) {
        if (step->kind == STEP_EVERY) return walk_every(step + 1, left - 1, value, found, ctx);
        value =
            step->kind == STEP_INDEX ? item(value, step->index) : json_object_get(value, step->key);
    }
    return !value || found(ctx, value);
}

static bool take_first(void *ctx, const json_t *value)
{
    *(const json_t **)ctx = value;
    return false;
}

const json_t *cli_path_first(const struct cli_path *path, const json_t *answer)
{
    const json_t *first = NULL;

    (void)walk(path->at, path->len, answer, take_first, &first);
    return first;
}

struct putting {
    struct fl_buf *out;
    const char *between;
    bool has_one;
};

static bool put_value(void *ctx, const json_t *value)
{
    struct putting *putting = ctx;
    char *text;

    if (putting->has_one) fl_buf_put(putting->out, putting->between, strlen(putting->between));
    putting->has_one = true;
    if (json_is_null(value)) return true;
    if (json_is_string(value)) {
        fl_buf_put(putting->out, json_string_value(value), json_string_length(value));
        return true;
    }
    text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text) fl_buf_put(putting->out, text, strlen(text));
    free(text);
    return true;
}

void cli_path_put(const struct cli_path *path, const json_t *answer, const char *between,
                  struct fl_buf *out)
{
    struct putting putting = {out, between, false};

    (void)walk(path->at, path->len, answer, put_value, &putting);
}

/* ---- templates ------------------------------------------------------------------------------- */

/* A text in quotes, whole: {"\n"}. */
static struct part quoted(struct fl_str inside, struct fl_arena *arena)
{
    char *text = fl_arena_alloc(arena, inside.len);
    size_t len = 0;

    for (size_t i = 1; i + 1 < inside.len; i++) {
        char c = inside.at[i];

        if (c == '\\' && i + 2 < inside.len) {
            c = inside.at[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        text[len++] = c;
    }
    return (struct part){.text = {text, len}};
}

static bool begins(struct fl_str text, const char *word)
{
    return text.len >= strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

/* The text between two braces. */
static bool parse_inside(struct fl_str inside, struct fl_arena *arena, struct part *ret_part,
                         struct fl_err *err)
{
    if (inside.len >= 2 && inside.at[0] == '"' && inside.at[inside.len - 1] == '"') {
        *ret_part = quoted(inside, arena);
        return true;
    }
    if (begins(inside, "range") || begins(inside, "end")) {
        return fl_fail(err, FL_INVALID,
                       "{range} and {end} are not known here, and not needed: the template is "
                       "applied to each item, each on its own line");
    }
    ret_part->path = cli_path_parse(inside, arena, err);
    return ret_part->path != NULL;
}

/* The closing brace; braces in quotes do not count.  NULL: it is missing. */
static const char *closing(const char *at, const char *end)
{
    char quote = 0;

    for (; at < end; at++) {
        if (quote && *at == '\\') {
            at++;
        } else if (quote) {
            if (*at == quote) quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '}') {
            return at;
        }
    }
    return NULL;
}

static bool add_part(struct cli_template *template, struct part part, struct fl_err *err)
{
    if (template->len == CLI_TEMPLATE_PARTS_MAX) {
        return fl_fail(err, FL_INVALID, "a template has at most %d parts", CLI_TEMPLATE_PARTS_MAX);
    }
    template->at[template->len++] = part;
    return true;
}

const struct cli_template *cli_template_parse(struct fl_str text, struct fl_arena *arena,
                                              struct fl_err *err)
{
    struct cli_template *template = fl_arena_new(arena, struct cli_template);
    const char *at = text.at, *end = text.at + text.len;

    if (!memchr(at, '{', text.len)) {
        struct part whole = {.path = cli_path_parse(text, arena, err)};

        return whole.path && add_part(template, whole, err) ? template : NULL;
    }
    while (at < end) {
        const char *open = memchr(at, '{', (size_t)(end - at)), *close;
        struct part part = {.text = {at, (size_t)((open ? open : end) - at)}};

        if (part.text.len > 0 && !add_part(template, part, err)) return NULL;
        if (!open) break;
        close = closing(open + 1, end);
        if (!close) {
            fl_fail(err, FL_INVALID, "'}' is missing behind '%.*s'", (int)(end - open), open);
            return NULL;
        }
        part = (struct part){0};
        if (!parse_inside((struct fl_str){open + 1, (size_t)(close - open) - 1}, arena, &part,
                          err) ||
            !add_part(template, part, err)) {
            return NULL;
        }
        at = close + 1;
    }
    return template;
}

void cli_template_put(const struct cli_template *template, const json_t *answer, struct fl_buf *out)
{
    for (size_t i = 0; i < template->len; i++) {
        const struct part *part = &template->at[i];

        if (part->path) {
            cli_path_put(part->path, answer, " ", out);
        } else {
            fl_buf_put(out, part->text.at, part->text.len);
        }
    }
}
