#include "cli/after_lines.h"

#include <string.h>

#include "shared/base/arena.h"

/* The member 'line' of an entry of 'after', as a number; NULL: there is none. */
static const struct fl_json *line_of(const struct fl_json *entry)
{
    const struct fl_json *line = fl_json_member(entry, FL_STR("line"));

    return line && line->kind == FL_JSON_INT ? line : NULL;
}

static const struct fl_json *list_of(const struct fl_json *document)
{
    const struct fl_json *list = fl_json_member(document, FL_STR("after"));

    return list && list->kind == FL_JSON_LIST ? list : NULL;
}

bool cli_after_has_line(const struct fl_json *document)
{
    const struct fl_json *list = list_of(document);

    if (!list) return false;
    FL_JSON_EACH (entry, list) {
        if (line_of(entry)) return true;
    }
    return false;
}

bool cli_after_resolve(const struct fl_json *document, cli_after_find_fn *find, void *ctx,
                       struct fl_arena *arena, struct fl_err *err)
{
    const struct fl_json *list = list_of(document);

    if (!list) return true;
    FL_JSON_EACH (entry, list) {
        struct fl_json *line = (struct fl_json *)line_of(entry);
        struct cli_after_target target = {0};
        const char *text;

        if (!line) continue;
        if (!find(ctx, (long)line->n, &target, err)) return false;
        text = target.id ? target.id : fl_arena_printf(arena, "%ld", target.line);
        line->text = (struct fl_str){text, strlen(text)};
        if (target.id) {
            line->kind = FL_JSON_STRING;
            line->key = FL_STR("job");
        } else {
            line->n = target.line;
        }
    }
    return true;
}
