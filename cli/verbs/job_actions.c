/* job_actions.c - 'cancel', 'hold', 'release' and 'retry', for jobs by name or by a filter. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "cli/terminal.h"

enum { CHUNKS_MAX = 10000 };

#define FILTERS "--queue, --state, --label, --user, --name"

/* Sends one POST for each job.  The first failure decides the exit code; the rest is still
 * tried. */
static int each(struct cli *cli, const char *action, const char *done)
{
    int code = CLI_OK;

    if (!cli->args.words.len) return cli_fail(CLI_USAGE, "usage: fairlead %s JOB...", action);
    for (size_t i = 0; i < cli->args.words.len; i++) {
        json_t *job = NULL;
        int one = CLI_OK;
        const char *id = cli_job_id(cli, cli->args.words.at[i], &one);

        if (id) one = cli_post(cli, &job, NULL, "/v1/jobs/%s:%s", id, action);
        if (one && !code) code = one;
        if (one == CLI_OK) {
            fprintf(stderr, "%s %s\n", id, done);
            FL_IGNORE(cli_answer(cli, job, "id"));
        }
        json_decref(job);
    }
    return code;
}

struct swept {
    long long matched, changed, failed;
    const char *failure; /* the first, in words; NULL: none */
    bool is_told;        /* the answers were printed, as data */
};

static void count(struct cli *cli, const json_t *answer, struct swept *swept)
{
    const json_t *failure = json_object_get(answer, "firstFailure");
    const char *job = cli_text(failure, "job");

    swept->matched += (long long)cli_int(answer, "matched");
    swept->changed += (long long)cli_int(answer, "changed");
    swept->failed += (long long)cli_int(answer, "failed");
    if (!failure || swept->failure) return;
    swept->failure = fl_arena_printf(&cli->arena, "%s%s%s", *job ? cli_plain(cli, job) : "",
                                     *job ? ": " : "", cli_plain(cli, cli_text(failure, "detail")));
}

/* NULL: the error was printed, and *ret_code is the exit code. */
static json_t *sweep_body(struct cli *cli, bool is_dry, const char *cursor, int *ret_code)
{
    json_t *body = cli_filter_body(cli, ret_code);

    if (!body) return NULL;
    json_object_set_new(body, "dryRun", json_boolean(is_dry));
    if (cursor) json_object_set_new(body, "cursor", json_string(cursor));
    if (cli_has(&cli->args, CLI_OPT_wait_for_cluster)) {
        json_object_set_new(body, "waitForCluster", json_true());
    }
    return body;
}

/* Acts on all jobs of the filter, call by call, since the server takes only so many at once.  Each
 * call goes on behind the jobs of the one before it, so that none is met twice. */
static int sweep(struct cli *cli, const char *action, bool is_dry, struct swept *ret_swept)
{
    const char *cursor = NULL;

    *ret_swept = (struct swept){0};
    for (int chunk = 0; chunk < CHUNKS_MAX; chunk++) {
        int code = CLI_OK;
        json_t *body = sweep_body(cli, is_dry, cursor, &code), *answer = NULL;
        bool is_over;

        if (!body) return code;
        code = cli_post(cli, &answer, body, "/v1/jobs:%s", action);
        if (code) return code;
        count(cli, answer, ret_swept);
        ret_swept->is_told |= cli_answer(cli, answer, NULL);
        cursor = fl_arena_printf(&cli->arena, "%s", cli_text(answer, "cursor"));
        is_over = is_dry || !json_is_true(json_object_get(answer, "more")) || !*cursor;
        json_decref(answer);
        if (is_over) return CLI_OK;
    }
    return cli_fail(CLI_FAILED, "stopped after %d calls; there are more jobs", CHUNKS_MAX);
}

