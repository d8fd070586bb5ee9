#include "cli/bulk_action.h"

#include <stdio.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"
#include "cli/terminal.h"

enum { CHUNKS_MAX = 10000 };

struct swept {
    long long matched, changed, unchanged, failed;
    const char *failure; /* the first, in words; NULL: none */
    bool is_told;        /* the answers were printed, as data */
};

static void count(struct cli *cli, const json_t *answer, struct swept *swept)
{
    const json_t *failure = json_object_get(answer, "firstFailure");
    const char *job = cli_text(failure, "job");

    swept->matched += (long long)cli_int(answer, "matched");
    swept->changed += (long long)cli_int(answer, "changed");
    swept->unchanged += (long long)cli_int(answer, "unchanged");
    swept->failed += (long long)cli_int(answer, "failed");
    if (!failure || swept->failure) return;
    swept->failure = fl_arena_printf(&cli->arena, "%s%s%s", *job ? cli_plain(cli, job) : "",
                                     *job ? ": " : "", cli_plain(cli, cli_text(failure, "detail")));
}

/* Acts on all jobs of the filter, call by call, since the server takes only so many at once.  Each
 * call goes on behind the jobs of the one before it, so that none is met twice. */
static int sweep(struct cli *cli, const char *action, const json_t *filter, bool is_dry,
                 struct swept *ret_swept)
{
    const char *cursor = "";

    *ret_swept = (struct swept){0};
    for (int chunk = 0; chunk < CHUNKS_MAX; chunk++) {
        json_t *body = json_copy((json_t *)filter), *answer = NULL;
        bool is_over;
        int code;

        json_object_set_new(body, "dryRun", json_boolean(is_dry));
        if (*cursor) json_object_set_new(body, "cursor", json_string(cursor));
        code = cli_post(cli, &answer, body, "/v1/jobs:%s", action);
        if (code) return code;
        count(cli, answer, ret_swept);
        ret_swept->is_told |= cli_answer(cli, answer, NULL);
        cursor = fl_arena_printf(&cli->arena, "%s", cli_text(answer, "cursor"));
        is_over = !json_is_true(json_object_get(answer, "more")) || !*cursor;
        json_decref(answer);
        if (is_over) return CLI_OK;
    }
    return cli_fail(CLI_FAILED, "stopped after %d calls; there are more jobs", CHUNKS_MAX);
}

static int run(struct cli *cli, const char *action, const char *done, const json_t *filter)
{
    bool is_dry = cli_has(&cli->args, CLI_OPT_dry_run), is_sure = cli_has(&cli->args, CLI_OPT_yes);
    struct swept swept;
    int code;

    if (is_dry || !is_sure) {
        code = sweep(cli, action, filter, true, &swept);
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
    code = sweep(cli, action, filter, false, &swept);
    if (code == CLI_OK && !swept.is_told) {
        printf("%lld of %lld jobs are %s", swept.changed, swept.matched, done);
        if (swept.unchanged > 0) printf("; %lld were as wanted before", swept.unchanged);
        printf("\n");
    }
    if (code != CLI_OK || swept.failed == 0) return code;
    fflush(stdout);
    return cli_fail(CLI_FAILED, "%lld job%s could not be %s%s%s", swept.failed,
                    swept.failed == 1 ? "" : "s", done, swept.failure ? "; the first: " : "",
                    swept.failure ? swept.failure : "");
}

int cli_bulk_action(struct cli *cli, const char *action, const char *done, json_t *body)
{
    int code = run(cli, action, done, body);

    json_decref(body);
    return code;
}
