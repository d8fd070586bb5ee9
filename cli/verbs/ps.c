/* ps.c - 'ps' and 'get': a table of jobs, or single jobs. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/follow.h"
#include "cli/interrupt.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "cli/resource.h"
#include "cli/table.h"

enum { LIMIT = 50, LIMIT_MAX = 100000, PAGE = 500 };

/* ---- ps -------------------------------------------------------------------------------------- */

static const char *span(struct cli *cli, const char *from, const char *to)
{
    int64_t begin = cli_parse_time(from), end = cli_parse_time(to);

    if (begin < 0) return "-";
    return cli_ago(cli, (end < 0 ? cli_now_ms() : end) - begin);
}

static const char *elements(struct cli *cli, const json_t *job)
{
    const json_t *counts = json_object_get(job, "elements");
    long long total = (long long)cli_int(counts, "total");

    if (total <= 1 || !json_object_get(counts, "succeeded")) {
        return fl_arena_printf(&cli->arena, "%lld", total);
    }
    return fl_arena_printf(&cli->arena, "%lld/%lld", (long long)cli_int(counts, "succeeded"),
                           total);
}

static const char *labels(struct cli *cli, const json_t *job)
{
    const char *text = "", *key;
    json_t *value;

    json_object_foreach(json_object_get(job, "labels"), key, value)
    {
        text = fl_arena_printf(&cli->arena, "%s%s%s=%s", text, *text ? "," : "", key,
                               json_string_value(value));
    }
    return text;
}

static const char *note(struct cli *cli, const json_t *job)
{
    const json_t *exit = json_object_get(job, "exitCode"),
                 *counts = json_object_get(job, "elements");

    if (strcmp(cli_text(job, "state"), "succeeded") == 0) return "";
    if (json_is_integer(exit) && json_integer_value(exit)) {
        return fl_arena_printf(&cli->arena, "%s, exit %lld", cli_text(job, "reason"),
                               (long long)json_integer_value(exit));
    }
    if (cli_int(counts, "unknown") && cli_int(counts, "total") > 1) {
        return fl_arena_printf(&cli->arena, "%s, %lld unknown", cli_text(job, "reason"),
                               (long long)cli_int(counts, "unknown"));
    }
    if (*cli_text(job, "unknownSince")) {
        return fl_arena_printf(&cli->arena, "%s, unknown for %s", cli_text(job, "reason"),
                               span(cli, cli_text(job, "unknownSince"), ""));
    }
    return cli_text(job, "reason");
}

static void put_row(struct cli *cli, struct cli_table *table, const json_t *job)
{
    cli_table_put(table, "%s", cli_text(job, "id"));
    cli_table_put(table, "%s", cli_text(job, "name"));
    cli_table_put(table, "%s", cli_text(job, "state"));
    cli_table_put(table, "%s", cli_text(job, "queue"));
    cli_table_put(table, "%s", cli_text(job, "cluster"));
    cli_table_put(table, "%s", elements(cli, job));
    cli_table_put(table, "%s", span(cli, cli_text(job, "submittedAt"), ""));
    cli_table_put(table, "%s",
                  *cli_text(job, "endedAt")
                      ? span(cli, cli_text(job, "submittedAt"), cli_text(job, "endedAt"))
                      : "");
    cli_table_put(table, "%lld", (long long)cli_int(job, "priority"));
    cli_table_put(table, "%s", cli_text(job, "submittedBy"));
    cli_table_put(table, "%s", labels(cli, job));
    cli_table_put(table, "%s", note(cli, job));
}

static const struct cli_list jobs_list = {
    .name = "id",
    .header = "JOB|~NAME|STATE|~QUEUE|CLUSTER|>ELEMENTS|>AGE|>TOOK|+PRIORITY|+USER|+LABELS|~NOTE",
    .put = put_row};

int verb_ps(struct cli *cli)
{
    const char *query = cli_filter_query(cli), *cursor = "";
    bool is_streamed = cli_answer_streams(cli), is_more = false;
    struct fl_err err = {0};
    long limit, shown = 0;
    json_t *all;
    int code = CLI_OK;

    if (!cli_number(&cli->args, CLI_OPT_limit, LIMIT, 1, LIMIT_MAX, &limit, &err)) {
        return cli_fail_err(&err);
    }
    all = json_array();
    do {
        long page_len = limit - shown < PAGE ? limit - shown : PAGE;
        json_t *page = NULL, *job;
        size_t i;

        code = cli_get(
            cli, &page, "/v1/jobs?limit=%ld%s%s%s%s%s", page_len, *query ? "&" : "", query,
            cli_has(&cli->args, CLI_OPT_all) || cli_has(&cli->args, CLI_OPT_state) ? ""
                                                                                   : "&state=open",
            *cursor ? "&cursor=" : "", cursor);
        if (code) break;
        json_array_foreach(json_object_get(page, "jobs"), i, job)
        {
            if (!is_streamed || !cli_answer(cli, job, jobs_list.name)) json_array_append(all, job);
            shown++;
        }
        is_more = *cli_text(page, "cursor") != 0;
        cursor = is_more ? cli_escape(cli, cli_text(page, "cursor")) : "";
        json_decref(page);
    } while (is_more && shown < limit && !cli_is_interrupted());
    if (code == CLI_OK && !is_streamed) {
        if (!cli_is_data(cli)) cli_page(cli);
        cli_print_list(cli, &jobs_list, all);
    }
    json_decref(all);
    if (code == CLI_OK && is_more) {
        fprintf(stderr, "there are more: --limit %ld, or -q, -s, -l, -u to choose\n", limit * 10);
    }
    return code;
}

/* ---- get ------------------------------------------------------------------------------------- */

int verb_get(struct cli *cli)
{
    json_t *jobs, *job;
    int code = CLI_OK;

    if (!cli->args.words.len) return cli_fail(CLI_USAGE, "usage: fairlead get JOB...");
    jobs = json_array();
    for (size_t w = 0; w < cli->args.words.len; w++) { /* one that is not there hides no other */
        int one = CLI_OK;
        const char *id = cli_job_id(cli, cli->args.words.at[w], &one);

        job = NULL;
        if (id) one = cli_get(cli, &job, "/v1/jobs/%s", id);
        if (one && !code) code = one;
        if (one == CLI_OK) json_array_append_new(jobs, job);
    }
    if (json_array_size(jobs) != 1 || !cli_answer(cli, json_array_get(jobs, 0), jobs_list.name)) {
        if (json_array_size(jobs) > 0) cli_print_list(cli, &jobs_list, jobs);
    }
    json_decref(jobs);
    return code;
}
