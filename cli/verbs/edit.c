/* edit.c - 'edit': an open job gets another queue, priority, deadline, parallelism, name or labels,
 * or is held; by flags, or in an editor. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/bulk_action.h"
#include "cli/client.h"
#include "cli/edit_text.h"
#include "cli/editor.h"
#include "cli/job_selector.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "shared/base/buf.h"
#include "shared/base/job_limits.h"
#include "shared/io/file.h"

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

static bool put_parallelism(struct cli *cli, json_t *body, struct fl_err *err)
{
    const char *text = cli_value(&cli->args, CLI_OPT_parallelism);
    long number;

    if (!text) return true;
    if (strcmp(text, "none") == 0) {
        json_object_set_new(body, "parallelism", json_null());
        return true;
    }
    if (!cli_number(&cli->args, CLI_OPT_parallelism, 0, 1, FL_JOB_ELEMENTS_MAX, &number, err)) {
        return fl_fail(
            err, FL_INVALID,
            "--parallelism %s: wants a number from 1 to " FL_QUOTE(FL_JOB_ELEMENTS_MAX) ", or none",
            text);
    }
    json_object_set_new(body, "parallelism", json_integer(number));
    return true;
}

/* NULL: the error was printed. */
static json_t *edit_of_flags(struct cli *cli)
{
    struct fl_err err = {0};
    bool is_good = true;
    json_t *body;
    long number;

    if (!cli_is_text(cli, CLI_OPT_queue) || !cli_is_text(cli, CLI_OPT_name) ||
        !cli_is_text(cli, CLI_OPT_deadline) || !cli_is_text(cli, CLI_OPT_label)) {
        return NULL;
    }
    body = json_object();
    put_text(cli, body, "queue", CLI_OPT_queue, NULL);
    put_text(cli, body, "name", CLI_OPT_name, "");
    put_text(cli, body, "deadline", CLI_OPT_deadline, "none");
    if (cli_has(&cli->args, CLI_OPT_priority)) {
        is_good = cli_number(&cli->args, CLI_OPT_priority, 0, -1000, 1000, &number, &err);
        if (is_good) json_object_set_new(body, "priority", json_integer(number));
    }
    is_good = is_good && put_parallelism(cli, body, &err) && put_labels(cli, body, &err);
    if (is_good && cli_has(&cli->args, CLI_OPT_hold) && cli_has(&cli->args, CLI_OPT_release)) {
        is_good = fl_fail(&err, FL_INVALID, "--hold and --release exclude each other");
    }
    if (cli_has(&cli->args, CLI_OPT_hold)) json_object_set_new(body, "hold", json_true());
    if (cli_has(&cli->args, CLI_OPT_release)) json_object_set_new(body, "hold", json_false());
    if (is_good && json_object_size(body) == 0) {
        is_good =
            fl_fail(&err, FL_INVALID,
                    "say what to change: --queue, --priority, --deadline, --parallelism, "
                    "--name, --label, --hold or --release; one job on a terminal: in an editor");
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

static int patch(struct cli *cli, const char *id, const char *body, const char *match)
{
    struct cli_request request = {
        .method = "PATCH", .body = body, .body_len = strlen(body), .if_match = match};
    json_t *job = NULL;
    int code;

    request.path = fl_arena_printf(&cli->arena, "/v1/jobs/%s", id);
    code = cli_call(cli, &request, &job);
    if (code == CLI_OK) {
        fprintf(stderr, "%s is edited\n", id);
        FL_IGNORE(cli_answer(cli, job, "id"));
    }
    json_decref(job);
    return code;
}

static int edit_one(struct cli *cli, const char *word, const char *body, const char *match)
{
    int code = CLI_OK;
    const char *id = cli_job_id(cli, word, &code);

    return id ? patch(cli, id, body, match) : code;
}

/* ---- in an editor ---------------------------------------------------------------------------- */

static bool has_flags(const struct cli *cli)
{
    static const enum cli_option_id flags[] = {
        CLI_OPT_queue, CLI_OPT_name,    CLI_OPT_deadline, CLI_OPT_priority,   CLI_OPT_label,
        CLI_OPT_hold,  CLI_OPT_release, CLI_OPT_revision, CLI_OPT_parallelism};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (cli_has(&cli->args, flags[i])) return true;
    }
    return false;
}

/* A new file with the job's text; NULL: the error was printed. */
static const char *write_text(struct cli *cli, const json_t *job)
{
    const char *tmp = getenv("TMPDIR");
    char *path = fl_arena_printf(&cli->arena, "%s/fairlead-%s-XXXXXX.yaml",
                                 tmp && *tmp == '/' ? tmp : "/tmp",
                                 json_string_value(json_object_get(job, "id")));
    int fd = mkostemps(path, 5, O_CLOEXEC);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (out) cli_edit_text_write(job, out);
    if (out && fclose(out) == 0) return path;
    (void)cli_fail(CLI_IO, "%s: %s", path, strerror(errno));
    return NULL;
}

/* NULL: the text says no edit, and 'err' why. */
static json_t *read_text(struct cli *cli, const json_t *job, const char *path, struct fl_err *err)
{
    struct fl_buf text;
    json_t *body = NULL;

    fl_buf_init(&text, CLI_EDIT_TEXT_MAX);
    if (fl_file_read(AT_FDCWD, path, &text, err)) {
        struct fl_str copy =
            fl_arena_str(&cli->arena, (struct fl_str){(const char *)text.at, text.len});

        body = cli_edit_text_read(job, copy, &cli->arena, err);
    }
    fl_buf_fini(&text);
    return body;
}

/* One round of the editor; -1: the person wants another. */
static int edit_text(struct cli *cli, const json_t *job, const char *path)
{
    const char *id = json_string_value(json_object_get(job, "id"));
    const char *match = fl_arena_printf(
        &cli->arena, "\"%lld\"", (long long)json_integer_value(json_object_get(job, "revision")));
    struct fl_err err = {0};
    json_t *body;
    char *text;
    int code;

    if (!cli_editor_run(path, &err)) return cli_fail_err(&err);
    body = read_text(cli, job, path, &err);
    if (body && json_object_size(body) == 0) {
        fprintf(stderr, "nothing was changed; %s stays as it is\n", id);
        json_decref(body);
        return CLI_OK;
    }
    if (body) {
        text = json_dumps(body, JSON_COMPACT);
        json_decref(body);
        code = patch(cli, id, text, match);
        free(text);
    } else {
        code = cli_fail(CLI_BAD_SPEC, "%s", err.text);
    }
    if (code == CLI_BAD_SPEC && cli_terminal_agrees("the text can be edited again")) return -1;
    return code;
}

static int edit_in_editor(struct cli *cli, const char *word)
{
    int code = CLI_OK;
    const char *id = cli_job_id(cli, word, &code), *path;
    json_t *job = NULL;

    if (!id) return code;
    code = cli_get(cli, &job, "/v1/jobs/%s", id);
    if (code) return code;
    path = write_text(cli, job);
    do {
        code = path ? edit_text(cli, job, path) : CLI_IO;
    } while (code < 0);
    json_decref(job);
    if (path && code == CLI_OK) unlink(path);
    if (path && code != CLI_OK) fprintf(stderr, "the text is kept: %s\n", path);
    return code;
}

/* ---- by a filter ----------------------------------------------------------------------------- */

/* Puts one --where into the filter.  False: the error was printed. */
static bool put_where(struct cli *cli, const char *text, json_t *filter)
{
    static const struct {
        const char *key, *member;
    } texts[] = {{"queue", "queue"}, {"user", "submittedBy"}, {"name", "name"}};
    size_t len = strcspn(text, "=");
    const char *key = fl_arena_printf(&cli->arena, "%.*s", (int)len, text), *value = text + len + 1;
    bool has_value = text[len] && *value;

    for (size_t i = 0; i < sizeof texts / sizeof *texts && has_value; i++) {
        if (strcmp(key, texts[i].key) != 0) continue;
        if (json_object_get(filter, texts[i].member)) break;
        return json_object_set_new(filter, texts[i].member, json_string(value)) == 0;
    }
    if (has_value && strcmp(key, "state") == 0) {
        return json_array_append_new(json_object_get(filter, "state"), json_string(value)) == 0;
    }
    if (has_value && strcmp(key, "label") == 0 && strchr(value, '=')) {
        return cli_filter_label(cli, json_object_get(filter, "labels"), value, "--where", text);
    }
    FL_IGNORE(cli_fail(CLI_USAGE,
                       "--where %s: wants queue, user or name, each once, or state or label, "
                       "as --where queue=ml --where label=team=red",
                       text));
    return false;
}

/* NULL: the error was printed. */
static json_t *filter_of_where(struct cli *cli)
{
    json_t *filter = json_pack("{s:[], s:{}}", "state", "labels");
    bool is_good = cli_is_text(cli, CLI_OPT_where);

    for (size_t i = 0; i < cli->args.values[CLI_OPT_where].len && is_good; i++) {
        is_good = put_where(cli, cli->args.values[CLI_OPT_where].at[i], filter);
    }
    if (!is_good) {
        json_decref(filter);
        return NULL;
    }
    if (!json_array_size(json_object_get(filter, "state"))) json_object_del(filter, "state");
    if (!json_object_size(json_object_get(filter, "labels"))) json_object_del(filter, "labels");
    return filter;
}

static int edit_many(struct cli *cli)
{
    json_t *filter, *edit;

    if (cli->args.words.len > 0) {
        return cli_fail(CLI_USAGE, "--where chooses the jobs: leave %s out, or --where",
                        cli_plain(cli, cli->args.words.at[0]));
    }
    if (cli_has(&cli->args, CLI_OPT_name) || cli_has(&cli->args, CLI_OPT_label) ||
        cli_has(&cli->args, CLI_OPT_revision)) {
        return cli_fail(CLI_USAGE, "--name, --label and --revision are of one job: name JOBs in "
                                   "place of --where");
    }
    edit = edit_of_flags(cli);
    filter = edit ? filter_of_where(cli) : NULL;
    if (filter) json_object_set(filter, "edit", edit);
    json_decref(edit);
    return filter ? cli_bulk_action(cli, "edit", "edited", filter) : CLI_USAGE;
}

/* The first failure decides the exit code; the rest is still tried. */
int verb_edit(struct cli *cli)
{
    int code = CLI_OK;
    const char *match;
    json_t *body;
    char *text;

    if (cli_has(&cli->args, CLI_OPT_where)) return edit_many(cli);
    if (cli_has(&cli->args, CLI_OPT_dry_run) || cli_has(&cli->args, CLI_OPT_yes)) {
        return cli_fail(CLI_USAGE, "--dry-run and --yes are for the jobs that --where chooses");
    }
    if (!cli->args.words.len) {
        return cli_fail(CLI_USAGE, "usage: fairlead edit JOB... [FLAGS], or --where KEY=VALUE... "
                                   "[FLAGS]");
    }
    if (cli->args.words.len == 1 && !has_flags(cli) && cli_terminal_is_there()) {
        return edit_in_editor(cli, cli->args.words.at[0]);
    }
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
