/* audit.c - 'audit': changes, refusals and their actors, the newest first. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

enum { LIMIT = 100, LIMIT_MAX = 1000000, PAGE_MAX = 1000 };

static void put_row(struct cli *cli, struct cli_table *table, const json_t *row)
{
    cli_table_put(table, "%s", cli_when(cli, cli_text(row, "at")));
    cli_table_put(table, "%s", cli_plain(cli, cli_text(row, "actor")));
    cli_table_put(table, "%s", cli_text(row, "outcome"));
    cli_table_put(table, "%s", cli_plain(cli, cli_text(row, "what")));
    cli_table_put(table, "%s", cli_text(row, "peer"));
    cli_table_put(table, "%s", cli_text(row, "traceId"));
}

static const struct cli_list rows = {.group = "audit",
                                     .name = "id",
                                     .header = "AT|~ACTOR|OUTCOME|~WHAT|+PEER|+TRACE",
                                     .put = put_row,
                                     .none = "no row of the audit is like that"};

static const char *add(struct cli *cli, const char *filter, const char *name, const char *value)
{
    if (!value) return filter;
    return fl_arena_printf(&cli->arena, "%s&%s=%s", filter, name, cli_escape(cli, value));
}

/* False: it was printed. */
static bool add_time(struct cli *cli, const char **filter, const char *name,
                     enum cli_option_id option)
{
    const char *value = cli_value(&cli->args, option);
    int64_t ms;

    if (value && cli_parse_time(value) < 0) {
        if (!cli_duration(value, &ms)) {
            FL_IGNORE(cli_fail(CLI_USAGE,
                               "--%s %s: wants a span, as 10m, or a time, as 2026-01-31T09:00:00Z",
                               name, value));
            return false;
        }
        value = cli_time(cli, cli_now_ms() - ms);
    }
    *filter = add(cli, *filter, name, value);
    return true;
}

/* Pages until 'limit' rows are there: with a filter a page may be short, or empty. */
static int read_rows(struct cli *cli, const char *filter, long limit, json_t *all)
{
    const char *cursor = "";

    do {
        json_t *page = NULL;
        long left = limit - (long)json_array_size(all);
        int code = cli_get(cli, &page, "/v1/audit?limit=%ld&cursor=%s%s",
                           left < PAGE_MAX ? left : PAGE_MAX, cursor, filter);

        if (code) return code;
        json_array_extend(all, json_object_get(page, "audit"));
        cursor = cli_escape(cli, cli_text(page, "cursor"));
        json_decref(page);
    } while (*cursor && (long)json_array_size(all) < limit);
    return CLI_OK;
}

int verb_audit(struct cli *cli)
{
    static const struct {
        const char *name;
        enum cli_option_id option;
    } filters[] = {{"subject", CLI_OPT_subject},
                   {"action", CLI_OPT_action},
                   {"object", CLI_OPT_object},
                   {"outcome", CLI_OPT_outcome}};
    const char *filter = "";
    long limit = LIMIT;
    struct fl_err err = {0};
    json_t *all;
    int code;

    if (!cli_number(&cli->args, CLI_OPT_limit, LIMIT, 1, LIMIT_MAX, &limit, &err)) {
        return cli_fail_err(&err);
    }
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        filter = add(cli, filter, filters[i].name, cli_value(&cli->args, filters[i].option));
    }
    if (!add_time(cli, &filter, "since", CLI_OPT_since) ||
        !add_time(cli, &filter, "until", CLI_OPT_until)) {
        return CLI_USAGE;
    }
    all = json_array();
    code = read_rows(cli, filter, limit, all);
    if (!code) cli_print_list(cli, &rows, all);
    json_decref(all);
    return code;
}
