/* admin.c - decisions that only a person can take. */
#include <stdio.h>

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
