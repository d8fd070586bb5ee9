/* list.c - 'ps', 'get' and 'describe': jobs, short and long. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/follow.h"
#include "cli/output.h"
#include "cli/which.h"

enum { LIMIT = 50, LIMIT_MAX = 100000, PAGE = 500, LAST_LINES = 10, FAILURES_MAX = 8 };

/* --- ps --------------------------------------------------------------------------------------- */

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

    if (total <= 1 || !json_object_get(counts, "succeeded"))
        return fl_arena_printf(&cli->arena, "%lld", total);
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

static struct cli_table *begin_table(struct cli *cli)
{
    return cli_table_create(
        cli, "JOB|NAME|STATE|QUEUE|CLUSTER|>ELEMENTS|>AGE|>TOOK|+PRIORITY|+LABELS|NOTE");
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
    cli_table_put(table, "%s", labels(cli, job));
    cli_table_put(table, "%s", note(cli, job));
}

static void print_job(struct cli *cli, struct cli_table *table, json_t *all, json_t *job)
{
    if (cli->format == CLI_FORMAT_json) {
        json_array_append(all, job);
    } else if (cli->format == CLI_FORMAT_jsonl) {
        cli_print_json(cli, job);
    } else if (cli->format == CLI_FORMAT_name) {
        printf("%s\n", cli_text(job, "id"));
    } else {
        put_row(cli, table, job);
    }
}

int verb_ps(struct cli *cli)
{
    const char *query = cli_filter_query(cli), *cursor = "";
    json_t *all = json_array();
    struct cli_table *table;
    struct fl_err err = {0};
    long limit, shown = 0;
    bool is_more = false;
    int code = CLI_OK;

    if (!cli_number(&cli->args, CLI_OPT_limit, LIMIT, 1, LIMIT_MAX, &limit, &err)) {
        json_decref(all);
        return cli_fail_err(&err);
    }
    table = begin_table(cli);
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
            print_job(cli, table, all, job);
            shown++;
        }
        is_more = *cli_text(page, "cursor") != 0;
        cursor = is_more ? cli_escape(cli, cli_text(page, "cursor")) : "";
        json_decref(page);
    } while (is_more && shown < limit && !cli_is_interrupted());
    if (cli->format == CLI_FORMAT_json && code == CLI_OK) cli_print_json(cli, all);
    if (!cli_is_json(cli) && cli->format != CLI_FORMAT_name && code == CLI_OK) {
        cli_page(cli);
        cli_table_print(table, stdout);
    } else {
        cli_table_destroy(table);
    }
    json_decref(all);
    if (code == CLI_OK && is_more)
        fprintf(stderr, "there are more: --limit %ld, or -q, -s, -l to choose\n", limit * 10);
    return code;
}

/* --- get -------------------------------------------------------------------------------------- */

int verb_get(struct cli *cli)
{
    struct cli_table *table;
    json_t *jobs, *job;
    size_t i;
    int code = CLI_OK;

    if (!cli->args.words.len) return cli_fail(CLI_USAGE, "usage: fairlead get JOB...");
    jobs = cli_jobs_meant(cli, cli->args.words.len, &code);
    if (!jobs) return code;
    table = begin_table(cli);
    if (cli->format == CLI_FORMAT_json && json_array_size(jobs) == 1) {
        cli_print_json(cli, json_array_get(jobs, 0));
    } else if (cli->format == CLI_FORMAT_json) {
        cli_print_json(cli, jobs);
    } else {
        json_array_foreach(jobs, i, job) print_job(cli, table, NULL, job);
    }
    if (cli_is_json(cli) || cli->format == CLI_FORMAT_name) {
        cli_table_destroy(table);
    } else {
        cli_table_print(table, stdout);
    }
    json_decref(jobs);
    return code;
}

/* --- describe --------------------------------------------------------------------------------- */

static void put_line(struct cli *cli, const char *key, const char *value)
{
    if (*value && strcmp(value, "-") != 0) printf("%-12s %s\n", key, cli_plain(cli, value));
}

/* When its cluster was given up as silent; "": what is told of it is so. */
static const char *since(struct cli *cli, const json_t *one)
{
    const char *at = cli_text(one, "unknownSince");

    return *at ? fl_arena_printf(&cli->arena, "since %s", at) : "";
}

static void describe_job(struct cli *cli, const json_t *job)
{
    const char *state = cli_text(job, "state"), *key;
    json_t *value;

    printf("%-12s %s\n", "job", cli_text(job, "id"));
    put_line(cli, "name", cli_text(job, "name"));
    put_line(cli, "queue", cli_text(job, "queue"));
    printf("%-12s %s%s%s\n", "state", cli_color(cli, state), state, cli_color_off(cli));
    if (strcmp(cli_text(job, "reason"), "none") != 0)
        put_line(cli, "reason", cli_text(job, "reason"));
    put_line(cli, "because", cli_text(job, "sentence"));
    put_line(cli, "unknown", since(cli, job));
    if (cli_int(job, "priority"))
        printf("%-12s %lld\n", "priority", (long long)cli_int(job, "priority"));
    put_line(cli, "cluster", cli_text(job, "cluster"));
    put_line(cli, "submitted", cli_text(job, "submittedAt"));
    put_line(cli, "ended", cli_text(job, "endedAt"));
    put_line(cli, "retry of", cli_text(job, "retryOf"));
    json_object_foreach(json_object_get(job, "labels"), key, value)
    {
        printf("%-12s %s=%s\n", "label", cli_plain(cli, key),
               cli_plain(cli, json_string_value(value)));
    }
    if (cli_int(json_object_get(job, "elements"), "total") > 1) {
        printf("%-12s", "elements");
        json_object_foreach(json_object_get(job, "elements"), key, value)
        {
            if (json_integer_value(value))
                printf("  %lld %s", (long long)json_integer_value(value), cli_plain(cli, key));
        }
        putchar('\n');
    }
}

