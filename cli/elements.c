#include "cli/elements.h"

#include "cli/client.h"

enum { PAGE_MAX = 1000 };

/* Adds those of a page that are meant.  False: the list is full, or the page goes past 'last'. */
static bool add_page(const json_t *page, const struct cli_attempts_query *query, json_t *all,
                     bool *ret_is_more)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(page, "attempts"), i, one)
    {
        if (cli_int(one, "element") > query->last) return false;
        if (json_array_size(all) == query->len_max) {
            *ret_is_more = true;
            return false;
        }
        json_array_append(all, one);
    }
    return true;
}

int cli_attempts_read(struct cli *cli, const char *id, const struct cli_attempts_query *query,
                      json_t *all, bool *ret_is_more)
{
    const char *cursor = fl_arena_printf(&cli->arena, "%u.0", query->first);
    bool goes_on = true;

    *ret_is_more = false;
    while (goes_on && *cursor) {
        /* One more than are wanted: it says whether there are more. */
        size_t left = query->len_max - json_array_size(all) + 1;
        json_t *page = NULL;
        int code = cli_get(cli, &page, "/v1/jobs/%s/attempts?limit=%zu&cursor=%s%s%s", id,
                           left < PAGE_MAX ? left : PAGE_MAX, cursor, query->state ? "&state=" : "",
                           query->state ? cli_escape(cli, query->state) : "");

        if (code) return code;
        goes_on = add_page(page, query, all, ret_is_more);
        cursor = fl_arena_printf(&cli->arena, "%s", cli_text(page, "attemptsCursor"));
        json_decref(page);
    }
    return CLI_OK;
}

const char *cli_runs(struct cli *cli, const json_t *attempts)
{
    const char *text = "";
    size_t len = json_array_size(attempts), runs = 0;

    for (size_t i = 0, end; i < len; i = end) {
        long long first = (long long)cli_int(json_array_get(attempts, i), "element"), last = first;

        for (end = i + 1; end < len; end++, last++) {
            if (cli_int(json_array_get(attempts, end), "element") != last + 1) break;
        }
        if (runs++ == CLI_RUNS_MAX) return fl_arena_printf(&cli->arena, "%s, ...", text);
        text = first == last
                   ? fl_arena_printf(&cli->arena, "%s%s%lld", text, *text ? ", " : "", first)
                   : fl_arena_printf(&cli->arena, "%s%s%lld-%lld", text, *text ? ", " : "", first,
                                     last);
    }
    return text;
}
