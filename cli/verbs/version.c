/* version.c - 'version': this program's version and the control plane's. */
#include <stdio.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/output.h"
#include "shared/base/version.h"
#include "shared/wire/message.h"

int verb_version(struct cli *cli)
{
    json_t *server = NULL, *both;
    struct cli_request request = {.method = "GET", .path = "/version", .is_impatient = true};
    struct cli_reply reply = {0};
    struct fl_err err = {0};

    if (cli->settings.url && cli_send(cli, &request, &reply, &err) && reply.status == 200) {
        server = json_loadb(reply.body, reply.len, 0, NULL);
    }
    both = json_pack("{s:s}", "cli", FL_VERSION);
    if (server) json_object_set(both, "server", server);
    if (!cli_answer(cli, both, "cli")) {
        printf("fairlead %s, protocol %d to %d\n", FL_VERSION, FL_PROTOCOL_MIN, FL_PROTOCOL_MAX);
        if (server) {
            printf("control plane %s at %s\n", cli_plain(cli, cli_text(server, "version")),
                   cli->settings.url);
        } else if (cli->settings.url) {
            printf("control plane at %s: %s\n", cli->settings.url,
                   err.text[0] ? err.text : "no answer");
        }
    }
    json_decref(both);
    json_decref(server);
    return CLI_OK;
}
