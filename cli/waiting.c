#include "cli/waiting.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/live_line.h"
#include "cli/output.h"
#include "cli/remedy.h"
#include "shared/io/clock.h"

void cli_waiting_begin(struct cli_waiting *waiting, const char *job)
{
    *waiting = (struct cli_waiting){.job = job, .look_at = fl_clock_mono() + CLI_WAITING_FIRST_MS};
}

/* The answer; NULL: there is none.  The streams of the watcher tell when the
 * control plane is away. */
static json_t *ask(struct cli *cli, const char *path)
{
    struct cli_request request = {.method = "GET", .path = path, .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    if (!cli_send(cli, &request, &reply, &err) || reply.status != 200) return NULL;
    return json_loadb(reply.body, reply.len, 0, NULL);
}

static void say(struct cli *cli, const char *id, const json_t *answer)
{
    json_t *job = ask(cli, fl_arena_printf(&cli->arena, "/v1/jobs/%s", id));

    cli_live_clear();
    fprintf(stderr, "%s waits: %s\n", id, cli_plain(cli, cli_text(answer, "sentence")));
    if (job) fprintf(stderr, "  %s\n", cli_remedy(cli, job));
    json_decref(job);
}

void cli_waiting_look(struct cli *cli, struct cli_waiting *waiting)
{
    json_t *answer;
    const char *reason;

    if (fl_clock_mono() < waiting->look_at) return;
    answer = ask(cli, fl_arena_printf(&cli->arena, "/v1/jobs/%s/explain", waiting->job));
    reason = cli_text(answer, "reason");
    if (strcmp(cli_text(answer, "state"), "queued") == 0 && *reason &&
        strcmp(reason, waiting->reason) != 0 && strlen(reason) < sizeof waiting->reason) {
        strcpy(waiting->reason, reason);
        say(cli, waiting->job, answer);
    }
    json_decref(answer);
    waiting->look_at = fl_clock_mono() + CLI_WAITING_MS;
}
