#include "cli/demo/demo_example.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/follow.h"
#include "cli/output.h"
#include "cli/page_link.h"
#include "cli/problem.h"
#include "shared/io/clock.h"

struct step {
    const char *what;
    const char *document;
};

static const struct step steps[] = {
    {"prepare: 8 parts, wherever there is room",
     "{\"name\":\"prepare\",\"array\":8,\"resources\":{\"cpu\":\"500m\",\"memory\":\"64Mi\"},"
     "\"command\":[\"/bin/sh\",\"-c\","
     "\"echo preparing part $FAIRLEAD_ELEMENT; sleep 0.5; echo part $FAIRLEAD_ELEMENT is "
     "ready\"]}"},
    {"train: a gang of 4, together or not at all",
     "{\"name\":\"train\",\"replicas\":4,\"retry\":3,\"resources\":{\"cpu\":\"1\",\"memory\":"
     "\"128Mi\"},\"command\":[\"/bin/sh\",\"-c\","
     "\"for step in 1 2 3 4 5 6 7 8 9 10; do echo rank $FAIRLEAD_REPLICA step ${step}0 loss "
     "2.$((40 - step)); sleep 0.3; done\"]}"},
    {"evaluate: one replica", "{\"name\":\"evaluate\",\"resources\":{\"cpu\":\"500m\",\"memory\":"
                              "\"64Mi\"},\"command\":[\"/bin/sh\",\"-c\","
                              "\"echo evaluating; sleep 0.3; echo accuracy 0.94\"]}"},
};

struct chaos {
    struct cli *cli;
    int orders_fd;
    bool is_on, is_done;
    const char *job;
};

static void order(const struct chaos *chaos, const char *word, const char *name)
{
    fprintf(stderr, "chaos: %s%s%s\n",
            strcmp(word, "cut") == 0 ? "cutting every tunnel" : "kill -9 of the agent of ", name,
            strcmp(word, "cut") == 0 ? "" : "; its replicas go on");
    dprintf(chaos->orders_fd, "%s%s%s\n", word, *name ? " " : "", name);
}

/* While the gang runs: cuts the tunnels, then kills the agent that runs it. */
static void on_state(void *ctx, const char *state)
{
    struct chaos *chaos = ctx;
    json_t *job = NULL;

    if (!chaos->is_on || chaos->is_done || strcmp(state, "running") != 0) return;
    chaos->is_done = true;
    order(chaos, "cut", "");
    if (cli_get(chaos->cli, &job, "/v1/jobs/%s", chaos->job) == 0 && *cli_text(job, "cluster")) {
        order(chaos, "kill", cli_text(job, "cluster"));
    }
    json_decref(job);
}

static int run_step(struct cli *cli, const struct step *step, struct chaos *chaos)
{
    json_t *job = NULL;
    struct cli_follow follow = {.on_state = on_state, .ctx = chaos};
    int code;

    fprintf(stderr, "\n%s\n", step->what);
    code = cli_post(cli, &job, json_loads(step->document, 0, NULL), "/v1/jobs");
    if (code) return code;
    follow.job = chaos->job = fl_arena_printf(&cli->arena, "%s", cli_text(job, "id"));
    json_decref(job);
    return cli_follow(cli, &follow);
}

/* Asks the log store for the whole log and checks that each rank's ten lines are there once. */
static int check_log(struct cli *cli, const char *job)
{
    struct cli_request request = {.method = "GET", .accept = "text/plain"};
    struct cli_reply reply = {0};
    struct fl_err err = {0};
    size_t lines = 0;

    request.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s/logs?format=text", job);
    if (!cli_send(cli, &request, &reply, &err)) return cli_fail_err(&err);
    if (reply.status != 200) return cli_problem(cli, request.path, reply.body, reply.status);
    for (size_t i = 0; i < reply.len; i++) {
        lines += reply.body[i] == '\n';
    }
    fprintf(stderr, "chaos: the log of %s has %zu of 40 lines: %s\n", job, lines,
            lines == 40 ? "no gap, nothing twice" : "that is wrong");
    return lines == 40 ? CLI_OK : CLI_FAILED;
}

int demo_say_link(struct cli *cli)
{
    const char *link;
    int code = cli_page_link(cli, "/", CLI_PAGE_LINK_S_MAX, &link);

    if (code == CLI_OK) fprintf(stderr, "\nthe dashboard, for you alone, once: %s\n", link);
    return code;
}

int demo_example_run(struct cli *cli, const json_t *ready, int orders_fd, bool has_chaos)
{
    struct chaos chaos = {.cli = cli, .orders_fd = orders_fd};
    struct fl_err err = {0};
    int64_t since = fl_clock_mono();
    int code = CLI_OK;

    cli->settings.url = fl_arena_printf(&cli->arena, "%s", cli_text(ready, "url"));
    cli->settings.ca_file = NULL;
    if (!cli_token_read(cli_text(ready, "token_file"), &cli->arena, &cli->settings.token, &err)) {
        return cli_fail_err(&err);
    }
    code = demo_say_link(cli);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == CLI_OK; i++) {
        chaos.is_on = has_chaos && i == 1;
        code = run_step(cli, &steps[i], &chaos);
        if (code == CLI_OK && chaos.is_on) code = check_log(cli, chaos.job);
    }
    if (code == CLI_OK) {
        fprintf(stderr, "\nsucceeded in %s.   try: fairlead demo --chaos   fairlead demo --keep\n",
                cli_ago(cli, fl_clock_mono() - since));
    }
    return code;
}
