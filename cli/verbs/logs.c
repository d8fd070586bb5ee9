/* logs.c - 'logs': the output of a job's replicas, from the store or live. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/client.h"
#include "cli/elements.h"
#include "cli/follow.h"
#include "cli/hint.h"
#include "cli/job_line.h"
#include "cli/log_event.h"
#include "cli/output.h"
#include "cli/status_line.h"
#include "cli/wait_reason.h"
#include "shared/io/clock.h"

struct following {
    struct cli *cli;
    struct cli_log_style style;
    bool has_lines; /* or a search that found none */
    struct cli_wait_reason waiting;
    int64_t look_at; /* while there are none; fl_clock_mono */
    char text[CLI_STATUS_LINE_TEXT_MAX];
};

enum { LOOK_MS = 1000 };

/* The pattern as a query.  NULL: the error was printed. */
static const char *pattern_of(struct cli *cli)
{
    static const struct {
        enum cli_option_id option;
        const char *flag, *query;
    } words[] = {{CLI_OPT_regex, "regex", "&match=regex"},
                 {CLI_OPT_ignore_case, "ignore-case", "&ignoreCase=true"},
                 {CLI_OPT_invert_match, "invert-match", "&invert=true"}};
    const char *grep = cli_value(&cli->args, CLI_OPT_grep), *query = "";

    if (grep) query = fl_arena_printf(&cli->arena, "&grep=%s", cli_escape(cli, grep));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!cli_has(&cli->args, words[i].option)) continue;
        if (!grep) {
            FL_IGNORE(cli_fail(CLI_USAGE, "--%s says how --grep is meant, and there is none",
                               words[i].flag));
            return NULL;
        }
        query = fl_arena_printf(&cli->arena, "%s%s", query, words[i].query);
    }
    return query;
}

/* The flags as a query.  NULL: the error was printed, and *ret_code is the exit code. */
static const char *query_of(struct cli *cli, int *ret_code)
{
    static const struct {
        enum cli_option_id option;
        const char *key;
    } parts[] = {
        {CLI_OPT_element, "element"}, {CLI_OPT_attempt, "attempt"}, {CLI_OPT_tail, "tail"}};
    const char *query = pattern_of(cli), *since = cli_value(&cli->args, CLI_OPT_since),
               *replicas = cli_value(&cli->args, CLI_OPT_replica);
    struct fl_err err = {0};
    int64_t ms;
    long number;

    *ret_code = CLI_USAGE;
    if (!query) return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!cli_has(&cli->args, parts[i].option)) continue;
        if (!cli_number(&cli->args, parts[i].option, 0, 0, 1 << 24, &number, &err)) {
            *ret_code = cli_fail_err(&err);
            return NULL;
        }
        query = fl_arena_printf(&cli->arena, "%s&%s=%ld", query, parts[i].key, number);
    }
    if (replicas) {
        query = fl_arena_printf(&cli->arena, "%s&replica=%s", query, cli_escape(cli, replicas));
    }
    if (since && cli_parse_time(since) < 0) {
        if (!cli_duration(since, &ms)) {
            *ret_code = cli_fail(
                CLI_USAGE, "--since %s: wants a span, as 10m, or a time, as 2026-01-31T09:00:00Z",
                since);
            return NULL;
        }
        since = cli_time(cli, cli_now_ms() - ms);
    }
    if (since) query = fl_arena_printf(&cli->arena, "%s&since=%s", query, cli_escape(cli, since));
    return query;
}

/* A search that found nothing has looked at lines; stderr says how many are undecided. */
static void note_search(struct following *following, const struct cli_event *event)
{
    json_t *end = json_loadb(event->data, event->data_len, 0, NULL);
    long long undecided = (long long)cli_int(end, "undecided");

    if (cli_int(end, "lines") > 0) following->has_lines = true;
    if (undecided > 0) {
        cli_log_finish(&following->style);
        fprintf(stderr,
                "fairlead: whether %lld of these lines match%s would take too long to find out\n",
                undecided, undecided == 1 ? "es" : "");
    }
    json_decref(end);
}

static enum cli_stream_word on_event(void *ctx, const struct cli_event *event)
{
    struct following *following = ctx;

