#include "shared/spec/problems.h"

#include <stdio.h>
#include <string.h>

#include "shared/base/arena.h"

void fl_problems_add(struct fl_problems *problems, struct fl_problem problem)
{
    if (problems->len == FL_PROBLEMS_MAX) {
        problems->more++;
    } else {
        problems->at[problems->len++] = problem;
    }
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* Both measure when 'to' is NULL. */
static size_t put_key(char *to, struct fl_str key)
{
    size_t len = 0;

    for (size_t i = 0; i < key.len; i++) {
        char c = key.at[i];
        bool is_escaped = c == '~' || c == '/';

        if (to) to[len] = is_escaped ? '~' : c;
        if (to && is_escaped) to[len + 1] = c == '~' ? '0' : '1';
        len += 1 + is_escaped;
    }
    return len;
}

static size_t put_step(char *to, const struct fl_path *step)
{
    char digits[24];
    size_t len = 1;

    if (to) *to++ = '/';
    if (step->key.at) return len + put_key(to, step->key);
    len = (size_t)snprintf(digits, sizeof digits, "%zu", step->index);
    if (to) memcpy(to, digits, len);
    return 1 + len;
}

struct fl_str fl_path_pointer(const struct fl_path *path, struct fl_str last,
                              struct fl_arena *arena)
{
    struct fl_path inner = {.up = path, .key = last};
    const struct fl_path *from = last.len ? &inner : path;
    size_t len = 0, at;
    char *text;

    for (const struct fl_path *step = from; step; step = step->up) {
        len += put_step(NULL, step);
    }
    text = fl_arena_alloc(arena, len + 1);
    at = len;
    for (const struct fl_path *step = from; step; step = step->up) {
        at -= put_step(NULL, step);
        put_step(text + at, step);
    }
    return (struct fl_str){text, len};
}

/* ---- the offending text ---------------------------------------------------------------------- */

struct fl_str fl_problem_got(const struct fl_json *node, struct fl_arena *arena)
{
    size_t len = node->text.len;
    const char *dots = "", *quote = node->kind == FL_JSON_STRING ? "\"" : "";

    if (node->kind == FL_JSON_LIST || node->kind == FL_JSON_OBJECT) {
        return fl_str_c(fl_json_kind_name(node->kind));
    }
    if (len > FL_PROBLEM_GOT_MAX) {
        for (len = FL_PROBLEM_GOT_MAX; (node->text.at[len] & 0xc0) == 0x80; len--) {
        } /* not in the middle of a character */
        dots = "...";
    }
    return fl_str_c(fl_arena_printf(arena, "%s" FL_STR_FMT "%s%s", quote,
                                    FL_STR_ARG(((struct fl_str){node->text.at, len})), dots,
                                    quote));
}

bool fl_problems_fail(const struct fl_problems *problems, struct fl_err *err)
{
    const struct fl_problem *first = &problems->at[0];
    size_t more = problems->len + problems->more - 1;
    char others[48] = "";

    if (more) snprintf(others, sizeof others, " (and %zu more)", more);
    if (first->pointer.len == 0) {
        return fl_fail(err, FL_INVALID, FL_STR_FMT "%s", FL_STR_ARG(first->detail), others);
    }
    return fl_fail(err, FL_INVALID, FL_STR_FMT ": " FL_STR_FMT "%s", FL_STR_ARG(first->pointer),
                   FL_STR_ARG(first->detail), others);
}