static int bulk(struct cli *cli, const char *action, const char *done)
{
    bool is_dry = cli_has(&cli->args, CLI_OPT_dry_run), is_sure = cli_has(&cli->args, CLI_OPT_yes);
    struct swept swept;
    int code;

    if (is_dry || !is_sure) {
        code = sweep(cli, action, true, &swept);
        if (code) return code;
        if (!swept.is_told) {
            printf("%lld job%s would be %s\n", swept.matched, swept.matched == 1 ? "" : "s", done);
        }
        fflush(stdout);
        if (is_dry) return CLI_OK;
        if (swept.matched > 0 && !cli_terminal_agrees("")) {
            return cli_fail(CLI_USAGE,
                            "nothing was changed; say --yes to do it, or --dry-run to only ask");
        }
    }
    code = sweep(cli, action, false, &swept);
    if (code == CLI_OK && !swept.is_told) {
        printf("%lld of %lld jobs are %s\n", swept.changed, swept.matched, done);
    }
    if (code != CLI_OK || swept.failed == 0) return code;
    fflush(stdout);
    return cli_fail(CLI_FAILED, "%lld job%s could not be %s%s%s", swept.failed,
                    swept.failed == 1 ? "" : "s", done, swept.failure ? "; the first: " : "",
                    swept.failure ? swept.failure : "");
}

int verb_cancel(struct cli *cli)
{
    if (cli->args.words.len) return each(cli, "cancel", "will be cancelled");
    if (cli_has_filter(cli)) return bulk(cli, "cancel", "cancelled");
    return cli_fail(CLI_USAGE, "usage: fairlead cancel JOB... or " FILTERS);
}

int verb_hold(struct cli *cli)
{
    return each(cli, "hold", "is held");
}

int verb_release(struct cli *cli)
{
    return each(cli, "release", "may start");
}

/* ---- retry ----------------------------------------------------------------------------------- */

/* NULL: the error was printed, and *ret_code is the exit code. */
static json_t *retry_body(struct cli *cli, int *ret_code)
{
    json_t *body = json_object(), *list;
    struct fl_err err = {0};
    uint32_t *elements;
    size_t len;

    if (cli_has(&cli->args, CLI_OPT_failed)) {
        json_object_set_new(body, "only", json_string("failed"));
    }
    if (cli_has(&cli->args, CLI_OPT_failure)) {
        json_object_set_new(body, "failure", json_string(cli_value(&cli->args, CLI_OPT_failure)));
    }
    if (!cli_has(&cli->args, CLI_OPT_element)) return body;
    if (!cli_numbers(cli_value(&cli->args, CLI_OPT_element), &cli->arena, &elements, &len, &err)) {
        json_decref(body);
        *ret_code = cli_fail_err(&err);
        return NULL;
    }
    list = json_array();
    for (size_t i = 0; i < len; i++) {
        json_array_append_new(list, json_integer(elements[i]));
    }
    json_object_set_new(body, "elements", list);
    return body;
}

int verb_retry(struct cli *cli)
{
    bool waits = cli_has(&cli->args, CLI_OPT_wait_for_cluster);
    const char *query = waits ? "?waitForCluster=true" : "";
    int code = CLI_OK;

    if (!cli->args.words.len && cli_has_filter(cli)) {
        if (!cli_has(&cli->args, CLI_OPT_failure) && !cli_has(&cli->args, CLI_OPT_element)) {
            return bulk(cli, "retry", "run again");
        }
        return cli_fail(CLI_USAGE, "--failure and --element are of one job: name a JOB");
    }
    if (!cli->args.words.len) {
        return cli_fail(CLI_USAGE, "usage: fairlead retry JOB... or " FILTERS);
    }
    for (size_t i = 0; i < cli->args.words.len; i++) {
        json_t *job = NULL, *body;
        int one = CLI_OK;
        const char *id = cli_job_id(cli, cli->args.words.at[i], &one);

        body = id ? retry_body(cli, &one) : NULL;
        if (body) one = cli_post(cli, &job, body, "/v1/jobs/%s:retry%s", id, query);
        if (one && !code) code = one;
        if (one == CLI_OK) {
            fprintf(stderr, "%s runs again as %s\n", id, cli_text(job, "id"));
            if (!cli_answer(cli, job, "id")) printf("%s\n", cli_text(job, "id"));
        }
        json_decref(job);
    }
    return code;
}
