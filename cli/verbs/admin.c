/* admin.c - what an administrator does: decisions that only a person can take, and backups, which
 * fairleadd makes on its own machine. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/client.h"

int verb_admin_accept_restore(struct cli *cli)
{
    json_t *answer = NULL;
    int code = cli_post(cli, &answer, NULL, "/v1/restore:accept");

    if (code) return code;
    fprintf(stderr, "the restored database goes on; agents come back within a minute\n");
    FL_IGNORE(cli_answer(cli, answer, NULL));
    json_decref(answer);
    return CLI_OK;
}

/* ---- on the control plane's machine ---------------------------------------------------------- */

/* The fairleadd of this build, else the one in PATH. */
static const char *find_fairleadd(struct cli *cli)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *beside;

    if (len < 0) return "fairleadd";
    path[len] = 0;
    beside = fl_arena_printf(&cli->arena, "%s/fairleadd", dirname(path));
    return access(beside, X_OK) == 0 ? beside : "fairleadd";
}

/* This process becomes fairleadd, with the same words. */
static int hand_over(struct cli *cli, const char *verb)
{
    const char *words[8] = {find_fairleadd(cli), verb};
    const char *config = cli_value(&cli->args, CLI_OPT_config);
    int n = 2;

    if (cli->args.words.len != 1) {
        return cli_fail(CLI_USAGE, "name the folder of the backup: fairlead admin %s FOLDER", verb);
    }
    words[n++] = cli->args.words.at[0];
    if (config) words[n++] = fl_arena_printf(&cli->arena, "--config=%s", config);
    if (cli_has(&cli->args, CLI_OPT_without_logs)) words[n++] = "--without-logs";
    execvp(words[0], (char *const *)words);
    if (errno == ENOENT) {
        return cli_fail(CLI_FAILED,
                        "fairleadd is not on this machine: a backup is made, and restored, on the "
                        "control plane's");
    }
    return cli_fail(CLI_IO, "%s: %s", words[0], strerror(errno));
}

int verb_admin_backup(struct cli *cli)
{
    return hand_over(cli, "backup");
}

int verb_admin_restore(struct cli *cli)
{
    return hand_over(cli, "restore");
}
