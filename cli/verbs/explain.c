/* explain.c - 'explain': why a job is where it is, cluster by cluster. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/hint.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "cli/table.h"

/* Whether the job waits for a place; then each cluster's reason is printed. */
static bool is_waiting(const json_t *answer)
{
    const char *state = cli_text(answer, "state"), *reason = cli_text(answer, "reason");

    if (strcmp(reason, "Dispatching") == 0 || strcmp(reason, "ClusterSilent") == 0 ||
        strcmp(reason, "ArrayThrottle") == 0) {
        return false;
    }
    return strcmp(state, "running") != 0 || (*reason && strcmp(reason, "none") != 0);
}

static void say_where(struct cli *cli, const json_t *job)
{
    if (!*cli_text(job, "cluster")) return;
    printf("it is on %s\n", cli_plain(cli, cli_text(job, "cluster")));
}

/* A job that waits for a command, not for a place. */
static void say_next(struct cli *cli, const json_t *job)
{
    const char *reason = cli_text(job, "reason");

    if (strcmp(reason, "QueuePaused") != 0 && strcmp(reason, "Held") != 0) return;
    printf("next: %s\n", cli_hint(cli, job));
}

static void say_of_job(struct cli *cli, const char *id, bool is_waiting)
{
    json_t *job = NULL;

    if (cli_get(cli, &job, "/v1/jobs/%s", id)) return;
    if (is_waiting) {
        say_next(cli, job);
    } else {
        say_where(cli, job);
    }
    json_decref(job);
}

int verb_explain(struct cli *cli)
{
    struct cli_table *table;
    json_t *answer = NULL, *one;
    const char *id;
    size_t i;
    int code = CLI_OK;

    if (cli->args.words.len != 1) return cli_fail(CLI_USAGE, "usage: fairlead explain JOB");
    id = cli_job_id(cli, cli->args.words.at[0], &code);
    if (!id || (code = cli_get(cli, &answer, "/v1/jobs/%s/explain", id)) != 0) return code;
    if (cli_answer(cli, answer, NULL)) {
        json_decref(answer);
        return CLI_OK;
    }
    printf("%s%s%s  %s", cli_color(cli, cli_text(answer, "state")), cli_text(answer, "state"),
           cli_color_off(cli), id);
    if (*cli_text(answer, "reason") && strcmp(cli_text(answer, "reason"), "none") != 0) {
        printf("  %s", cli_text(answer, "reason"));
    }
    printf("\n%s\n", cli_plain(cli, cli_text(answer, "sentence")));
    if (*cli_text(answer, "unknownSince")) {
        printf("unknown since %s\n", cli_when(cli, cli_text(answer, "unknownSince")));
    }
    if (*cli_text(answer, "whoCanAct")) {
        printf("can be changed by: %s\n", cli_text(answer, "whoCanAct"));
    }
    say_of_job(cli, id, is_waiting(answer));
    if (is_waiting(answer) && json_array_size(json_object_get(answer, "clusters"))) {
        putchar('\n');
        table = cli_table_create(cli, "CLUSTER|REASON|~VERDICT");
        json_array_foreach(json_object_get(answer, "clusters"), i, one)
        {
            cli_table_put(table, "%s", cli_text(one, "cluster"));
            cli_table_put(table, "%s", cli_text(one, "reason"));
            cli_table_put(table, "%s", cli_text(one, "detail"));
        }
        cli_table_print(table, stdout);
    }
    json_decref(answer);
    return CLI_OK;
}
