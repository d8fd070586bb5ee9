#include "cli/wait_reason.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/hint.h"
#include "cli/output.h"
#include "cli/status_line.h"
#include "shared/io/clock.h"

bool cli_waits(const char *state)
{
    return strcmp(state, "queued") == 0 || strcmp(state, "held") == 0;
}

void cli_wait_reason_begin(struct cli_wait_reason *waiting, const char *job)
{
    *waiting =
        (struct cli_wait_reason){.job = job, .look_at = fl_clock_mono() + CLI_WAIT_REASON_FIRST_MS};
}

static void say(struct cli *cli, const char *id, const json_t *answer)
{
    json_t *job = cli_look(cli, "/v1/jobs/%s", id);

    cli_status_line_clear();
    fprintf(stderr, "%s waits: %s\n", id, cli_plain(cli, cli_text(answer, "sentence")));
    if (job) fprintf(stderr, "  %s\n", cli_hint(cli, job));
    json_decref(job);
}

void cli_wait_reason_look(struct cli *cli, struct cli_wait_reason *waiting)
{
    struct fl_arena outer;
    json_t *answer;
    const char *reason;

    if (fl_clock_mono() < waiting->look_at) return;
    outer = cli_begin_turn(cli);
    answer = cli_look(cli, "/v1/jobs/%s/explain", waiting->job);
    reason = cli_text(answer, "reason");
    if (cli_waits(cli_text(answer, "state")) && *reason && strcmp(reason, waiting->reason) != 0 &&
        strlen(reason) < sizeof waiting->reason) {
        strcpy(waiting->reason, reason);
        say(cli, waiting->job, answer);
    }
    json_decref(answer);
    cli_end_turn(cli, outer);
    waiting->look_at = fl_clock_mono() + CLI_WAIT_REASON_MS;
}
