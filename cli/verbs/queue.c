/* queue.c - queues: list, show, make, change, pause, resume, remove. */
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/resource.h"
#include "cli/table.h"

static const char *const states[] = {"held", "queued", "starting", "running", "stopping"};

static void put_queue(struct cli *cli, struct cli_table *table, const json_t *queue)
{
    bool is_paused = json_is_true(json_object_get(queue, "paused"));
    const json_t *cpu = json_object_get(queue, "defaultCpu");
    const json_t *by_state = json_object_get(queue, "byState");

    (void)cli;
    cli_table_put(table, "%s", cli_text(queue, "name"));
    cli_table_put(table, "%s", is_paused ? "paused" : "open");
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        cli_table_put(table, "%lld", (long long)cli_int(by_state, states[i]));
    }
    cli_table_put(table, "%s", json_is_string(cpu) ? json_string_value(cpu) : "preset");
}

static const struct cli_list queues = {
    .group = "queues",
    .name = "name",
    .header = "~QUEUE|STATE|>HELD|>QUEUED|>STARTING|>RUNNING|>STOPPING|"
              ">DEFAULT CPU",
    .put = put_queue};

int verb_queue_ls(struct cli *cli)
{
    return cli_list(cli, &queues);
}

int verb_queue_get(struct cli *cli)
{
    const char *name = cli_one_name(cli);
    json_t *queue = NULL, *list;
    int code = CLI_USAGE;

    if (!name || (code = cli_get(cli, &queue, "/v1/queues/%s", name)) != 0) return code;
    list = json_array();
    json_array_append_new(list, queue);
    if (!cli_answer(cli, queue, queues.name)) cli_print_rows(cli, &queues, list);
    json_decref(list);
    return CLI_OK;
}

/* The flags, as the API takes them. */
static json_t *said_of_queue(struct cli *cli)
{
    const char *cpu = cli_value(&cli->args, CLI_OPT_default_cpu);
    json_t *body = json_object();

    if (cli_has(&cli->args, CLI_OPT_paused)) json_object_set_new(body, "paused", json_true());
    if (cpu) {
        json_object_set_new(body, "defaultCpu",
                            strcmp(cpu, "preset") == 0 ? json_null() : json_string(cpu));
    }
    return body;
}

int verb_queue_create(struct cli *cli)
{
    json_t *queue = NULL, *body;
    int code;

    if (!cli_one_name(cli)) return CLI_USAGE;
    body = said_of_queue(cli);
    json_object_set_new(body, "name", json_string(cli->args.words.at[0]));
    code = cli_post(cli, &queue, body, "/v1/queues");
    if (code) return code;
    fprintf(stderr, "queue %s is there%s\n", cli->args.words.at[0],
            cli_has(&cli->args, CLI_OPT_paused) ? ", paused" : "");
    FL_IGNORE(cli_answer(cli, queue, queues.name));
    json_decref(queue);
    return CLI_OK;
}

int verb_queue_edit(struct cli *cli)
{
    const char *name = cli_one_name(cli);
    json_t *queue = NULL;
    int code;

    if (!name) return CLI_USAGE;
    if (!cli_has(&cli->args, CLI_OPT_default_cpu)) {
        return cli_fail(CLI_USAGE, "say what to change: --default-cpu CPUS");
    }
    code = cli_patch(cli, &queue, said_of_queue(cli), "/v1/queues/%s", name);
    if (code) return code;
    fprintf(stderr, "queue %s is changed\n", cli->args.words.at[0]);
    FL_IGNORE(cli_answer(cli, queue, queues.name));
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

int verb_queue_rm(struct cli *cli)
{
    struct cli_request request = {.method = "DELETE"};
    const char *name = cli_one_name(cli);
    int code;

    if (!name) return CLI_USAGE;
    request.path = fl_arena_printf(&cli->arena, "/v1/queues/%s", name);
    code = cli_call(cli, &request, NULL);
    if (code == CLI_OK) fprintf(stderr, "queue %s is removed\n", cli->args.words.at[0]);
    return code;
}
