/* edit.c - 'edit': an open job gets another queue, priority, deadline, name or labels, or is
 * held. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/client.h"
#include "cli/job_selector.h"

/* --label KEY=VALUE, or KEY- to take it away. */
static bool put_labels(struct cli *cli, json_t *body, struct fl_err *err)
{
    json_t *labels = NULL;

    for (size_t i = 0; i < cli->args.values[CLI_OPT_label].len; i++) {
        const char *text = cli->args.values[CLI_OPT_label].at[i], *end = strchr(text, '=');
        bool is_gone = !end && text[0] && text[strlen(text) - 1] == '-';
        const char *key;

        if (is_gone) end = text + strlen(text) - 1;
        if (!end || end == text) {
            return fl_fail(err, FL_INVALID,
                           "--label %s: wants KEY=VALUE, or KEY- to take a label away", text);
        }
        if (!labels) {
            labels = json_object();
            json_object_set_new(body, "labels", labels);
        }
        key = fl_arena_printf(&cli->arena, "%.*s", (int)(end - text), text);
        json_object_set_new(labels, key, is_gone ? json_null() : json_string(end + 1));
    }
    return true;
}

/* A text; one that takes the member away is null. */
static void put_text(struct cli *cli, json_t *body, const char *key, enum cli_option_id option,
                     const char *none)
{
    const char *text = cli_value(&cli->args, option);

    if (!cli_has(&cli->args, option)) return;
    json_object_set_new(body, key,
                        none && strcmp(text, none) == 0 ? json_null() : json_string(text));
}

/* NULL: the error was printed. */
static json_t *edit_of_flags(struct cli *cli)
{
    json_t *body = json_object();
    struct fl_err err = {0};
    bool is_good = true;
    long number;

    put_text(cli, body, "queue", CLI_OPT_queue, NULL);
    put_text(cli, body, "name", CLI_OPT_name, "");
    put_text(cli, body, "deadline", CLI_OPT_deadline, "none");
    if (cli_has(&cli->args, CLI_OPT_priority)) {
        is_good = cli_number(&cli->args, CLI_OPT_priority, 0, -1000, 1000, &number, &err);
        if (is_good) json_object_set_new(body, "priority", json_integer(number));
    }
    is_good = is_good && put_labels(cli, body, &err);
    if (is_good && cli_has(&cli->args, CLI_OPT_hold) && cli_has(&cli->args, CLI_OPT_release)) {
        is_good = fl_fail(&err, FL_INVALID, "--hold and --release exclude each other");
    }
    if (cli_has(&cli->args, CLI_OPT_hold)) json_object_set_new(body, "hold", json_true());
    if (cli_has(&cli->args, CLI_OPT_release)) json_object_set_new(body, "hold", json_false());
    if (is_good && json_object_size(body) == 0) {
        is_good = fl_fail(&err, FL_INVALID,
                          "say what to change: --queue, --priority, --deadline, --name, --label, "
                          "--hold or --release");
    }
    if (is_good) return body;
    (void)cli_fail(CLI_USAGE, "%s", err.text);
    json_decref(body);
    return NULL;
}

/* False: --revision is no number, and the error was printed. */
static bool read_match(struct cli *cli, const char **ret_match)
{
    struct fl_err err = {0};
    long revision;

    *ret_match = NULL;
    if (!cli_has(&cli->args, CLI_OPT_revision)) return true;
    if (!cli_number(&cli->args, CLI_OPT_revision, 0, 0, UINT32_MAX - 1L, &revision, &err)) {
        (void)cli_fail(CLI_USAGE, "%s", err.text);
        return false;
    }
    *ret_match = fl_arena_printf(&cli->arena, "\"%ld\"", revision);
    return true;
}

static int edit_one(struct cli *cli, const char *word, const char *body, const char *match)
{
    struct cli_request request = {
        .method = "PATCH", .body = body, .body_len = strlen(body), .if_match = match};
    int code = CLI_OK;
    const char *id = cli_job_id(cli, word, &code);
    json_t *job = NULL;

    if (!id) return code;
    request.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s", id);
    code = cli_call(cli, &request, &job);
    if (code == CLI_OK) {
        fprintf(stderr, "%s is edited\n", id);
        FL_IGNORE(cli_answer(cli, job, "id"));
    }
    json_decref(job);
    return code;
}

/* The first failure decides the exit code; the rest is still tried. */
int verb_edit(struct cli *cli)
{
    int code = CLI_OK;
    const char *match;
    json_t *body;
    char *text;

    if (!cli->args.words.len) return cli_fail(CLI_USAGE, "usage: fairlead edit JOB... FLAGS");
    if (!read_match(cli, &match)) return CLI_USAGE;
    body = edit_of_flags(cli);
    if (!body) return CLI_USAGE;
    text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    for (size_t i = 0; i < cli->args.words.len; i++) {
        int one = edit_one(cli, cli->args.words.at[i], text, match);

        if (one && !code) code = one;
    }
    free(text);
    return code;
}
