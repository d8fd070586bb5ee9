/* context.c - 'context': lists, chooses and removes remembered control planes. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/resource.h"
#include "cli/table.h"

static void put_context(struct cli *cli, struct cli_table *table, const json_t *context)
{
    (void)cli;
    cli_table_put(table, "%s", json_is_true(json_object_get(context, "current")) ? "*" : " ");
    cli_table_put(table, "%s", cli_text(context, "name"));
    cli_table_put(table, "%s", cli_text(context, "url"));
}

static const struct cli_list context_list = {
    .name = "name", .header = "CURRENT|NAME|~URL", .put = put_context};

static int list_contexts(struct cli *cli, const json_t *contexts)
{
    const char *current = cli_text(contexts, "current"), *name;
    json_t *list = json_array(), *context; /* without the tokens */

    json_object_foreach(json_object_get(contexts, "contexts"), name, context)
    {
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "name", name, "url",
                                              cli_text(context, "url"), "current",
                                              strcmp(name, current) == 0));
    }
    cli_print_list(cli, &context_list, list);
    json_decref(list);
    return CLI_OK;
}

int verb_context(struct cli *cli)
{
    const char *word = cli->args.words.len ? cli->args.words.at[0] : "ls";
    const char *name = cli->args.words.len > 1 ? cli->args.words.at[1] : NULL;
    json_t *contexts = NULL;
    struct fl_err err = {0};
    bool is_use = strcmp(word, "use") == 0, is_rm = strcmp(word, "rm") == 0, is_there;
    int code = CLI_OK;

    if (!cli_contexts_read(&cli->arena, &contexts, &err)) return cli_fail_err(&err);
    is_there = name && json_object_get(json_object_get(contexts, "contexts"), name);
    if (strcmp(word, "ls") == 0 && !name) {
        code = list_contexts(cli, contexts);
    } else if ((!is_use && !is_rm) || !name) {
        code = cli_fail(CLI_USAGE, "usage: fairlead context [ls | use NAME | rm NAME]");
    } else if (!is_there) {
        code = cli_fail(CLI_FAILED, "no context '%s'; 'fairlead context ls' shows them", name);
    } else {
        if (is_use) json_object_set_new(contexts, "current", json_string(name));
        if (is_rm) json_object_del(json_object_get(contexts, "contexts"), name);
        if (!cli_contexts_write(&cli->arena, contexts, &err)) code = cli_fail_err(&err);
    }
    json_decref(contexts);
    return code;
}
