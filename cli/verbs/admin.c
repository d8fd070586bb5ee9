/* admin.c - decisions that only a person can take. */
#include <stdio.h>

#include "cli/client.h"
#include "cli/output.h"

int verb_admin_accept_restore(struct cli *cli)
{
    json_t *answer = NULL;
    int code = cli_post(cli, &answer, NULL, "/v1/restore:accept");

    if (code) return code;
    if (cli_is_json(cli)) {
        cli_print_json(cli, answer);
    } else {
        fprintf(stderr, "the restored database goes on; agents come back within a minute\n");
    }
    json_decref(answer);
    return CLI_OK;
}
