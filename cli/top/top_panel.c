#include "cli/top/top_panel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_read.h"
#include "cli/output.h"
#include "cli/top/top_rows.h"
#include "shared/base/arena.h"
#include "shared/base/assert.h"

enum { WORDS_MAX = 8 };

struct lines {
    struct fl_arena *arena;
    const char **at;
    size_t len;
};

FL_PRINTF(2, 3) static void put(struct lines *lines, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    if (lines->len == TOP_PANEL_LINES_MAX) return;
    va_start(args, fmt);
    fl_assert(vasprintf(&text, fmt, args) >= 0);
    va_end(args);
    lines->at[lines->len++] = fl_arena_copy(lines->arena, text, strlen(text));
    free(text);
}

static void put_field(struct lines *lines, const char *name, const char *value)
{
    if (*value) put(lines, "  %-11s %s", name, value);
}

static void put_time(struct lines *lines, const char *name, const char *time, int64_t now)
{
    int64_t at = cli_parse_time(time);

    if (at >= 0) {
        put(lines, "  %-11s %s, %s ago", name, time, top_span(lines->arena, now - at));
    }
}

/* ---- the parts ------------------------------------------------------------------------------- */

static void put_job(struct lines *lines, const json_t *job, int64_t now)
{
    const json_t *elements = json_object_get(job, "elements");
    const char *key;
    json_t *value;

    put(lines, "%s  %s", cli_text(job, "id"), cli_text(job, "state"));
    put_field(lines, "name", cli_text(job, "name"));
    put_field(lines, "queue", cli_text(job, "queue"));
    put_field(lines, "user", cli_text(job, "submittedBy"));
    put_field(lines, "cluster", cli_text(job, "cluster"));
    put_time(lines, "submitted", cli_text(job, "submittedAt"), now);
    put_time(lines, "ended", cli_text(job, "endedAt"), now);
    put_time(lines, "unknown", cli_text(job, "unknownSince"), now);
    if (cli_int(job, "priority")) {
        put(lines, "  %-11s %" PRId64, "priority", cli_int(job, "priority"));
    }
    if (json_is_integer(json_object_get(job, "exitCode"))) {
        put(lines, "  %-11s %" PRId64, "exit code", cli_int(job, "exitCode"));
    }
    put_field(lines, "retry of", cli_text(job, "retryOf"));
    json_object_foreach(json_object_get(job, "labels"), key, value)
    {
        put(lines, "  %-11s %s=%s", "label", key, json_string_value(value));
    }
    if (cli_int(elements, "total") < 2) return;
    json_object_foreach(json_object_get(job, "elements"), key, value)
    {
        if (json_integer_value(value)) {
            put(lines, "  %-11s %" PRId64 " %s", "elements", (int64_t)json_integer_value(value),
                key);
        }
    }
}

static void put_why(struct lines *lines, const json_t *job, const json_t *why)
{
    const char *sentence = cli_text(why, "sentence"), *reason = cli_text(why, "reason");
    const json_t *one;
    size_t i;

    if (!*sentence) sentence = cli_text(job, "sentence");
    if (!*reason) reason = cli_text(job, "reason");
    if (strcmp(reason, "none") == 0) reason = "";
    if (!*sentence && !*reason) return;
    put(lines, "%s", "");
    put(lines, "Why%s%s", *reason ? ": " : "", reason);
    if (*sentence) put(lines, "  %s", sentence);
    put_field(lines, "actor", cli_text(why, "whoCanAct"));
    json_array_foreach(json_object_get(why, "clusters"), i, one)
    {
        put(lines, "  %-11s %s  %s", cli_text(one, "cluster"), cli_text(one, "reason"),
            cli_text(one, "detail"));
    }
}

static const char *words_of(const json_t *list, struct fl_arena *arena)
{
    const char *text = "";
    const json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        const char *word = json_string_value(one);

        if (i == WORDS_MAX) {
            return fl_arena_printf(arena, "%s and %zu more", text, json_array_size(list) - i);
        }
        text = fl_arena_printf(arena, "%s%s%s", text, *text ? "," : "", word ? word : "");
    }
    return text;
}

static void put_live(struct lines *lines, const json_t *live)
{
    const json_t *one;
    size_t i;

    if (!json_array_size(live)) return;
    put(lines, "%s", "");
    put(lines, "Live: element, attempt, state, cluster, nodes, replicas");
    json_array_foreach(live, i, one)
    {
        put(lines, "  %" PRId64 "  %" PRId64 "  %s  %s  %s  %s%s%s", cli_int(one, "element"),
            cli_int(one, "attempt"), cli_text(one, "state"), cli_text(one, "cluster"),
            words_of(json_object_get(one, "nodes"), lines->arena),
            words_of(json_object_get(one, "replicas"), lines->arena),
            *cli_text(one, "reason") ? "  " : "", cli_text(one, "reason"));
    }
}

static void put_attempts(struct lines *lines, const json_t *attempts)
{
    const json_t *one;
    size_t i;

    if (!json_array_size(attempts)) return;
    put(lines, "%s", "");
    put(lines, "Attempts: element, attempt, cluster, nodes, exit code, reason");
    json_array_foreach(attempts, i, one)
    {
        const json_t *exit = json_object_get(one, "exitCode");

        put(lines, "  %" PRId64 "  %" PRId64 "  %s  %s  %s  %s  %s", cli_int(one, "element"),
            cli_int(one, "attempt"), cli_text(one, "cluster"),
            words_of(json_object_get(one, "nodes"), lines->arena),
            json_is_integer(exit)
                ? fl_arena_printf(lines->arena, "%" PRId64, (int64_t)json_integer_value(exit))
                : "-",
            cli_text(one, "reason"), cli_text(one, "words"));
    }
}

const char *const *top_panel_lines(const json_t *job, const json_t *why, int64_t now,
                                   struct fl_arena *arena, size_t *ret_len)
{
    struct lines lines = {.arena = arena,
                          .at = fl_arena_array(arena, const char *, TOP_PANEL_LINES_MAX)};

    put_job(&lines, job, now);
    put_why(&lines, job, why);
    put_live(&lines, json_object_get(job, "live"));
    put_attempts(&lines, json_object_get(job, "attempts"));
    *ret_len = lines.len;
    return lines.at;
}
