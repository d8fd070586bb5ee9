/* login.c - 'login': remembers a control plane and a token as a context. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"

/* The host, which names the context: "https://lab.example:8443" gives "lab.example". */
static const char *name_of_url(struct cli *cli, const char *url)
{
    const char *host = strstr(url, "://") + 3;

    return fl_arena_printf(&cli->arena, "%.*s", (int)strcspn(host, ":/"), host);
}

static int keep_context(struct cli *cli, const char *name, const char *user)
{
    json_t *contexts = NULL, *context;
    struct fl_err err = {0};
    bool is_good;

    if (!cli_contexts_read(&cli->arena, &contexts, &err)) return cli_fail_err(&err);
    context = json_pack("{s:s, s:s}", "url", cli->settings.url, "token", cli->settings.token);
    if (cli->settings.ca_file) {
        json_object_set_new(context, "ca_file", json_string(cli->settings.ca_file));
    }
    json_object_set_new(json_object_get(contexts, "contexts"), name, context);
    json_object_set_new(contexts, "current", json_string(name));
    is_good = cli_contexts_write(&cli->arena, contexts, &err);
    json_decref(contexts);
    if (!is_good) return cli_fail_err(&err);
    fprintf(stderr, "logged in to %s as %s; context '%s' is the current one\n", cli->settings.url,
            user, name);
    return CLI_OK;
}

int verb_login(struct cli *cli)
{
    const char *name = cli_value(&cli->args, CLI_OPT_name);
    struct fl_err err = {0};
    json_t *me = NULL;
    int code;

    if (cli->args.words.len != 1) {
        return cli_fail(CLI_USAGE, "usage: fairlead login URL [--token-file FILE] < TOKEN");
    }
    if (!cli_url_check(cli->args.words.at[0], &cli->arena, &cli->settings.url, &err)) {
        return cli_fail_err(&err);
    }
    if (!cli_has(&cli->args, CLI_OPT_token_file)) {
        if (isatty(0)) fputs("token: ", stderr);
        if (!cli_token_read("-", &cli->arena, &cli->settings.token, &err)) {
            return cli_fail_err(&err);
        }
    }
    code = cli_get(cli, &me, "/v1/whoami");
    if (code) return code;
    code =
        keep_context(cli, name ? name : name_of_url(cli, cli->settings.url), cli_text(me, "name"));
    json_decref(me);
    return code;
}
