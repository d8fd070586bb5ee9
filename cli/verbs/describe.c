/* describe.c - 'describe': everything about one job. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/follow.h"
#include "cli/job_selector.h"
#include "cli/output.h"

enum { LAST_LINES = 10, FAILURES_MAX = 8 };

static void put_line(struct cli *cli, const char *key, const char *value)
{
    if (*value && strcmp(value, "-") != 0) printf("%-12s %s\n", key, cli_plain(cli, value));
}

/* Since when its cluster has been silent; "" if the state shown is current. */
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
    if (strcmp(cli_text(job, "reason"), "none") != 0) {
        put_line(cli, "reason", cli_text(job, "reason"));
    }
    put_line(cli, "because", cli_text(job, "sentence"));
    put_line(cli, "unknown", since(cli, job));
    if (cli_int(job, "priority")) {
        printf("%-12s %lld\n", "priority", (long long)cli_int(job, "priority"));
    }
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
            if (json_integer_value(value)) {
                printf("  %lld %s", (long long)json_integer_value(value), cli_plain(cli, key));
            }
        }
        putchar('\n');
    }
}

static const char *number(struct cli *cli, const json_t *value)
{
    if (!json_is_integer(value)) return "";
    return fl_arena_printf(&cli->arena, "%lld", (long long)json_integer_value(value));
}

/* Prints the elements that run now, or wait for their next attempt. */
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

/* Prints the last lines of the replicas that 'which', a part of a query, selects; prints nothing if
 * they have no output. */
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

/* Prints the last lines of the first replica that failed, for each failed attempt. */
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
