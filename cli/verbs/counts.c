/* counts.c - 'counts': how many jobs have each value of a label. */
#include <stdio.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

static void put_value(struct cli *cli, struct cli_table *table, const json_t *value)
{
    static const char *const counts[] = {"jobs", "open", "succeeded", "failed", "cancelled"};

    cli_table_put(table, "%s", cli_plain(cli, cli_text(value, "value")));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cli_table_put(table, "%lld", (long long)cli_int(value, counts[i]));
    }
}

static long long jobs_of(const json_t *counts, const char *part)
{
    return (long long)cli_int(json_object_get(counts, part), "jobs");
}

/* Says on stderr all that the rows cannot say. */
static void tell(const json_t *counts, const char *key)
{
    long long total = jobs_of(counts, "total"), without = jobs_of(counts, "without");
    long long others = jobs_of(counts, "others");

    if (without > 0) {
        fprintf(stderr, "%lld of %lld jobs do not have the label %s\n", without, total, key);
    }
    if (others > 0) fprintf(stderr, "%lld of %lld jobs have a further value\n", others, total);
    if (json_is_false(json_object_get(counts, "isWhole"))) {
        fprintf(stderr, "only the newest %lld jobs were counted: -q, -l, -u or --name to choose\n",
                total);
    }
}

int verb_counts(struct cli *cli)
{
    static const struct cli_list rows = {
        .group = "values",
        .name = "value",
        .header = "~VALUE|>JOBS|>OPEN|>SUCCEEDED|>FAILED|>CANCELLED",
        .put = put_value,
        .none = "no job has this label",
    };
    const char *query = cli_filter_query(cli), *key, *by;
    json_t *counts = NULL, *values;
    int code;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead counts KEY");
    key = cli->args.words.at[0];
    by = fl_arena_printf(&cli->arena, "label:%s", key);
    code = cli_get(cli, &counts, "/v1/jobs:counts?by=%s%s%s", cli_escape(cli, by),
                   *query ? "&" : "", query);
    if (code) return code;
    values = json_incref(json_object_get(counts, "values"));
    cli_print_list(cli, &rows, values);
    tell(counts, cli_plain(cli, key));
    json_decref(values);
    json_decref(counts);
    return CLI_OK;
}
