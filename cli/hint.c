#include "cli/hint.h"

#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"

static bool is_paused(const json_t *job)
{
    return strcmp(cli_text(job, "reason"), "QueuePaused") == 0;
}

const char *cli_hint(struct cli *cli, const json_t *job)
{
    const char *id = cli_plain(cli, cli_text(job, "id"));

    if (is_paused(job)) {
        return fl_arena_printf(&cli->arena, "fairlead queue resume %s",
                               cli_plain(cli, cli_text(job, "queue")));
    }
    if (*cli_text(job, "endedAt")) return fl_arena_printf(&cli->arena, "fairlead retry %s", id);
    if (strcmp(cli_text(job, "reason"), "Held") == 0) {
        return fl_arena_printf(&cli->arena, "fairlead release %s", id);
    }
    return fl_arena_printf(&cli->arena, "fairlead explain %s", id);
}

void cli_say_paused(struct cli *cli, const json_t *job)
{
    if (!is_paused(job)) return;
    fprintf(stderr, "queue %s is paused: %s starts after '%s', which needs scope admin\n",
            cli_plain(cli, cli_text(job, "queue")), cli_plain(cli, cli_text(job, "id")),
            cli_hint(cli, job));
}
