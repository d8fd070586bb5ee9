/* failures.c - 'failures': the failed elements of a job, grouped by how they failed. */
#include <stdio.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

static void put_group(struct cli *cli, struct cli_table *table, const json_t *group)
{
    const json_t *code = json_object_get(group, "exitCode");
    bool has_more = json_is_true(json_object_get(group, "hasMoreElements"));

    (void)cli;
    cli_table_put(table, "%lld", (long long)cli_int(group, "count"));
    cli_table_put(table, "%s", cli_text(group, "reason"));
    if (json_is_integer(code)) {
        cli_table_put(table, "%lld", (long long)json_integer_value(code));
    } else {
        cli_table_put(table, "%s", "");
    }
    cli_table_put(table, "%s", cli_text(group, "line"));
    cli_table_put(table, "%s", cli_text(group, "pattern"));
    cli_table_put(table, "%s%s", cli_text(group, "elements"), has_more ? ",..." : "");
    cli_table_put(table, "%s", cli_text(group, "id"));
}

/* Says on stderr all that a table cannot say. */
static void tell(const json_t *failures)
{
    long long failed = (long long)cli_int(failures, "failed");
    long long others = (long long)cli_int(failures, "others");

    if (others > 0) {
        fprintf(stderr, "%lld of %lld failed elements are in further groups\n", others, failed);
    }
    if (json_is_false(json_object_get(failures, "isWhole"))) {
        fprintf(stderr, "there are more failures than one answer reads: counts may be too low\n");
    }
}

int verb_failures(struct cli *cli)
{
    static const struct cli_list rows = {
        .group = "groups",
        .name = "id",
        .header = ">COUNT|REASON|>EXIT|~LINE|+~PATTERN|~ELEMENTS|ID",
        .put = put_group,
        .none = "no element of it failed",
    };
    json_t *failures = NULL, *groups;
    int code = CLI_OK;
    const char *id;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead failures JOB");
    id = cli_job_id(cli, cli->args.words.at[0], &code);
    if (!id) return code;
    code = cli_get(cli, &failures, "/v1/jobs/%s/failures", id);
    if (code) return code;
    groups = json_incref(json_object_get(failures, "groups"));
    cli_print_list(cli, &rows, groups);
    tell(failures);
    json_decref(groups);
    json_decref(failures);
    return CLI_OK;
}
