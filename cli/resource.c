#include "cli/resource.h"

#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/table.h"

const char *cli_one_name(struct cli *cli)
{
    const char *group = cli->args.verb->words;

    if (cli->args.words.len == 1) return cli_escape(cli, cli->args.words.at[0]);
    cli_fail(CLI_USAGE, "usage: fairlead %s %s", group, cli->args.verb->arguments);
    return NULL;
}

json_t *cli_get_all(struct cli *cli, const char *path, const char *key, int *ret_code)
{
    json_t *all = json_array();
    const char *cursor = "";

    do {
        json_t *page = NULL;
        const char *more;

        *ret_code = cli_get(cli, &page, "%s%s%s", path, *cursor ? "?cursor=" : "", cursor);
        if (*ret_code) {
            json_decref(all);
            return NULL;
        }
        json_array_extend(all, json_object_get(page, key));
        more = cli_text(page, "cursor");
        cursor = *more ? cli_escape(cli, more) : "";
        json_decref(page);
    } while (*cursor);
    return all;
}

void cli_print_rows(struct cli *cli, const struct cli_list *what, const json_t *list)
{
    struct cli_table *table = cli_table_create(cli, what->header);
    json_t *one;
    size_t i;

    json_array_foreach(list, i, one) what->put(cli, table, one);
    cli_table_print(table, stdout);
}

void cli_print_list(struct cli *cli, const struct cli_list *what, json_t *list)
{
    if (!cli_answer_list(cli, list, what->name)) cli_print_rows(cli, what, list);
    if (what->none && json_array_size(list) == 0) fprintf(stderr, "%s\n", what->none);
}

int cli_list(struct cli *cli, const struct cli_list *what)
{
    const char *path = fl_arena_printf(&cli->arena, "/v1/%s", what->group);
    int code;
    json_t *list = cli_get_all(cli, path, what->group, &code);

    if (!list) return code;
    cli_print_list(cli, what, list);
    json_decref(list);
    return CLI_OK;
}

bool cli_put_seconds(struct cli *cli, enum cli_option_id option, const char *member, json_t *body,
                     struct fl_err *err)
{
    int64_t ms = 0;

    if (!cli_has(&cli->args, option)) return true;
    if (!cli_span(&cli->args, option, &ms, err)) return false;
    json_object_set_new(body, member, json_integer(ms / 1000));
    return true;
}

int cli_act(struct cli *cli, const char *group, const char *action, json_t *body, const char *done)
{
    const char *name = cli_one_name(cli);
    json_t *answer = NULL;
    int code = CLI_USAGE;

    if (name) {
        code = cli_post(cli, &answer, body, "/v1/%s/%s:%s", group, name, action);
    } else {
        json_decref(body);
    }
    if (code) return code;
    fprintf(stderr, "%s %s\n", cli->args.words.at[0], done);
    FL_IGNORE(cli_answer(cli, answer, "name"));
    json_decref(answer);
    return CLI_OK;
}