    cli_status_line_clear();
    if (strcmp(event->name, "message") == 0) following->has_lines = true;
    if (strcmp(event->name, "end") == 0) note_search(following, event);
    return cli_log_event(following->cli, &following->style, event);
}

/* Lines of one replica, or raw lines, are printed as written; all others get a prefix. */
static int choose_prefix(struct cli *cli, const char *id, struct cli_log_style *style)
{
    const char *replicas = cli_value(&cli->args, CLI_OPT_replica);
    int code = style->is_raw ? CLI_OK : cli_log_style_of(cli, id, style);

    if (cli_has(&cli->args, CLI_OPT_element)) style->has_elements = false;
    if (replicas && !strpbrk(replicas, ",-")) style->has_replicas = false;
    return code;
}

/* If the job has had no attempt, says why, and what would change it: CLI_FAILED then. */
static int check_ran(struct cli *cli, const char *id)
{
    json_t *job = NULL, *answer = NULL;
    int code = cli_get(cli, &job, "/v1/jobs/%s", id);

    if (code == CLI_OK && json_array_size(json_object_get(job, "attempts")) == 0) {
        code = cli_get(cli, &answer, "/v1/jobs/%s/explain", id);
        if (code == CLI_OK) {
            code = cli_fail(CLI_FAILED, "%s is %s and has not run, so it has no output: %s; %s", id,
                            cli_plain(cli, cli_text(job, "state")),
                            cli_plain(cli, cli_text(answer, "sentence")), cli_hint(cli, job));
        }
    }
    json_decref(answer);
    json_decref(job);
    return code;
}

/* Before the first line of output: where the job stands, and why if it waits. */
static void show(struct following *following, const char *id)
{
    struct fl_arena outer;
    json_t *job;

    if (following->has_lines) return;
    if (fl_clock_mono() >= following->look_at) {
        outer = cli_begin_turn(following->cli);
        job = cli_look(following->cli, "/v1/jobs/%s", id);
        if (job) cli_job_line(job, following->text);
        if (cli_waits(cli_text(job, "state"))) {
            cli_wait_reason_look(following->cli, &following->waiting);
        }
        json_decref(job);
        cli_end_turn(following->cli, outer);
        following->look_at = fl_clock_mono() + LOOK_MS;
    }
    if (*following->text) cli_status_line_say("%s, no output yet", following->text);
}

static int64_t next_look(const struct following *following)
{
    return following->has_lines ? 0 : cli_status_line_due(following->look_at);
}

/* Until the output has ended. */
static int follow(struct following *following, struct cli_streams *streams, const char *id)
{
    int code;

    FL_IGNORE(cli_status_line_begin());
    cli_wait_reason_begin(&following->waiting, id);
    following->look_at = fl_clock_mono();
    while ((code = cli_streams_run(streams, next_look(following))) == CLI_TIMED_OUT) {
        show(following, id);
    }
    cli_status_line_end();
    return code;
}

int verb_logs(struct cli *cli)
{
    struct following following = {
        .cli = cli,
        .style = {.has_timestamps = cli_has(&cli->args, CLI_OPT_timestamps),
                  .is_raw = cli_has(&cli->args, CLI_OPT_raw)}};
    struct cli_stream stream = {.on_event = on_event, .ctx = &following};
    struct cli_streams *streams;
    bool is_following = cli_has(&cli->args, CLI_OPT_follow);
    const char *id, *query, *route = is_following ? "stream?follow=true" : "stream?follow=false";
    int code = CLI_OK;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead logs JOB");
    id = cli_job_of_element(cli, cli->args.words.at[0], &code);
    query = id ? query_of(cli, &code) : NULL;
    if (!query) return code;
    code = choose_prefix(cli, id, &following.style);
    if (code) return code;
    if (cli_has(&cli->args, CLI_OPT_grep) && !is_following) route = "search?";
    if (!is_following) cli_page(cli);
    stream.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/logs/%s%s", id, route, query);
    streams = cli_streams_create(cli);
    cli_streams_open(streams, &stream);
    code = is_following ? follow(&following, streams, id) : cli_streams_run(streams, 0);
    cli_log_finish(&following.style);
    cli_streams_destroy(streams);
    if (code == CLI_OK && !following.has_lines) code = check_ran(cli, id);
    return code;
}
