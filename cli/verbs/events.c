/* events.c - 'events': the events of one job or of all. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/client_stream.h"
#include "cli/job_selector.h"
#include "cli/output.h"

struct listening {
    struct cli *cli;
    long left;   /* events to show; -1: no bound */
    bool is_one; /* one job's events, whose stream ends */
};

static void print_event(struct cli *cli, const json_t *event)
{
    const char *key;
    json_t *value;

    printf("%s  %-17s %s", cli_instant(cli, cli_text(event, "at")), cli_text(event, "type"),
           cli_text(event, "job"));
    json_object_foreach((json_t *)event, key, value)
    {
        if (strcmp(key, "at") == 0 || strcmp(key, "type") == 0 || strcmp(key, "job") == 0) continue;
        if (json_is_string(value) && *json_string_value(value)) {
            printf("  %s=%s", key, cli_plain(cli, json_string_value(value)));
        }
        if (json_is_integer(value)) printf("  %s=%lld", key, (long long)json_integer_value(value));
    }
    putchar('\n');
}

static enum cli_stream_word on_event(void *ctx, const struct cli_event *event)
{
    struct listening *listening = ctx;
    json_t *body;

    body = json_loadb(event->data, event->data_len, 0, NULL);
    if (strcmp(event->name, "reset") == 0) fputs("fairlead: events may be missing here\n", stderr);
    if (!cli_answer(listening->cli, body, "job") && strcmp(event->name, "reset") != 0) {
        print_event(listening->cli, body);
    }
    json_decref(body);
    if (listening->left > 0) listening->left--;
    if (listening->is_one &&
        (strcmp(event->name, "job.ended") == 0 || strcmp(event->name, "job.left") == 0)) {
        return CLI_STREAM_DONE;
    }
    return listening->left == 0 ? CLI_STREAM_DONE : CLI_STREAM_MORE;
}

int verb_events(struct cli *cli)
{
    struct listening listening = {.cli = cli, .left = -1};
    struct cli_stream stream = {.path = "/v1/events", .on_event = on_event, .ctx = &listening};
    struct cli_streams *streams;
    struct fl_err err = {0};
    const char *id;
    int code = CLI_OK;

    if (cli->args.words.len > 1) return cli_fail(CLI_USAGE, "usage: fairlead events [JOB]");
    if (!cli_number(&cli->args, CLI_OPT_limit, -1, 1, 1000000, &listening.left, &err)) {
        return cli_fail_err(&err);
    }
    if (cli->args.words.len) {
        id = cli_job_id(cli, cli->args.words.at[0], &code);
        if (!id) return code;
        listening.is_one = true;
        stream.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/events", id);
    }
    streams = cli_streams_create(cli);
    cli_streams_open(streams, &stream);
    code = cli_streams_run(streams, 0);
    cli_streams_destroy(streams);
    return code;
}
