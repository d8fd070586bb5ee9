/* job_actions.c - 'cancel', 'hold', 'release' and 'retry', for jobs by name or by a filter. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/bulk_action.h"
#include "cli/client.h"
#include "cli/elements.h"
#include "cli/job_selector.h"
#include "cli/output.h"

#define FILTERS "--queue, --state, --label, --user, --name"

/* Sends one POST for each job.  The first failure decides the exit code; the rest is still
 * tried. */
static int each(struct cli *cli, const char *action, const char *done)
{
    int code = CLI_OK;

    if (!cli->args.words.len) {
        return cli_fail(CLI_USAGE, "usage: fairlead %s JOB... or " FILTERS, action);
    }
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

/* NULL: the error was printed, and *ret_code is the exit code. */
static json_t *filter_of(struct cli *cli, int *ret_code)
{
    json_t *body = cli_filter_body(cli, ret_code);

    if (body && cli_has(&cli->args, CLI_OPT_wait_for_cluster)) {
        json_object_set_new(body, "waitForCluster", json_true());
    }
    return body;
}

static int bulk(struct cli *cli, const char *action, const char *done)
{
    int code = CLI_OK;
    json_t *body = filter_of(cli, &code);

    return body ? cli_bulk_action(cli, action, done, body) : code;
}

/* Holds or releases the jobs of a filter, by an edit.  Only a job that is held can be released. */
static int bulk_hold(struct cli *cli, bool is_held, const char *done)
{
    int code = CLI_OK;
    json_t *body = filter_of(cli, &code);

    if (!body) return code;
    if (!is_held && !json_object_get(body, "state")) {
        json_object_set_new(body, "state", json_pack("[s]", "held"));
    }
    json_object_set_new(body, "edit", json_pack("{s:b}", "hold", is_held));
    return cli_bulk_action(cli, "edit", done, body);
}

int verb_cancel(struct cli *cli)
{
    if (cli_mixes_filter(cli)) return CLI_USAGE;
    if (cli->args.words.len) return each(cli, "cancel", "will be cancelled");
    if (cli_has_filter(cli)) return bulk(cli, "cancel", "cancelled");
    return cli_fail(CLI_USAGE, "usage: fairlead cancel JOB... or " FILTERS);
}

int verb_hold(struct cli *cli)
{
    if (cli_mixes_filter(cli)) return CLI_USAGE;
    if (!cli->args.words.len && cli_has_filter(cli)) return bulk_hold(cli, true, "held");
    return each(cli, "hold", "is held");
}

int verb_release(struct cli *cli)
{
    if (cli_mixes_filter(cli)) return CLI_USAGE;
    if (!cli->args.words.len && cli_has_filter(cli)) return bulk_hold(cli, false, "released");
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

    if (cli_mixes_filter(cli) || !cli_is_text(cli, CLI_OPT_failure)) return CLI_USAGE;
    if (!cli->args.words.len && cli_has_filter(cli)) {
        if (!cli_has(&cli->args, CLI_OPT_failure) && !cli_has(&cli->args, CLI_OPT_element) &&
            !cli_has(&cli->args, CLI_OPT_index)) {
            return bulk(cli, "retry", "run again");
        }
        return cli_fail(CLI_USAGE, "--failure, --element and --index are of one job: name a JOB");
    }
    if (!cli->args.words.len) {
        return cli_fail(CLI_USAGE, "usage: fairlead retry JOB... or " FILTERS);
    }
    if (cli_has(&cli->args, CLI_OPT_index) && cli->args.words.len > 1) {
        return cli_fail(CLI_USAGE, "--index is of one job: name one JOB");
    }
    for (size_t i = 0; i < cli->args.words.len; i++) {
        json_t *job = NULL, *body;
        int one = CLI_OK;
        const char *id = cli_job_of_elements(cli, cli->args.words.at[i], &one);

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
