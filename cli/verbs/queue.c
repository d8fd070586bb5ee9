/* queue.c - queues: list, show, make, pause, resume. */
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/output.h"
#include "cli/resource.h"

static void print_queues(struct cli *cli, const json_t *queues)
{
    struct cli_table *table = cli_table_create(cli, "QUEUE|STATE|>OPEN|>QUEUED");
    json_t *one;
    size_t i;

    json_array_foreach(queues, i, one)
    {
        cli_table_put(table, "%s", cli_text(one, "name"));
        cli_table_put(table, "%s",
                      json_is_true(json_object_get(one, "paused")) ? "paused" : "open");
        cli_table_put(table, "%lld", (long long)cli_int(one, "jobs"));
        cli_table_put(table, "%lld", (long long)cli_int(one, "queued"));
    }
    cli_table_print(table, stdout);
}

int verb_queue_ls(struct cli *cli)
{
    int code;
    json_t *queues = cli_get_all(cli, "/v1/queues", "queues", &code);

    if (!queues) return code;
    if (!cli_print_list(cli, queues, "name")) print_queues(cli, queues);
    json_decref(queues);
    return CLI_OK;
}

int verb_queue_get(struct cli *cli)
{
    const char *name = cli_one_name(cli);
    json_t *queue = NULL, *list;
    int code = CLI_USAGE;

    if (!name || (code = cli_get(cli, &queue, "/v1/queues/%s", name)) != 0) return code;
    list = json_array();
    json_array_append_new(list, queue);
    if (cli_is_json(cli)) {
        cli_print_json(cli, queue);
    } else {
        print_queues(cli, list);
    }
    json_decref(list);
    return CLI_OK;
}

int verb_queue_create(struct cli *cli)
{
    json_t *queue = NULL;
    int code;

    if (!cli_one_name(cli)) return CLI_USAGE;
    code = cli_post(cli, &queue,
                    json_pack("{s:s, s:b}", "name", cli->args.words.at[0], "paused",
                              cli_has(&cli->args, CLI_OPT_paused)),
                    "/v1/queues");
    if (code) return code;
    if (cli_is_json(cli)) {
        cli_print_json(cli, queue);
    } else {
        fprintf(stderr, "queue %s is there%s\n", cli->args.words.at[0],
                cli_has(&cli->args, CLI_OPT_paused) ? ", paused" : "");
    }
    json_decref(queue);
    return CLI_OK;
}

int verb_queue_pause(struct cli *cli)
{
    return cli_act(cli, "queues", "pause", NULL, "is paused: nothing more of it starts");
}

int verb_queue_resume(struct cli *cli)
{
    return cli_act(cli, "queues", "resume", NULL, "goes on");
}
