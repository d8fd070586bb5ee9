#include "cli/page_link.h"

#include "cli/client.h"

int cli_page_link(struct cli *cli, const char *path, int seconds, const char **ret_link)
{
    json_t *answer = NULL;
    int code =
        cli_post(cli, &answer, json_pack("{s:i}", "ttlSeconds", seconds), "/v1/session-codes");

    if (code) return code;
    *ret_link = fl_arena_printf(&cli->arena, "%s%s&next=%s", cli->settings.url,
                                cli_text(answer, "path"), cli_escape(cli, path));
    json_decref(answer);
    return CLI_OK;
}