static const char *number(struct cli *cli, const json_t *value)
{
    if (!json_is_integer(value)) return "";
    return fl_arena_printf(&cli->arena, "%lld", (long long)json_integer_value(value));
}

/* What runs now, or waits for its next attempt. */
static void describe_live(struct cli *cli, const json_t *job)
{
    const json_t *live = json_object_get(job, "live");
    struct cli_table *table;
    json_t *one;
    size_t i;

    if (json_array_size(live) == 0) return;
    putchar('\n');
    table = cli_table_create(cli, ">ELEMENT|>ATTEMPT|STATE|CLUSTER|NODES|REPLICAS|NOTE");
    json_array_foreach(live, i, one)
    {
        cli_table_put(table, "%lld", (long long)cli_int(one, "element"));
        cli_table_put(table, "%lld", (long long)cli_int(one, "attempt"));
        cli_table_put(table, "%s", cli_text(one, "state"));
        cli_table_put(table, "%s", cli_text(one, "cluster"));
        cli_table_put(table, "%s", cli_words(cli, json_object_get(one, "nodes")));
        cli_table_put(table, "%s", cli_words(cli, json_object_get(one, "replicas")));
        cli_table_put(table, "%s%s%s%s%s", since(cli, one), *since(cli, one) ? " " : "",
                      cli_text(one, "reason"), *cli_text(one, "waitsUntil") ? " until " : "",
                      cli_text(one, "waitsUntil"));
    }
    cli_table_print(table, stdout);
}

static void describe_attempts(struct cli *cli, const json_t *job)
{
    const json_t *attempts = json_object_get(job, "attempts");
    struct cli_table *table;
    json_t *one;
    size_t i;

    if (json_array_size(attempts) == 0) return;
    putchar('\n');
    table =
        cli_table_create(cli, ">ELEMENT|>ATTEMPT|CLUSTER|NODES|>EXIT|REASON|>FIRST|PLACED|ENDED");
    json_array_foreach(attempts, i, one)
    {
        cli_table_put(table, "%lld", (long long)cli_int(one, "element"));
        cli_table_put(table, "%lld", (long long)cli_int(one, "attempt"));
        cli_table_put(table, "%s", cli_text(one, "cluster"));
        cli_table_put(table, "%s", cli_words(cli, json_object_get(one, "nodes")));
        cli_table_put(table, "%s", number(cli, json_object_get(one, "exitCode")));
        cli_table_put(table, "%s", cli_text(one, "reason"));
        cli_table_put(table, "%s", number(cli, json_object_get(one, "firstReplica")));
        cli_table_put(table, "%s", cli_text(one, "placedAt"));
        cli_table_put(table, "%s", cli_text(one, "endedAt"));
    }
    cli_table_print(table, stdout);
}

/* The last lines of those that 'which', a part of a query, chooses; nothing when they wrote nothing. */
static void describe_output(struct cli *cli, const char *id, const char *title, const char *which)
{
    struct cli_request request = {.method = "GET", .accept = "text/plain", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    request.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/logs?format=text&tail=%d%s", id,
                                   LAST_LINES, which);
    if (!cli_send(cli, &request, &reply, &err) || reply.status != 200 || !reply.len) return;
    printf("\n%s\n", title);
    cli_log_write(cli, reply.body, reply.len, false);
    if (reply.body[reply.len - 1] != '\n') putchar('\n');
}

/* Of each attempt that failed: what its first failing replica wrote last. */
static int describe_failures(struct cli *cli, const char *id, const json_t *job)
{
    json_t *one;
    size_t i;
    int told = 0;

    json_array_foreach(json_object_get(job, "attempts"), i, one)
    {
        const json_t *first = json_object_get(one, "firstReplica");
        long long element = (long long)cli_int(one, "element"),
                  attempt = (long long)cli_int(one, "attempt"),
                  replica = (long long)json_integer_value(first);

        if (!json_is_integer(first)) continue;
        if (told++ == FAILURES_MAX) {
            printf("\nmore of them failed: fairlead logs %s --element N\n", id);
            break;
        }
        describe_output(cli, id,
                        fl_arena_printf(&cli->arena,
                                        "last lines of element %lld, attempt %lld, replica %lld:",
                                        element, attempt, replica),
                        fl_arena_printf(&cli->arena, "&element=%lld&attempt=%lld&replica=%lld",
                                        element, attempt, replica));
    }
    return told;
}

int verb_describe(struct cli *cli)
{
    const char *id;
    json_t *job = NULL;
    int code = CLI_OK;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead describe JOB");
    id = cli_job_id(cli, cli->args.words.at[0], &code);
    if (!id || (code = cli_get(cli, &job, "/v1/jobs/%s", id)) != 0) return code;
    if (cli_is_json(cli)) {
        cli_print_json(cli, job);
    } else {
        cli_page(cli);
        describe_job(cli, job);
        describe_live(cli, job);
        describe_attempts(cli, job);
        if (!describe_failures(cli, id, job)) describe_output(cli, id, "last lines:", "");
    }
    json_decref(job);
    return code;
}
